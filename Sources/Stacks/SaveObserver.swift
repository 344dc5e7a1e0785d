import ObjectGraph
import Synchronization

/// Passes on the saves of contexts for as long as the contexts live.
final class SaveObserver: Sendable {
    private struct Entry {
        weak var context: ManagedObjectContext?
        let observation: Observation
    }

    private let entries = Mutex<[Entry]>([])

    /// Calls the handler on the context's queue with the changes of each save.
    func observe(
        _ context: ManagedObjectContext, onSave handler: @escaping @Sendable (ObjectChanges) -> Void
    ) {
        let observation = context.observe { notification in
            if case .didSave(let changes) = notification { handler(changes) }
        }
        entries.withLock { entries in
            entries.removeAll { $0.context == nil }
            entries.append(Entry(context: context, observation: observation))
        }
    }
}
