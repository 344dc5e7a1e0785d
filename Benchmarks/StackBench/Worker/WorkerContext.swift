import Datasets
import Foundation
import Measuring
import RunRecords

/// What a workload's function works with: parameters, store, data and stopwatch.
public struct WorkerContext {
    let job: WorkerJob
    /// Nil if the work is done once.
    let turns: TurnTaker?
    /// The store that a sample starts with, if the job has no prepared one.
    let store: (any SampleStore)?
    /// Nil if the sample is not traced.
    let trace: SampleTrace?

    init(
        job: WorkerJob, turns: TurnTaker? = nil, store: (any SampleStore)? = nil,
        trace: SampleTrace? = nil
    ) {
        self.job = job
        self.turns = turns
        self.store = store
        self.trace = trace
    }

    // MARK: Parameters

    /// The value of a parameter; the kind has checked it.
    public func text(_ parameter: String) -> String {
        guard let value = job.parameters[parameter] else {
            preconditionFailure("The kind \(job.kind) declares no parameter \(parameter).")
        }
        return value
    }

    /// The value of a parameter that the kind declares as an integer.
    public func integer(_ parameter: String) -> Int {
        guard let value = Int(text(parameter)) else {
            preconditionFailure("The kind \(job.kind) declares \(parameter) as text.")
        }
        return value
    }

    /// The value of a parameter that the kind declares as a flag.
    public func flag(_ parameter: String) -> Bool { text(parameter) == "true" }

    /// The value of a parameter that the kind declares as the cases of this enum.
    func choice<Value: RawRepresentable<String>>(_ parameter: String) -> Value {
        guard let value = Value(rawValue: text(parameter)) else {
            preconditionFailure("The kind \(job.kind) declares other values of \(parameter).")
        }
        return value
    }

    // MARK: Data

    var facts: DatasetFacts {
        guard let facts = job.dataset?.facts else {
            preconditionFailure("The kind \(job.kind) declares that it uses no data set.")
        }
        return facts
    }

    /// Reads the rows. Call it before measuring.
    func loadDataset() throws -> FlightsDataset {
        try DatasetSelection.load(flightCount: job.dataset?.flightCount)
    }

    // MARK: Store

    /// Where the sample's store is: a file in a folder of its own.
    public var storeURL: URL {
        let isInMemory = job.parameters["store"] == "memory"
        let folder = isInMemory ? URL(fileURLWithPath: URL.inMemory) : job.folder
        return folder.appendingPathComponent("flights.sqlite")
    }

    // MARK: Measuring

    /// Measures work whose counts a subject has; nil for work without counts.
    func measure(
        counting: (any CountingSubject)?, rowCount: Int, repeats: Bool, _ work: () throws -> Void
    ) throws -> Sample {
        counting?.resetCounters()
        var sample = try observe(rowCount: rowCount) {
            guard let turns else { return try work() }
            while turns.isWanted() {
                try turns.take(counting: counting, isLast: !repeats, work)
                if !repeats { break }
            }
        }
        sample.counters = counting?.counters ?? [:]
        return sample
    }

    /// How often ``measure(_:rowCount:repeats:_:)`` ran its work.
    var operationCount: Int { turns?.operationCount ?? 1 }

    /// Runs `work` once and measures its time and what the system reports.
    func observe(rowCount: Int, _ work: () throws -> Void) rethrows -> Sample {
        let isPeakOurs = ProcessProbe.resetPeak()
        let residentBytes = ProcessProbe.residentBytes()
        let usageBefore = ProcessProbe.usage()
        let watch = Stopwatch()
        if let trace { try trace.record(work) } else { try work() }
        let seconds = watch.elapsedSeconds
        let usage = ProcessProbe.usage() - usageBefore
        let peakBytes = ProcessProbe.peakResidentBytes()

        var sample = Sample()
        sample[.time] = seconds
        sample[.rowsPerSecond] = Double(rowCount) / seconds
        sample[.cpuTime] = usage.cpuSeconds
        sample[.peakMemory] = peakBytes.map { Double($0) }
        if isPeakOurs, let residentBytes, let peakBytes {
            sample[.memoryGrowth] = Double(peakBytes) - Double(residentBytes)
        }
        sample[.bytesWritten] = usage.writtenBytes.map { Double($0) }
        sample[.involuntarySwitches] = Double(usage.involuntarySwitches)
        return sample
    }
}
