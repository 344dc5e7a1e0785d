import ObjectGraph

/// One private-queue context for everything, so there is nothing to merge and nothing to conflict (spec §13.2).
///
///     store ← coordinator ← the one context (private)
///
/// The store is opened on first use; callers wait for it. Reads queue behind writes.
public final class SingleContextStack: PersistenceStack {
    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let context: ManagedObjectContext

        init(_ configuration: StackConfiguration) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators = [coordinator]
            context = configuration.makeContext(.privateQueue, on: coordinator, name: "single")
        }
    }

    public let kind = StackKind.single
    public let configuration: StackConfiguration
    private let contexts: Lifecycle<Contexts>

    public init(_ configuration: StackConfiguration) {
        self.configuration = configuration
        contexts = Lifecycle(kind, configuration) { try Contexts(configuration) }
    }

    /// The one context; on a private queue.
    public var viewContext: ManagedObjectContext { get throws { try contexts.current().context } }

    /// The one context, the same each time.
    public func makeWorkerContext() throws -> ManagedObjectContext { try viewContext }

    /// The one context, the same each time.
    public func makeBatchContext() throws -> ManagedObjectContext { try viewContext }

    public var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    public func reset() throws { try contexts.reset() }
    public func close() throws { try contexts.close() }
}

extension StackKind {
    public static let single = StackKind(
        "single", summary: "one private-queue context for everything",
        visibility: .immediately, concurrentChanges: .impossible
    ) { SingleContextStack($0) }
}
