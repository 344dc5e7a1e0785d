/// What grew most in a cell with a regressed row.
public struct RegressionCauses: Codable, Hashable, Sendable {
    /// ``WorkloadResult/name``.
    public var workload: String
    /// ``CellResult/identifier``.
    public var cell: String
    /// A phrase for each, as "ran SELECT on ZFLIGHT: 9 → 18 events"; the most first.
    public var phrases: [String]

    public init(workload: String, cell: String, phrases: [String]) {
        self.workload = workload
        self.cell = cell
        self.phrases = phrases
    }
}
