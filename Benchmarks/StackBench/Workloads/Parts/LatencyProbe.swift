import Foundation
import Measuring
import Synchronization

/// Starts an operation at a fixed interval, whether or not earlier ones have finished. Each latency
/// counts from the time when the operation was due.
public final class LatencyProbe: Sendable {
    /// Starts an operation. The completion is called on any thread when it is done.
    public typealias Operation =
        @Sendable (_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Void

    private struct State {
        var recorder = LatencyRecorder()
        var error: (any Error)?
        var isStopped = false
    }

    private let ratePerSecond: Double
    private let operation: Operation
    private let state = Mutex(State())
    /// The running operations, and the thread that starts them.
    private let work = DispatchGroup()

    public init(everyMilliseconds milliseconds: Int, _ operation: @escaping Operation) {
        ratePerSecond = 1_000 / Double(milliseconds)
        self.operation = operation
    }

    /// Starts the first operation at once, on a thread of its own.
    public func start() {
        work.enter()
        let thread = Thread { [self] in
            var arrivals = ArrivalSchedule(.fixed, perSecond: ratePerSecond)
            while !state.withLock({ $0.isStopped }) {
                let dueAt = arrivals.next()
                MonotonicClock().wait(until: dueAt)
                begin(dueAt: dueAt)
            }
            work.leave()
        }
        thread.start()
    }

    /// Waits for the running operations and returns the latencies; nil if none was started.
    ///
    /// - Throws: the first error of an operation.
    public func stop() throws -> LatencySummary? {
        state.withLock { $0.isStopped = true }
        work.wait()
        return try state.withLock { state in
            if let error = state.error { throw error }
            return state.recorder.summary
        }
    }

    private func begin(dueAt: UInt64) {
        work.enter()
        operation { [self] result in
            let completedAt = Stopwatch.nanoseconds()
            state.withLock { state in
                state.recorder.record(intendedAt: dueAt, completedAt: completedAt)
                if case .failure(let error) = result { state.error = state.error ?? error }
            }
            work.leave()
        }
    }
}
