import Measuring
import RunRecords

/// What changed in the counts, and in the ratios to C, over the commits of a history.
///
/// Stored times are not in it: those of two commits are from two states of a machine.
public struct Trend {
    let history: History
    /// The rows that were judged, by name.
    let rows: [Row]
    /// Rows that too few commits have, with their number.
    let unjudged: [(figure: TrackedFigure, count: Int)]

    /// The probability that a history without a change shows one, as that of a false verdict in a run.
    static let error = SequentialDesign.error

    /// One figure over the commits.
    struct Row {
        let figure: TrackedFigure
        /// The commits that have it, in order, as indices.
        let places: [Int]
        let values: [Double]
        let changes: [Change]
        /// The index of the commit from which on too few values for a change are off the line, and
        /// whether they are worse.
        let unconfirmed: (place: Int, isWorse: Bool)?

        var isConstant: Bool { values.allSatisfy { $0 == values[0] } }
        /// The median of the values since the last change.
        var level: Double { changes.last?.point.after ?? Statistics.median(values) ?? 0 }
    }

    /// A change of a row that was confirmed by the commits after it.
    struct Change {
        let point: ChangePoint
        /// The index of the first commit of the new level.
        let place: Int
        /// How many commits before it lack the row, and may have changed it.
        let gap: Int
        let isWorse: Bool
        /// What else changed at the commit: "SQLite was 3.40.1 and is 3.45.0".
        let conditions: [String]

        /// Whether it is the work of a commit.
        var isOfCode: Bool { conditions.isEmpty }
    }

    public init(of history: History) {
        self.history = history
        var series: [TrackedFigure: (places: [Int], values: [Double])] = [:]
        for (place, commit) in history.commits.enumerated() {
            for (figure, value) in commit.figures {
                series[figure, default: ([], [])].places.append(place)
                series[figure, default: ([], [])].values.append(value)
            }
        }
        let sorted = series.sorted { $0.key.sortKey < $1.key.sortKey }
        let judged = sorted.filter { $0.value.values.count >= ChangePointRule.shortestSeries }
        unjudged = sorted.filter { $0.value.values.count < ChangePointRule.shortestSeries }
            .map { ($0.key, $0.value.values.count) }
        let varying = judged.count { Set($0.value.values).count > 1 }
        rows = judged.map { figure, series in
            let rule = ChangePointRule(
                error: Self.error / Double(max(varying, 1)), tolerance: figure.tolerance)
            return Row(figure, series.places, series.values, by: rule, in: history)
        }
    }

    /// The gravest finding: a change for the worse that is the work of a commit.
    public var exitCode: RunRecords.ExitCode {
        changes.contains { $0.change.isWorse && $0.change.isOfCode } ? .regression : .success
    }

    /// All changes: those for the worse first, those with other conditions last, the newest first.
    var changes: [(row: Row, change: Change)] {
        rows.flatMap { row in row.changes.map { (row, $0) } }.sorted { one, other in
            (one.change.rank, -one.change.place, one.row.figure.sortKey)
                < (other.change.rank, -other.change.place, other.row.figure.sortKey)
        }
    }

    /// Counts whose newest values are off the line, those that are worse first.
    var unconfirmed: [Row] {
        [true, false].flatMap { isWorse in rows.filter { $0.unconfirmed?.isWorse == isWorse } }
    }
}

extension TrackedFigure {
    fileprivate var sortKey: String { "\(row) \(metric) \(isRatio)" }
}

extension Trend.Change {
    fileprivate var rank: Int { isOfCode ? isWorse ? 0 : 1 : 2 }
}

extension Trend.Row {
    fileprivate init(
        _ figure: TrackedFigure, _ places: [Int], _ values: [Double], by rule: ChangePointRule,
        in history: History
    ) {
        let points = rule.changePoints(in: values)
        self.figure = figure
        self.places = places
        self.values = values
        changes = points.map { point in
            let (before, now) = (places[point.index - 1], places[point.index])
            return Trend.Change(
                point: point, place: now, gap: now - before - 1,
                isWorse: (point.after > point.before) == figure.isWorseAbove,
                conditions: history.conditions(changedFrom: before, to: now, for: figure))
        }
        // A ratio that is off the line is often the machine's.
        let start = figure.isRatio ? nil : rule.unconfirmedStart(in: values, after: points)
        let level = points.last?.after ?? Statistics.median(values) ?? 0
        unconfirmed = start.map { (places[$0], (values[$0] > level) == figure.isWorseAbove) }
    }
}

extension History {
    /// What else than the code changed between two commits.
    fileprivate func conditions(
        changedFrom place: Int, to other: Int, for figure: TrackedFigure
    ) -> [String] {
        let (before, now) = (commits[place], commits[other])
        var changes: [String] = []
        if let conditions = before.conditions, var others = now.conditions {
            others.dataset = conditions.dataset
            changes = conditions.differences(from: others)
        }
        if figure.isRatio, let processor = before.processor, let new = now.processor,
            processor != new
        {
            changes.append("the processor was \(processor) and is \(new)")
        }
        return changes
    }
}
