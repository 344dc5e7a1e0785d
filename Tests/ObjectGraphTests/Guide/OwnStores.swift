import Foundation
import ObjectGraph
import Synchronization

// The stores of one's own in Documentation/ObjectGraph.md. The laws of the stacks and the random
// scripts run over them; StacksTests compile this file through a symbolic link.

/// Keeps its objects as long as it is open.
final class DictionaryStore: IncrementalStore {
    private let table = Mutex<[StoreNodeID: StoreNode]>([:])

    func nodes(ofEntity name: String) -> [StoreNode] {
        table.withLock { $0.values.filter { $0.id.entityName == name } }
    }

    func save(_ plan: StoreSavePlan) {
        table.withLock { plan.apply(to: &$0) }
    }
}

/// Keeps its objects in a JSON file.
final class JSONFileStore: AtomicStore {
    private let file: URL

    init(_ file: URL) { self.file = file }

    func load() throws -> AtomicStoreContents? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try JSONDecoder().decode(AtomicStoreContents.self, from: Data(contentsOf: file))
    }

    func save(_ contents: AtomicStoreContents) throws {
        try JSONEncoder().encode(contents).write(to: file, options: .atomic)
    }
}

func registerStores() {
    PersistentStoreCoordinator.registerStoreType("Dictionary") { _, _ in
        .incremental(DictionaryStore())
    }
    PersistentStoreCoordinator.registerStoreType("JSON") { description, _ in
        guard let file = description.url else { throw CocoaError(.fileNoSuchFile) }
        return .atomic(JSONFileStore(file))
    }
}
