/// `results.csv` of a run or of a gate, with the same columns: a line for each figure and each
/// comparison.
///
/// `statistic` is the `median` of samples, the `count` of an operation, which has no interval, or
/// the `ratio` of a comparison. Ratios have a verdict; in a gate, counts have one too. Times are in
/// seconds, latencies in nanoseconds, memory in bytes. `shard` is that of a merged run: figures of
/// different shards are of different machines. Absent values are empty.
struct ResultsTable {
    static let schema = 3

    private static let columns = [
        "schema", "run", "workload", "question", "cell", "metric", "unit", "polarity", "statistic",
        "count", "value", "lower", "upper", "reference", "referenceValue", "ratio", "ratioLower",
        "ratioUpper", "pValue", "minimumDetectableEffect", "verdict", "remedy", "status", "shard",
    ]

    /// A line of the table; absent values are empty.
    private struct Line {
        var run: String
        var workload: String
        var question = ""
        var cell: String
        var metric: Metric
        var statistic: String
        /// The number of samples of a median, or of rounds of a ratio.
        var count: Int
        var value: Double?
        var interval: MedianInterval?
        var reference = ""
        var referenceValue: Double?
        var ratio: Double?
        var ratioInterval: ClosedRange<Double>?
        var pValue: Double?
        var minimumDetectableEffect: Double?
        var verdict = ""
        var remedy = ""
        var status = ""
        var shard: Int?

        var fields: [String] {
            let number = CommaSeparatedText.number
            return [
                "\(ResultsTable.schema)", run, workload, question, cell, metric.name,
                metric.unit.rawValue, metric.polarity.rawValue, statistic, "\(count)",
                number(value),
                number(interval?.lower), number(interval?.upper), reference, number(referenceValue),
                number(ratio), number(ratioInterval?.lowerBound), number(ratioInterval?.upperBound),
                number(pValue), number(minimumDetectableEffect), verdict, remedy, status,
                shard.map(String.init) ?? "",
            ]
        }
    }

    private let lines: [Line]

    var text: String {
        var table = CommaSeparatedText()
        table.append(Self.columns)
        for line in lines { table.append(line.fields) }
        return table.text
    }

    /// All figures of a workload, then its verdicts.
    init(_ run: Run) {
        let results = run.questionResults
        lines = run.workloads.flatMap { workload in
            workload.cells.flatMap { Self.figures(of: $0, workload, run) }
                + results.filter { $0.workload.name == workload.name }
                .flatMap { Self.verdicts(of: $0, run) }
        }
    }

    /// The head's medians, and their ratios to the base's.
    init(_ report: ComparisonReport) {
        lines = report.rows.map { row in
            Line(
                run: report.head.name, workload: row.workload, cell: row.cell, metric: row.metric,
                statistic: row.isExact ? "count" : "ratio", count: row.pairs.count, value: row.head,
                reference: report.base.name, referenceValue: row.base, ratio: row.ratio,
                ratioInterval: row.interval.map { $0.lower...$0.upper }, pValue: row.pValue,
                minimumDetectableEffect: row.minimumDetectableEffect,
                verdict: row.verdict.rawValue, remedy: row.reason ?? "")
        }
    }

    /// A cell without figures gets one line that says so.
    private static func figures(
        of cell: CellResult, _ workload: WorkloadResult, _ run: Run
    ) -> [Line] {
        let figures = valueNames(of: cell).compactMap { name -> Line? in
            let metric = workload.metric(named: name)
            let values = cell.values(of: name)
            guard let median = Statistics.median(values) else { return nil }
            // The count is the same in every sample, so it needs no median.
            let isCount = cell.isCountedApart(name) || metric.isExactCount && Set(values).count == 1
            return Line(
                run: run.name, workload: workload.name, cell: cell.identifier, metric: metric,
                statistic: isCount ? "count" : "median", count: values.count, value: median,
                interval: isCount ? nil : Statistics.medianInterval(values), status: cell.status,
                shard: cell.shard)
        }
        guard figures.isEmpty else { return figures }
        return [
            Line(
                run: run.name, workload: workload.name, cell: cell.identifier,
                metric: workload.primaryMetric, statistic: "median", count: 0, status: cell.status,
                shard: cell.shard)
        ]
    }

    private static func verdicts(of result: QuestionResult, _ run: Run) -> [Line] {
        let metric = result.question.metric
        return result.contests.flatMap { contest in
            func value(_ cell: String) -> Double? {
                contest.cells.first { $0.identifier == cell }.flatMap {
                    Statistics.median($0.values(of: metric.name))
                }
            }
            return contest.findings.map { finding in
                Line(
                    run: run.name, workload: result.workload.name, question: result.question.id,
                    cell: finding.cell, metric: metric, statistic: "ratio",
                    count: finding.roundCount, value: value(finding.cell),
                    reference: finding.reference, referenceValue: value(finding.reference),
                    ratio: finding.verdict.ratio?.estimate,
                    ratioInterval: finding.verdict.ratio?.interval,
                    verdict: finding.verdict.word(for: metric),
                    remedy: finding.verdict.remedy?.sentence ?? "",
                    shard: contest.cells.first?.shard)
            }
        }
    }

    /// The well-known metrics, then the others by name.
    private static func valueNames(of cell: CellResult) -> [String] {
        let present = (cell.samples + [cell.counts].compactMap(\.self))
            .reduce(into: Set<String>()) { $0.formUnion($1.valueNames) }
        let wellKnown = Metric.wellKnown.map(\.name)
        return wellKnown.filter(present.contains) + present.subtracting(wellKnown).sorted()
    }
}

extension Metric {
    /// Whether it is a count that is always the same for the same work.
    var isExactCount: Bool {
        if case .exact = repeatability { true } else { false }
    }
}

extension CellResult {
    /// "verified", "wrong", "failed", "not measured" or "unverified".
    fileprivate var status: String {
        if failure != nil { return "failed" }
        return switch verification {
        case .failed: "wrong"
        case .verified: "verified"
        case .notApplicable: samples.isEmpty && counts == nil ? "not measured" : "unverified"
        }
    }
}
