/// What a comparison of two arms found about one row.
public enum Verdict: String, Codable, Sendable, CaseIterable {
    /// The head is worse than the base, and was so again in fresh pairs.
    case regressed
    /// The head is better than the base, and was so again in fresh pairs.
    case improved
    /// No difference, in a row that would have shown the one it is meant to detect.
    case ok
    /// The row could not have shown what it is meant to detect.
    case inconclusive

    /// The verdict when base and head change places.
    public var mirrored: Verdict {
        switch self {
        case .regressed: .improved
        case .improved: .regressed
        case .ok, .inconclusive: self
        }
    }
}
