import Measuring

/// How one cell of a run compares with another one in one metric.
public struct Finding: Hashable, Sendable {
    /// ``CellResult/identifier`` of the cell, and of the one it is compared with.
    public var cell: String
    public var reference: String
    public var verdict: Verdict
    /// The number of rounds that both cells have.
    public var roundCount: Int

    /// The four verdicts. A ratio is the cell's value divided by the reference's.
    public enum Verdict: Hashable, Sendable {
        /// Less of the metric; for a time: faster.
        case less(Ratio)
        /// More of the metric; for a time: slower.
        case more(Ratio)
        /// Within the question's `sameWithin`.
        case equivalent(Ratio)
        /// The ratio so far, `nil` if nothing was measured, and what would decide the comparison.
        case undecided(Ratio?, Remedy)
    }

    /// A ratio with its interval, which has the error of *equivalent*; see ``ErrorShares``.
    public struct Ratio: Hashable, Sendable {
        public var estimate: Double
        /// `nil` for exact counts, and before the first look.
        public var interval: ClosedRange<Double>?

        public init(estimate: Double, interval: ClosedRange<Double>? = nil) {
            self.estimate = estimate
            self.interval = interval
        }
    }

    /// What would decide an undecided comparison.
    public enum Remedy: Hashable, Sendable {
        /// About this many more rounds, and the seconds they take if known.
        case rounds(Int, seconds: Double?)
        /// A calmer machine: on this one, the rounds' ratios spread by this share.
        case calmerMachine(spread: Double)
        /// Another run: the rounds contradict each other, so the machine changed in between.
        case repetition
        /// Another measurement: nothing can be compared for this reason, such as "nested failed".
        case measurement(String)
    }
}

extension Finding.Verdict {
    public var ratio: Finding.Ratio? {
        switch self {
        case .less(let ratio), .more(let ratio), .equivalent(let ratio): ratio
        case .undecided(let ratio, _): ratio
        }
    }

    public var isDecided: Bool {
        if case .undecided = self { false } else { true }
    }

    /// Whether more rounds of this run may decide it.
    public var isOpen: Bool {
        if case .undecided(_, let remedy) = self { remedy != .repetition } else { false }
    }
}
