/// An attribute of an entity: a named value with a type.
public struct AttributeDescription: Sendable, Hashable {
    /// Unique in the entity, its ancestors and its descendants; case-sensitive.
    public var name: String
    public var type: AttributeType

    /// Whether nil is acceptable when the object is saved. Checked by validation alone (spec §1.3).
    public var isOptional: Bool

    /// The value of a newly inserted object; nil means none. Also used by batch inserts for omitted keys.
    public var defaultValue: AttributeValue?

    /// Whether the attribute is kept in memory only and has no column.
    public var isTransient: Bool

    /// Mixed into the version hash; change it when the meaning of the data changes but its shape does not.
    public var versionHashModifier: String?

    /// An attribute that is optional, persistent and without a default unless said otherwise.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = true,
        defaultValue: AttributeValue? = nil, isTransient: Bool = false,
        versionHashModifier: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isTransient = isTransient
        self.versionHashModifier = versionHashModifier
    }
}
