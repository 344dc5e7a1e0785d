import Measuring

/// The result of one workload file: a cell for each subject and set of parameters.
public struct WorkloadResult: Codable, Hashable, Sendable {
    /// The name of the workload file without its extension; unique within a run.
    public var name: String
    public var title: String
    /// The kind of operation, for example "import".
    public var kind: String
    /// Parameters that all cells share.
    public var parameters: [String: String]
    /// The subject by whose cells the others are divided; `nil` for no ratios.
    public var reference: String?
    /// The metric that ranks the subjects.
    public var primaryMetric: Metric
    /// Metrics shown after the primary one, in addition to the well-known ones that have values.
    public var extraMetrics: [Metric]
    /// Whether several threads worked at once, so that counts depend on their scheduling; `nil`
    /// means no.
    public var isContended: Bool?
    /// Remarks for the reader of the report, one sentence each.
    public var notes: [String]
    /// The threshold rules of the workload, judged when the run ends; `nil` if there are none.
    public var thresholds: [ThresholdRule]?
    /// The workload's questions; `nil` if it has none.
    public var questions: [Question]?
    /// The rules for advice from its answers; `nil` if there are none.
    public var advice: [AdviceRule]?
    /// The workload of the run that this one repeats at full size; `nil` if it repeats none.
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

    /// Whether its counts are repeatable for the same program and work.
    var countsRepeat: Bool { isContended != true }

    /// The metric of that name as this workload declares it; otherwise nanoseconds for a latency,
    /// and ``Metric/named(_:)`` for other names.
    public func metric(named name: String) -> Metric {
        if let own = ([primaryMetric] + extraMetrics).first(where: { $0.name == name }) {
            return own
        }
        let isLatency = cells.contains { $0.samples.contains { $0.latencies[name] != nil } }
        return isLatency ? Metric(name, unit: .nanoseconds) : Metric.named(name)
    }

    /// The cell with which `cell` is compared: the one of `subject` with the same parameters,
    /// preferably with the same lock policy. `nil` if there is none, or if there are several.
    public func counterpart(of cell: CellResult, subject: String) -> CellResult? {
        counterpart(of: cell, .init(subject: subject))
    }

    /// The cell that differs from `cell` as `reference` says, preferably with the same lock policy.
    /// `nil` if there is none, or if there are several.
    public func counterpart(of cell: CellResult, _ reference: ThresholdRule.Reference)
        -> CellResult?
    {
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
