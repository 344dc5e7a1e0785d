/// The part of a report on one workload: its table, what was verified, what failed.
struct WorkloadSection {
    let summary: WorkloadSummary
    private let columns: [Column]

    private var workload: WorkloadResult { summary.workload }

    /// A column after the subject; nil is shown as a dash.
    private struct Column {
        var title: String
        /// The metric by which the best of a group is shown in bold; nil for never.
        var ranks: Metric?
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
        if let curve = Curve(summary) { parts.append(curve.table.markdown) }
        parts.append(table.markdown)
        if !remarks.isEmpty { parts.append(remarks.map { "- \($0)" }.joined(separator: "\n")) }
        return parts.joined(separator: "\n\n")
    }

    /// What all cells share, and the workload's own notes.
    var introduction: [String] {
        let settings = settings
        return (settings.isEmpty ? [] : ["With \(settings.joined(separator: ", "))."])
            + workload.notes
    }

    /// What was verified, and what failed.
    var remarks: [String] { [verifiedFacts].compactMap(\.self) + failures }

    /// What all cells share: parameters, and the lock policy where it is the only one.
    private var settings: [String] {
        let pairs = workload.parameters.sorted { $0.key < $1.key }
        let policies = Set(workload.cells.compactMap(\.lockPolicy))
        let policy = policies.count == 1 ? policies.map { "lock policy \(escaped($0))" } : []
        return pairs.map { "\($0.key) \(escaped($0.value))" } + policy
    }

    var table: ReportTable {
        var table = ReportTable(
            summary.varyingParameters.map { (escaped($0), .left) } + [("subject", .left)]
                + columns.map { (escaped($0.title), $0.title.isEmpty ? .drawn : .right) }
                + [("verified", .left)])
        for group in summary.groups {
            let winners = columns.map { column in
                column.ranks.flatMap { Ranking(of: group.cells, by: $0).clearWinner?.identifier }
            }
            for (place, cell) in group.cells.enumerated() {
                let parameters = summary.varyingParameters.map {
                    place == 0 ? escaped(group.parameters[$0] ?? "none") : ""
                }
                let values = zip(columns, winners).map { column, winner in
                    let text = cell.isSound ? column.text(cell) : nil
                    return text.map { winner == cell.identifier ? "**\($0)**" : $0 } ?? "–"
                }
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

    /// What all verified cells agree on; nil when they were asked different questions.
    private var verifiedFacts: String? {
        let facts = workload.cells.compactMap { cell in
            if case .verified(let facts) = cell.verification { facts } else { nil }
        }
        guard let first = facts.first, !first.isEmpty, facts.allSatisfy({ $0 == first }) else {
            return nil
        }
        let texts = first.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }
        let scope = facts.count == 1 ? "one cell" : "all \(facts.count) verified cells"
        return "Read back, and right, in \(scope): \(texts.joined(separator: ", "))."
    }

    private var failures: [String] {
        workload.cells.compactMap { cell in
            UnsoundCell(cell, of: workload).map {
                "✗ **\(escaped($0.cell))** \($0.isWrongAnswer ? "gave a wrong answer" : "failed"): "
                    + escaped($0.reason)
            }
        }
    }
}

// MARK: - Columns

extension WorkloadSection {
    private static func primaryColumns(of summary: WorkloadSummary) -> [Column] {
        let metric = summary.workload.primaryMetric
        let title = "\(metric.title) [interval]"
        var columns = [
            Column(title: title, ranks: metric) {
                metric.unit.formatMedian($0.values(of: metric.name))
            }
        ]
        let highest = summary.workload.cells.filter(\.isSound).compactMap { cell in
            Statistics.median(cell.values(of: metric.name))
        }.max()
        if let highest, highest > 0 {
            columns.append(
                Column(title: "") { cell in
                    Statistics.median(cell.values(of: metric.name)).map { bar($0 / highest) }
                })
        }
        if let reference = summary.workload.reference {
            columns.append(
                Column(title: "÷ \(reference) [interval]", ranks: metric) { cell in
                    if cell.subject == reference { return "1" }
                    return summary.reference(for: cell).flatMap {
                        Statistics.pairedRatio(of: metric.name, cell, to: $0)
                    }.map { MetricUnit.ratio.format($0.estimate, $0.interval) }
                })
        }
        return columns
    }

    /// Up to eight blocks, in steps of an eighth of a block.
    private static func bar(_ share: Double) -> String {
        let eighths = max(1, Int((share * 64).rounded()))
        let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + partial
    }

    private static func latencyColumns(of workload: WorkloadResult) -> [Column] {
        let samples = workload.cells.flatMap(\.samples)
        let names = samples.reduce(into: Set<String>()) { $0.formUnion($1.latencies.keys) }
            // Those with a dot are parts of others and would fill the page.
            .filter { !$0.contains(".") }
        return names.sorted().flatMap { name in
            let parts: [(title: String, key: String, read: (LatencyRecorder) -> UInt64?)] = [
                ("p50", "p50", { $0.percentile(0.5) }), ("p99", "p99", { $0.percentile(0.99) }),
                ("longest", "max", { $0.maxNanoseconds }),
            ]
            // The primary metric has its column already.
            let shown = parts.filter { workload.primaryMetric.name != "\(name).\($0.key)" }
            return shown.map { part in
                Column(
                    title: "\(name.inWords) \(part.title)",
                    ranks: Metric.named("\(name).\(part.key)")
                ) { cell in
                    cell.mergedLatencies(named: name).flatMap(part.read).map {
                        MetricUnit.nanoseconds.format(Double($0))
                    }
                }
            }
        }
    }

    /// The metrics of the table where they have values; the rest is in results.csv.
    private static let tableMetrics: [Metric] = [
        .rowsPerSecond, .cpuTime, .peakMemory, .memoryGrowth, .liveMemory, .statements,
        .bytesWritten,
    ]

    private static func metricColumns(of workload: WorkloadResult) -> [Column] {
        let extra = workload.extraMetrics
        let known = tableMetrics.filter { metric in !extra.contains { $0.name == metric.name } }
        return (extra + known).filter { isShown($0, of: workload) }.map { metric in
            Column(title: metric.title, ranks: metric) { cell in
                Statistics.median(cell.values(of: metric.name)).map(metric.unit.format)
            }
        }
    }

    /// What a workload's samples cost: the well-known metrics that are costs, then all counters that
    /// are not among those, by name.
    static func resourceMetrics(of workload: WorkloadResult) -> [Metric] {
        let costs = Metric.wellKnown.filter {
            ![Metric.time, .rowsPerSecond, .canary].contains($0)
        }
        let samples = workload.cells.flatMap(\.samples)
        let counters = samples.reduce(into: Set<String>()) { $0.formUnion($1.counters.keys) }
        let others = counters.subtracting(costs.map(\.name)).sorted().map(workload.metric)
        return (costs + others).filter { isShown($0, of: workload) }
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
