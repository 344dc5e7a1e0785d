#if PostgreSQL
import ObjectGraph
import RunRecords

/// What the engine adds to libpq: one operation on many items.
enum ServerEngineWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let items = ItemRow.generated(count: rowCount)
        return try context.withServerStore { store in
            try store.makeTables(of: Item.makeModel())
            let subject = try context.opening(\.openServer)(store)
            var verifier = Verifier()
            let sample: Sample
            if context.text("row") == "fetch" {
                try subject.batchInsert(items)
                try PQConnection(store.address, schema: store.schema).execute("ANALYZE ZITEM")
                var answers: Set<ItemChecksum> = []
                _ = try subject.readItems()
                sample = try context.measure(
                    counting: subject as? any CountingSubject, rowCount: rowCount, repeats: true
                ) { answers.insert(try subject.readItems()) }
                let facts = ItemSum.facts(of: items)
                verifier.check(
                    answers,
                    equal: ItemChecksum(
                        itemCount: rowCount, sum: facts[ItemSum.checksum.name]))
            } else {
                // The first insertion plans statements and opens connections.
                try subject.insert([], saveSize: 1)
                sample = try context.measure(
                    counting: subject as? any CountingSubject, rowCount: rowCount, repeats: false
                ) {
                    if context.text("row") == "insert" {
                        try subject.insert(items, saveSize: 10_000)
                    } else {
                        try subject.batchInsert(items)
                    }
                }
                try verifier.checkItems(in: store, are: items)
            }
            try subject.close()
            return WorkloadOutcome(sample: sample, verification: verifier.verification)
        }
    }
}

extension WorkloadKind {
    static let serverEngine = WorkloadKind(
        name: ServerKind.engine.rawValue, summary: ServerKind.engine.summary,
        subjects: [.engine, .peer], data: .onServer,
        parameters: [
            WorkloadParameter(
                name: "row", values: .choice(["fetch", "insert", "batch-insert"]),
                defaultValue: "fetch", summary: "the operation; inserts save 10,000 at a time"),
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "100000",
                summary: "items"),
            .delay,
        ],
        run: ServerEngineWorkload.run)
}

extension Subject {
    /// libpq, only for the workloads on a server.
    static let libpq = Subject(
        name: "libpq", group: .peer, summary: "PostgreSQL's C API in binary format, pipelined",
        openServer: { try PQItems($0) })
}
#endif
