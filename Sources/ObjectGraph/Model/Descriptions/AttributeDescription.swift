/// An attribute of an entity: a named value with a type.
public struct AttributeDescription: Sendable, Hashable {
    /// Unique in the entity, its ancestors and its descendants; case-sensitive. A letter or an
    /// underscore, followed by letters, digits and underscores.
    public var name: String
    public var type: AttributeType

    /// Whether the object can be saved with nil. Only validation checks this (spec §1.3).
    public var isOptional: Bool

    /// The value of a newly inserted object; nil means none. Batch inserts use it for omitted keys
    /// too. For a transformable attribute, create it with `attributeValue(of:)` of the transformer,
    /// which is `ValueTransformer.propertyList` by default.
    public var defaultValue: AttributeValue?

    /// Whether the attribute is kept in memory only and has no column.
    public var isTransient: Bool

    /// The expression from which the store computes the value, as a format; nil for an attribute
    /// that is set (spec §1.4).
    ///
    /// The forms are `books.@count`, `books.price.@sum` with `@min` and `@max`, `author.name`,
    /// `canonical:(title)` with `uppercase:` and `lowercase:`, and `now()`. A save computes the
    /// value and overwrites one that was set. An object shows it after it was refreshed.
    public var derivation: String?

    /// The parts of a composite attribute, which may be composite themselves; empty for the other
    /// types (spec §1.3).
    ///
    /// The name of an element is unique in its composite. An element has a column of its own, a
    /// default value and rules as other attributes have; the composite has none of them. A
    /// mandatory element must have a value if another one of the composite has.
    public var elements: [AttributeDescription]

    /// Converts the values of a transformable attribute to data; nil means `propertyList`. Nil for
    /// the other types.
    public var transformer: ValueTransformer?

    /// Whether a SQLite store keeps large values of a Binary attribute in files of their own (spec
    /// §8.6). Other types stay in their rows, and so do all values in stores that were made
    /// before it was set.
    public var allowsExternalStorage: Bool

    /// Whether the history of a store keeps the last value of a deleted object (spec §10.4). Values
    /// with `allowsExternalStorage` are never kept.
    public var preservesValueInHistoryOnDeletion: Bool

    /// Conditions on the value, checked in this order when an object is saved. They do not apply to
    /// nil (spec §1.12).
    public var validationRules: [ValidationRule]

    /// The attribute's name in an earlier model; nil means the same name (spec §1.8,
    /// §9.2).
    public var renamingIdentifier: String?

    /// Any information that the program keeps with the attribute.
    public var userInfo: [String: String]

    /// Part of the version hash. Change it when the meaning of the data changes but its shape does
    /// not.
    public var versionHashModifier: String?

    /// By default the attribute is optional and persistent, and has no default value.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = true,
        defaultValue: AttributeValue? = nil, isTransient: Bool = false, derivation: String? = nil,
        elements: [AttributeDescription] = [], transformer: ValueTransformer? = nil,
        allowsExternalStorage: Bool = false,
        preservesValueInHistoryOnDeletion: Bool = false,
        validationRules: [ValidationRule] = [], renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:], versionHashModifier: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isTransient = isTransient
        self.derivation = derivation
        self.elements = elements
        self.transformer = transformer
        self.allowsExternalStorage = allowsExternalStorage
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.validationRules = validationRules
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
        self.versionHashModifier = versionHashModifier
    }
}

extension AttributeDescription {
    /// The transformer of a transformable attribute, explicit or default; nil for the other types.
    var effectiveTransformer: ValueTransformer? {
        type == .transformable ? transformer ?? .propertyList : nil
    }

    /// The default value, converted to the attribute's type; nil if there is none or if the type
    /// does not accept it.
    var convertedDefault: AttributeValue? {
        // Converted again, since another transformer may produce other data for the same value.
        if case .transformable(let value)? = defaultValue {
            return effectiveTransformer?.attributeValue(of: value.value)
        }
        return defaultValue?.converted(to: type)
    }
}
