import Measuring
import Synchronization

/// A clock that advances only when somebody waits or works, so that loads of hours take no time.
final class ManualClock: LoadClock {
    private let now = Atomic<UInt64>(1_000_000_000)

    func nanoseconds() -> UInt64 { now.load(ordering: .relaxed) }

    func wait(until nanoseconds: UInt64) { now.max(nanoseconds, ordering: .relaxed) }

    func advance(_ nanoseconds: UInt64) { now.add(nanoseconds, ordering: .relaxed) }
}

/// A client whose operations take the given time. It counts them.
final class TimedClient: LoadClient {
    private let clock: ManualClock
    private let nanoseconds: @Sendable (_ operation: Int, _ index: Int) -> UInt64
    private let counts: Mutex<[Int]>

    init(
        _ clock: ManualClock, operationCount: Int = 1,
        taking nanoseconds: @escaping @Sendable (_ operation: Int, _ index: Int) -> UInt64
    ) {
        self.clock = clock
        self.nanoseconds = nanoseconds
        counts = Mutex(Array(repeating: 0, count: operationCount))
    }

    var operationCounts: [Int] { counts.withLock { $0 } }

    func perform(_ operation: Int) throws {
        let index = counts.withLock { counts in
            counts[operation] += 1
            return counts.reduce(0, +) - 1
        }
        clock.advance(nanoseconds(operation, index))
    }
}
