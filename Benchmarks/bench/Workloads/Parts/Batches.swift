import Benchmarking
import Foundation

/// Repetitions of the same work within one sample.
struct Batches {
    /// Enough for the fastest to be a quiet one, and for work of a millisecond to be seen at all.
    private static let minimumCount = 3
    private static let minimumSeconds = 0.2
    /// Slow work is repeated less: each batch of it is long enough to be steady by itself.
    private static let maximumSeconds = 3.0

    /// Nil where the batches themselves decide when there are enough.
    private let turns: TurnTaker?
    private var seconds: [Double] = []
    private(set) var cpuSeconds = 0.0

    init(_ turns: TurnTaker? = nil) {
        self.turns = turns
    }

    var count: Int { seconds.count }
    var fastestSeconds: Double { seconds.min() ?? .infinity }

    /// Whether more batches would make the fastest one more credible, or the parent wants another
    /// turn: it is waited for.
    func isAnotherWanted() -> Bool {
        if let turns { return turns.isWanted() }
        let total = seconds.reduce(0, +)
        return total < Self.maximumSeconds
            && (count < Self.minimumCount || total < Self.minimumSeconds)
    }

    /// Runs one batch. Preparing and closing stay outside.
    ///
    /// - Parameter subject: what is counted with it, where turns are counted.
    /// - Parameter once: whether the work can be done but once after what was prepared.
    mutating func time<Result>(
        _ subject: any EngineSubject, once: Bool = false, _ work: () throws -> Result
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
    /// Runs batches and takes the time of the fastest, and the processor time of a mean one.
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
        // These are of all batches and of what lies between them.
        sample[.bytesWritten] = nil
        sample[.involuntarySwitches] = nil
        return sample
    }
}
