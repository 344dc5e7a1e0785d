import Foundation
import Measuring
import Reports
import RunRecords

/// The results of many simulated reports.
struct ReportTally: Sendable {
    /// The share of reports that may have a false verdict.
    private let allowed: ClosedRange<Double>
    private(set) var reportCount = 0
    /// How many reports have at least one such verdict.
    private(set) var falseDifferences = 0
    private(set) var falseEquivalences = 0
    private var comparisons: [Key: Int] = [:]

    private struct Key: Hashable {
        /// In thousandths, so that it can be a key.
        var truth: Int
        var conclusion: SequentialDesign.Conclusion?

        init(_ truth: Double, _ conclusion: SequentialDesign.Conclusion?) {
            self.truth = Int((1_000 * truth).rounded())
            self.conclusion = conclusion
        }
    }

    init(allowed: ClosedRange<Double> = 0...SequentialDesign.error) {
        self.allowed = allowed
    }

    mutating func add(_ report: [SimulatedComparison]) {
        reportCount += 1
        if report.contains(where: \.isFalseDifference) { falseDifferences += 1 }
        if report.contains(where: \.isFalseEquivalence) { falseEquivalences += 1 }
        for comparison in report {
            comparisons[Key(comparison.truth, comparison.conclusion), default: 0] += 1
        }
    }

    /// The share of all comparisons that were decided.
    var decided: Double { 1 - share { $0.conclusion == nil } }

    /// The share of the comparisons with that true difference that were called different.
    func found(_ excess: Double) -> Double {
        let truth = Key(-log(1 + excess), nil).truth
        return share(of: { $0.truth == truth }) {
            $0.conclusion == .less || $0.conclusion == .more
        }
    }

    private func share(
        of isCounted: (Key) -> Bool = { _ in true }, where holds: (Key) -> Bool
    ) -> Double {
        let counted = comparisons.filter { isCounted($0.key) }
        let holding = counted.filter { holds($0.key) }
        return Double(holding.values.reduce(0, +)) / Double(counted.values.reduce(0, +))
    }
}

extension ReportTally {
    func checkDifferences(_ name: String, into report: inout SelfTestReport) {
        report.check(
            "\(name): false faster or slower", share: falseDifferences, of: reportCount,
            in: allowed)
    }

    func checkEquivalences(_ name: String, into report: inout SelfTestReport) {
        report.check(
            "\(name): false equivalent", share: falseEquivalences, of: reportCount, in: allowed)
    }

    /// Passes if false verdicts are clearly more frequent than allowed.
    func checkFailure(_ name: String, into report: inout SelfTestReport) {
        report.check(
            name, share: falseDifferences, of: reportCount, in: SequentialDesign.error.nextUp...1)
    }
}
