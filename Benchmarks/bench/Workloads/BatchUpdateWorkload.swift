/// Changes an attribute of every flight that has it, by one request or by a loop.
enum BatchUpdateWorkload {
    private static let minutes = 1
    private static let delays =
        "SELECT COUNT(ZDEPARTUREDELAYMINUTES), SUM(ZDEPARTUREDELAYMINUTES) FROM ZFLIGHT"

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let mode = context.bulkMode
        let subject = try context.openSubject()
        let before = try StoreReader(context.storeURL).integers(delays)
        let sample = try context.measure(subject, rowCount: before[0], repeats: true) {
            try subject.delayFlights(byMinutes: minutes, by: mode)
        }
        try subject.close()

        let store = try StoreReader(context.storeURL)
        let after = try store.integers(delays)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("flights with a delay", after[0], equals: before[0])
        verifier.check(
            "delay in minutes", after[1],
            equals: before[1] + minutes * before[0] * context.operationCount)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let batchUpdate = WorkloadKind(
        name: "batch-update", summary: "add a minute to the delay of every flight that departed",
        subjects: [.stack, .peer], startsWithFlights: true, parameters: [.mode, .saveSize],
        run: BatchUpdateWorkload.run)
}
