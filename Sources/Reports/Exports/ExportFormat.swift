import RunRecords

/// A format in which `bench export` writes a run for a tool of others.
public enum ExportFormat: String, CaseIterable, Sendable {
    case gitHubActionBenchmark = "github-action-benchmark"
    /// A file of that action has one direction: this one has what should be large.
    case gitHubActionBenchmarkBigger = "github-action-benchmark-bigger"
    case bencher
    case jmh
    case hdr
    case openmetrics
    /// A Markdown comment for a pull request.
    case comment
}

extension ExportFormat {
    /// The run in this format.
    ///
    /// - Throws: ``ExportError/nothing(_:run:)``.
    public func text(of run: Run) throws(ExportError) -> String {
        let text: String? =
            switch self {
            case .gitHubActionBenchmark: GitHubActionBenchmark(run, .lowerIsBetter)?.text
            case .gitHubActionBenchmarkBigger: GitHubActionBenchmark(run, .higherIsBetter)?.text
            case .bencher: BencherMetrics(run)?.text
            case .jmh: JMHResults(run)?.text
            case .hdr: HistogramLog(run)?.text
            case .openmetrics: OpenMetricsText(run)?.text
            case .comment: PullRequestComment(run).markdown
            }
        guard let text else { throw .nothing(self, run: run.name) }
        return text
    }

    /// The comparison of a gate in this format.
    ///
    /// - Throws: ``ExportError/needsRun(_:gate:)`` for any other format than ``comment``.
    public func text(of report: ComparisonReport) throws(ExportError) -> String {
        guard self == .comment else { throw .needsRun(self, gate: report.title) }
        return PullRequestComment(report).markdown
    }

    /// What a run needs so that there is something to write.
    fileprivate var content: String {
        switch self {
        case .gitHubActionBenchmark: "sound cell with a metric whose smaller values are better"
        case .gitHubActionBenchmarkBigger: "sound cell with a metric whose larger values are better"
        case .bencher, .openmetrics, .comment: "sound cell with a value"
        case .jmh: "sound cell with a time, or with a rate whose larger values are better"
        case .hdr: "sound cell whose samples recorded latencies"
        }
    }
}

/// Why a folder cannot be exported in a format.
public enum ExportError: Error, Hashable {
    /// The run has nothing that the format holds.
    case nothing(ExportFormat, run: String)
    /// A gate has the format's figures of neither build.
    case needsRun(ExportFormat, gate: String)
    /// The folder has verdicts and no run to make figures from.
    case onlyVerdicts(path: String)
}

extension ExportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nothing(let format, let run):
            "\(run) cannot be exported as \(format.rawValue): it has no \(format.content)"
        case .needsRun(let format, let gate):
            "the gate \(gate) cannot be exported as \(format.rawValue): it judges ratios of two "
                + "builds and keeps no figures of one; export a run, or the gate as "
                + ExportFormat.comment.rawValue
        case .onlyVerdicts(let path):
            "\(path) has verdict.json but no run.json, as kept and merged verdicts do; all formats "
                + "are made from run.json, so export the folder that bench run wrote"
        }
    }
}
