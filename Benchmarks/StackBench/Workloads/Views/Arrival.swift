import Dispatch
import Measuring
import Synchronization

/// Records when another thread notices the expected value.
final class Arrival: Sendable {
    private struct State {
        var expected: Int?
        var nanoseconds: UInt64 = 0
    }

    private static let timeout = DispatchTimeInterval.seconds(30)
    private let verb: String
    private let state = Mutex(State())
    private let happened = DispatchSemaphore(value: 0)

    init(_ verb: String) { self.verb = verb }

    func expect(_ value: Int) {
        state.withLock { $0.expected = value }
    }

    /// Records the time if the expected value is there; ignores later calls.
    func note(if isThere: (Int) -> Bool) {
        let now = Stopwatch.nanoseconds()
        guard let expected = state.withLock({ $0.expected }), isThere(expected) else { return }
        state.withLock { state in
            state.expected = nil
            state.nanoseconds = now
        }
        happened.signal()
    }

    func wait() throws -> UInt64 {
        guard happened.wait(timeout: .now() + Self.timeout) == .success else {
            throw NeverArrived(verb: verb, value: state.withLock { $0.expected } ?? 0)
        }
        return state.withLock { $0.nanoseconds }
    }
}

/// The stack did not show or store a change in time.
private struct NeverArrived: Error, CustomStringConvertible {
    var verb: String
    var value: Int

    var description: String { "the stack did not \(verb) change \(value) within 30 s" }
}
