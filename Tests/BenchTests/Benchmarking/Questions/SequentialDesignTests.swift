import Foundation
import Testing

@testable import Benchmarking

@Suite struct `Sequential design` {
    private static let design = SequentialDesign(comparisonCount: 30)
    private static let sameWithin = 0.1

    private func evaluate(_ logRatios: [Double]) -> SequentialDesign.State {
        Self.design.evaluate(logRatios, sameWithin: Self.sameWithin)
    }

    /// Rounds evenly spread around a ratio, the extremes first.
    private func rounds(_ count: Int, around ratio: Double, spread: Double) -> [Double] {
        (0..<count).map { index in
            let offset = Double((index + 1) / 2) / Double(count / 2)
            return log(ratio) + (index.isMultiple(of: 2) ? 1 : -1) * spread * (1 - offset)
        }
    }

    @Test func `30 comparisons are looked at after these rounds, by these sums`() {
        let looks = Self.design.looks

        #expect(Self.design.glanceCount == 4)
        #expect(looks.prefix(8).map(\.roundCount) == [12, 15, 19, 24, 30, 38, 48, 60])
        #expect(looks.prefix(7).map(\.criticalSum) == [78, 117, 179, 273, 410, 631, 967])
    }

    @Test(arguments: [
        (comparisons: 1, glance: 3, first: 7), (comparisons: 10, glance: 4, first: 10),
        (comparisons: 30, glance: 4, first: 12), (comparisons: 100, glance: 5, first: 14),
        (comparisons: 200, glance: 5, first: 15), (comparisons: 400, glance: 5, first: 16),
    ])
    func `more comparisons need more rounds`(comparisons: Int, glance: Int, first: Int) {
        let design = SequentialDesign(comparisonCount: comparisons)

        #expect(design.glanceCount == glance)
        #expect(design.nextLook(after: 0) == first)
    }

    @Test(arguments: [1, 30, 150, 400])
    func `all looks and the glance spend no more than a bound's error`(comparisons: Int) {
        let design = SequentialDesign(comparisonCount: comparisons)
        let glance = pow(0.1, Double(design.glanceCount))

        let spent = design.looks.map(\.error).reduce(glance, +)

        #expect(spent <= 0.05 / Double(2 * comparisons))
        #expect(spent > 0.9 * 0.05 / Double(2 * comparisons))
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

    @Test func `fourfold times are told by a glance`() {
        let rounds = [log(4.0), log(4.4), log(3.8), log(4.1)]

        #expect(evaluate(Array(rounds.prefix(3))).conclusion == nil)
        #expect(evaluate(rounds).conclusion == .more)
        #expect(evaluate(rounds.map(-)).conclusion == .less)
        #expect(evaluate(rounds).interval == nil)
        #expect((log(3.8)...log(4.4)).contains(evaluate(rounds).estimate))
        #expect(evaluate([log(2.4)] + rounds.dropFirst()).conclusion == nil)
    }

    @Test func `15 % are told by the first look, whose interval is the range`() throws {
        let rounds = rounds(12, around: 1.15, spread: 0.08)

        #expect(evaluate(Array(rounds.dropLast())).roundCount == 0)
        let state = evaluate(rounds)

        #expect(state.conclusion == .more)
        #expect(evaluate(rounds.map(-)).conclusion == .less)
        #expect(state.interval == rounds.min()!...rounds.max()!)
        #expect(abs(state.estimate - log(1.15)) < 0.02)
        #expect(state.roundCount == 12)
    }

    @Test func `an interval within the indifference is equivalent, though it lies on one side`() {
        let rounds = rounds(12, around: 1.05, spread: 0.02)

        #expect(evaluate(rounds).conclusion == .equivalent)
        #expect(Self.design.evaluate(rounds, sameWithin: 0.03).conclusion == .more)
    }

    @Test func `a difference as small as layout makes is never told`() {
        let rounds = Array(repeating: log(1.02), count: 60)

        #expect(Self.design.evaluate(rounds, sameWithin: 0.019).conclusion == nil)
    }

    @Test func `looks that contradict each other decide nothing, ever`() {
        // Twelve rounds between 1 and 12 %, then as many at half the time as a contradiction needs.
        let rounds =
            rounds(12, around: 1.065, spread: 0.055) + Array(repeating: log(0.5), count: 100)
        let state = Self.design.evaluate(rounds, sameWithin: 0.03)

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
        #expect(Self.design.looks.map(\.roundCount).contains(many))
        #expect(
            Self.design.roundsNeeded(
                for: rounds(12, around: 1, spread: 3), sameWithin: Self.sameWithin) == nil)
    }

    @Test func `after the last look there is no next one`() {
        let last = Self.design.looks.last!.roundCount

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
        let intervals = Self.design.looks.map(\.roundCount).filter { $0 <= 60 }.compactMap {
            evaluate(Array(rounds.prefix($0))).interval
        }

        #expect(!intervals.isEmpty)
        for (earlier, later) in zip(intervals, intervals.dropFirst()) {
            #expect(earlier.clamped(to: later) == later)
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
