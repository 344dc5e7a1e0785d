import Foundation

/// When the rounds of a comparison are evaluated, and what is concluded: signed-rank intervals
/// whose error is spent over planned looks.
///
/// At most 5 % of runs contain a false conclusion. All bounds of all comparisons share that error
/// equally (Bonferroni), so that comparisons may share samples. Conclusions are about the median of
/// the rounds' ratios. The only assumption about the noise is that both sides have the same kind.
/// If they do not, as for a 99th percentile with stalls beside one without, simulated reports still
/// erred in less than 3 %.
///
/// The order of the two sides within each round has to be random. Every round needs fresh
/// processes: a process keeps its own layout, core and heap, and no number of rounds averages that
/// out.
///
/// Sources: Jennison and Turnbull, "Group Sequential Methods" (2000), ch. 9, for intervals that
/// hold at all looks together (9.1), whatever the stopping rule (9.2); Schuirmann (1987), as
/// described in the SAS/STAT guide to PROC TTEST, for equivalence by two one-sided tests.
public struct SequentialDesign: Sendable {
    /// Smaller differences are never called faster or slower: the layout of a binary alone moves
    /// times by as much.
    public static let smallestDifference = 0.02
    fileprivate static let margin = log(1 + smallestDifference)
    /// The share of runs that may contain a false conclusion.
    static let error = 0.05

    /// The rounds after which all comparisons are evaluated for the first time, to find obvious
    /// differences.
    public let glanceCount: Int
    let looks: [Look]
    /// The number of rounds at the first look.
    var firstLook: Int { looks[0].roundCount }

    /// - Parameter comparisonCount: all comparisons of the run, 1 or more, fixed before it begins.
    public init(comparisonCount: Int) {
        let boundError = Self.error / Double(2 * comparisonCount)
        let glance = Glance(boundError: boundError)
        glanceCount = glance.roundCount
        looks = Look.table(error: boundError - glance.error)
    }

    /// Evaluates rounds in the order in which they were taken. Only looks that have been reached
    /// count. A conclusion stays; later looks only narrow its interval.
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

    /// The number of rounds at the next look after `roundCount`, not counting the glance; `Int.max`
    /// after the last look.
    public func nextLook(after roundCount: Int) -> Int {
        looks.first { $0.roundCount > roundCount }?.roundCount ?? .max
    }

    /// Whether comparisons are evaluated at that number of rounds, by a look or the glance.
    func isLook(at roundCount: Int) -> Bool {
        roundCount == glanceCount || nextLook(after: roundCount - 1) == roundCount
    }

    /// The total number of rounds at which a comparison is likely to be decided; `nil` if no number
    /// that anyone would wait for decides it.
    ///
    /// Takes the rounds so far as the distribution. A look needs a certain share of all Walsh
    /// averages on one side of a limit, and that share falls from look to look.
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

    /// The result of the looks so far.
    public struct State: Hashable, Sendable {
        /// ln of the ratio: the median of the Walsh averages of the evaluated rounds, clamped to
        /// the interval.
        public var estimate = 0.0
        /// ln of the ratio's bounds, which hold at all looks together; `nil` before the first look.
        public var interval: ClosedRange<Double>? {
            bounds.lowerBound.isFinite && bounds.upperBound.isFinite ? bounds : nil
        }
        /// The rounds of the last look; 0 before the first one.
        public var roundCount = 0
        /// `nil` if undecided.
        public var conclusion: Conclusion?
        /// Whether the intervals of two looks are disjoint.
        public var isContradictory = false
        /// The intersection of all looks so far, including the glance.
        fileprivate var bounds = -Double.infinity...Double.infinity
    }

    public enum Conclusion: Hashable, Sendable {
        case less, more, equivalent
    }
}

extension SequentialDesign.State {
    /// Concludes if the difference is obvious.
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

    /// Intersects the bounds with those of another look.
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
