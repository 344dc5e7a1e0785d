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

    /// The parameters after the name describe the attribute that the class declares. Its type in
    /// the model is `type`, or the first of `Value.attributeTypes`; its key in JSON is `codingKey`,
    /// or its name. A derived attribute is optional in the model whatever `Value` is, since it has
    /// no value before the first save.
    public init(
        _ name: String, _ type: AttributeType? = nil, default: Value? = nil,
        isTransient: Bool = false, derivation: String? = nil,
        validationRules: [ValidationRule] = [],
        codingKey: String? = nil
    ) {
        key = PropertyKey(name, .attribute(Value.attributeTypes)) {
            var attribute = AttributeDescription(
                name, type ?? Value.attributeTypes[0],
                isOptional: derivation != nil || Value.self is any ExpressibleByNilLiteral.Type,
                defaultValue: `default`?.attributeValue, isTransient: isTransient,
                derivation: derivation, validationRules: validationRules)
            attribute.codingKey = codingKey
            return .attribute(attribute)
        }
    }
}

/// A typed accessor of a transformable attribute, which reads as nil if there is no value.
///
/// `Value` is the type of the attribute's transformer. If the model names none, it is any type that
/// can be made of a `PropertyList`.
public struct Transformable<Value: Hashable & Sendable>: ManagedProperty {
    public let key: PropertyKey

    /// The parameters after the name describe the attribute that the class declares.
    public init(
        _ name: String, _ transformer: ValueTransformer? = nil, isOptional: Bool = true,
        codingKey: String? = nil
    ) {
        key = PropertyKey(name, .attribute([.transformable])) {
            var attribute = AttributeDescription(
                name, .transformable, isOptional: isOptional, transformer: transformer)
            attribute.codingKey = codingKey
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
    public init(_ name: String, isOptional: Bool = true, codingKey: String? = nil) {
        key = PropertyKey(name, .attribute([.composite])) {
            var attribute = AttributeDescription(
                name, .composite, isOptional: isOptional,
                elements: Value.elements.map(\.description))
            attribute.codingKey = codingKey
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
    /// `inverse` is the relationship back, for example `Author.books`. Only one of the two names
    /// the other: the compiler cannot infer the types of accessors that need each other.
    public init(
        _ name: String,
        inverse: @autoclosure @escaping @Sendable () -> (any ManagedProperty)? = nil,
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify, codingKey: String? = nil
    ) {
        key = PropertyKey(name, .toOne(.init(Destination.self))) {
            var relationship = RelationshipDescription.toOne(
                name, Destination.entityName, inverse: inverse()?.key.name,
                isOptional: isOptional, deleteRule: deleteRule)
            relationship.codingKey = codingKey
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
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify, codingKey: String? = nil
    ) {
        key = PropertyKey(name, .toMany(.init(Destination.self))) {
            var relationship = RelationshipDescription.toMany(
                name, Destination.entityName, inverse: inverse()?.key.name,
                isOptional: isOptional, deleteRule: deleteRule)
            relationship.codingKey = codingKey
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
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify, codingKey: String? = nil
    ) {
        key = PropertyKey(name, .toMany(.init(Destination.self))) {
            var relationship = RelationshipDescription.toMany(
                name, Destination.entityName, inverse: inverse()?.key.name,
                isOptional: isOptional, deleteRule: deleteRule, isOrdered: true)
            relationship.codingKey = codingKey
            return .relationship(relationship)
        }
    }
}
