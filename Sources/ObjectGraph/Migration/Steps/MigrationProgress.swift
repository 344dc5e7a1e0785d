import Synchronization

/// The progress of the migration of one store, which can be cancelled. Safe to use from any thread.
///
/// Give it to `MigrationOptions.progress` before the store is opened. Source: spec §9.7.
public final class MigrationProgress: Sendable {
    private struct State {
        var fraction = 0.0
        var finishedCount = 0
        var remainingCount = 1
    }

    /// Stops the statements of SQLite.
    let statements = FetchProgress()
    private let state = Mutex(State())
    private let handler: (@Sendable (Double) -> Void)?

    /// - Parameter handler: Gets each new fraction, on the thread that migrates. Nil reports
    ///   nothing.
    public init(onChange handler: (@Sendable (Double) -> Void)? = nil) { self.handler = handler }

    /// From 0 to 1. It counts tasks and statements, not time, and never falls.
    public var fractionCompleted: Double { state.withLock { $0.fraction } }

    public var isCancelled: Bool { statements.isCancelled }

    /// Cancels the migration, which then fails with `MigrationError.Reason.cancelled`.
    ///
    /// SQLite stops after at most some thousand of its instructions. The task that runs is taken
    /// back; those before it have been committed. Code of the program runs to its end.
    public func cancel() { statements.cancel() }

    // MARK: - For the migration

    func requireUncancelled() throws(MigrationError) {
        if isCancelled { throw MigrationError(.cancelled(nil)) }
    }

    /// - Parameter count: The number of tasks from now on, as far as known.
    func begin(remaining count: Int) {
        state.withLock { $0.remainingCount = max(1, count) }
    }

    /// - Parameter part: The finished part of the task that runs.
    func note(_ part: Double) {
        advance { ($0.finishedCount, part) }
    }

    func endTask() {
        advance { state in
            state.finishedCount += 1
            state.remainingCount = max(0, state.remainingCount - 1)
            return (state.finishedCount, 0)
        }
    }

    func end() {
        advance { state in
            state.remainingCount = 0
            return (max(1, state.finishedCount), 0)
        }
    }

    private func advance(_ change: (inout State) -> (finishedCount: Int, part: Double)) {
        let changed: Double? = state.withLock { state in
            let (count, part) = change(&state)
            let fraction = (Double(count) + part) / Double(count + state.remainingCount)
            guard fraction > state.fraction else { return nil }
            state.fraction = min(1, fraction)
            return state.fraction
        }
        if let changed { handler?(changed) }
    }
}
