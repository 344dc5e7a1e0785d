/// One client in one phase: draws operations from its mix, waits until they are due, performs them
/// and records their latencies.
///
/// Each operation costs one reading of the clock, two in an open phase, and one histogram entry.
/// The harness's own share stays below 60 ns.
struct LoadLane: Sendable {
    /// After this many times its length, a phase gives up the operations that are still due.
    private static let patience: UInt64 = 2
    private static let timelineIntervalNanoseconds: UInt64 = 100_000_000

    let client: any LoadClient
    let operations: AliasTable
    let operationCount: Int
    private var random: SeededGenerator
    private let clock: LaneClock

    init(
        client: any LoadClient, operations: AliasTable, operationCount: Int,
        clock: any LoadClock, random: SeededGenerator
    ) {
        self.client = client
        self.operations = operations
        self.operationCount = operationCount
        self.random = random
        self.clock = LaneClock(clock)
    }

    /// Works until the end of the extent. Each operation begins when the one before has ended.
    mutating func runClosed(_ extent: LoadPhase.Extent, from start: UInt64) throws -> LoadRecord {
        var record = LoadRecord(operationCount: operationCount, start: start)
        let (end, limit) = extent.bounds(from: start)
        // Local copies, since the lane would be copied for each operation.
        let (client, operations, clock) = (client, operations, clock)
        var random = random
        defer { self.random = random }
        clock.wait(until: start)
        var began = clock.now()
        var count = 0
        // With a buffer, the array is not checked for uniqueness at each operation.
        try record.service.withUnsafeMutableBufferPointer { service in
            while count < limit, began < end {
                let operation = operations.draw(&random)
                try client.perform(operation)
                let ended = clock.now()
                service[operation].record(nanoseconds: ended - began)
                began = ended
                count += 1
            }
        }
        record.endNanoseconds = began
        return record
    }

    /// Performs what the schedule says is due in the extent, in that order, however late.
    mutating func runOpen(
        _ extent: LoadPhase.Extent, from start: UInt64, _ arrivals: ArrivalSchedule
    ) throws -> LoadRecord {
        var arrivals = arrivals
        var record = LoadRecord(operationCount: operationCount, start: start)
        var timeline = LatencyTimelineRecorder(
            startNanoseconds: start, intervalNanoseconds: Self.timelineIntervalNanoseconds)
        let (end, limit) = extent.bounds(from: start)
        var length = UInt64(min(extent.seconds(of: arrivals) * 1e9, ArrivalSchedule.endOfTime))
        let (client, operations, clock) = (client, operations, clock)
        var random = random
        defer { self.random = random }
        while record.dueCount < limit {
            let due = arrivals.next()
            guard due < end else { break }
            record.dueCount += 1
            // Random arrivals may take longer than their mean time.
            length = max(length, due - start)
            let operation = operations.draw(&random)
            var began = clock.now()
            guard began < start + length * Self.patience else {
                record.unservedCount += 1
                record.intended[operation].record(intendedAt: due, completedAt: began)
                continue
            }
            if began < due {
                clock.wait(until: due)
                began = clock.now()
            }
            try client.perform(operation)
            let ended = clock.now()
            record.service[operation].record(nanoseconds: ended - began)
            record.intended[operation].record(intendedAt: due, completedAt: ended)
            timeline.record(nanoseconds: ended - due, completedAt: ended)
            record.endNanoseconds = ended
        }
        record.timeline = timeline
        record.dueSeconds = Double(length) / 1e9
        return record
    }
}

/// The clock of a load. The system clock is read directly: a call through the protocol would add to
/// every latency.
private struct LaneClock: Sendable {
    private let clock: any LoadClock
    private let isSystemClock: Bool

    init(_ clock: any LoadClock) {
        self.clock = clock
        isSystemClock = clock is MonotonicClock
    }

    @inline(__always)
    func now() -> UInt64 { isSystemClock ? Stopwatch.nanoseconds() : clock.nanoseconds() }

    func wait(until nanoseconds: UInt64) { clock.wait(until: nanoseconds) }
}

/// The records of a lane in a phase.
struct LoadRecord: Sendable {
    /// By the operation's index in the mix.
    var service: [LatencyRecorder]
    var intended: [LatencyRecorder]
    var timeline: LatencyTimelineRecorder?
    var dueCount = 0
    /// The time in which the operations were due.
    var dueSeconds = 0.0
    var unservedCount = 0
    let startNanoseconds: UInt64
    /// When the last operation ended.
    var endNanoseconds: UInt64

    init(operationCount: Int, start: UInt64) {
        service = Array(repeating: LatencyRecorder(), count: operationCount)
        intended = service
        startNanoseconds = start
        endNanoseconds = start
    }

    var seconds: Double { Double(endNanoseconds - startNanoseconds) / 1e9 }

    var servedPerSecond: Double {
        seconds > 0 ? Double(service.reduce(0) { $0 + $1.count }) / seconds : 0
    }
}

extension LoadPhase.Extent {
    /// When the phase ends, and after how many operations of a client; whichever comes first.
    fileprivate func bounds(from start: UInt64) -> (end: UInt64, limit: Int) {
        switch self {
        case .seconds(let seconds): (start + UInt64(seconds * 1e9), .max)
        case .operations(let count): (.max, count)
        }
    }

    /// How long the arrivals take; the average if they are random.
    fileprivate func seconds(of arrivals: ArrivalSchedule) -> Double {
        switch self {
        case .seconds(let seconds): seconds
        case .operations(let count): Double(count) / arrivals.ratePerSecond
        }
    }
}
