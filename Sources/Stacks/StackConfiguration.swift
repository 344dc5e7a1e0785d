import Foundation
import ObjectGraph

/// What a stack is to be opened with.
public struct StackConfiguration: Sendable {
    /// Where the store is.
    public enum Location: Sendable, Hashable {
        /// In a SQLite file, which is made if it is missing.
        case sqlite(URL)
        /// In memory, for as long as the stack is open. Takes no batch requests (spec §11.3).
        case inMemory
    }

    public var model: ManagedObjectModel
    public var location: Location
    public var lockPolicy: LockPolicy

    /// SQLite settings by name, made on every connection of the stack; none in memory.
    public var pragmas: [String: String]

    /// The merge policy of every context of the stack.
    public var mergePolicy: MergePolicy

    public init(
        model: ManagedObjectModel, location: Location, lockPolicy: LockPolicy = .pooled,
        pragmas: [String: String] = [:], mergePolicy: MergePolicy = .error
    ) {
        self.model = model
        self.location = location
        self.lockPolicy = lockPolicy
        self.pragmas = pragmas
        self.mergePolicy = mergePolicy
    }
}

extension StackConfiguration {
    /// A new coordinator with the store open.
    ///
    /// - Throws: `StoreError` if it cannot be opened.
    public func openCoordinator() throws -> PersistentStoreCoordinator {
        var description: PersistentStoreDescription =
            switch location {
            case .sqlite(let url): .sqlite(at: url)
            case .inMemory: .inMemory()
            }
        description.pragmas = pragmas
        let coordinator = PersistentStoreCoordinator(model: model, lockPolicy: lockPolicy)
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    /// Empties the store's file if there is one; it must not be open.
    func destroyStore() throws {
        guard case .sqlite(let url) = location, FileManager.default.fileExists(atPath: url.path)
        else { return }
        try PersistentStoreCoordinator.destroyPersistentStore(at: url)
    }

    /// A context on a coordinator, with the merge policy of the stack.
    public func makeContext(
        _ type: ManagedObjectContext.ConcurrencyType, on coordinator: PersistentStoreCoordinator,
        name: String
    ) -> ManagedObjectContext {
        prepared(ManagedObjectContext(type, coordinator: coordinator, name: name))
    }

    /// A context below another one, with the merge policy of the stack.
    public func makeContext(
        _ type: ManagedObjectContext.ConcurrencyType, below parent: ManagedObjectContext,
        name: String
    ) -> ManagedObjectContext {
        prepared(ManagedObjectContext(type, parent: parent, name: name))
    }

    private func prepared(_ context: ManagedObjectContext) -> ManagedObjectContext {
        context.mergePolicy = mergePolicy
        return context
    }
}
