/// A typed accessor of a property, and the declaration of the property.
///
/// A class lists its accessors in `managedProperties`, and `EntityDescription(Book.self)` describes
/// its entity. If the entity is described by hand, an accessor needs the property's name only.
public protocol ManagedProperty: Sendable {
    var key: PropertyKey { get }
}

/// A typed accessor of an attribute: `object[Book.title]`.
///
/// `Value` is optional if the attribute may be nil. Other types read a missing value as 0, false or
/// empty. A `Date`, `URL`, `UUID` or identifier has no such value: reading it before it is set
/// stops the program (spec §1.3).
public struct Attribute<Value: ManagedValue>: ManagedProperty {
    public let key: PropertyKey

    /// The parameters after the name describe the attribute that the class declares, as those of
    /// `AttributeDescription` do.
    ///
    /// A derived attribute is optional in the model whatever `Value` is, since it has no value
    /// before the first save.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - type: The type in the model; nil means the first of `Value.attributeTypes`.
    ///   - default: The value of a new object.
    ///   - isOptional: Whether an object can be saved without a value; nil means that `Value`
    ///     decides.
    ///   - isUnique: Whether no two objects may have the same value: a uniqueness constraint of
    ///     this attribute alone.
    ///   - indexes: Indexes on this attribute alone.
    ///   - isTransient: Whether the value is kept in memory only.
    ///   - derivation: The expression of a value that the store computes; nil for other attributes.
    ///   - allowsExternalStorage: Whether large data are kept in files.
    ///   - preservesValueInHistoryOnDeletion: Whether the history keeps the last value.
    ///   - validationRules: Conditions on the value.
    ///   - codingKey: The key in JSON; nil means the name.
    ///   - renamingIdentifier: The name in an earlier model; nil means the same name.
    ///   - userInfo: Any information.
    ///   - versionHashModifier: Part of the version hash.
    public init(
        _ name: String, _ type: AttributeType? = nil, default: Value? = nil,
        isOptional: Bool? = nil, isUnique: Bool = false, indexes: [PropertyIndex] = [],
        isTransient: Bool = false, derivation: String? = nil, allowsExternalStorage: Bool = false,
        preservesValueInHistoryOnDeletion: Bool = false, validationRules: [ValidationRule] = [],
        codingKey: String? = nil, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:], versionHashModifier: String? = nil
    ) {
        key = PropertyKey(name, .attribute(Value.attributeTypes)) {
            var attribute = AttributeDescription(
                name, type ?? Value.attributeTypes[0],
                isOptional: isOptional
                    ?? (derivation != nil || Value.self is any ExpressibleByNilLiteral.Type),
                defaultValue: `default`?.attributeValue, isTransient: isTransient,
                derivation: derivation, allowsExternalStorage: allowsExternalStorage,
                preservesValueInHistoryOnDeletion: preservesValueInHistoryOnDeletion,
                validationRules: validationRules, renamingIdentifier: renamingIdentifier,
                userInfo: userInfo, versionHashModifier: versionHashModifier)
            if let codingKey { attribute.codingKey = codingKey }
            return .attribute(attribute, isUnique: isUnique, indexes)
        }
    }
}

/// An index on one attribute, as its accessor declares it. Others are declared with the entity.
public struct PropertyIndex: Sendable, Hashable {
    let suffix: String
    let isAscending: Bool
    let folding: FetchIndexDescription.Folding
    let kind: FetchIndexDescription.Kind

    private init(
        _ suffix: String = "", isAscending: Bool = true,
        folding: FetchIndexDescription.Folding = .none, kind: FetchIndexDescription.Kind = .binary
    ) {
        self.suffix = suffix
        self.isAscending = isAscending
        self.folding = folding
        self.kind = kind
    }

    /// From the least value on. Its name is `byTitle` for an attribute `title`.
    public static let ascending = Self()

    /// From the greatest value on: `byTitleDescending`.
    public static let descending = Self("Descending", isAscending: false)

    /// Of strings, for `[c]`: `byTitleCaseInsensitive`.
    public static let caseInsensitive = Self("CaseInsensitive", folding: .caseInsensitive)

    /// Of strings, for `[d]`: `byTitleDiacriticInsensitive`.
    public static let diacriticInsensitive = Self(
        "DiacriticInsensitive", folding: .diacriticInsensitive)

    /// Of strings, for `[cd]`: `byTitleFolded`.
    public static let caseAndDiacriticInsensitive = Self(
        "Folded", folding: .caseAndDiacriticInsensitive)

    /// Of the words of strings, for SEARCH (spec §7.9): `byTitleWords`.
    public static let fullText = Self("Words", kind: .fullText)

    func description(of attribute: String) -> FetchIndexDescription {
        FetchIndexDescription(
            "by\(attribute.prefix(1).uppercased())\(attribute.dropFirst())\(suffix)",
            elements: [.init(attribute, isAscending: isAscending, folding: folding)], kind: kind)
    }
}

/// A typed accessor of a transformable attribute, which reads as nil if there is no value.
///
/// `Value` is the type of the attribute's transformer. If the model names none, it is any type that
/// can be made of a `PropertyList`.
public struct Transformable<Value: Hashable & Sendable>: ManagedProperty {
    public let key: PropertyKey

    /// The parameters after the name describe the attribute that the class declares, as those of
    /// `AttributeDescription` do.
    public init(
        _ name: String, _ transformer: ValueTransformer? = nil, default: Value? = nil,
        isOptional: Bool = true, isTransient: Bool = false, allowsExternalStorage: Bool = false,
        preservesValueInHistoryOnDeletion: Bool = false, validationRules: [ValidationRule] = [],
        codingKey: String? = nil, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:], versionHashModifier: String? = nil
    ) {
        key = PropertyKey(name, .attribute([.transformable])) {
            var attribute = AttributeDescription(
                name, .transformable, isOptional: isOptional,
                defaultValue: `default`.flatMap {
                    (transformer ?? .propertyList).attributeValue(of: $0)
                }, isTransient: isTransient, transformer: transformer,
                allowsExternalStorage: allowsExternalStorage,
                preservesValueInHistoryOnDeletion: preservesValueInHistoryOnDeletion,
                validationRules: validationRules, renamingIdentifier: renamingIdentifier,
                userInfo: userInfo, versionHashModifier: versionHashModifier)
            if let codingKey { attribute.codingKey = codingKey }
            return .attribute(attribute)
        }
    }
}

/// A typed accessor of a composite attribute, which reads as nil if no element has a value.
public struct Composite<Value: CompositeValue>: ManagedProperty {
    public let key: PropertyKey
    let access: CompositeAccess<Value>

    /// The parameters after the name describe the attribute that the class declares. Its elements
    /// are those of `Value`.
    public init(
        _ name: String, isOptional: Bool = true, isTransient: Bool = false,
        codingKey: String? = nil, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:], versionHashModifier: String? = nil
    ) {
        key = PropertyKey(name, .attribute([.composite])) {
            var attribute = AttributeDescription(
                name, .composite, isOptional: isOptional, isTransient: isTransient,
                elements: Value.elements.map(\.description),
                renamingIdentifier: renamingIdentifier, userInfo: userInfo,
                versionHashModifier: versionHashModifier)
            if let codingKey { attribute.codingKey = codingKey }
            return .attribute(attribute)
        }
        access = CompositeAccess(key)
    }
}

/// A typed accessor of a to-one relationship.
public struct ToOne<Destination: ManagedObject>: ManagedProperty {
    public let key: PropertyKey

    /// The parameters after the name describe the relationship that the class declares.
    ///
    /// `inverse` is the relationship back, for example `Author.books`. Only one of the two need
    /// name the other. If both do, write out the types of the constants, since the compiler cannot
    /// infer the types of accessors that need each other.
    public init(
        _ name: String,
        inverse: @autoclosure @escaping @Sendable () -> (any ManagedProperty)? = nil,
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify, codingKey: String? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
        versionHashModifier: String? = nil
    ) {
        key = PropertyKey(name, .toOne(.init(Destination.self))) {
            var relationship = RelationshipDescription.toOne(
                name, Destination.entityName, inverse: inverse()?.key.name,
                isOptional: isOptional, deleteRule: deleteRule)
            relationship.renamingIdentifier = renamingIdentifier
            relationship.userInfo = userInfo
            relationship.versionHashModifier = versionHashModifier
            if let codingKey { relationship.codingKey = codingKey }
            return .relationship(relationship)
        }
    }
}

/// A typed accessor of a to-many relationship.
public struct ToMany<Destination: ManagedObject>: ManagedProperty {
    public let key: PropertyKey

    /// The parameters after the name describe the relationship that the class declares, as those
    /// of `ToOne` do.
    public init(
        _ name: String,
        inverse: @autoclosure @escaping @Sendable () -> (any ManagedProperty)? = nil,
        isOptional: Bool = true, minCount: Int = 0, maxCount: Int = 0,
        deleteRule: DeleteRule = .nullify, codingKey: String? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
        versionHashModifier: String? = nil
    ) {
        key = PropertyKey(name, .toMany(.init(Destination.self))) {
            var relationship = RelationshipDescription.toMany(
                name, Destination.entityName, inverse: inverse()?.key.name,
                isOptional: isOptional, minCount: minCount, maxCount: maxCount,
                deleteRule: deleteRule)
            relationship.renamingIdentifier = renamingIdentifier
            relationship.userInfo = userInfo
            relationship.versionHashModifier = versionHashModifier
            if let codingKey { relationship.codingKey = codingKey }
            return .relationship(relationship)
        }
    }
}

/// A typed accessor of an ordered to-many relationship.
public struct OrderedToMany<Destination: ManagedObject>: ManagedProperty {
    public let key: PropertyKey

    /// The parameters after the name describe the relationship that the class declares, as those
    /// of `ToOne` do.
    public init(
        _ name: String,
        inverse: @autoclosure @escaping @Sendable () -> (any ManagedProperty)? = nil,
        isOptional: Bool = true, minCount: Int = 0, maxCount: Int = 0,
        deleteRule: DeleteRule = .nullify, codingKey: String? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
        versionHashModifier: String? = nil
    ) {
        key = PropertyKey(name, .toMany(.init(Destination.self))) {
            var relationship = RelationshipDescription.toMany(
                name, Destination.entityName, inverse: inverse()?.key.name,
                isOptional: isOptional, minCount: minCount, maxCount: maxCount,
                deleteRule: deleteRule, isOrdered: true)
            relationship.renamingIdentifier = renamingIdentifier
            relationship.userInfo = userInfo
            relationship.versionHashModifier = versionHashModifier
            if let codingKey { relationship.codingKey = codingKey }
            return .relationship(relationship)
        }
    }
}
