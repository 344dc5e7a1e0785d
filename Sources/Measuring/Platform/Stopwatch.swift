import Foundation

/// A stopwatch on the monotonic clock, which neither jumps nor runs backwards.
///
/// Elsewhere: `CLOCK_UPTIME_RAW` on Apple's systems, which have no `clock_nanosleep`; there
/// `mach_wait_until` sleeps until a time.
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

    /// Sleeps until a time of ``nanoseconds()``; returns at once if it has passed.
    public static func sleep(until nanoseconds: UInt64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
