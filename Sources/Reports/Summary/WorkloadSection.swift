import Measuring
import RunRecords

/// The section of a report on one workload: its table, what was verified, what failed.
struct WorkloadSection {
    let summary: WorkloadSummary
    private let columns: [Column]

    private var workload: WorkloadResult { summary.workload }

    /// A column after the subject. `nil` is shown as a dash.
    private struct Column {
        var title: String
        var text: (CellResult) -> String?
    }

    init(_ summary: WorkloadSummary) {
        self.summary = summary
        columns =
            Self.primaryColumns(of: summary) + Self.latencyColumns(of: summary.workload)
            + Self.metricColumns(of: summary.workload)
    }

    var markdown: String {
        var parts = ["## \(escaped(workload.title))"] + introduction
        parts.append(
            answers.isEmpty ? Self.silence : answers.map { "- \($0)" }.joined(separator: "\n"))
        parts.append(table.markdown)
        let traces = workload.traces
        if !traces.isEmpty {
            parts.append("In one traced sample of each stack:")
            parts.append(traces.map { "- \($0.headline)" }.joined(separator: "\n"))
        }
        if !remarks.isEmpty { parts.append(remarks.map { "- \($0)" }.joined(separator: "\n")) }
        return parts.joined(separator: "\n\n")
    }

    /// The settings that all cells share, and the workload's own notes.
    var introduction: [String] {
        let settings = settings
        return (settings.isEmpty ? [] : ["With \(settings.joined(separator: ", "))."])
            + workload.notes
    }

    /// A sentence for each contest of each question; of listed questions the answer, and a sentence
    /// for each thing. The first screen only counts some of them.
    var answers: [String] {
        summary.questions.flatMap { result -> [String] in
            guard result.question.isListed == true else {
                return result.contests.indices.map { QuestionSentence(result.only($0)).markdown }
            }
            return ListedAnswer(result, among: summary.questions).map { [$0.markdown] } ?? []
        } + CostSentence.all(of: summary.questions)
    }

    static let silence = "This workload asks no question, so its figures have no verdicts."

    /// The facts that were verified, and the failures.
    var remarks: [String] { [verifiedFacts].compactMap(\.self) + failures }

    /// What all cells share: parameters, and the lock policy if there is only one.
    private var settings: [String] {
        let pairs = workload.parameters.sorted { $0.key < $1.key }
        let policies = Set(workload.cells.compactMap(\.lockPolicy))
        let policy = policies.count == 1 ? policies.map { "lock policy \(escaped($0))" } : []
        return pairs.map { "\($0.key) \(escaped($0.value))" } + policy
    }

    var table: ReportTable {
        // Figures of two shards are of two machines.
        let showsShard = summary.shards.count > 1
        let names =
            summary.varyingParameters.map(escaped) + (showsShard ? ["shard"] : []) + ["subject"]
        var table = ReportTable(
            names.map { ($0, .left) } + columns.map { (escaped($0.title), .right) }
                + [("verified", .left)])
        for group in summary.groups {
            for (place, cell) in group.cells.enumerated() {
                let named =
                    summary.varyingParameters.map { escaped(group.parameters[$0] ?? "none") }
                    + (showsShard ? [cell.shard.map(String.init) ?? "–"] : [])
                let parameters = named.map { place == 0 ? $0 : "" }
                let values = columns.map { (cell.isSound ? $0.text(cell) : nil) ?? "–" }
                table.append(parameters + [name(of: cell)] + values + [cell.mark])
            }
        }
        return table
    }

    private func name(of cell: CellResult) -> String {
        switch (cell.role, cell.subject == workload.reference) {
        case (_, true): "\(summary.label(cell)) (reference)"
        case (.peer, false): "\(summary.label(cell)) (peer)"
        case (.stack, false): summary.label(cell)
        }
    }

    /// The facts on which all verified cells agree; `nil` if they verified different facts.
    private var verifiedFacts: String? {
        let facts = workload.cells.compactMap { cell in
            if case .verified(let facts) = cell.verification { facts } else { nil }
        }
        guard let first = facts.first, !first.isEmpty, facts.allSatisfy({ $0 == first }) else {
            return nil
        }
        let texts = first.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }
        let scope = facts.count == 1 ? "one cell" : "all \(facts.count) verified cells"
        return "Read back and right in \(scope): \(texts.joined(separator: ", "))."
    }

    private var failures: [String] {
        workload.cells.compactMap { cell in
            UnsoundCell(cell, of: workload).map { $0.sentence(about: $0.cell) }
        }
    }
}

// MARK: - Columns

extension WorkloadSection {
    private static func primaryColumns(of summary: WorkloadSummary) -> [Column] {
        let metric = summary.workload.primaryMetric
        let title = "\(metric.title) [interval]"
        var columns = [
            Column(title: title) { metric.unit.formatMedian($0.values(of: metric.name)) }
        ]
        if let reference = summary.workload.reference {
            columns.append(
                Column(title: "÷ \(reference)") { cell in
                    if cell.subject == reference { return "1" }
                    return summary.reference(for: cell).flatMap {
                        Statistics.pairedRatio(of: metric.name, cell, to: $0)
                    }.map { MetricUnit.ratio.format($0.estimate) }
                })
        }
        return columns
    }

    private static func latencyColumns(of workload: WorkloadResult) -> [Column] {
        let samples = workload.cells.flatMap(\.samples)
        let names = samples.reduce(into: Set<String>()) { $0.formUnion($1.latencies.keys) }
            // Names with a dot are parts of other latencies and would fill the page.
            .filter { !$0.contains(".") }
        return names.sorted().flatMap { name in
            let parts: [(title: String, key: String, read: (LatencyRecorder) -> UInt64?)] = [
                ("p50", "p50", { $0.percentile(0.5) }), ("p99", "p99", { $0.percentile(0.99) }),
                ("longest", "max", { $0.maxNanoseconds }),
            ]
            // Percentiles that the workload names have columns of their own.
            let named = ([workload.primaryMetric] + workload.extraMetrics).map(\.name)
            return parts.filter { !named.contains("\(name).\($0.key)") }.map { part in
                Column(title: "\(name.inWords) \(part.title), all samples") { cell in
                    cell.mergedLatencies(named: name).flatMap(part.read).map {
                        MetricUnit.nanoseconds.format(Double($0))
                    }
                }
            }
        }
    }

    /// Metrics that the table shows if they have values; the others are in figures.csv.
    private static let tableMetrics: [Metric] = [
        .rowsPerSecond, .cpuTime, .peakMemory, .memoryGrowth, .liveMemory, .statements,
        .bytesWritten,
    ]

    private static func metricColumns(of workload: WorkloadResult) -> [Column] {
        let extra = workload.extraMetrics
        let known = tableMetrics.filter { metric in !extra.contains { $0.name == metric.name } }
        return (extra + known).filter { isShown($0, of: workload) }.map { metric in
            Column(title: metric.title) { cell in
                Statistics.median(cell.values(of: metric.name)).map(metric.unit.format)
            }
        }
    }

    private static func isShown(_ metric: Metric, of workload: WorkloadResult) -> Bool {
        metric.name != workload.primaryMetric.name
            && workload.cells.contains { $0.values(of: metric.name).contains { $0 != 0 } }
    }
}

extension CellResult {
    fileprivate var mark: String {
        if failure != nil { return "✗ failed" }
        return switch verification {
        case .verified: "✓"
        case .failed: "✗ wrong"
        case .notApplicable: "–"
        }
    }
}

extension Fact {
    fileprivate var text: String {
        switch self {
        case .integer(let value): grouped(Double(value))
        case .text(let value): escaped(value)
        }
    }
}

extension String {
    /// "mainQueue" as "main queue" and "update.intended" as "update intended".
    var inWords: String {
        reduce(into: "") { words, character in
            if character == "." {
                words += " "
            } else if character.isUppercase, words.last?.isLowercase == true {
                words += " \(character.lowercased())"
            } else {
                words.append(character)
            }
        }
    }
}
