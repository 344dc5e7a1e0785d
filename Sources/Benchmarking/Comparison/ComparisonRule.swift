/// How a row is judged.
public enum ComparisonRule: Codable, Hashable, Sendable {
    /// A count that is the same in every run of the same code: it may differ by the share
    /// `tolerance`, 0 for not at all. Source: measuring §3.
    case exact(tolerance: Double)
    /// A count of the head alone: what a row costs among many (`head`) may be `limit` times what one costs among few (`base`).
    case growth(limit: Double)
    /// A time measured in pairs. Source: measuring §7.
    case paired(PairedRule)
}
