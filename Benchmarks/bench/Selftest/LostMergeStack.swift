import ObjectGraph
import Stacks
import Synchronization

/// A shared coordinator that loses every tenth merge, and claims to lose none.
final class LostMergeStack: PersistenceStack {
    private let base: SharedCoordinatorStack
    private let observations = Mutex<[Observation]>([])
    private let saveCount = Atomic<Int>(0)

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
        let observation = worker.observe { [self] notification in
            guard case .didSave(let changes) = notification else { return }
            let count = saveCount.add(1, ordering: .relaxed).newValue
            if !count.isMultiple(of: 10) { view.perform { view.mergeChanges(changes) } }
        }
        observations.withLock { $0.append(observation) }
        return worker
    }

    func makeBatchContext() throws -> ManagedObjectContext { try makeWorkerContext() }
    func reset() throws { try base.reset() }
    func close() throws { try base.close() }
}
