import Foundation
import Measuring
import RunRecords

/// The counts and ratios of one commit.
struct CommitFigures {
    /// The name of the folder or file.
    let name: String
    let commit: String?
    let committedAt: Date?
    let takenAt: Date?
    let processor: String?
    /// `nil` if the file does not say.
    let conditions: Baseline.Conditions?
    let figures: [TrackedFigure: Double]

    var date: Date? { committedAt ?? takenAt }

    /// The commit as reports show it: "3f2a9c0b1d"; the name of the file without one.
    var title: String {
        guard let commit else { return name }
        return String(commit.prefix(10)) + (commit.hasSuffix("+") && commit.count > 10 ? "+" : "")
    }

    /// Why its figures cannot be in one series with those of `other`; `nil` if they can.
    func difference(from other: Self) -> String? {
        guard let conditions, let others = other.conditions else { return nil }
        // A run whose workloads use no data set has none.
        if let data = conditions.dataset, let newer = others.dataset, data != newer {
            return "it has other data: \(data)"
        }
        return conditions.build == others.build ? nil : "it is a \(conditions.build.rawValue) build"
    }
}

/// What a row of a trend shows.
struct TrackedFigure: Hashable {
    let workload: String
    let cell: String
    let metric: String
    /// Whether it is a ratio to the raw C API of the same run, or a count.
    let isRatio: Bool

    /// - Parameter key: "workload cell metric".
    init?(_ key: String, isRatio: Bool) {
        let parts = key.split(separator: " ")
        guard parts.count > 2 else { return nil }
        workload = parts.dropLast(2).joined(separator: " ")
        cell = String(parts[parts.count - 2])
        metric = String(parts[parts.count - 1])
        self.isRatio = isRatio
    }

    var row: String { "\(workload) \(cell)" }

    var title: String {
        let metric = Metric.named(metric)
        return isRatio ? "\(metric.title) ÷ C" : metric.title
    }

    var unit: MetricUnit { isRatio ? .ratio : Metric.named(metric).unit }

    /// Whether a higher figure is a change for the worse. Fewer is better, unless the metric says
    /// otherwise.
    var isWorseAbove: Bool { Metric.named(metric).polarity != .higherIsBetter }

    /// The share by which figures of the same program may differ. Ratios change only by as much as a
    /// gate must detect.
    var tolerance: Double {
        guard !isRatio, case .exact(let tolerance) = Metric.named(metric).repeatability else {
            return 0.05
        }
        return tolerance
    }
}

extension CommitFigures {
    init(_ file: VerdictFile, name: String) {
        self.name = name
        commit = file.origin?.commit
        committedAt = file.origin?.committedAt
        takenAt = file.origin?.takenAt
        processor = file.origin?.processor
        conditions = file.origin?.conditions
        figures =
            Self.figures(file.figures?.counts ?? file.countsOfRows, isRatio: false)
            .merging(Self.figures(file.figures?.ratiosToC ?? file.ratiosOfQuestions, isRatio: true))
        { $1 }
    }

    init(_ baseline: Baseline, name: String) {
        self.name = name
        commit = baseline.commit
        committedAt = baseline.committedAt
        takenAt = baseline.savedAt
        processor = nil
        conditions = baseline.conditions
        figures = Self.figures(Baseline.lines(of: baseline.cells), isRatio: false)
    }

    private static func figures(_ lines: [String: Double], isRatio: Bool) -> [TrackedFigure: Double]
    {
        lines.reduce(into: [:]) { figures, line in
            if let figure = TrackedFigure(line.key, isRatio: isRatio), line.value.isFinite {
                figures[figure] = line.value
            }
        }
    }
}

extension VerdictFile {
    /// Of a gate: the counts of the head.
    fileprivate var countsOfRows: [String: Double] {
        (rows ?? []).reduce(into: [:]) { counts, row in
            if case .exact = row.rule, let head = row.head {
                counts["\(row.workload) \(row.cell) \(row.metric)"] = head
            }
        }
    }

    /// The ratios to C that answer questions: all that a file of an earlier version has. A ratio to a
    /// value that counts as a bound says nothing of the value.
    fileprivate var ratiosOfQuestions: [String: Double] {
        var ratios: [String: Double] = [:]
        for question in questions ?? [] where question.unit != .count && question.sameBelow == nil {
            let workload = question.id.prefix { $0 != "." }
            for contest in question.contests {
                for finding in contest.findings {
                    guard let ratio = finding.ratio, ratio > 0, ratio.isFinite,
                        let reference = finding.reference ?? contest.reference
                    else { continue }
                    if Self.isInC(reference) {
                        ratios["\(workload) \(finding.cell) \(question.metric)"] = ratio
                    } else if Self.isInC(finding.cell) {
                        ratios["\(workload) \(reference) \(question.metric)"] = 1 / ratio
                    }
                }
            }
        }
        return ratios
    }

    private static func isInC(_ cell: String) -> Bool {
        Run.peersInC.contains(String(cell.prefix { $0 != "/" }))
    }
}
