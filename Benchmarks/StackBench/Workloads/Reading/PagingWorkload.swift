/// Reads flights sorted by their distance, which is indexed, one batch at a time.
enum PagingWorkload {
    /// About as many rows as a table shows at first.
    static let firstPageRowCount = 50

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let batchSize = context.integer("fetchBatchSize")
        let maximum = context.text("extent") == "whole" ? nil : firstPageRowCount
        let rowCount = min(context.facts.flightCount, maximum ?? .max)

        let subject = try context.openSubject(isWritten: false)
        var checksum = FlightsChecksum(rowCount: 0, distanceMiles: 0)
        let sample = try context.measure(subject, rowCount: rowCount, repeats: true) {
            checksum = try subject.scrollFlights(batchSize: batchSize, maximumRowCount: maximum)
        }
        try subject.close()

        let store = try StoreReader(context.storeURL)
        let expected = try store.integer(
            """
            SELECT SUM(ZDISTANCE) \
            FROM (SELECT ZDISTANCE FROM ZFLIGHT ORDER BY ZDISTANCE LIMIT \(rowCount))
            """)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("flights", checksum.rowCount, equals: rowCount)
        verifier.check("distance in miles", checksum.distanceMiles, equals: expected)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let paging = WorkloadKind(
        name: "paging", summary: "read flights in the order of their distance, a batch at a time",
        subjects: [.stack, .peer], data: .storedFlights,
        parameters: [
            WorkloadParameter(
                name: "fetchBatchSize", values: .integer(0...100_000), defaultValue: "0",
                summary: "rows per batch, 0 for all at once"),
            WorkloadParameter(
                name: "extent", values: .choice(["first-page", "whole"]), defaultValue: "whole",
                summary: "the first \(PagingWorkload.firstPageRowCount) rows or all of them"),
        ],
        run: PagingWorkload.run)
}
