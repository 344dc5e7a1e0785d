/// What one workload file gave: a cell for each subject and set of parameters.
public struct WorkloadResult: Codable, Hashable, Sendable {
    /// The name of the workload file without its extension; unique within a run.
    public var name: String
    public var title: String
    /// The kind of operation, for example "import".
    public var kind: String
    /// Parameters that all cells share.
    public var parameters: [String: String]
    /// The subject whose cells the others are divided by; nil for no ratios.
    public var reference: String?
    /// The metric that ranks the subjects.
    public var primaryMetric: Metric
    /// Metrics shown after the primary one, beside the well-known ones that have values.
    public var extraMetrics: [Metric]
    /// Whether several threads worked at once, so that its counts depend on how they were scheduled; nil for no.
    public var isContended: Bool?
    /// Remarks for the reader of the report, a sentence each.
    public var notes: [String]
    /// The rules beside the workload, which are judged when the run ends; nil where there are none.
    public var thresholds: [ThresholdRule]?
    /// What it asks; nil where it asks nothing.
    public var questions: [Question]?
    /// What its answers advise; nil where nothing.
    public var advice: [AdviceRule]?
    /// The workload of the run that this one repeats at full size; nil for others.
    public var smallName: String?
    public var cells: [CellResult]

    public init(
        name: String, title: String, kind: String, parameters: [String: String] = [:],
        reference: String? = nil, primaryMetric: Metric = .time, extraMetrics: [Metric] = [],
        isContended: Bool? = nil, notes: [String] = [], thresholds: [ThresholdRule]? = nil,
        questions: [Question]? = nil, advice: [AdviceRule]? = nil, smallName: String? = nil,
        cells: [CellResult] = []
    ) {
        self.name = name
        self.title = title
        self.kind = kind
        self.parameters = parameters
        self.reference = reference
        self.primaryMetric = primaryMetric
        self.extraMetrics = extraMetrics
        self.isContended = isContended
        self.notes = notes
        self.thresholds = thresholds
        self.questions = questions
        self.advice = advice
        self.smallName = smallName
        self.cells = cells
    }

    /// Whether its counts are the same when the same program does the same work again.
    var countsRepeat: Bool { isContended != true }

    /// The metric of that name as this workload describes it, nanoseconds for a latency, or else
    /// ``Metric/named(_:)``.
    public func metric(named name: String) -> Metric {
        if let own = ([primaryMetric] + extraMetrics).first(where: { $0.name == name }) {
            return own
        }
        let isLatency = cells.contains { $0.samples.contains { $0.latencies[name] != nil } }
        return isLatency ? Metric(name, unit: .nanoseconds) : Metric.named(name)
    }

    /// The cell that `cell` is compared with: the one of `subject` with the same parameters,
    /// the same lock policy preferred; nil when there is none, or several.
    public func counterpart(of cell: CellResult, subject: String) -> CellResult? {
        counterpart(of: cell, .init(subject: subject))
    }

    /// The cell that differs from `cell` as the reference says, the same lock policy preferred; nil when there is
    /// none, or several.
    func counterpart(of cell: CellResult, _ reference: ThresholdRule.Reference) -> CellResult? {
        let parameters = cell.parameters.merging(reference.parameters) { $1 }
        let candidates = cells.filter {
            $0.subject == reference.subject ?? cell.subject && $0.parameters == parameters
        }
        return candidates.first { $0.lockPolicy == cell.lockPolicy }
            ?? (candidates.count == 1 ? candidates[0] : nil)
    }

    /// The values of the parameters in which its cells differ, in the order of the cells.
    var axes: [String: [String]] {
        cells.reduce(into: [:]) { axes, cell in
            for (name, value) in cell.parameters where axes[name]?.contains(value) != true {
                axes[name, default: []].append(value)
            }
        }
    }
}
