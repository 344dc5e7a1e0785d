import ObjectGraph
import Stacks
import Synchronization

/// A shared coordinator that loses every merge of every tenth item, and claims to lose none.
///
/// Always the same items: the next merge of an item would mend it, before anybody reads it on a machine that is busy.
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
