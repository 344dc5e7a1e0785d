import Datasets

/// Changes an attribute of each flight that has it, with one request or in a loop.
enum BatchUpdateWorkload {
    private static let minutes = 1
    private static let delays =
        "SELECT COUNT(ZDEPARTUREDELAYMINUTES), SUM(ZDEPARTUREDELAYMINUTES) FROM ZFLIGHT"

    /// The columns that must not change.
    private static let otherColumns = FlightRow.columnSums.filter {
        $0.name != "departureDelayMinutes"
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let mode = context.bulkMode
        let subject = try context.openSubject(isWritten: true)
        let before = try state(of: StoreReader(context.storeURL))
        let sample = try context.measure(subject, rowCount: before.delays[0], repeats: true) {
            try subject.delayFlights(byMinutes: minutes, by: mode)
        }

        let store = try context.readBack(subject)
        let after = try state(of: store)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("flights with a delay", after.delays[0], equals: before.delays[0])
        verifier.check(
            "delay in minutes", after.delays[1],
            equals: before.delays[1] + minutes * before.delays[0] * context.operationCount)
        try verifier.check(otherColumns, of: "ZFLIGHT", in: store, addUpTo: before.others)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func state(of store: StoreReader) throws -> (delays: [Int], others: [Int]) {
        (try store.integers(delays), try store.sums(otherColumns, of: "ZFLIGHT"))
    }
}

extension WorkloadKind {
    static let batchUpdate = WorkloadKind(
        name: "batch-update", summary: "add a minute to the delay of every flight that departed",
        subjects: [.stack, .peer], data: .storedFlights, parameters: [.mode, .saveSize, .store],
        run: BatchUpdateWorkload.run)
}
