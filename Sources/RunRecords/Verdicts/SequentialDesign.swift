import Foundation
import Measuring

/// When the rounds of a comparison are evaluated, and what is concluded: intervals whose error is
/// spent over planned looks.
///
/// At most 5 % of runs contain a false verdict. The cells of all contests share that error equally;
/// ``ErrorShares`` says how a cell's part is divided among its bounds. Conclusions are about the
/// middle of the rounds' ratios. After a few rounds Student's t test looks for what is obvious,
/// later signed-rank tests for the rest. The only assumption about the noise is that both sides have
/// the same kind; what becomes of the error where they do not, the self test simulates.
///
/// The order of the two sides within each round has to be random. Every round needs fresh
/// processes: a process keeps its own layout, core and heap, and no number of rounds averages that
/// out.
///
/// Sources: Jennison and Turnbull, "Group Sequential Methods" (2000), ch. 9, for intervals that
/// hold at all looks together (9.1), whatever the stopping rule (9.2); Schuirmann (1987), as
/// described in the SAS/STAT guide to PROC TTEST, for equivalence by two one-sided tests; Finner and
/// Strassburger, "The partitioning principle" (2002), for verdicts that share an error because only
/// one of them can be false; Hsu, "Multiple Comparisons" (1996), ch. 4, for comparisons with the
/// best.
public struct SequentialDesign: Sendable {
    /// Smaller differences are never called faster or slower: the layout of a binary alone moves
    /// times by as much.
    public static let smallestDifference = 0.02
    public static let margin = log(1 + smallestDifference)
    /// The share of runs that may contain a false conclusion.
    public static let error = 0.05
    /// The part of it that is spent. The rest is for what the design takes for granted: that both
    /// sides have the same kind of noise, and that the best-looking cell stands for the best one.
    static let spentError = 0.8 * error

    /// The rounds after which all comparisons are evaluated for the first time, to find obvious
    /// differences; 5 or more.
    public let quickLook: Int
    /// The numbers of rounds at the later looks, ascending.
    public let looks: [Int]
    /// By the number of bounds that share the error of a cell.
    let tests: [Int: BoundTest]

    /// - Parameter contests: all contests of the run, fixed before it begins. Exact counts and
    ///   bounded metrics need none.
    public init(contests: [Contest]) {
        let units = max(contests.map(\.unitCount).reduce(0, +), 1)
        let error = Self.spentError / Double(units)
        let shares = Set(
            contests.flatMap(\.errorShares).flatMap { [$0.equivalence, $0.difference] } + [1]
        ).sorted()
        let differences = contests.map { $0.errorShares(against: $0.baseline ?? "").difference }
        quickLook = Glance.roundCount(boundError: error / Double(differences.max() ?? 1))
        looks = Look.roundCounts(after: quickLook, error: error)
        let errors = shares.map { error / Double($0) }
        let tables = BoundTest.all(errors: errors, quickLook: quickLook, looks: looks)
        tests = Dictionary(uniqueKeysWithValues: zip(shares, tables))
    }

    /// Evaluates rounds in the order in which they were taken. Only looks that have been reached
    /// count. A conclusion stays; later looks only narrow its interval.
    ///
    /// - Parameters:
    ///   - logRatios: ln(cell / reference) of each round.
    ///   - earlier: the state after fewer of the same rounds, whose looks are not repeated.
    public func evaluate(
        _ logRatios: [Double], _ shares: ErrorShares, sameWithin: Double,
        after earlier: State = State()
    ) -> State {
        let (equivalence, difference) = (tests[shares.equivalence]!, tests[shares.difference]!)
        var state = earlier
        if logRatios.count >= quickLook, state.roundCount < quickLook {
            let rounds = logRatios.prefix(quickLook)
            state.add(equivalence.quickInterval(of: rounds), difference.quickInterval(of: rounds))
            if difference.glances, let bounds = Glance.bounds(of: rounds) {
                state.add(bounds, bounds)
            }
            state.conclude(sameWithin: sameWithin, after: quickLook)
        }
        for (place, count) in looks.enumerated()
        where count > state.roundCount && count <= logRatios.count {
            guard !state.isContradictory else { break }
            let sorted = logRatios.prefix(count).sorted()
            state.add(
                equivalence.looks[place].interval(ofSorted: sorted),
                difference.looks[place].interval(ofSorted: sorted))
            state.conclude(sameWithin: sameWithin, after: count)
        }
        if state.roundCount > 0 {
            let averages = WalshAverages(logRatios.prefix(state.roundCount).sorted())
            state.estimate = min(
                max(averages.median, state.bounds.lowerBound), state.bounds.upperBound)
        }
        return state
    }

    /// The number of rounds at the next look after `roundCount`; `Int.max` after the last one.
    public func nextLook(after roundCount: Int) -> Int {
        ([quickLook] + looks).first { $0 > roundCount } ?? .max
    }

    /// The rounds of the last look. More rounds change no verdict.
    public var roundCountMax: Int { looks.last ?? quickLook }

    /// Whether comparisons are evaluated at that number of rounds.
    public func isLook(at roundCount: Int) -> Bool { nextLook(after: roundCount - 1) == roundCount }

    /// The total number of rounds at which a comparison is likely to be decided; `nil` if no number
    /// that anyone would wait for decides it.
    ///
    /// A signed-rank test at these errors needs about (3.9 σ / gap)² rounds, by simulation with
    /// recorded noise. The gap is the distance of the ratio from the nearest verdict.
    ///
    /// - Parameter spread: σ of the ln of ratios of other cells with the same work, which a few
    ///   rounds of one pair do not show well; `nil` if there are none.
    public func roundsNeeded(
        for logRatios: [Double], sameWithin: Double, spread: Double? = nil
    ) -> Int? {
        guard logRatios.count >= 2, let own = Statistics.spread(logRatios),
            let middle = Statistics.median(logRatios)
        else { return nextLook(after: logRatios.count) }
        let weight = 6 / Double(6 + logRatios.count)
        let pooled = spread ?? own
        let deviation = (weight * pooled * pooled + (1 - weight) * own * own).squareRoot()
        let gap = max(abs(middle) - Self.margin, log(1 + sameWithin) - abs(middle))
        let needed = gap > 0 ? pow(3.9 * deviation / gap, 2) : .infinity
        return looks.first { $0 > logRatios.count && Double($0) >= needed }
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
        /// The intersection of all looks so far, for equivalence and for the report.
        fileprivate var bounds = -Double.infinity...Double.infinity
        /// The same with the error of a difference. Contains `bounds`.
        fileprivate var differenceBounds = -Double.infinity...Double.infinity

        public init() {}
    }

    public enum Conclusion: Hashable, Sendable {
        case less, more, equivalent
    }
}

extension SequentialDesign.State {
    /// Intersects the bounds with those of another look.
    fileprivate mutating func add(
        _ next: ClosedRange<Double>, _ nextDifference: ClosedRange<Double>
    ) {
        guard bounds.overlaps(next), differenceBounds.overlaps(nextDifference) else {
            isContradictory = true
            return
        }
        bounds = next.clamped(to: bounds)
        differenceBounds = nextDifference.clamped(to: differenceBounds)
    }

    fileprivate mutating func conclude(sameWithin: Double, after roundCount: Int) {
        guard !isContradictory else { return }
        self.roundCount = roundCount
        guard conclusion == nil else { return }
        let bound = log(1 + sameWithin)
        if bounds.lowerBound > -bound, bounds.upperBound < bound {
            conclusion = .equivalent
        } else if differenceBounds.upperBound < -SequentialDesign.margin {
            conclusion = .less
        } else if differenceBounds.lowerBound > SequentialDesign.margin {
            conclusion = .more
        }
    }
}
