import Benchmarking

/// Finds every item by its number, which is indexed, in random order: a request for each.
enum LookUpWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = (1...Int64(rowCount)).shuffled(using: &random)
        let (subject, facts) = try context.openItems(isWritten: false, hasRacks: false)
        // Pools open a connection at the first read.
        _ = try subject.findItems(numbered: [1])
        var found: Set<ItemChecksum> = []
        let sample = try context.measure(
            counting: subject as? any CountingSubject, rowCount: rowCount, repeats: true
        ) {
            found.insert(try subject.findItems(numbered: numbers))
        }
        try subject.close()

        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        verifier.check(
            found, equal: ItemChecksum(itemCount: rowCount, sum: facts[ItemSum.checksum.name]))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let lookUp = WorkloadKind(
        name: "look-up", summary: "find objects by an indexed value, one a request",
        subjects: [.stack, .peer], usesDataset: false,
        store: { ItemStore(rowCount: $0.integer("rows"), isNumberIndexed: true) },
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "20000",
                summary: "items of ten columns, each of which is found once")
        ],
        run: LookUpWorkload.run)
}
