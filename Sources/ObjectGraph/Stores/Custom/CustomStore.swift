import Foundation
import Synchronization

/// A store of one's own, of either kind.
public enum CustomStore: Sendable {
    case incremental(any IncrementalStore)
    case atomic(any AtomicStore)
}

/// The types of stores besides SQLite and in-memory, and how a store of each type is made.
package enum StoreTypes {
    typealias Factory =
        @Sendable (PersistentStoreDescription, ManagedObjectModel) throws -> CustomStore

    /// Makes a store that reads and writes rows by itself.
    package typealias RowStoreFactory =
        @Sendable (PersistentStoreDescription, ManagedObjectModel, DebugOptions) throws ->
        any PersistentStore

    /// Removes all that a store has, as if it had never been made.
    package typealias Destroyer = @Sendable (PersistentStoreDescription) throws -> Void

    private enum Maker: Sendable {
        case custom(Factory)
        case rowStore(RowStoreFactory, Destroyer)
    }

    private static let makers = Mutex<[PersistentStoreDescription.StoreType: Maker]>([:])

    static func register(
        _ type: PersistentStoreDescription.StoreType, _ factory: @escaping Factory
    ) {
        register(type, .custom(factory))
    }

    /// Registers a type of stores that another target of the package has.
    package static func register(
        _ type: PersistentStoreDescription.StoreType, rowStore factory: @escaping RowStoreFactory,
        destroy: @escaping Destroyer
    ) {
        register(type, .rowStore(factory, destroy))
    }

    private static func register(_ type: PersistentStoreDescription.StoreType, _ maker: Maker) {
        guard ![.sqlite, .inMemory, .binary].contains(type) else {
            fatalError("'\(type.rawValue)' is a store type of the engine; register another name.")
        }
        makers.withLock { $0[type] = maker }
    }

    /// - Throws: `StoreError` with `unknownStoreType`; the errors of the factory and of opening.
    static func makeStore(
        _ description: PersistentStoreDescription, model: ManagedObjectModel, debug: DebugOptions
    ) throws -> any PersistentStore {
        let store: CustomStore
        if description.type == .binary {
            store = .atomic(try BinaryStore(description))
        } else {
            switch makers.withLock({ $0[description.type] }) {
            case nil:
                throw StoreError(
                    .unknownStoreType(description.type.rawValue), url: description.url)
            case .custom(let factory)?: store = try factory(description, model)
            case .rowStore(let factory, _)?: return try factory(description, model, debug)
            }
        }
        return try makeStore(store, description, model)
    }

    /// - Throws: `StoreError` with `unsupported` for a type that cannot be destroyed; the errors of
    ///   the type.
    static func destroy(_ description: PersistentStoreDescription) throws {
        guard case .rowStore(_, let destroy)? = makers.withLock({ $0[description.type] }) else {
            throw StoreError(
                .unsupported("destroying a store of the type \(description.type.rawValue)"),
                url: description.url)
        }
        try destroy(description)
    }

    private static func makeStore(
        _ store: CustomStore, _ description: PersistentStoreDescription,
        _ model: ManagedObjectModel
    ) throws -> any PersistentStore {
        switch store {
        case .incremental(let store):
            return try IncrementalStoreAdapter(store, description, model: model)
        case .atomic(let store):
            return try InMemoryStore(description, model: model, atomic: store)
        }
    }
}
