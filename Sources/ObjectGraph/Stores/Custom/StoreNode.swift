/// The identity of a node in its store: an entity and a number.
///
/// The number is the last part of an object's permanent identifier. It is positive, and unique among
/// the nodes of an entity, its ancestors and its descendants. Source: spec §11.6.
public struct StoreNodeID: Sendable, Hashable, Codable {
    /// The name of the concrete entity.
    public var entityName: String
    public var reference: Int64

    public init(entityName: String, reference: Int64) {
        self.entityName = entityName
        self.reference = reference
    }

    /// The identity of an object's node, for the constants in predicates; nil for an object that was
    /// never saved.
    public init?(_ objectID: ManagedObjectID) {
        guard !objectID.isTemporaryID else { return nil }
        self.init(entityName: objectID.entityName, reference: objectID.reference)
    }
}

/// The values of an object, as a store of one's own keeps them.
///
/// A node is complete in itself: a store may keep it in any form, as long as it returns an equal
/// one. Nodes are `Codable`. Source: spec §11.6.
public struct StoreNode: Sendable, Hashable {
    public var id: StoreNodeID

    /// Counts the changes of the object, so that a save finds out that another one came first. The
    /// engine sets it.
    public var version: UInt32

    /// The values of attributes by name. A name that is missing means nil.
    ///
    /// A transformable attribute has the data that its transformer made. An element of a composite
    /// attribute is under its key path. A member of an ordered
    /// relationship whose inverse is to-one also has its place in the order, an integer under the
    /// name `(place in …)`.
    public var values: [String: AttributeValue]

    /// The destinations of relationships by name. A name that is missing means none.
    ///
    /// A to-one relationship has at most one. A to-many relationship is not here if its inverse is
    /// to-one. Otherwise it is, in its order if it is ordered, and the nodes at both ends name each
    /// other.
    public var relationships: [String: [StoreNodeID]]

    public init(
        id: StoreNodeID, version: UInt32 = 1, values: [String: AttributeValue] = [:],
        relationships: [String: [StoreNodeID]] = [:]
    ) {
        self.id = id
        self.version = version
        self.values = values
        self.relationships = relationships
    }
}
