import RunRecords
import Stacks

extension WorkerContext {
    /// `request`, or `loop` with the save size of the job.
    var bulkMode: BulkMode {
        text("mode") == "request" ? .request : .loop(saveSize: integer("saveSize"))
    }

    var configuration: SubjectConfiguration {
        SubjectConfiguration(
            storeURL: storeURL, synchronous: job.synchronous,
            lockPolicy: job.lockPolicy ?? "pooled",
            indexes: job.indexes, mergePolicy: job.parameters["mergePolicy"] ?? "error",
            importsInBatchContext: job.parameters["context"] == "batch",
            tracksHistory: job.parameters["history"] == "on"
                || job.storeFacts?[WorkerJob.historyFact] == 1,
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

    /// Measures work of a stack on a model of the workload's own: time, processor time, memory,
    /// switches and what the engine counts. Call it once a sample.
    ///
    /// - Parameters:
    ///   - stack: The stack that works.
    ///   - rowCount: The number of rows worked on, for the throughput.
    ///   - repeats: Whether `work` can run again in the same store.
    ///   - work: What is measured.
    public func measure(
        _ stack: any PersistenceStack, rowCount: Int, repeats: Bool = false,
        _ work: () throws -> Void
    ) throws -> Sample {
        try measure(
            counting: CountedStack(stack: stack), rowCount: rowCount, repeats: repeats, work)
    }
}
