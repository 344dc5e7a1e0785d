import Foundation

/// When the rounds of a comparison are looked at, and what a look concludes: signed-rank intervals with an error that is
/// spent over planned looks.
///
/// At most 5 % of runs contain a false conclusion. Half of a comparison's error is for each bound of its interval, and
/// all bounds of all comparisons share the 5 % (Bonferroni), so that comparisons may have samples in common. The order
/// of the two sides within each round has to be random, and every round needs fresh processes: a process keeps its own
/// layout, core and heap, and no number of rounds averages that out.
///
/// Sources: Jennison and Turnbull, "Group Sequential Methods" (2000), ch. 9, for intervals that hold at all looks
/// together (9.1), whatever the rule that stops (9.2); Schuirmann (1987) as told in the SAS/STAT guide to PROC TTEST for
/// equivalence by two one-sided tests.
public struct SequentialDesign: Sendable {
    /// Differences up to this are never called faster or slower: the layout of a binary alone moves times by as much.
    public static let smallestDifference = 0.02
    /// The share of runs that may contain a false conclusion.
    static let error = 0.05

    /// The rounds after which all comparisons are looked at for the first time, for differences that are plain to see.
    public let glanceCount: Int
    let looks: [Look]
    /// The rounds of the first look.
    var firstLook: Int { looks[0].roundCount }

    /// - Parameter comparisonCount: all comparisons of the run, decided before it begins; 1 or more.
    public init(comparisonCount: Int) {
        let boundError = Self.error / Double(2 * comparisonCount)
        let glance = Glance(boundError: boundError)
        glanceCount = glance.roundCount
        looks = Look.table(error: boundError - glance.error)
    }

    /// What rounds tell, in the order in which they were taken. Only the looks that have been reached count, and what one
    /// of them has decided stays decided; later looks only narrow its interval.
    ///
    /// - Parameter logRatios: ln(cell / reference) of each round.
    public func evaluate(_ logRatios: [Double], sameWithin: Double) -> State {
        var state = State()
        if logRatios.count >= glanceCount {
            state.glance(at: logRatios.prefix(glanceCount))
        }
        for look in looks where look.roundCount <= logRatios.count && !state.isContradictory {
            let sorted = logRatios.prefix(look.roundCount).sorted()
            state.add(look.interval(ofSorted: sorted), roundCount: look.roundCount)
            state.conclude(sameWithin: sameWithin)
        }
        if state.roundCount > 0 {
            let averages = WalshAverages(logRatios.prefix(state.roundCount).sorted())
            state.estimate = averages.median
            if let interval = state.interval {
                state.estimate = min(max(state.estimate, interval.lowerBound), interval.upperBound)
            }
        }
        return state
    }

    /// The number of rounds at the next look of a comparison with so many, the glance not counted; `Int.max` after the
    /// last one.
    public func nextLook(after roundCount: Int) -> Int {
        looks.first { $0.roundCount > roundCount }?.roundCount ?? .max
    }

    /// Whether comparisons with so many rounds are looked at, the glance counted.
    func isLook(at roundCount: Int) -> Bool {
        roundCount == glanceCount || nextLook(after: roundCount - 1) == roundCount
    }

    /// The rounds in all at which a comparison is likely to be decided; nil where no number that anyone would wait for
    /// decides it.
    ///
    /// The rounds so far are taken for the distribution: a look asks that a certain share of all Walsh averages lies on
    /// one side of a limit, and that share falls from look to look.
    public func roundsNeeded(for logRatios: [Double], sameWithin: Double) -> Int? {
        guard logRatios.count >= 2 else { return nil }
        let averages = WalshAverages(logRatios.sorted())
        let margin = log(1 + Self.smallestDifference)
        let bound = log(1 + sameWithin)
        let reached = max(
            averages.share(above: margin), 1 - averages.share(above: -margin),
            min(averages.share(above: -bound), 1 - averages.share(above: bound)))
        return looks.first { $0.roundCount > logRatios.count && $0.shareNeeded <= reached }?
            .roundCount
    }

    /// What the looks so far have told.
    public struct State: Hashable, Sendable {
        /// The median of the Walsh averages of the rounds looked at, or the bound of the interval next to it: ln of the
        /// ratio.
        public var estimate = 0.0
        /// ln of the ratio's bounds, which hold at all looks together; nil before the first look.
        public var interval: ClosedRange<Double>?
        /// The rounds of the last look, 0 before the first one.
        public var roundCount = 0
        /// Nil for undecided.
        public var conclusion: Conclusion?
        /// Whether the intervals of two looks have nothing in common.
        public var isContradictory = false
    }

    public enum Conclusion: Hashable, Sendable {
        case less, more, equivalent
    }
}

extension SequentialDesign.State {
    /// Concludes from differences that are plain to see.
    fileprivate mutating func glance(at logRatios: ArraySlice<Double>) {
        if logRatios.allSatisfy({ $0 < -Glance.logRatio }) { conclusion = .less }
        if logRatios.allSatisfy({ $0 > Glance.logRatio }) { conclusion = .more }
        if conclusion != nil { roundCount = logRatios.count }
    }

    /// Narrows the interval to what it has in common with that of a further look.
    fileprivate mutating func add(_ next: ClosedRange<Double>, roundCount: Int) {
        let lower = max(interval?.lowerBound ?? -.infinity, next.lowerBound)
        let upper = min(interval?.upperBound ?? .infinity, next.upperBound)
        if lower <= upper {
            interval = lower...upper
            self.roundCount = roundCount
        } else {
            isContradictory = true
        }
    }

    fileprivate mutating func conclude(sameWithin: Double) {
        guard conclusion == nil, !isContradictory, let interval else { return }
        let margin = log(1 + SequentialDesign.smallestDifference)
        let bound = log(1 + sameWithin)
        if interval.lowerBound > -bound, interval.upperBound < bound {
            conclusion = .equivalent
        } else if interval.upperBound < -margin {
            conclusion = .less
        } else if interval.lowerBound > margin {
            conclusion = .more
        }
    }
}
