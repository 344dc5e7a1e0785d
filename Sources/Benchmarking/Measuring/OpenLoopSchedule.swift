/// Operations at a fixed interval, due whether or not the ones before have finished.
///
/// A latency counted from the intended time holds the wait in the queue; counted from the moment
/// of sending it would hide it ("coordinated omission").
public struct OpenLoopSchedule: Sendable {
    /// The monotonic time of operation 0; see ``Stopwatch/nanoseconds()``.
    public let startNanoseconds: UInt64
    public let intervalNanoseconds: UInt64

    /// - Precondition: the interval is not 0.
    public init(
        startNanoseconds: UInt64 = Stopwatch.nanoseconds(), intervalNanoseconds: UInt64
    ) {
        precondition(intervalNanoseconds > 0, "an open-loop schedule needs an interval above 0 ns")
        self.startNanoseconds = startNanoseconds
        self.intervalNanoseconds = intervalNanoseconds
    }

    /// When operation `index` (from 0) is to begin, on the monotonic clock.
    public func intendedNanoseconds(of index: Int) -> UInt64 {
        startNanoseconds + UInt64(index) * intervalNanoseconds
    }

    /// How many operations were due by then, the one due at that very moment included.
    public func dueCount(at nanoseconds: UInt64) -> Int {
        guard nanoseconds >= startNanoseconds else { return 0 }
        return Int((nanoseconds - startNanoseconds) / intervalNanoseconds) + 1
    }
}
