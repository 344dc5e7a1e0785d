import Foundation
import Measuring
import RunRecords

/// Writers and readers work at the same time, phase after phase, while heartbeats run on the main
/// queue.
///
/// A ledger keeps all writes that were reported as saved, and the store is compared with it in the
/// end: a subject that loses writes is wrong, not fast.
enum LoadWorkload {
    private static let heartbeatIntervalMilliseconds = 4
    /// The operations of each client per turn, so that starting threads is a small part.
    private static let operationsPerTurn = 20

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        guard let plan = context.job.load else {
            preconditionFailure("A job of the kind \(context.job.kind) has a plan.")
        }
        let items = ItemRow.generated(count: context.integer("rows"))
        try context.placeStore(isWritten: true)
        let subject = try context.opening(\.openLoad)(context.configuration)
        let ledger = LoadLedger(items)
        let (sample, tally) = try measure(subject, plan, ledger, items, context)
        let shown = try subject.shownQuantities()
        try subject.close()

        var outcome = WorkloadOutcome(sample: sample, verification: .notApplicable)
        guard subject.storesItems else { return outcome }
        let findings = try LoadFindings(
            StoreReader(context.storeURL), ledger, tally, shown: shown)
        outcome.sample.metrics.merge(findings.metrics) { $1 }
        outcome.verification = try findings.verification(
            of: plan.checks, readsAreFresh: subject.promisesFreshReads)
        return outcome
    }

    /// Runs the load. The clients and their connections are gone when it returns.
    private static func measure(
        _ subject: any LoadSubject, _ plan: LoadPlan, _ ledger: LoadLedger, _ items: [ItemRow],
        _ context: WorkerContext
    ) throws -> (Sample, LoadItemClient.Tally) {
        let crew = try LoadCrew(subject, plan, ledger, templates: items, context)
        try context.configuration.check(subject)
        var generator = LoadGenerator(
            crew.participants, seed: context.job.seed,
            capacities: plan.capacity.map(crew.shares))
        let sample: Sample
        if let turns = context.turns {
            sample = try take(turns, of: &generator, subject, context)
        } else {
            sample = try run(plan, &generator, subject, context)
        }
        return (sample, crew.tally)
    }

    /// Lets the clients do a fixed number of operations per turn, for counts and pairs.
    private static func take(
        _ turns: TurnTaker, of generator: inout LoadGenerator, _ subject: any LoadSubject,
        _ context: WorkerContext
    ) throws -> Sample {
        let counting = subject as? any CountingSubject
        return try context.observe(rowCount: 0) {
            while turns.isWanted() {
                try turns.take(counting: counting) {
                    _ = try generator.run(LoadPhase(.closed, .operations(operationsPerTurn)))
                    // Merges that the saves have started belong to the turn.
                    counting?.settle()
                }
            }
        }
    }

    /// Runs the phases. The sample has no costs, such as processor time or bytes written, but that of
    /// the main thread: a phase of a fixed length lets a faster subject do more and cost more. Turns
    /// count the costs of a fixed number of operations.
    private static func run(
        _ plan: LoadPlan, _ generator: inout LoadGenerator, _ subject: any LoadSubject,
        _ context: WorkerContext
    ) throws -> Sample {
        let marks = LoadMarks(context.storeURL, subject)
        var phases: [LoadPhaseResult] = []
        var mainThreadSeconds: Double?
        marks.start()
        for phase in plan.phases {
            // One per phase: delays at full speed say nothing about an open phase.
            let heartbeat = LatencyProbe(everyMilliseconds: heartbeatIntervalMilliseconds) {
                completion in DispatchQueue.main.async { completion(.success(())) }
            }
            heartbeat.start()
            let start = ProcessProbe.mainThreadSeconds()
            var result = try generator.run(phase)
            result.mainQueue = try heartbeat.stop()
            if phase.isRecorded, case .operations = phase.extent,
                let start, let end = ProcessProbe.mainThreadSeconds()
            {
                mainThreadSeconds = end - start
            }
            phases.append(result)
        }
        marks.stop()
        for index in phases.indices {
            let noted = marks.during(phases[index])
            phases[index].timeline?.marks = noted
        }
        var sample = Sample()
        sample.take(phases, operations: plan.mix.map(\.operation.rawValue))
        sample[.mainThreadTime] = mainThreadSeconds
        if let closed = phases.last(where: { $0.phase.isRecorded && $0.phase.mode == .closed }) {
            let capacity = LoadPlan.Capacity(closed, of: plan)
            sample[.writesPerSecond] = capacity.writesPerSecond
            sample[.readsPerSecond] = capacity.readsPerSecond
        }
        return sample
    }
}

extension Metric {
    /// Its processor time in the last recorded phase of a fixed number of operations.
    fileprivate static let mainThreadTime = Metric(
        "mainThreadTime", title: "main thread time", unit: .seconds)
}

extension WorkloadKind {
    static let load = WorkloadKind(
        name: "load", summary: "writers and readers at once, in closed and open phases",
        subjects: [.stack, .peer, .selfTest],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        work: .load,
        parameters: [
            WorkloadParameter(
                name: "writers", values: .integer(0...64), defaultValue: "1",
                summary: "clients that insert, update and delete"),
            WorkloadParameter(
                name: "readers", values: .integer(0...64), defaultValue: "1",
                summary: "clients that read; the first one of a stack in its view, "
                    + "which holds the first \(StackLoad.shownItemCount) items"),
            WorkloadParameter(
                name: "writersShareKeys", values: .flag,
                defaultValue: "false", summary: "whether writers update the same items"),
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "10000",
                summary: "items in the store at the beginning"),
            WorkloadParameter(
                name: "saveSize", values: .integer(1...10_000), defaultValue: "1",
                summary: "items per insert, update or delete; each of these is one save"),
            .mergePolicy,
        ],
        primaryMetric: .capacity,
        extraMetrics: [
            .writesPerSecond, .readsPerSecond, .mainThreadTime, .offeredRate, .achievedRate,
            .saturated, .unserved,
            Metric("conflicts", unit: .count),
            Metric("lostUpdates", title: "lost updates", unit: .count),
            Metric("staleReads", title: "stale reads", unit: .count),
            Metric("undeliveredMerges", title: "undelivered merges", unit: .count),
        ],
        latencies: ["service", "intended", "closed.service", "mainQueue"],
        run: LoadWorkload.run)
}

/// The clients of a load.
private struct LoadCrew {
    private let writers: [LoadItemClient]
    private let readers: [LoadItemClient]
    private let plan: LoadPlan

    init(
        _ subject: any LoadSubject, _ plan: LoadPlan, _ ledger: LoadLedger,
        templates: [ItemRow], _ context: WorkerContext
    ) throws {
        var random = SeededGenerator(seed: context.job.seed)
        // Inserted items keep the quantity 0.
        let templates = templates.map { item in
            var item = item
            item.quantity = 0
            return item
        }
        func client(
            _ index: Int, of count: Int, writer: (any LoadWriter)?, reader: (any LoadReader)?
        ) -> LoadItemClient {
            LoadItemClient(
                writer: writer, reader: reader, plan, ledger, templates: templates,
                saveSize: context.integer("saveSize"), index: index, count: count,
                sharesKeys: context.flag("writersShareKeys"), seed: random.next())
        }
        let writerCount = context.integer("writers")
        let readerCount = context.integer("readers")
        writers = try (0..<writerCount).map {
            client($0, of: writerCount, writer: try subject.makeWriter(), reader: nil)
        }
        readers = try (0..<readerCount).map {
            client($0, of: readerCount, writer: nil, reader: try subject.makeReader($0))
        }
        self.plan = plan
    }

    var participants: [LoadGenerator.Participant] {
        writers.map { .init($0, weights: plan.weights(isWriter: true)) }
            + readers.map { .init($0, weights: plan.weights(isWriter: false)) }
    }

    /// Each participant's share of a capacity, in order.
    func shares(of capacity: LoadPlan.Capacity) -> [Double] {
        writers.map { _ in capacity.writesPerSecond / Double(writers.count) }
            + readers.map { _ in capacity.readsPerSecond / Double(readers.count) }
    }

    var tally: LoadItemClient.Tally {
        (writers + readers).reduce(LoadItemClient.Tally()) { $0 + $1.tally }
    }
}
