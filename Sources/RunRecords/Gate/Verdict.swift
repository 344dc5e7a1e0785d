import Measuring

/// The result of comparing two arms in one row.
public enum Verdict: String, Codable, Sendable, CaseIterable {
    /// The head is worse than the base; for times, again in fresh pairs.
    case regressed
    /// The head is better than the base; for times, again in fresh pairs.
    case improved
    /// No difference, in a row that would have shown the one that it should detect.
    case ok
    /// The row could not have shown the change that it should detect.
    case inconclusive

    /// The verdict when base and head are exchanged.
    public var mirrored: Verdict {
        switch self {
        case .regressed: .improved
        case .improved: .regressed
        case .ok, .inconclusive: self
        }
    }
}
