/// The effect of a deletion on the destination of the deleted object's relationship (spec §1.5).
public enum DeleteRule: Int, Sendable, Hashable, Codable {
    /// The destination keeps a dangling reference.
    case noAction = 0
    /// The owner is removed from the destination's inverse.
    case nullify = 1
    /// The destination is deleted too.
    case cascade = 2
    /// The save fails if a destination exists that is not deleted too.
    case deny = 3
}

/// A relationship of an entity to one object or to many objects of an entity.
public struct RelationshipDescription: Sendable, Hashable {
    /// Unique in the entity, its ancestors and its descendants; case-sensitive. A letter or an
    /// underscore, followed by letters, digits and underscores.
    public var name: String

    /// The name of the entity at the other end.
    public var destination: String

    /// The name of the destination's relationship back to this entity. It need be given at one end
    /// only; nil at both means that there is no inverse to maintain.
    public var inverse: String?

    /// The minimum number of objects of a mandatory relationship.
    public var minCount: Int

    /// The maximum number of objects; 1 makes the relationship to-one, 0 means no limit.
    public var maxCount: Int
    public var isOptional: Bool
    public var deleteRule: DeleteRule

    /// Whether the objects of a to-many relationship are ordered.
    public var isOrdered: Bool

    /// The relationship's name in an earlier model; nil means the same name (spec §1.8,
    /// §9.2).
    public var renamingIdentifier: String?

    /// Any information that the program keeps with the relationship.
    public var userInfo: [String: String]

    /// Part of the version hash. Change it when the meaning of the data changes but its shape does
    /// not.
    public var versionHashModifier: String?

    /// Whether the relationship is to-many.
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
