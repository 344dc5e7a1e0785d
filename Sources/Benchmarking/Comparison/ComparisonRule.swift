/// How a row is judged.
public enum ComparisonRule: Codable, Hashable, Sendable {
    /// A count that is the same in every run of the same code: it may differ by the share
    /// `tolerance`, 0 for not at all. Source: instrument §2.4, tier 0.
    case exact(tolerance: Double)
    /// A time measured in pairs. Source: instrument §2.4, tier 1.
    case paired(PairedRule)
}
