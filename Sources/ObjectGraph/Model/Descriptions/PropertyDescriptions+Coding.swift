// The keys of properties in coded objects (spec §2.14), kept in `userInfo`, so that model files
// have them too.

private let userInfoKey = "codingKey"

extension AttributeDescription {
    /// The attribute's key in coded objects, such as JSON: `userInfo["codingKey"]`.
    ///
    /// nil means the name; an empty key leaves the attribute out.
    public var codingKey: String? {
        get { userInfo[userInfoKey] }
        set { userInfo[userInfoKey] = newValue }
    }
}

extension RelationshipDescription {
    /// The relationship's key in coded objects, such as JSON: `userInfo["codingKey"]`.
    ///
    /// nil means the name; an empty key leaves the relationship out.
    public var codingKey: String? {
        get { userInfo[userInfoKey] }
        set { userInfo[userInfoKey] = newValue }
    }
}
