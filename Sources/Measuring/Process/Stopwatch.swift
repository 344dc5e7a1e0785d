import Foundation

/// A stopwatch on the monotonic clock, which neither jumps nor runs backwards.
public struct Stopwatch: Sendable {
    public let startNanoseconds: UInt64

    public init() {
        startNanoseconds = Self.nanoseconds()
    }

    public var elapsedNanoseconds: UInt64 { Self.nanoseconds() - startNanoseconds }

    public var elapsedSeconds: Double { Double(elapsedNanoseconds) / 1e9 }

    /// A reading of the monotonic clock; only differences are meaningful. A call takes about 25 ns.
    @inline(__always)
    public static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
