#if PostgreSQL
import Measuring
import ObjectGraph

/// Several processes, each with a stack of its own, update items of one store on a server. Each
/// update is a save; a refused one is tried again.
enum ServerWritersWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let processCount = context.integer("processes")
        let updateCount = context.integer("updates")
        let itemCount = 64
        return try context.withServerStore { store in
            let model = try Item.makeModel([.indexedNumber])
            let maker = try ObjectGraphEngine(store.direct, model)
            let items = ItemRow.generated(count: itemCount)
            try maker.batchInsert(items)
            try maker.close()
            var random = SeededGenerator(seed: context.job.seed)
            let writers = try (0..<processCount).map { process in
                let share = itemCount / processCount
                let own = Int64(process * share + 1)...Int64(process * share + share)
                let range = context.flag("isShared") ? 1...Int64(itemCount) : own
                let writer = try LineProcess("server-writer")
                try writer.send(
                    ServerWriter.Order(
                        server: store.reached, schema: store.schema,
                        subject: context.job.subject, configuration: context.configuration,
                        numbers: (0..<updateCount).map { _ in
                            Int64.random(in: range, using: &random)
                        }))
                return writer
            }
            for writer in writers { _ = try writer.receive(Bool.self) }
            var reports: [ServerWriter.Report] = []
            var sample = try context.measure(
                counting: nil, rowCount: processCount * updateCount, repeats: false
            ) {
                for writer in writers { try writer.send(true) }
                reports = try writers.map { try $0.receive(ServerWriter.Report.self) }
            }
            for writer in writers { try writer.close() }
            let start = reports.map(\.startNanoseconds).min() ?? 0
            let end = reports.map(\.endNanoseconds).max() ?? 0
            let saved = reports.reduce(0) { $0 + $1.savedCount }
            sample[.writesPerSecond] = Double(saved) / (Double(end - start) / 1e9)
            sample[.conflicts] = Double(reports.reduce(0) { $0 + $1.conflictCount })

            let expected = items.reduce(0) { $0 + Int($1.quantity) } + saved
            let found = try store.integers("SELECT SUM(ZQUANTITY) FROM ZITEM")[0]
            sample[.lostUpdates] = Double(expected - found)
            var verifier = Verifier()
            verifier.check("saved updates", saved, equals: processCount * updateCount)
            verifier.check("the sum of quantities", found, equals: expected)
            return WorkloadOutcome(sample: sample, verification: verifier.verification)
        }
    }
}

extension Metric {
    fileprivate static let conflicts = Metric("conflicts", unit: .count)
    fileprivate static let lostUpdates = Metric("lostUpdates", title: "lost updates", unit: .count)
}

extension WorkloadKind {
    static let serverWriters = WorkloadKind(
        name: ServerKind.writers.rawValue, summary: ServerKind.writers.summary,
        subjects: [.stack], data: .onServer, work: .contended,
        parameters: [
            WorkloadParameter(
                name: "processes", values: .integer(1...64), defaultValue: "2",
                summary: "processes, each with a stack of its own"),
            WorkloadParameter(
                name: "updates", values: .integer(1...1_000_000), defaultValue: "200",
                summary: "updates that each process saves"),
            WorkloadParameter(
                name: "isShared", values: .flag, defaultValue: "false",
                summary: "whether all update the same items"),
            .delay,
        ],
        primaryMetric: .writesPerSecond, extraMetrics: [.conflicts, .lostUpdates],
        run: ServerWritersWorkload.run)
}
#endif
