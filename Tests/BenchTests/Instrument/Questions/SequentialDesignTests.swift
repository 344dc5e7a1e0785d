import Foundation
import Testing

@testable import Measuring
@testable import Reports
@testable import RunRecords
@testable import StatisticsCampaign

@Suite struct `Sequential design` {
    /// 30 questions of two cells, one of them the baseline.
    private static let design = SequentialDesign(contests: contests(30, of: 2))
    private static let pair = contests(1, of: 2)[0].errorShares(against: "0")
    private static let sameWithin = 0.1

    private static func contests(
        _ count: Int, of cellCount: Int, hasBaseline: Bool = true
    ) -> [Contest] {
        let cells = (0..<cellCount).map(String.init)
        return Array(
            repeating: Contest(
                label: "", cells: cells, values: cells, baseline: hasBaseline ? "0" : nil),
            count: count)
    }

    private func evaluate(_ logRatios: [Double]) -> SequentialDesign.State {
        Self.design.evaluate(logRatios, Self.pair, sameWithin: Self.sameWithin)
    }

    /// Rounds evenly spread around a ratio, the extremes first.
    private func rounds(_ count: Int, around ratio: Double, spread: Double) -> [Double] {
        (0..<count).map { index in
            let offset = Double((index + 1) / 2) / Double(count / 2)
            return log(ratio) + (index.isMultiple(of: 2) ? 1 : -1) * spread * (1 - offset)
        }
    }

    /// The figures of an independent program for the same design.
    @Test(arguments: [
        (share: 1, factor: 5.66, sums: [91, 148, 236, 365, 547, 832, 1253, 1904, 2923]),
        (share: 2, factor: 6.92, sums: [nil, 148, 238, 368, 553, 840, 1264, 1918, 2944]),
        (share: 7, factor: 11.25, sums: [nil, 151, 244, 377, 565, 858, 1289, 1955, 2997]),
    ])
    func `82 cells are looked at after these rounds, by these sums`(
        share: Int, factor: Double, sums: [Int?]
    ) throws {
        let design = SequentialDesign(
            contests: Self.contests(7, of: 8, hasBaseline: false) + Self.contests(26, of: 2))
        let test = try #require(design.tests[share])

        #expect(design.quickLook == 5)
        #expect(design.looks.prefix(9) == [13, 17, 22, 28, 35, 44, 55, 69, 87])
        #expect(abs(test.quickFactor - factor) < 0.05)
        #expect(test.looks.prefix(9).map { $0.error > 0 ? $0.criticalSum : nil } == sums)
    }

    @Test(arguments: [
        (contests: 1, cells: 2, quick: 5, first: 7), (contests: 30, cells: 2, quick: 5, first: 11),
        (contests: 100, cells: 2, quick: 5, first: 13),
        (contests: 400, cells: 2, quick: 6, first: 15),
        (contests: 30, cells: 8, quick: 5, first: 15),
    ])
    func `more cells need more rounds`(contests: Int, cells: Int, quick: Int, first: Int) {
        let design = SequentialDesign(contests: Self.contests(contests, of: cells))

        #expect(design.nextLook(after: 0) == quick)
        #expect(design.nextLook(after: quick) == first)
    }

    @Test(arguments: [1, 30, 150, 400])
    func `all looks spend no more than a bound's error`(contests: Int) {
        let design = SequentialDesign(contests: Self.contests(contests, of: 3))
        let units = 4 * contests
        for (share, test) in design.tests {
            let allowed = 0.04 / Double(units * share)
            // A quarter is for the quick look.
            let spent = test.looks.map(\.error).reduce(0.25 * allowed, +)

            #expect(spent <= allowed)
            #expect(spent > 0.9 * allowed)
        }
    }

    /// Otherwise a report could say "slower" beside an interval that contains 1.
    @Test(arguments: 1...120)
    func `a bound with less error never rejects what one with more keeps`(contests: Int) throws {
        let design = SequentialDesign(
            contests: Self.contests(contests, of: 3) + Self.contests(1, of: 9))
        let tests = design.tests.sorted { $0.key < $1.key }.map(\.value)
        for (looser, stricter) in zip(tests, tests.dropFirst()) {
            #expect(looser.quickFactor <= stricter.quickFactor)
            for (one, other) in zip(looser.looks, stricter.looks) {
                #expect(one.criticalSum <= other.criticalSum)
            }
        }
    }

    @Test(arguments: [
        (contest: Self.contests(1, of: 2)[0], reference: "0", equivalence: 1, difference: 2),
        (contests(1, of: 2)[0], "1", 1, 2), (contests(1, of: 4)[0], "0", 1, 2),
        (contests(1, of: 4)[0], "1", 2, 6),
        (contests(1, of: 2, hasBaseline: false)[0], "1", 1, 1),
        (contests(1, of: 8, hasBaseline: false)[0], "3", 1, 7),
    ])
    func `the error of a cell is divided among the verdicts that can be false together`(
        contest: Contest, reference: String, equivalence: Int, difference: Int
    ) {
        let shares = contest.errorShares(against: reference)

        #expect(shares == ErrorShares(equivalence: equivalence, difference: difference))
        #expect(contest.errorShares.contains(shares))
    }

    @Test func `a critical sum is the lowest whose exact tail may be spent`() {
        var distribution = SignedRankDistribution()
        distribution.grow(to: 3)

        // Sums of positive ranks over the eight assignments: 0 1 2 3 3 4 5 6.
        #expect(distribution.shares == [1, 1, 1, 2, 1, 1, 1].map { $0 / 8 })
        let limits = [0.25, 0.2, 0.1]
        let found = limits.map { distribution.criticalSum(withTailAtMost: $0) }
        #expect(found.map(\.sum) == [5, 6, 7])
        #expect(found.map(\.tail) == [0.25, 0.125, 0])
    }

    @Test func `fourfold times are told by the quick look`() {
        let rounds = [log(4.0), log(4.4), log(3.8), log(4.1), log(4.2)]

        #expect(evaluate(Array(rounds.prefix(4))).roundCount == 0)
        #expect(evaluate(rounds).conclusion == .more)
        #expect(evaluate(rounds.map(-)).conclusion == .less)
        #expect((log(3.8)...log(4.4)).contains(evaluate(rounds).estimate))
    }

    @Test(arguments: [
        // Beyond 2.5 and close to each other; not close; not all beyond. The t test decides none.
        ([3.0, 4.5, 3.4, 5.0, 3.9], SequentialDesign.Conclusion.more),
        ([2.6, 40, 2.6, 40, 2.6], nil),
        ([2.4, 4.5, 3.4, 5.0, 3.9], nil),
    ])
    func `a glance tells large differences whose rounds agree`(
        ratios: [Double], conclusion: SequentialDesign.Conclusion?
    ) {
        // So many cells that the t test needs far closer rounds.
        let contests =
            Self.contests(7, of: 8, hasBaseline: false) + Self.contests(26, of: 2)
        let state = SequentialDesign(contests: contests).evaluate(
            ratios.map { log($0) }, contests[0].errorShares(against: "1"),
            sameWithin: Self.sameWithin)

        #expect(state.conclusion == conclusion)
    }

    @Test func `five close rounds are enough, five equal ones are not`() {
        let close = [0.991, 1.004, 0.997, 1.006, 1.001].map { log($0) }

        #expect(evaluate(close).conclusion == .equivalent)
        #expect(evaluate(close.map { $0 + 0.3 }).conclusion == .more)
        #expect(evaluate(Array(repeating: 0, count: 5)).conclusion == nil)
        #expect(evaluate(Array(repeating: 0, count: 11)).conclusion == .equivalent)
    }

    @Test func `15 % are told by the signed ranks that the quick look leaves open`() throws {
        let rounds = rounds(14, around: 1.15, spread: 0.08)

        #expect(evaluate(Array(rounds.dropLast())).conclusion == nil)
        let state = evaluate(rounds)

        #expect(state.conclusion == .more)
        #expect(evaluate(rounds.map(-)).conclusion == .less)
        let interval = try #require(state.interval)
        #expect(interval.lowerBound > log(1.02) && interval.contains(log(1.15)))
        #expect(abs(state.estimate - log(1.15)) < 0.02)
        #expect(state.roundCount == 14)
    }

    @Test func `an interval within the indifference is equivalent, though it lies on one side`() {
        let rounds = rounds(14, around: 1.05, spread: 0.02)

        #expect(evaluate(rounds).conclusion == .equivalent)
        let strict = Self.design.evaluate(rounds, Self.pair, sameWithin: 0.03)
        #expect(strict.conclusion == .more)
    }

    @Test func `a difference as small as layout makes is never told`() {
        let rounds = Array(repeating: log(1.02), count: 60)

        let state = Self.design.evaluate(rounds, Self.pair, sameWithin: 0.019)
        #expect(state.conclusion == nil)
    }

    @Test func `looks that contradict each other decide nothing, ever`() {
        // Twelve rounds between 1 and 12 %, then as many at half the time as a contradiction needs.
        let rounds =
            rounds(12, around: 1.065, spread: 0.055) + Array(repeating: log(0.5), count: 100)
        let state = Self.design.evaluate(rounds, Self.pair, sameWithin: 0.03)

        #expect(state.isContradictory)
        #expect(state.conclusion == nil)
        #expect(state.interval != nil)
    }

    @Test func `wide rounds need more of them, and tell how many`() throws {
        let quiet = rounds(12, around: 1, spread: 0.12)
        let loud = rounds(12, around: 1, spread: 0.3)

        #expect(evaluate(quiet).conclusion == nil)
        let few = try #require(
            Self.design.roundsNeeded(for: quiet, sameWithin: Self.sameWithin))
        let many = try #require(Self.design.roundsNeeded(for: loud, sameWithin: Self.sameWithin))

        #expect(few > 12)
        #expect(many > few)
        #expect(Self.design.looks.contains(many))
        #expect(
            Self.design.roundsNeeded(
                for: rounds(12, around: 1, spread: 3), sameWithin: Self.sameWithin) == nil)
    }

    @Test func `after the last look there is no next one`() {
        let last = Self.design.looks.last!

        #expect(Self.design.nextLook(after: last - 1) == last)
        #expect(Self.design.nextLook(after: last) == .max)
    }

    @Test func `what is decided stays decided, whatever follows`() {
        var generator = SeededGenerator(seed: testSeed())
        for _ in 0..<40 {
            let centre = Double.random(in: -0.3...0.3, using: &generator)
            var rounds: [Double] = []
            var decided: SequentialDesign.Conclusion?
            for _ in 0..<40 {
                // A machine whose ratio changes halfway.
                let shift = rounds.count < 20 ? centre : -centre
                rounds.append(shift + 0.1 * generator.normal())
                let state = evaluate(rounds)
                #expect(decided == nil || state.conclusion == decided)
                decided = state.conclusion
            }
        }
    }

    @Test func `the interval only ever narrows`() {
        var generator = SeededGenerator(seed: testSeed())
        let rounds = (0..<60).map { _ in 0.3 * generator.normal() }
        let intervals = Self.design.looks.filter { $0 <= 60 }.compactMap {
            evaluate(Array(rounds.prefix($0))).interval
        }

        #expect(!intervals.isEmpty)
        for (earlier, later) in zip(intervals, intervals.dropFirst()) {
            #expect(earlier.clamped(to: later) == later)
        }
    }

    @Test func `looks that are evaluated one by one conclude as all at once (§1.6)`() {
        var generator = SeededGenerator(seed: testSeed())
        for excess in [0, 0.02, 0.1, 0.3] {
            let rounds = (0..<120).map { _ in excess + 0.1 * generator.normal() }
            var state = SequentialDesign.State()
            for count in rounds.indices.map({ $0 + 1 })
            where Self.design.isLook(at: count) && !state.isContradictory {
                state = Self.design.evaluate(
                    Array(rounds.prefix(count)), Self.pair, sameWithin: Self.sameWithin,
                    after: state)
                #expect(state == evaluate(Array(rounds.prefix(count))), "after \(count) rounds")
            }
        }
    }

    @Test func `Walsh averages are found by rank as if they had been listed`() {
        var generator = SeededGenerator(seed: testSeed())
        let values = (0..<17).map { _ in Double.random(in: -1...1, using: &generator) }.sorted()
        let listed = values.indices.flatMap { first in
            values.indices.filter { $0 >= first }.map { (values[first] + values[$0]) / 2 }
        }.sorted(by: >)
        let averages = WalshAverages(values)

        #expect((1...listed.count).map { averages.greatest($0) } == listed)
        #expect(averages.median == listed[listed.count / 2])
    }
}
