import Benchmarking
import Datasets
import Foundation
import Stacks

/// What a workload's function works with: its parameters, its store, the data, and the stopwatch.
struct WorkerContext {
    let job: WorkerJob
    /// Nil where the work is done once.
    let turns: TurnTaker?

    init(job: WorkerJob, turns: TurnTaker? = nil) {
        self.job = job
        self.turns = turns
    }

    // MARK: Parameters

    /// The value of a parameter, which the kind's table has checked.
    func text(_ parameter: String) -> String {
        guard let value = job.parameters[parameter] else {
            preconditionFailure("The kind \(job.kind) declares no parameter \(parameter).")
        }
        return value
    }

    /// The value of a parameter that the kind's table declares as a whole number.
    func integer(_ parameter: String) -> Int {
        guard let value = Int(text(parameter)) else {
            preconditionFailure("The kind \(job.kind) declares \(parameter) as text.")
        }
        return value
    }

    /// `request`, or `loop` with the save size beside it.
    var bulkMode: BulkMode {
        text("mode") == "request" ? .request : .loop(saveSize: integer("saveSize"))
    }

    // MARK: Data

    var facts: DatasetFacts {
        guard let facts = job.dataset?.facts else {
            preconditionFailure("The kind \(job.kind) declares that it uses no data set.")
        }
        return facts
    }

    /// Reads the rows; call it before measuring.
    func loadDataset() throws -> FlightsDataset {
        try DatasetSelection.load(flightCount: job.dataset?.flightCount)
    }

    // MARK: Store

    var storeURL: URL {
        let isInMemory = job.parameters["store"] == "memory"
        let folder = isInMemory ? URL(fileURLWithPath: URL.inMemory) : job.folder
        return folder.appendingPathComponent("flights.sqlite")
    }

    var configuration: SubjectConfiguration {
        SubjectConfiguration(
            storeURL: storeURL, synchronous: job.synchronous,
            lockPolicy: job.lockPolicy ?? "pooled",
            indexes: job.indexes, mergePolicy: job.parameters["mergePolicy"] ?? "error",
            importsInBatchContext: job.parameters["context"] == "batch")
    }

    /// Opens the subject on the store: a copy of the prepared one, or a new one.
    ///
    /// - Parameter isWritten: whether the work writes to it.
    /// - Parameter prepare: what is done to the copy before.
    func openSubject(
        isWritten: Bool, preparing prepare: () throws -> Void = {}
    ) throws -> any FlightsSubject {
        // A database in memory is there for as long as somebody has it open.
        let loaded =
            try storeURL.isInMemory ? StoreReader(storeURL, loading: job.preparedStore) : nil
        defer { withExtendedLifetime(loaded) {} }
        if loaded == nil {
            try placeStore(isWritten: isWritten)
            if job.preparedStore != nil { try prepare() }
        }
        guard let open = Subject.named(job.subject)?.openFlights else {
            throw UnableSubject(name: job.subject, kind: job.kind)
        }
        let subject = try open(configuration)
        try configuration.check(subject)
        // Pools open a reader when somebody first reads: not a part of any workload, and the same for all.
        _ = try subject.countAirlines()
        return subject
    }

    /// Closes the subject and opens its store, to read with plain SQL what it has written.
    func readBack(_ subject: any FlightsSubject) throws -> StoreReader {
        let inMemory = try storeURL.isInMemory ? StoreReader(storeURL) : nil
        try subject.close()
        return try inMemory ?? StoreReader(storeURL)
    }

    // MARK: Measuring

    /// Runs `work` and takes its time, processor time, memory and switches, and the counters of a
    /// subject that has any: once, or where turns are taken as often as the parent wants.
    ///
    /// - Parameter subject: who works; nil when it is not known yet.
    /// - Parameter rowCount: the rows worked on, for the throughput.
    /// - Parameter repeats: whether `work` may be run again in the same store.
    func measure(
        _ subject: (any FlightsSubject)?, rowCount: Int, repeats: Bool = false,
        _ work: () throws -> Void
    ) throws -> Sample {
        try measure(
            counting: subject as? any CountingSubject, rowCount: rowCount, repeats: repeats, work)
    }

    /// The same of a stack on a model of the workload's own.
    func measure(
        _ stack: any PersistenceStack, rowCount: Int, repeats: Bool = false,
        _ work: () throws -> Void
    ) throws -> Sample {
        try measure(
            counting: CountedStack(stack: stack), rowCount: rowCount, repeats: repeats, work)
    }

    private func measure(
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

    /// How often ``measure(_:rowCount:repeats:_:)`` has run its work.
    var operationCount: Int { turns?.operationCount ?? 1 }

    /// Takes the time of `work` as it is, and what the system tells about it.
    func observe(rowCount: Int, _ work: () throws -> Void) rethrows -> Sample {
        let isPeakOurs = ProcessProbe.resetPeak()
        let residentBytes = ProcessProbe.residentBytes()
        let usageBefore = ProcessProbe.usage()
        let watch = Stopwatch()
        try work()
        let seconds = watch.elapsedSeconds
        let usage = ProcessProbe.usage() - usageBefore
        let peakBytes = ProcessProbe.peakResidentBytes()

        var sample = Sample(repetition: 0, positionInRound: 0, startedAtSeconds: 0)
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

/// A subject that counts what it does, the same for the same work.
protocol CountingSubject {
    /// Since the last reset, by ``Metric/name``: statements, rowsRead, faultsFired and the like.
    var counters: [String: Int64] { get }
    func resetCounters()
    /// Waits for what its work has set off, such as merges into a view: it belongs to the work, and
    /// would else be counted or not as threads happen to be scheduled.
    func settle()
}

extension CountingSubject {
    func settle() {}
}
