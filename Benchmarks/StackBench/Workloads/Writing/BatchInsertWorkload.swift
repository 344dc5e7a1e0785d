import Datasets

/// Inserts flights without relationships into an empty store, with one request or in a loop.
enum BatchInsertWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let source = try context.loadDataset().flights
        let flights = (0..<context.integer("rows")).map { source[$0 % source.count] }
        let mode = context.bulkMode

        let subject = try context.openSubject(isWritten: true)
        let stack = context.flag("list") ? subject as? StackSubject : nil
        let list = try stack?.openList()
        let sample = try context.measure(subject, rowCount: flights.count, repeats: true) {
            try subject.insertFlights(flights, by: mode)
        }
        let shown = list?.count

        let store = try context.readBack(subject)
        let found = try store.integer("SELECT COUNT(*) FROM ZFLIGHT")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("flights", found, equals: flights.count * context.operationCount)
        if let shown, stack?.followsSaves == true, mode != .request {
            verifier.check("flights of the list", shown, equals: found)
        }
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
            WorkloadParameter(
                name: "list", values: .flag, defaultValue: "false",
                summary: "whether the view has a list of all flights, which merges change",
                stackOnlyValues: ["true"]),
        ],
        run: BatchInsertWorkload.run)
}
