/// What happens to the destination of a relationship when its owner is deleted (spec §1.5).
public enum DeleteRule: Int, Sendable, Hashable, Codable {
    /// The destination keeps a dangling reference.
    case noAction = 0
    /// The owner is removed from the destination's inverse.
    case nullify = 1
    /// The destination is deleted as well.
    case cascade = 2
    /// The save fails while a destination exists that is not itself deleted.
    case deny = 3
}

/// A relationship of an entity to another, to one object or to many.
public struct RelationshipDescription: Sendable, Hashable {
    /// Unique in the entity, its ancestors and its descendants; case-sensitive. Begins with a letter and goes on with
    /// letters, digits and underscores.
    public var name: String

    /// The name of the entity at the other end.
    public var destination: String

    /// The name of the relationship of the destination that leads back; nil means none, and no inverse is maintained.
    public var inverse: String?

    /// The least number of objects of a mandatory relationship.
    public var minCount: Int

    /// The greatest number of objects; 1 makes the relationship to-one, 0 means no limit.
    public var maxCount: Int
    public var isOptional: Bool
    public var deleteRule: DeleteRule

    /// Whether the objects of a to-many relationship have an order.
    public var isOrdered: Bool

    /// What the relationship was called in an earlier model; nil means the same (spec §1.8). Kept for migrations, which there are not
    /// yet.
    public var renamingIdentifier: String?

    /// Anything the program wants to remember about the relationship.
    public var userInfo: [String: String]

    /// Mixed into the version hash; change it when the meaning of the data changes but its shape does not.
    public var versionHashModifier: String?

    /// Whether the relationship leads to many objects.
    public var isToMany: Bool { maxCount != 1 }

    public init(
        name: String, destination: String, inverse: String? = nil, minCount: Int = 0, maxCount: Int,
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify, isOrdered: Bool = false,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
        versionHashModifier: String? = nil
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.minCount = minCount
        self.maxCount = maxCount
        self.isOptional = isOptional
        self.deleteRule = deleteRule
        self.isOrdered = isOrdered
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
        self.versionHashModifier = versionHashModifier
    }

    /// A relationship to at most one object.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify
    ) -> Self {
        Self(
            name: name, destination: destination, inverse: inverse, minCount: isOptional ? 0 : 1,
            maxCount: 1, isOptional: isOptional, deleteRule: deleteRule)
    }

    /// A relationship to any number of objects; `maxCount` 0 means no limit.
    public static func toMany(
        _ name: String, _ destination: String, inverse: String? = nil, isOptional: Bool = true,
        minCount: Int = 0, maxCount: Int = 0, deleteRule: DeleteRule = .nullify,
        isOrdered: Bool = false
    ) -> Self {
        Self(
            name: name, destination: destination, inverse: inverse, minCount: minCount,
            maxCount: maxCount, isOptional: isOptional, deleteRule: deleteRule,
            isOrdered: isOrdered)
    }
}
