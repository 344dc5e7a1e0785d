/// An attribute of an entity: a named value with a type.
public struct AttributeDescription: Sendable, Hashable {
    /// Unique in the entity, its ancestors and its descendants; case-sensitive. Begins with a letter and goes on with
    /// letters, digits and underscores.
    public var name: String
    public var type: AttributeType

    /// Whether nil is acceptable when the object is saved. Checked by validation alone (spec §1.3).
    public var isOptional: Bool

    /// The value of a newly inserted object; nil means none. Also used by batch inserts for omitted keys. That of a
    /// transformable attribute is made by `attributeValue(of:)` of its transformer, which is
    /// `ValueTransformer.propertyList` where none is named.
    public var defaultValue: AttributeValue?

    /// Whether the attribute is kept in memory only and has no column.
    public var isTransient: Bool

    /// What makes data of the values of a transformable attribute, where nil means `propertyList`;
    /// nil for the other types.
    public var transformer: ValueTransformer?

    /// Conditions on the value, asked when an object is saved, in this order; never about nil (spec §1.12).
    public var validationRules: [ValidationRule]

    /// What the attribute was called in an earlier model; nil means the same (spec §1.8). Kept for migrations, which there are not
    /// yet.
    public var renamingIdentifier: String?

    /// Anything the program wants to remember about the attribute.
    public var userInfo: [String: String]

    /// Mixed into the version hash; change it when the meaning of the data changes but its shape does not.
    public var versionHashModifier: String?

    /// An attribute that is optional, persistent and without a default unless said otherwise.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = true,
        defaultValue: AttributeValue? = nil, isTransient: Bool = false,
        transformer: ValueTransformer? = nil, validationRules: [ValidationRule] = [],
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
        versionHashModifier: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isTransient = isTransient
        self.transformer = transformer
        self.validationRules = validationRules
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
        self.versionHashModifier = versionHashModifier
    }
}

extension AttributeDescription {
    /// The transformer of a transformable attribute, named or not; nil for the other types.
    var effectiveTransformer: ValueTransformer? {
        type == .transformable ? transformer ?? .propertyList : nil
    }

    /// The default as the attribute keeps it; nil if there is none or the type does not take it.
    var convertedDefault: AttributeValue? {
        // Another transformer may make other data of the same value.
        if case .transformable(let value)? = defaultValue {
            return effectiveTransformer?.attributeValue(of: value.value)
        }
        return defaultValue?.converted(to: type)
    }
}
