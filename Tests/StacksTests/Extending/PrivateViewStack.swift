import ObjectGraph
import Stacks

/// The view on a private queue beside the workers, for programs without a main queue to serve.
final class PrivateViewStack: PersistenceStack {
    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let view: ManagedObjectContext

        init(_ configuration: StackConfiguration) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators = [coordinator]
            view = configuration.makeContext(.privateQueue, on: coordinator, name: "view")
            view.automaticallyMergesChangesFromParent = true
        }
    }

    let kind = StackKind.privateView
    let configuration: StackConfiguration
    private let contexts: Lifecycle<Contexts>

    init(_ configuration: StackConfiguration) throws {
        self.configuration = configuration
        contexts = try Lifecycle(kind, configuration) { try Contexts(configuration) }
    }

    var viewContext: ManagedObjectContext { get throws { try contexts.current().view } }

    func makeWorkerContext() throws -> ManagedObjectContext {
        let coordinator = try contexts.current().coordinators[0]
        return configuration.makeContext(.privateQueue, on: coordinator, name: "worker")
    }

    var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    func reset() throws { try contexts.reset() }
    func close() throws { try contexts.close() }
}

extension StackKind {
    static let privateView = StackKind(
        "private-view", summary: "the view on a private queue, merged automatically",
        visibility: .afterMerge, concurrentChanges: .detected
    ) { try PrivateViewStack($0) }
}
