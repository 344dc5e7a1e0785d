import ObjectGraph

/// One context for everything: nothing is merged, and nothing conflicts (spec §13.2, §13.4).
///
///     store ← coordinator ← the one context
///
/// Reads wait for writes. On the main queue, both hold up the user interface.
public final class SingleContextStack: PersistenceStack {
    /// The queue of the one context.
    public enum Variant: Sendable, Hashable {
        case privateQueue
        case mainQueue
    }

    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let context: ManagedObjectContext

        init(_ configuration: StackConfiguration, _ kind: StackKind, _ variant: Variant) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators = [coordinator]
            context = configuration.makeContext(
                variant == .mainQueue ? .mainQueue : .privateQueue, on: coordinator, name: kind.name
            )
        }
    }

    public let kind: StackKind
    public let configuration: StackConfiguration
    private let contexts: Lifecycle<Contexts>

    /// Opens the store.
    ///
    /// - Throws: `StoreError` if it cannot be opened.
    public init(_ configuration: StackConfiguration, variant: Variant = .privateQueue) throws {
        let kind = variant == .mainQueue ? StackKind.mainOnly : .single
        self.kind = kind
        self.configuration = configuration
        contexts = try Lifecycle(kind, configuration) {
            try Contexts(configuration, kind, variant)
        }
    }

    /// The one context.
    public var viewContext: ManagedObjectContext { get throws { try contexts.current().context } }

    /// The one context, each time.
    public func makeWorkerContext() throws -> ManagedObjectContext { try viewContext }

    /// The one context, each time.
    public func makeBatchContext() throws -> ManagedObjectContext { try viewContext }

    public var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    public func reset() throws { try contexts.reset() }
    public func close() throws { try contexts.close() }
}

extension StackKind {
    public static let single = StackKind(
        "single", summary: "one private-queue context for everything",
        visibility: .immediately, concurrentChanges: .impossible
    ) { try SingleContextStack($0, variant: .privateQueue) }

    public static let mainOnly = StackKind(
        "main-only", summary: "one main-queue context for everything",
        visibility: .immediately, concurrentChanges: .impossible
    ) { try SingleContextStack($0, variant: .mainQueue) }
}
