import Foundation

/// When the rounds of a comparison are looked at, and what a look concludes: signed-rank intervals with an error that is
/// spent over planned looks.
public struct SequentialDesign: Sendable {
    /// Differences up to this are never called faster or slower: the layout of a binary alone moves times by as much.
    public static let smallestDifference = 0.02

    /// - Parameter comparisonCount: all comparisons of the run, decided before it begins; 1 or more.
    public init(comparisonCount: Int) {
    }

    /// What rounds tell, in the order in which they were taken. Only the looks that have been reached count, and what one
    /// of them has decided stays decided.
    ///
    /// - Parameter logRatios: ln(cell / reference) of each round.
    public func evaluate(_ logRatios: [Double], sameWithin: Double) -> State {
        State(estimate: 0, interval: nil, roundCount: 0, conclusion: nil, isContradictory: false)
    }

    /// The number of rounds at the next look of a comparison with so many.
    public func nextLook(after roundCount: Int) -> Int { roundCount + 1 }

    /// The rounds in all at which a comparison is likely to be decided; nil where no number that anyone would wait for
    /// decides it.
    public func roundsNeeded(for logRatios: [Double], sameWithin: Double) -> Int? { nil }

    /// What the looks so far have told.
    public struct State: Hashable, Sendable {
        /// The median of the Walsh averages of the rounds looked at: ln of the ratio.
        public var estimate: Double
        /// ln of the ratio's bounds; nil before the first look and after a glance.
        public var interval: ClosedRange<Double>?
        /// The rounds of the last look, 0 before the first one.
        public var roundCount: Int
        /// Nil for undecided.
        public var conclusion: Conclusion?
        /// Whether the intervals of two looks have nothing in common.
        public var isContradictory: Bool
    }

    public enum Conclusion: Hashable, Sendable {
        case less, more, equivalent
    }
}
