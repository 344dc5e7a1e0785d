import Dispatch
import Foundation
import Measuring
import ObjectGraph

/// Pairs of contexts that need each other's queue at the same moment, each pair in another pattern.
/// Counts the pairs that wait for ever.
///
/// Threads that wait for ever end with the worker process.
enum DeadlocksWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
        let pairs = try ContextPair.Pattern.allCases.enumerated().map { index, pattern in
            try ContextPair(
                pattern, arrangement: context.choice("arrangement"), way: context.choice("way"),
                itemNumber: index + 1, coordinator)
        }
        var sample = try context.measure(nil, rowCount: pairs.count) {
            let work = DispatchGroup()
            for pair in pairs { pair.start(in: work) }
            try waitUntilStill(work)
        }
        let ended = try pairs.filter { try $0.hasEnded() }.map(\.pattern)
        for pair in pairs { sample[pair.pattern.metric] = ended.contains(pair.pattern) ? 0 : 1 }
        sample[.hung] = Double(pairs.count - ended.count)

        // The store stays open, since a pair that waits may be using it.
        let store = try StoreReader(context.storeURL)
        let savers = pairs.filter { ended.contains($0.pattern) && $0.pattern.isSaving }
        let numbers = savers.map { "\($0.itemNumber)" }.joined(separator: ", ")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check(
            "items of those that saved and ended",
            try store.integer(
                """
                SELECT COUNT(*) FROM ZITEM \
                WHERE ZNUMBER IN (\(numbers)) AND ZQUANTITY = \(ContextPair.newQuantity)
                """), equals: savers.count)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    /// The watchdog: waits until the work has ended, or until all threads sleep at several looks.
    /// With a deadline, slow work would count as a deadlock.
    ///
    /// - Throws: ``WorkerFailure`` if the system does not report the states of threads.
    private static func waitUntilStill(_ work: DispatchGroup) throws {
        var stillCount = 0
        while stillCount < 4 {
            guard work.wait(timeout: .now() + .milliseconds(25)) == .timedOut else { return }
            guard let areOthersAsleep = MachineFacts.areOtherThreadsAsleep else {
                throw WorkerFailure(
                    reason: "the states of threads are unknown; measure where /proc is mounted")
            }
            stillCount = areOthersAsleep ? stillCount + 1 : 0
        }
    }
}

extension Metric {
    fileprivate static let hung = Metric("hung", unit: .count)
}

extension ContextPair.Pattern {
    /// 1 if the pattern waits for ever.
    fileprivate var metric: Metric {
        Metric("hung.\(rawValue)", unit: .count)
    }
}

extension WorkloadKind {
    static let deadlocks = WorkloadKind(
        name: "deadlocks", summary: "contexts that need each other's queue at the same moment",
        subjects: [.engine],
        data: .own({ _ in
            ItemStore(rowCount: ContextPair.Pattern.allCases.count, features: [.indexedNumber])
        }),
        work: .contended,
        parameters: [
            WorkloadParameter(
                name: "arrangement", values: .cases(of: ContextPair.Arrangement.self),
                defaultValue: "nested",
                summary: "whether the worker is below the view or beside it"),
            WorkloadParameter(
                name: "way", values: .cases(of: ContextPair.Way.self), defaultValue: "wait",
                summary: "performAndWait, or await perform"),
        ],
        primaryMetric: .hung,
        extraMetrics: ContextPair.Pattern.allCases.map(\.metric),
        run: DeadlocksWorkload.run)
}
