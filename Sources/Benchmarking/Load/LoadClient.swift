import Foundation

/// Who does the operations of a load, one after the other, on a thread of its own.
public protocol LoadClient: AnyObject, Sendable {
    /// Does the operation of that index in the mix, to its end: what it wrote is saved, what it asked
    /// is answered.
    ///
    /// - Throws: what ends the load.
    func perform(_ operation: Int) throws
}

/// The time of a load. Tests bring one of their own.
public protocol LoadClock: Sendable {
    /// A reading that never falls, in nanoseconds.
    func nanoseconds() -> UInt64
    /// Returns when that time has come; at once if it is over.
    func wait(until nanoseconds: UInt64)
}

/// The monotonic clock of the system; see ``Stopwatch``.
public struct MonotonicClock: LoadClock {
    public init() {}

    @inline(__always)
    public func nanoseconds() -> UInt64 { Stopwatch.nanoseconds() }

    public func wait(until nanoseconds: UInt64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
