/// What a run says of one cell beside another one, by one metric.
public struct Finding: Hashable, Sendable {
    /// ``CellResult/identifier`` of the cell, and of the one it is compared with.
    public var cell: String
    public var reference: String
    public var verdict: Verdict
    /// The rounds that both cells have.
    public var roundCount: Int

    /// The four verdicts. A ratio is the cell's value divided by the reference's.
    public enum Verdict: Hashable, Sendable {
        /// Less of the metric: faster, of a time.
        case less(Ratio)
        /// More of the metric: slower, of a time.
        case more(Ratio)
        /// Within the question's `sameWithin`.
        case equivalent(Ratio)
        /// The ratio so far, nil where nothing was measured, and what would decide it.
        case undecided(Ratio?, Remedy)
    }

    /// A ratio and the interval that holds it. The intervals of all questions of a run hold together with 95 %.
    public struct Ratio: Hashable, Sendable {
        public var estimate: Double
        /// Nil for exact counts, before the first look, and for differences so large that a few rounds told.
        public var interval: ClosedRange<Double>?

        public init(estimate: Double, interval: ClosedRange<Double>? = nil) {
            self.estimate = estimate
            self.interval = interval
        }
    }

    /// What would decide an undecided comparison.
    public enum Remedy: Hashable, Sendable {
        /// About so many more rounds, and their seconds where that is known.
        case rounds(Int, seconds: Double?)
        /// Nothing on this machine: the rounds' ratios spread by this share.
        case calmerMachine(spread: Double)
        /// The rounds contradict each other, so the machine changed meanwhile.
        case repetition
        /// Why there is nothing to compare: "nested failed".
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
