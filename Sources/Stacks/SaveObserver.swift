import Dispatch
import ObjectGraph
import Synchronization

/// Runs a block in other contexts after each save of an observed context, as long as that lives.
final class SaveObserver: Sendable {
    private struct Entry {
        weak var context: ManagedObjectContext?
        let observation: Observation
    }

    private struct State {
        var entries: [Entry] = []
        /// The first error since the last ``wait()``.
        var error: (any Error)?
    }

    private let state = Mutex(State())
    private let underWay = DispatchGroup()

    /// The observed contexts that still live.
    var contexts: [ManagedObjectContext] {
        state.withLock { $0.entries.compactMap(\.context) }
    }

    /// After each save of `context`, enqueues `answer` on the queue of each receiver.
    func afterSaves(
        of context: ManagedObjectContext,
        in receivers: @autoclosure @escaping @Sendable () -> [ManagedObjectContext],
        _ answer: @escaping @Sendable (ManagedObjectContext, ObjectChanges) throws -> Void
    ) {
        let observation = context.observe { [weak self] notification in
            guard let self, case .didSave(let changes) = notification else { return }
            for receiver in receivers() { enqueue(in: receiver) { try answer(receiver, changes) } }
        }
        state.withLock { state in
            state.entries.removeAll { $0.context == nil }
            state.entries.append(Entry(context: context, observation: observation))
        }
    }

    private func enqueue(
        in receiver: ManagedObjectContext, _ answer: @escaping @Sendable () throws -> Void
    ) {
        underWay.enter()
        receiver.perform { [self] in
            defer { underWay.leave() }
            do { try answer() } catch { state.withLock { $0.error = $0.error ?? error } }
        }
    }

    /// Waits for all answers, including the answers to saves that other answers perform.
    ///
    /// - Throws: the first error of an answer since the last call.
    func wait() throws {
        underWay.wait()
        let error = state.withLock { state in
            defer { state.error = nil }
            return state.error
        }
        if let error { throw error }
    }
}
