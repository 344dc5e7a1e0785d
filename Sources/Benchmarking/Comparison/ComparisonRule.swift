/// How a row is judged.
public enum ComparisonRule: Codable, Hashable, Sendable {
    /// A count that is the same in every run of the same code: it may differ by the share
    /// `tolerance`, 0 for not at all. Source: instrument §2.4, tier 0.
    case exact(tolerance: Double)
    /// A count of the head alone: what a row costs among many (`head`) may be `limit` times what one costs among few (`base`).
    case growth(limit: Double)
    /// A time measured in pairs. Source: instrument §2.4, tier 1.
    case paired(PairedRule)
}
