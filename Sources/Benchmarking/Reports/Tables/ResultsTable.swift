/// `results.csv`: a line for each cell and metric, of a run or of a comparison, with the same columns.
///
/// Times are in seconds, latencies in nanoseconds, memory in bytes. What is absent is empty.
struct ResultsTable {
    static let schema = 1

    private static let columns = [
        "schema", "run", "workload", "cell", "metric", "unit", "polarity", "statistic", "count",
        "value", "lower", "upper", "reference", "referenceValue", "ratio", "ratioLower",
        "ratioUpper", "pairCount", "pValue", "minimumDetectableEffect", "verdict",
    ]

    private var table = CommaSeparatedText()

    var text: String { table.text }

    /// Medians, and the ratio to the workload's reference within rounds.
    init(_ run: Run) {
        table.append(Self.columns)
        for summary in run.workloads.map(WorkloadSummary.init) {
            for cell in summary.workload.cells {
                for name in Self.valueNames(of: cell) {
                    append(summary.workload.metric(named: name), of: cell, summary, run)
                }
            }
        }
    }

    /// The head's medians, and their ratio to the base's.
    init(_ report: ComparisonReport) {
        table.append(Self.columns)
        for row in report.rows {
            append(
                name: report.head.name, workload: row.workload, cell: row.cell,
                metric: row.metric, count: row.pairs.count, value: row.head, valueInterval: nil,
                reference: report.base.name, referenceValue: row.base, ratio: row.ratio,
                interval: row.interval, pairCount: row.pairs.count, pValue: row.pValue,
                minimumDetectableEffect: row.minimumDetectableEffect,
                verdict: row.verdict.rawValue)
        }
    }

    private mutating func append(
        _ metric: Metric, of cell: CellResult, _ summary: WorkloadSummary, _ run: Run
    ) {
        let values = cell.values(of: metric.name)
        let reference = summary.reference(for: cell)
        let ratio = reference.flatMap { Statistics.pairedRatio(of: metric.name, cell, to: $0) }
        append(
            name: run.name, workload: summary.workload.name, cell: cell.identifier, metric: metric,
            count: values.count, value: Statistics.median(values),
            valueInterval: Statistics.medianInterval(values), reference: reference?.identifier,
            referenceValue: reference.flatMap { Statistics.median($0.values(of: metric.name)) },
            ratio: ratio?.estimate, interval: ratio?.interval, pairCount: ratio?.pairCount,
            pValue: nil, minimumDetectableEffect: nil, verdict: cell.soundness)
    }

    private mutating func append(
        name: String, workload: String, cell: String, metric: Metric, count: Int, value: Double?,
        valueInterval: MedianInterval?, reference: String?, referenceValue: Double?,
        ratio: Double?, interval: MedianInterval?, pairCount: Int?, pValue: Double?,
        minimumDetectableEffect: Double?, verdict: String
    ) {
        let number = CommaSeparatedText.number
        table.append([
            "\(Self.schema)", name, workload, cell, metric.name, metric.unit.rawValue,
            metric.polarity.rawValue, "median", "\(count)", number(value),
            number(valueInterval?.lower), number(valueInterval?.upper), reference ?? "",
            number(referenceValue), number(ratio), number(interval?.lower),
            number(interval?.upper), pairCount.map(String.init) ?? "", number(pValue),
            number(minimumDetectableEffect), verdict,
        ])
    }

    /// The well-known metrics first, then the rest by name.
    private static func valueNames(of cell: CellResult) -> [String] {
        let present = cell.samples.reduce(into: Set<String>()) { $0.formUnion($1.valueNames) }
        let wellKnown = Metric.wellKnown.map(\.name)
        return wellKnown.filter(present.contains) + present.subtracting(wellKnown).sorted()
    }
}

extension CellResult {
    /// "verified", "wrong", "failed", or "unverified".
    fileprivate var soundness: String {
        if failure != nil { return "failed" }
        return switch verification {
        case .verified: "verified"
        case .failed: "wrong"
        case .notApplicable: "unverified"
        }
    }
}
