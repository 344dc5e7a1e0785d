import Measuring

/// How a row is judged.
public enum ComparisonRule: Codable, Hashable, Sendable {
    /// A count that is the same in every run of the same code. It may differ by the share
    /// `tolerance`; 0 allows no difference. Source: measuring §3.
    case exact(tolerance: Double)
    /// A count of the head alone. The cost of a row among many (`head`) may be `limit` times the
    /// cost among few (`base`).
    case growth(limit: Double)
    /// A time measured in pairs. Source: measuring §7.
    case paired(PairedRule)
}
