import Datasets
import Foundation
import Measuring
import RunRecords
import Stacks

/// What a workload's function works with: parameters, store, data and stopwatch.
struct WorkerContext {
    let job: WorkerJob
    /// Nil if the work is done once.
    let turns: TurnTaker?

    init(job: WorkerJob, turns: TurnTaker? = nil) {
        self.job = job
        self.turns = turns
    }

    // MARK: Parameters

    /// The value of a parameter; the kind has checked it.
    func text(_ parameter: String) -> String {
        guard let value = job.parameters[parameter] else {
            preconditionFailure("The kind \(job.kind) declares no parameter \(parameter).")
        }
        return value
    }

    /// The value of a parameter that the kind declares as an integer.
    func integer(_ parameter: String) -> Int {
        guard let value = Int(text(parameter)) else {
            preconditionFailure("The kind \(job.kind) declares \(parameter) as text.")
        }
        return value
    }

    /// The value of a parameter that the kind declares as a flag.
    func flag(_ parameter: String) -> Bool { text(parameter) == "true" }

    /// The value of a parameter that the kind declares as the cases of this enum.
    func choice<Value: RawRepresentable<String>>(_ parameter: String) -> Value {
        guard let value = Value(rawValue: text(parameter)) else {
            preconditionFailure("The kind \(job.kind) declares other values of \(parameter).")
        }
        return value
    }

    /// `request`, or `loop` with the save size of the job.
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

    /// Reads the rows. Call it before measuring.
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
            importsInBatchContext: job.parameters["context"] == "batch",
            tracksHistory: job.parameters["history"] == "on"
                || job.storeFacts?[StoreSurvey.historyFact] == 1,
            variant: job.parameters["variant"].flatMap(PeerVariant.init) ?? .reference,
            pageSize: job.storeFacts?["pageSize"] ?? 4096)
    }

    /// How the job's subject is opened.
    ///
    /// - Throws: ``UnableSubject`` if it is not opened in this way.
    func opening<Opening>(_ way: KeyPath<Subject, Opening?>) throws -> Opening {
        guard let opening = Subject.named(job.subject)?[keyPath: way] else {
            throw UnableSubject(name: job.subject, kind: job.kind)
        }
        return opening
    }

    /// Opens the subject on a copy of the prepared store, or on a new store.
    ///
    /// - Parameter isWritten: whether the work writes to the store.
    /// - Parameter prepare: called after the copy is made and before the subject opens it.
    func openSubject(
        isWritten: Bool, preparing prepare: () throws -> Void = {}
    ) throws -> any FlightsSubject {
        // A database in memory exists only while a connection is open.
        let loaded =
            try storeURL.isInMemory ? StoreReader(storeURL, loading: job.preparedStore) : nil
        defer { withExtendedLifetime(loaded) {} }
        if loaded == nil {
            try placeStore(isWritten: isWritten)
            if job.preparedStore != nil { try prepare() }
        }
        let subject = try opening(\.openFlights)(configuration)
        try configuration.check(subject)
        // Pools open a connection at the first read. It is opened here, for all subjects, so that
        // no sample measures it.
        _ = try subject.countAirlines()
        return subject
    }

    /// Checks that the subject has kept its settings, closes it and opens its store for checks with
    /// plain SQL.
    func readBack(_ subject: any FlightsSubject) throws -> StoreReader {
        try configuration.check(subject)
        let inMemory = try storeURL.isInMemory ? StoreReader(storeURL) : nil
        try subject.close()
        return try inMemory ?? StoreReader(storeURL)
    }

    // MARK: Measuring

    /// Runs `work` and measures time, processor time, memory, switches and the subject's counters.
    /// Runs it once, or as often as the parent orders turns.
    ///
    /// - Parameter subject: the subject that works; nil if it is not open yet.
    /// - Parameter rowCount: the number of rows worked on, for the throughput.
    /// - Parameter repeats: whether `work` can run again in the same store.
    func measure(
        _ subject: (any FlightsSubject)?, rowCount: Int, repeats: Bool = false,
        _ work: () throws -> Void
    ) throws -> Sample {
        try measure(
            counting: subject as? any CountingSubject, rowCount: rowCount, repeats: repeats, work)
    }

    /// Measures a stack on a model of the workload's own.
    func measure(
        _ stack: any PersistenceStack, rowCount: Int, repeats: Bool = false,
        _ work: () throws -> Void
    ) throws -> Sample {
        try measure(
            counting: CountedStack(stack: stack), rowCount: rowCount, repeats: repeats, work)
    }

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
        try work()
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

/// A subject with counters that are equal for equal work.
protocol CountingSubject {
    /// The counts since the last reset, by ``Metric/name``: statements, rowsRead, faultsFired and
    /// others.
    var counters: [String: Int64] { get }
    func resetCounters()
    /// Waits for work that the subject started, such as merges into a view. Without it, scheduling
    /// would decide whether that work is counted.
    func settle()
}

extension CountingSubject {
    func settle() {}
}
