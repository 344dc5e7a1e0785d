import ObjectGraph

/// A persistent container as its documentation recommends it: a view that merges automatically, and
/// background contexts (spec §11.2, §13.4).
///
///     store ← coordinator ← view (main)
///                         ← background contexts
public final class ContainerStack: PersistenceStack {
    private struct Contexts: Arrangement {
        let container: PersistentContainer
        var coordinators: [PersistentStoreCoordinator] { [container.coordinator] }

        init(_ configuration: StackConfiguration) throws {
            container = PersistentContainer(
                name: StackKind.container.name, model: configuration.model,
                lockPolicy: configuration.lockPolicy)
            container.persistentStoreDescriptions = [configuration.storeDescription]
            do { try container.loadPersistentStores() } catch { throw error.failures[0].error }
            configuration.prepare(container.viewContext)
            container.viewContext.automaticallyMergesChangesFromParent = true
        }
    }

    public let kind = StackKind.container
    public let configuration: StackConfiguration
    private let contexts: Lifecycle<Contexts>

    /// Opens the store.
    ///
    /// - Throws: `StoreError` if it cannot be opened.
    public init(_ configuration: StackConfiguration) throws {
        self.configuration = configuration
        contexts = try Lifecycle(kind, configuration) { try Contexts(configuration) }
    }

    public var viewContext: ManagedObjectContext {
        get throws { try contexts.current().container.viewContext }
    }

    public func makeWorkerContext() throws -> ManagedObjectContext {
        let worker = try contexts.current().container.newBackgroundContext()
        configuration.prepare(worker)
        return worker
    }

    public var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    public func reset() throws { try contexts.reset() }
    public func close() throws { try contexts.close() }
}

extension StackKind {
    public static let container = StackKind(
        "container",
        summary: "a container's view, merged automatically, and its background contexts",
        visibility: .afterMerge, concurrentChanges: .detected
    ) { try ContainerStack($0) }
}
