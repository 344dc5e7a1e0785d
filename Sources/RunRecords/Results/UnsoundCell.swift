import Measuring

/// A cell whose results cannot be trusted.
public struct UnsoundCell: Codable, Hashable, Sendable {
    public var workload: String
    /// ``CellResult/identifier``.
    public var cell: String
    /// Whether it finished with a wrong answer, instead of failing.
    public var isWrongAnswer: Bool
    public var reason: String

    public init(workload: String, cell: String, isWrongAnswer: Bool, reason: String) {
        self.workload = workload
        self.cell = cell
        self.isWrongAnswer = isWrongAnswer
        self.reason = reason
    }

    public init?(_ cell: CellResult, of workload: WorkloadResult) {
        self.workload = workload.name
        self.cell = cell.identifier
        if case .failed(let reason) = cell.verification {
            isWrongAnswer = true
            self.reason = reason
        } else if let failure = cell.failure {
            isWrongAnswer = false
            reason = failure
        } else {
            return nil
        }
    }
}
