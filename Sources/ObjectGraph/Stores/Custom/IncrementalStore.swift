/// A store of one's own, which returns the nodes that are needed.
///
/// It knows entities by name and nodes, but no objects. Two methods are enough: the engine evaluates
/// requests over all nodes of the entities concerned, compares versions, and gives new nodes their
/// references. A store that can do better implements more. Register it with
/// `PersistentStoreCoordinator.registerStoreType`.
///
/// The engine calls one method at a time, on any thread. A method must not use the contexts of the
/// coordinator. An error that it throws is passed on as it is. Several coordinators may have one
/// store open only if it gives references and compares versions itself. Source: spec §11.6.
public protocol IncrementalStore: AnyObject, Sendable {
    /// The metadata of the last plan that was saved; nil for a new store, which gets an identifier.
    ///
    /// Called once, when the store is opened. The default is nil.
    func loadMetadata() throws -> StoreMetadata?

    /// All nodes of exactly this entity, without those of its descendants, in any order.
    func nodes(ofEntity name: String) throws -> [StoreNode]

    /// The nodes with these identities, in any order; missing ones are left out.
    ///
    /// Called for faults and before each save. The default looks through all nodes of the entities.
    func nodes(for ids: [StoreNodeID]) throws -> [StoreNode]

    /// The nodes that a request finds, in its order, within its offset and limit; nil to let the
    /// engine evaluate it, which is the default.
    ///
    /// `StoreNodeID(_:)` gives the identity of an object that a predicate names. Unless the request
    /// has `includesSubentities`, the nodes are of exactly its entity. Dictionaries are always
    /// evaluated by the engine.
    func fetch(_ request: FetchRequest) throws -> [StoreNode]?

    /// The number of nodes that a request finds, within its offset and limit; nil, the default, to
    /// let the engine count them.
    func count(for request: FetchRequest) throws -> Int?

    /// The members of a to-many relationship whose inverse is to-one, in its order if it is ordered;
    /// nil, the default, to let the engine look through all nodes of the destination.
    func destinations(
        of relationship: String, from id: StoreNodeID
    ) throws -> [StoreNodeID]?

    /// References for new nodes of a root entity and its descendants, which the store never gives
    /// again; nil, the default, to let the engine count on from the greatest one.
    ///
    /// Called before the save. A store without its own references may give one again after its node
    /// was deleted and the store was reopened.
    func reserveReferences(_ count: Int, forEntity name: String) throws -> Range<Int64>?

    /// Writes all of a plan or nothing.
    ///
    /// The engine has compared the versions with those of `nodes(for:)`. Only a store that others
    /// write to has to compare them again.
    ///
    /// - Throws: `StoreSaveConflict` if nodes are not as the plan expects; any other error if it
    ///   cannot be written.
    func save(_ plan: StoreSavePlan) throws

    /// Called when the store is removed from its coordinator. The default does nothing.
    func close() throws
}

extension IncrementalStore {
    public func loadMetadata() throws -> StoreMetadata? { nil }

    public func nodes(for ids: [StoreNodeID]) throws -> [StoreNode] {
        let wanted = Set(ids)
        return try Set(ids.map(\.entityName)).sorted().flatMap { name in
            try nodes(ofEntity: name).filter { wanted.contains($0.id) }
        }
    }

    public func fetch(_ request: FetchRequest) throws -> [StoreNode]? { nil }
    public func count(for request: FetchRequest) throws -> Int? { nil }

    public func destinations(
        of relationship: String, from id: StoreNodeID
    ) throws -> [StoreNodeID]? { nil }

    public func reserveReferences(
        _ count: Int, forEntity name: String
    ) throws -> Range<Int64>? { nil }

    public func close() throws {}
}
