import Foundation

/// A reading of the clock that neither jumps nor stands still while the machine sleeps.
///
/// `ContinuousClock.Instant` reads the same clock, but its size is known only at run time, and that
/// makes each access to a structure that holds one slower.
///
/// Elsewhere: `CLOCK_MONOTONIC` on Apple's systems.
struct MonotonicTime: BitwiseCopyable, Comparable, Sendable {
    let nanoseconds: UInt64

    /// The present time.
    static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(
            nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// The time that has passed since then.
    var age: Duration {
        .nanoseconds(Int64(MonotonicTime.now.nanoseconds) - Int64(nanoseconds))
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
