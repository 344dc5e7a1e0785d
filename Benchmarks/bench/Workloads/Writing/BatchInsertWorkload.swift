import Datasets

/// Inserts flights without relationships into an empty store, with one request or in a loop.
enum BatchInsertWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let source = try context.loadDataset().flights
        let flights = (0..<context.integer("rows")).map { source[$0 % source.count] }
        let mode = context.bulkMode

        let subject = try context.openSubject(isWritten: true)
        let sample = try context.measure(subject, rowCount: flights.count, repeats: true) {
            try subject.insertFlights(flights, by: mode)
        }

        let store = try context.readBack(subject)
        let found = try store.integer("SELECT COUNT(*) FROM ZFLIGHT")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("flights", found, equals: flights.count * context.operationCount)
        try verifier.check(flights, in: "ZFLIGHT", of: store, times: context.operationCount)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let batchInsert = WorkloadKind(
        name: "batch-insert", summary: "insert flights without relationships",
        subjects: [.stack, .peer],
        parameters: [
            .mode, .saveSize, .store,
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "100000",
                summary: "flights inserted; beyond the data set's size they repeat"),
        ],
        run: BatchInsertWorkload.run)
}
