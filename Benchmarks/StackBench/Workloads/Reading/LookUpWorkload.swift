import Measuring

/// Finds every item by its number, which is indexed, in random order: a request for each.
enum LookUpWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = (1...Int64(rowCount)).shuffled(using: &random)
        let (subject, facts) = try context.openItems(isWritten: false, [.indexedNumber])
        return try context.measureReads(of: subject, rowCount: rowCount, facts) {
            try subject.findItems(
                numbered: numbers, inTransaction: context.text("transaction") == "shared")
        }
    }
}

extension WorkloadKind {
    static let lookUp = WorkloadKind(
        name: "look-up", summary: "find objects by an indexed value, one a request",
        subjects: [.stack, .peer],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "20000",
                summary: "items of ten columns, each of which is found once"),
            WorkloadParameter(
                name: "transaction", values: .choice(["own", "shared"]), defaultValue: "own",
                summary: "whether each look-up has a read transaction of its own, or all share one"),
        ],
        run: LookUpWorkload.run)
}
