import Foundation

/// When the rounds of a comparison are looked at, and what a look concludes: signed-rank intervals with an error that is
/// spent over planned looks.
///
/// At most 5 % of runs contain a false conclusion: all bounds of all comparisons share that error equally (Bonferroni),
/// so that comparisons may have samples in common. Conclusions are about the median of the rounds' ratios. Nothing is
/// assumed of the noise but that both sides have the same kind. Where they have not, as a 99th percentile with stalls
/// beside one without, simulated reports still erred in less than 3 %.
///
/// The order of the two sides within each round has to be random, and every round needs fresh processes: a process keeps
/// its own layout, core and heap, and no number of rounds averages that out.
///
/// Sources: Jennison and Turnbull, "Group Sequential Methods" (2000), ch. 9, for intervals that hold at all looks
/// together (9.1), whatever the rule that stops (9.2); Schuirmann (1987) as told in the SAS/STAT guide to PROC TTEST for
/// equivalence by two one-sided tests.
public struct SequentialDesign: Sendable {
    /// Differences up to this are never called faster or slower: the layout of a binary alone moves times by as much.
    public static let smallestDifference = 0.02
    fileprivate static let margin = log(1 + smallestDifference)
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
            state.estimate = min(
                max(averages.median, state.bounds.lowerBound), state.bounds.upperBound)
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
        guard logRatios.count >= 2 else { return firstLook }
        let averages = WalshAverages(logRatios.sorted())
        let bound = log(1 + sameWithin)
        let reached = max(
            averages.share(above: Self.margin), 1 - averages.share(above: -Self.margin),
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
        public var interval: ClosedRange<Double>? {
            bounds.lowerBound.isFinite && bounds.upperBound.isFinite ? bounds : nil
        }
        /// The rounds of the last look, 0 before the first one.
        public var roundCount = 0
        /// Nil for undecided.
        public var conclusion: Conclusion?
        /// Whether the intervals of two looks have nothing in common.
        public var isContradictory = false
        /// What all looks so far have in common, the glance among them.
        fileprivate var bounds = -Double.infinity...Double.infinity
    }

    public enum Conclusion: Hashable, Sendable {
        case less, more, equivalent
    }
}

extension SequentialDesign.State {
    /// Concludes from differences that are plain to see.
    fileprivate mutating func glance(at logRatios: ArraySlice<Double>) {
        if logRatios.allSatisfy({ $0 < -Glance.logRatio }) {
            bounds = -Double.infinity...(-SequentialDesign.margin)
            conclusion = .less
        } else if logRatios.allSatisfy({ $0 > Glance.logRatio }) {
            bounds = SequentialDesign.margin...Double.infinity
            conclusion = .more
        }
        if conclusion != nil { roundCount = logRatios.count }
    }

    /// Narrows the bounds to what they have in common with those of a further look.
    fileprivate mutating func add(_ next: ClosedRange<Double>, roundCount: Int) {
        guard bounds.overlaps(next) else {
            isContradictory = true
            return
        }
        bounds = next.clamped(to: bounds)
        self.roundCount = roundCount
    }

    fileprivate mutating func conclude(sameWithin: Double) {
        guard conclusion == nil, !isContradictory else { return }
        let bound = log(1 + sameWithin)
        if bounds.lowerBound > -bound, bounds.upperBound < bound {
            conclusion = .equivalent
        } else if bounds.upperBound < -SequentialDesign.margin {
            conclusion = .less
        } else if bounds.lowerBound > SequentialDesign.margin {
            conclusion = .more
        }
    }
}
