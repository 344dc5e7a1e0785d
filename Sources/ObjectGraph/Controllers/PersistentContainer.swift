import Foundation
import Logging
import Synchronization

/// A coordinator with its stores, a context for the view, and contexts for work in the background
/// (spec §11.2).
///
///     let container = PersistentContainer(name: "Library", model: model)
///     try container.loadPersistentStores()
///     try await container.performBackgroundTask { context in … }
///
/// A container has one row cache and one pool of connections for each store.
public final class PersistentContainer: Sendable {
    public let name: String
    public let model: ManagedObjectModel
    public let coordinator: PersistentStoreCoordinator

    /// A context on the main queue, directly on the coordinator. Unless set otherwise, it does not
    /// merge automatically, and its saves throw on conflicts.
    public let viewContext: ManagedObjectContext

    private let descriptions: Mutex<[PersistentStoreDescription]>

    /// The stores that `loadPersistentStores` opens; one SQLite file in the default folder unless
    /// set.
    public var persistentStoreDescriptions: [PersistentStoreDescription] {
        get { descriptions.withLock { $0 } }
        set { descriptions.withLock { $0 = newValue } }
    }

    /// A container whose store is the file `<name>.sqlite` in the folder, which is made if missing.
    ///
    /// Logs the warnings of the model.
    public init(
        name: String, model: ManagedObjectModel, folder: URL = PersistentContainer.defaultFolder,
        lockPolicy: LockPolicy = .pooled
    ) {
        self.name = name
        self.model = model
        coordinator = PersistentStoreCoordinator(model: model, lockPolicy: lockPolicy)
        viewContext = ManagedObjectContext(.mainQueue, coordinator: coordinator)
        descriptions = Mutex([.sqlite(at: folder.appending(path: "\(name).sqlite"))])
        for warning in model.warnings {
            Logger(label: "ObjectGraph").warning("\(warning)")
        }
    }

    /// A container for an existing SQLite store, with the model that the store carries.
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - classes: The classes of the entities, subclasses of `ManagedObject`.
    ///   - transformers: The transformers of transformable attributes.
    ///   - lockPolicy: How many requests run at a time.
    /// - Throws: The errors of `PersistentStoreCoordinator.model(ofStoreAt:)`.
    public convenience init(
        storeAt url: URL, classes: [AnyClass] = [], transformers: [ValueTransformer] = [],
        lockPolicy: LockPolicy = .pooled
    ) throws {
        self.init(
            name: url.deletingPathExtension().lastPathComponent,
            model: try PersistentStoreCoordinator.model(
                ofStoreAt: url, classes: classes, transformers: transformers),
            folder: url.deletingLastPathComponent(), lockPolicy: lockPolicy)
        persistentStoreDescriptions = [.sqlite(at: url)]
    }

    /// The folder for the data of the program's user.
    public static var defaultFolder: URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    }

    /// Opens the described stores; a failure of one does not prevent the others from being opened.
    ///
    /// - Throws: `StoreLoadingError` with the stores that could not be opened, after all have been
    ///   tried.
    public func loadPersistentStores() throws(StoreLoadingError) {
        let failures: [StoreLoadingError.Failure] = persistentStoreDescriptions.compactMap {
            description in
            do {
                try coordinator.addPersistentStore(description)
                return nil
            } catch {
                return StoreLoadingError.Failure(store: description, error: error)
            }
        }
        guard failures.isEmpty else { throw StoreLoadingError(failures: failures) }
    }

    /// Makes a private-queue context on the coordinator. It is a sibling of the view context, not a
    /// child.
    public func newBackgroundContext() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// Runs the block on a new background context. The context then ends, and unsaved changes are
    /// lost.
    ///
    /// - Throws: What the block throws, and nothing else.
    public func performBackgroundTask<Result: Sendable, Failure: Error>(
        _ block: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let context = newBackgroundContext()
        return try await context.perform(schedule: .enqueued) { () throws(Failure) in
            try block(context)
        }
    }
}

/// The stores of a container that could not be opened.
public struct StoreLoadingError: CodedError, Sendable {
    /// A store that could not be opened.
    public struct Failure: Sendable {
        /// The description that the container was given.
        public let store: PersistentStoreDescription
        public let error: any Error
    }

    /// In the order of the descriptions; at least one.
    public let failures: [Failure]

    /// The code of the first failure; 134080 if its error has none.
    public var code: Int { (failures.first?.error as? any CodedError)?.code ?? 134080 }

    /// One line for each store.
    public var description: String { failures.map { "\($0.error)" }.joined(separator: "\n") }
}
