import Foundation
import Synchronization

/// A store of one's own, of either kind.
public enum CustomStore: Sendable {
    case incremental(any IncrementalStore)
    case atomic(any AtomicStore)
}

/// The types of stores besides SQLite and in-memory, and how a store of each type is made.
enum StoreTypes {
    typealias Factory =
        @Sendable (PersistentStoreDescription, ManagedObjectModel) throws -> CustomStore

    private static let factories = Mutex<[PersistentStoreDescription.StoreType: Factory]>([:])

    static func register(
        _ type: PersistentStoreDescription.StoreType, _ factory: @escaping Factory
    ) {
        guard ![.sqlite, .inMemory, .binary].contains(type) else {
            fatalError("'\(type.rawValue)' is a store type of the engine; register another name.")
        }
        factories.withLock { $0[type] = factory }
    }

    /// - Throws: `StoreError` with `unknownStoreType`; the errors of the factory and of opening.
    static func makeStore(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws -> any PersistentStore {
        let store: CustomStore
        if description.type == .binary {
            store = .atomic(try BinaryStore(description))
        } else {
            guard let factory = factories.withLock({ $0[description.type] }) else {
                throw StoreError(
                    .unknownStoreType(description.type.rawValue), url: description.url)
            }
            store = try factory(description, model)
        }
        switch store {
        case .incremental(let store):
            return try IncrementalStoreAdapter(store, description, model: model)
        case .atomic(let store):
            return try InMemoryStore(description, model: model, atomic: store)
        }
    }
}
