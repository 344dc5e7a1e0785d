import Foundation
import Measuring
import RunRecords

/// Repetitions of the same work within one sample.
struct Batches {
    /// Enough that the fastest batch was undisturbed, also for work of a millisecond. A build whose
    /// times mean nothing does not spend the seconds.
    private static let minimumCount = 3
    private static let minimumSeconds = BuildConfiguration.ofBench.hasTimes ? 0.2 : 0
    /// Slow work is repeated less often, because each of its batches is long enough to be steady.
    private static let maximumSeconds = 3.0

    /// Nil if the batches themselves decide how many there are.
    private let turns: TurnTaker?
    private var seconds: [Double] = []
    private(set) var cpuSeconds = 0.0

    init(_ turns: TurnTaker? = nil) {
        self.turns = turns
    }

    var count: Int { seconds.count }
    var fastestSeconds: Double { seconds.min() ?? .infinity }

    /// Whether more batches would make the fastest one more reliable. With turns, waits for the
    /// parent's order.
    func isAnotherWanted() -> Bool {
        if let turns { return turns.isWanted() }
        let total = seconds.reduce(0, +)
        return total < Self.maximumSeconds
            && (count < Self.minimumCount || total < Self.minimumSeconds)
    }

    /// Runs and times one batch. Preparation and closing stay outside.
    ///
    /// - Parameter subject: the subject whose counters are read if turns are counted.
    /// - Parameter once: whether the work can run only once per preparation.
    mutating func time<Result>(
        _ subject: any InspectableSubject, once: Bool = false, _ work: () throws -> Result
    ) rethrows -> Result {
        let operationsBefore = turns?.operationCount ?? 0
        let cpuSecondsBefore = ProcessProbe.cpuSeconds()
        let watch = Stopwatch()
        let result =
            try turns?.take(counting: subject as? any CountingSubject, once: once, work) ?? work()
        let operationCount = Double(turns.map { $0.operationCount - operationsBefore } ?? 1)
        seconds.append(watch.elapsedSeconds / operationCount)
        cpuSeconds += (ProcessProbe.cpuSeconds() - cpuSecondsBefore) / operationCount
        return result
    }
}

extension WorkerContext {
    /// Runs batches and measures the fastest batch's time and the mean processor time.
    func measureBatches(
        rowCount: Int, _ batch: (inout Batches) throws -> Void
    ) throws -> Sample {
        var batches = Batches(turns)
        var sample = try observe(rowCount: rowCount) {
            while batches.isAnotherWanted() { try batch(&batches) }
        }
        sample[.time] = batches.fastestSeconds
        sample[.rowsPerSecond] = Double(rowCount) / batches.fastestSeconds
        sample[.cpuTime] = batches.cpuSeconds / Double(batches.count)
        // These include all batches and the work between them.
        sample[.bytesWritten] = nil
        sample[.involuntarySwitches] = nil
        return sample
    }
}
