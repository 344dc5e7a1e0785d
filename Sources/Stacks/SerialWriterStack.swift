import ObjectGraph

/// One writer for all changes, behind its queue, and a view that only reads.
///
///     store ← coordinator ← view (main)
///                         ← writer (private)
///
/// Writes run one after another, so none finds a conflict. The view merges each save of the writer.
/// `saveToDisk` refuses the view. The view's own `save` does not, and would write past the queue.
public final class SerialWriterStack: PersistenceStack {
    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let view: ManagedObjectContext
        let writer: ManagedObjectContext

        init(_ configuration: StackConfiguration) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators = [coordinator]
            view = configuration.makeContext(.mainQueue, on: coordinator, name: "view")
            view.automaticallyMergesChangesFromParent = true
            writer = configuration.makeContext(.privateQueue, on: coordinator, name: "writer")
        }
    }

    public let kind = StackKind.serialWriter
    public let configuration: StackConfiguration
    private let contexts: Lifecycle<Contexts>

    /// Opens the store.
    ///
    /// - Throws: `StoreError` if it cannot be opened.
    public init(_ configuration: StackConfiguration) throws {
        self.configuration = configuration
        contexts = try Lifecycle(kind, configuration) { try Contexts(configuration) }
    }

    public var viewContext: ManagedObjectContext { get throws { try contexts.current().view } }

    /// The writer, the same one each time.
    public func makeWorkerContext() throws -> ManagedObjectContext { try contexts.current().writer }

    public var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    public func reset() throws { try contexts.reset() }
    public func close() throws { try contexts.close() }
}

extension StackKind {
    public static let serialWriter = StackKind(
        "serial-writer", summary: "one writer behind a queue, and a view that only reads",
        visibility: .afterMerge, concurrentChanges: .impossible, traits: [.viewOnlyReads]
    ) { try SerialWriterStack($0) }
}
