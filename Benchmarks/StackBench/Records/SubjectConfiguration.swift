import Foundation
import ObjectGraph

/// How a subject is opened.
struct SubjectConfiguration: Sendable, Codable, Hashable {
    var storeURL: URL
    /// SQLite's `synchronous` pragma, the same for all subjects of a run.
    var synchronous: String
    /// The lock policy of the coordinator; peers ignore it.
    var lockPolicy: String
    var indexes: FlightsModel.Indexes
    /// The name of the merge policy of a stack's contexts; peers ignore it.
    var mergePolicy = "error"
    /// Whether a stack imports in a batch context instead of a worker; peers ignore it.
    var importsInBatchContext = false
    /// Those of a store of items; peers find them in the file.
    var itemFeatures: ItemFeatures = []
    /// Whether the engine's store keeps a history of its changes; peers have none.
    var tracksHistory = false
    /// How a peer is written; stacks and the engine ignore it.
    var variant = PeerVariant.reference
    /// SQLite's `page_size`, which a file keeps from its creation on.
    var pageSize: Int64 = 4096

    /// Whether the URL names a database in memory.
    var isInMemory: Bool { storeURL.isInMemory }

    /// SQLite's `cache_size` of each connection. The engine's store sets it, so peers set it too.
    static let cacheSize = -32768

    /// SQLite's `temp_store` of each connection: in memory, so that no subject writes files that
    /// only take failed statements back. The engine would otherwise change it during large saves.
    static let temporaryStore = 2

    /// The pragmas of the engine's stores.
    var pragmas: [String: String] {
        ["synchronous": synchronous, "temp_store": String(Self.temporaryStore)]
    }
}
