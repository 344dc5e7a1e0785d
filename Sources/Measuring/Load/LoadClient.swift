import Foundation

/// Performs the operations of a load, one after the other, on a thread of its own.
public protocol LoadClient: AnyObject, Sendable {
    /// Performs the operation with that index in the mix to its end: changes are saved, requests
    /// are answered.
    ///
    /// - Throws: an error that ends the load.
    func perform(_ operation: Int) throws
}

/// The clock of a load. Tests use one of their own.
public protocol LoadClock: Sendable {
    /// A reading that never falls, in nanoseconds.
    func nanoseconds() -> UInt64
    /// Returns at that time, or at once if it has passed.
    func wait(until nanoseconds: UInt64)
}

/// The monotonic clock of the system; see ``Stopwatch``.
public struct MonotonicClock: LoadClock {
    public init() {}

    @inline(__always)
    public func nanoseconds() -> UInt64 { Stopwatch.nanoseconds() }

    public func wait(until nanoseconds: UInt64) { Stopwatch.sleep(until: nanoseconds) }
}
