/// The changes of a save in a store of one's own.
public struct StoreSavePlan: Sendable {
    /// A changed node.
    public struct Update: Sendable, Hashable {
        /// The whole node, with its new version.
        public let node: StoreNode

        /// The names of the values and relationships that differ; empty if only the version does.
        public let changedProperties: Set<String>

        /// The version that the stored node must have.
        public let expectedVersion: UInt32
    }

    /// A node that the save deletes or relies on.
    public struct Expectation: Sendable, Hashable {
        public let id: StoreNodeID

        /// The version that the stored node must have.
        public let version: UInt32
    }

    public let inserted: [StoreNode]
    public let updated: [Update]

    /// The nodes to delete. One that is gone already is no conflict.
    public let deleted: [Expectation]

    /// Nodes to leave as they are (`detectConflicts(for:)`).
    public let checked: [Expectation]

    /// The metadata, for `loadMetadata`; they change rarely.
    public let metadata: StoreMetadata

    /// Makes the changes in a table of all nodes.
    public func apply(to nodes: inout [StoreNodeID: StoreNode]) {
        for node in inserted { nodes[node.id] = node }
        for update in updated { nodes[update.node.id] = update.node }
        for deletion in deleted { nodes[deletion.id] = nil }
    }
}
