/// A store of one's own that reads all nodes when it is opened, and writes all with each save.
///
/// The engine keeps the nodes in memory in between, as those of the in-memory store, and compares
/// versions there. Suits stores that are small. Register it with
/// `PersistentStoreCoordinator.registerStoreType`.
///
/// The engine calls one method at a time, on any thread. A method must not use the contexts of the
/// coordinator. An error that it throws is passed on as it is. Source: spec §11.7.
public protocol AtomicStore: AnyObject, Sendable {
    /// The contents that were saved last; nil for a new store.
    ///
    /// Called once, when the store is opened.
    func load() throws -> AtomicStoreContents?

    /// Replaces all contents, or none of them if it throws.
    ///
    /// If others may have replaced them since, it has to notice that and throw, since their changes
    /// would be lost.
    ///
    /// Costs O(n) for n nodes in the store, however few have changed.
    func save(_ contents: AtomicStoreContents) throws

    /// Called when the store is removed from its coordinator. The default does nothing.
    func close() throws
}

extension AtomicStore {
    public func close() throws {}
}

/// Everything that an atomic store keeps.
public struct AtomicStoreContents: Sendable, Hashable, Codable {
    public let metadata: StoreMetadata

    /// The nodes, sorted by root entities and references.
    public let nodes: [StoreNode]

    /// The last reference given to a node, by the name of the root entity. References of deleted
    /// nodes are not given again.
    public let lastReferences: [String: Int64]

    public init(
        metadata: StoreMetadata, nodes: [StoreNode], lastReferences: [String: Int64] = [:]
    ) {
        self.metadata = metadata
        self.nodes = nodes
        self.lastReferences = lastReferences
    }
}
