import Foundation
import Measuring
import Reports
import RunRecords

/// Tests the gate with workers whose difference is known.
///
/// Each gate takes the pairs of the first look and of its confirmation. Later pairs never make
/// a finding, so none are taken. Source: measuring §9, items 3, 4 and 6.
struct GateSelfTest {
    let plan: Gate.Plan
    let preparation: Preparation
    /// The time after which no further gate starts; the first one always runs.
    let budget: Duration
    let note: (String) -> Void

    /// Compares this program with itself, with a new seed each time, until there are `rowCount`
    /// rows.
    func identicalCode(rowCount: Int) throws -> SelfTestReport {
        let end = ContinuousClock.now + budget
        var rows: [Comparison] = []
        repeat {
            note("\(rows.count) of \(rowCount) rows")
            let new = try self.rows { $0.seed = plan.seed &+ UInt64(rows.count) }
            for row in new where row.isFirstLookAlarm { note("called slower: \(row.sentence)") }
            rows += new
        } while rows.count < rowCount && ContinuousClock.now < end

        var report = SelfTestReport("This program against itself, \(rows.count) rows")
        report.check("rows", rows.count, atLeast: rowCount)
        report.check(
            "called slower at the first look", rows.count(where: \.isFirstLookAlarm),
            atMost: max(1, rows.count / 100))
        report.check(
            "called slower and confirmed", rows.count { $0.verdict == .regressed }, atMost: 0)
        for verdict in Verdict.allCases {
            report.tell("\(verdict)", rows.count { $0.verdict == verdict })
        }
        addSpreads(of: rows, to: &report)
        addSymmetry(of: rows, to: &report)
        return report
    }

    /// Slows one arm down by a known share: the head in one run, the base in the next.
    func slowdown(share: Double, runCount: Int) throws -> SelfTestReport {
        let end = ContinuousClock.now + budget
        var found: [String: [Finding]] = [:]
        var rows: [Comparison] = []
        var runsDone = 0
        repeat {
            note("run \(runsDone + 1) of \(runCount)")
            let isHead = runsDone.isMultiple(of: 2)
            let new = try self.rows {
                $0.seed = plan.seed &+ UInt64(runsDone)
                let injections = [Injection.slowdown(share: share)]
                if isHead { $0.headInjections = injections } else { $0.baseInjections = injections }
            }
            for row in new {
                let finding = Finding(row, expected: isHead ? .regressed : .improved)
                if !finding.isFound { note("not found: \(row.sentence)") }
                found[row.name, default: []].append(finding)
            }
            rows += new
            runsDone += 1
        } while runsDone < runCount && ContinuousClock.now < end

        var report = SelfTestReport(
            "\(String(format: "%.1f %%", share * 100)) injected, \(runsDone) runs")
        report.check("runs", runsDone, atLeast: runCount)
        for (name, findings) in found.sorted(by: { $0.key < $1.key }) {
            let able = findings.filter { $0.isFound || $0.couldSee(share) }
            report.check(
                "\(name): not found by a run that could see it",
                able.count { !$0.isFound }, atMost: findings.count / 20)
            report.check(
                "\(name): called ok or the opposite", findings.count(where: \.isWrong), atMost: 0)
            report.tell("\(name): found", findings.count(where: \.isFound))
        }
        addSymmetry(of: rows, to: &report)
        return report
    }

    private struct Finding {
        var isFound: Bool
        var isWrong: Bool
        var minimumDetectableEffect: Double?

        init(_ row: Comparison, expected: Verdict) {
            isFound = row.verdict == expected
            isWrong = row.verdict != expected && row.verdict != .inconclusive
            minimumDetectableEffect = row.minimumDetectableEffect
        }

        func couldSee(_ share: Double) -> Bool {
            minimumDetectableEffect.map { $0 <= share } ?? false
        }
    }

    /// The rows of one gate without counts.
    private func rows(_ change: (inout Gate.Plan) -> Void) throws -> [Comparison] {
        var plan = plan
        plan.takesCounts = false
        plan.budget = .zero
        change(&plan)
        let findings = try Gate(plan, preparation: preparation, note: { _ in }).execute()
        if findings.isInterrupted {
            throw BenchFailure(exitCode: .interrupted, message: "interrupted")
        }
        if let cell = findings.unsoundCells.first { throw BenchFailure(cell) }
        return findings.rows
    }

    /// Reports the noise of each row's pairs, to compare with measuring §8.
    private func addSpreads(of rows: [Comparison], to report: inout SelfTestReport) {
        for (name, rows) in Dictionary(grouping: rows, by: \.name).sorted(by: { $0.key < $1.key }) {
            let differences = rows.flatMap { $0.pairs.map(\.logRatio) }
            // The factor 1.4826 gives the standard deviation of normally distributed values.
            let deviation = Statistics.medianAbsoluteDeviation(differences).map { 1.4826 * $0 }
            let effects = rows.compactMap(\.minimumDetectableEffect)
            report.tell("\(name): robust deviation of pairs, %", (deviation ?? 0) * 100)
            report.tell("\(name): could see, %", (Statistics.median(effects) ?? .infinity) * 100)
        }
    }

    private func addSymmetry(of rows: [Comparison], to report: inout SelfTestReport) {
        let differing = rows.count { row in
            guard case .paired(let rule) = row.rule else { return false }
            return !row.mirrors(by: rule)
        }
        report.check("verdicts not mirrored by exchanged arms", differing, atMost: 0)
    }
}

extension Comparison {
    fileprivate var name: String { "\(workload) \(cell) \(metric.name)" }
}
