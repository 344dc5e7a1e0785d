import Measuring

/// Whether a published claim holds here.
public enum ClaimVerdict: String, Codable, CaseIterable, Sendable {
    /// The same direction, and the published size within the claim's factor; or no difference, as
    /// published.
    case reproduced
    /// The same direction, where no size was published.
    case directionOnly
    /// The same direction, and another size.
    case otherSize
    /// It holds under some of the conditions that were measured.
    case bounded
    /// No difference where one was published, or the opposite one.
    case refuted
    /// A comparison under the published conditions is open.
    case undecided
    case notAskable

    /// The verdict in the words of the reports.
    public var title: String {
        switch self {
        case .reproduced: "reproduced"
        case .directionOnly: "direction only"
        case .otherSize: "same direction, other size"
        case .bounded: "bounded"
        case .refuted: "refuted"
        case .undecided: "undecided"
        case .notAskable: "not askable here"
        }
    }
}
