import ObjectGraph
import Stacks
import Synchronization

/// A shared coordinator that silently drops every merge of every tenth item.
///
/// Always the same items: otherwise the next merge of an item would repair it, on a busy machine
/// even before anybody reads it.
final class LostMergeStack: PersistenceStack {
    private let base: SharedCoordinatorStack
    private let observations = Mutex<[Observation]>([])

    let kind = StackKind.shared

    init(_ configuration: StackConfiguration) throws {
        base = try SharedCoordinatorStack(configuration, merging: .never)
    }

    var configuration: StackConfiguration { base.configuration }
    var viewContext: ManagedObjectContext { get throws { try base.viewContext } }
    var coordinators: [PersistentStoreCoordinator] { base.coordinators }

    func makeWorkerContext() throws -> ManagedObjectContext {
        let view = try base.viewContext
        let worker = try base.makeWorkerContext()
        let observation = worker.observe { notification in
            guard case .didSave(let changes) = notification else { return }
            if changes.updated.contains(where: Self.isLost) { return }
            view.perform { view.mergeChanges(changes) }
        }
        observations.withLock { $0.append(observation) }
        return worker
    }

    private static func isLost(_ item: ManagedObjectID) -> Bool {
        item.uriRepresentation.lastPathComponent.hasSuffix("0")
    }

    func reset() throws { try base.reset() }
    func close() throws { try base.close() }
}
