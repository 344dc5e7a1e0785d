import Foundation
import Measuring
import Reports
import RunRecords

/// Earlier runs of release builds on this kind of machine, for estimates in a plan.
struct KnownRuns {
    /// Newest first.
    private let runs: [Run]
    /// As it was typed.
    let folder: String

    /// Reads all runs in a folder and skips those of other machines and builds, and merged ones.
    init(in path: String) {
        folder = path
        let folder = URL(fileURLWithPath: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let identity = EnvironmentFingerprint.ofBench().identity
        runs =
            names.compactMap { try? RunDirectory(url: folder.appendingPathComponent($0)).load() }
            .filter {
                $0.environment.identity == identity && $0.build == .release && $0.shards == nil
            }
            .sorted { $0.startedAt > $1.startedAt }
    }

    /// The median time from the start of one process to the start of the next.
    func secondsPerSample(of cell: String, in workload: String) -> Double? {
        runs.lazy.compactMap { run in
            let starts = run.workloads.flatMap(\.cells).flatMap(\.samples).map(\.startedAtSeconds)
                .sorted()
            let next = Dictionary(zip(starts, starts.dropFirst()), uniquingKeysWith: min)
            let samples = result(of: cell, in: workload, of: run)?.cell.samples ?? []
            return Statistics.median(
                samples.compactMap { sample in
                    next[sample.startedAtSeconds].map { $0 - sample.startedAtSeconds }
                })
        }.first
    }

    /// The smallest change of the primary metric against the reference that `sampleCount` samples
    /// would show, as text. Without an earlier run it is the design's value.
    func detectableEffect(of cell: String, in workload: Workload, sampleCount: Int) -> String {
        guard sampleCount >= PairedRatio.pairsNeeded else { return "nothing: too few samples" }
        let effects = runs.lazy.compactMap { run -> Double? in
            guard let found = result(of: cell, in: workload.name, of: run),
                let reference = found.workload.reference, reference != found.cell.subject,
                let counterpart = found.workload.counterpart(of: found.cell, subject: reference)
            else { return nil }
            let logRatios = Statistics.pairedLogRatios(
                of: workload.kind.primaryMetric.name, found.cell, to: counterpart)
            guard logRatios.count >= PairedRatio.pairsNeeded else { return nil }
            return PairedRule(pairCount: sampleCount).minimumDetectableEffect(
                from: (0..<sampleCount).map { logRatios[$0 % logRatios.count] }, seed: 1)
        }
        if let effect = effects.first { return Self.percent(effect) }
        return "~" + Self.percent(workload.expectedDetectableEffect)
    }

    /// The rounds after which a question is likely to be decided, by the newest run that shows it; nil
    /// if there is none, or if no number of rounds is likely to decide it. A comparison that is
    /// undecided after fewer rounds than a first look needs does not show how much its rounds spread.
    func roundsNeeded(
        for question: Question, in workload: String, _ design: SequentialDesign
    ) -> Int? {
        for run in runs {
            guard let result = run.workloads.first(where: { $0.name == workload }),
                result.questions?.contains(where: { $0.id == question.id }) == true
            else { continue }
            let rounds = question.contests.flatMap { contest -> [Int?] in
                let contest = ContestResult(contest, of: question, in: result, design)
                guard let reference = contest.reference else { return [nil] }
                return contest.cells.filter { $0.identifier != reference.identifier }.map { cell in
                    let logRatios = question.logRatios(of: cell, to: reference)
                    let isDecided =
                        contest.findings.first { $0.cell == cell.identifier }?.verdict.isDecided
                    if isDecided == true { return logRatios.count }
                    guard logRatios.count >= design.quickLook, !question.isBounded else {
                        return nil
                    }
                    return design.roundsNeeded(for: logRatios, sameWithin: question.sameWithin)
                }
            }
            guard !rounds.isEmpty, !rounds.contains(nil) else { continue }
            return rounds.compactMap(\.self).max()
        }
        return nil
    }

    /// The time from the start of a run of these workloads to its first sample, which depends on the
    /// cells that it counts before, given by workload and cell.
    func secondsToFirstSample(of workloads: [String], counting: Set<[String]>) -> Double? {
        runs.lazy.filter { run in
            let counted = run.workloads.flatMap { workload in
                workload.cells.filter { $0.counts != nil }.map { [workload.name, $0.identifier] }
            }
            return Set(run.workloads.map(\.name)) == Set(workloads) && Set(counted) == counting
        }.compactMap { run in
            run.workloads.flatMap(\.cells).flatMap(\.samples).map(\.startedAtSeconds).min()
        }.first
    }

    private func result(
        of cell: String, in workload: String, of run: Run
    ) -> (workload: WorkloadResult, cell: CellResult)? {
        guard let workload = run.workloads.first(where: { $0.name == workload }),
            let cell = workload.cells.first(where: { $0.identifier == cell }), cell.isSound
        else { return nil }
        return (workload, cell)
    }

    private static func percent(_ share: Double) -> String {
        String(format: "%.1f %%", share * 100)
    }
}

extension Workload {
    /// The smallest change of time that 20 pairs detect in 95 % of cases. Source: measuring §8.
    fileprivate var expectedDetectableEffect: Double {
        if kind.isContended { return 0.025 }
        if ["full", "extra"].contains(synchronous) { return 0.02 }
        return 0.03
    }
}
