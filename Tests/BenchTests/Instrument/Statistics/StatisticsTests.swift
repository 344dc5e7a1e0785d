import Measuring
import Testing

@Suite struct `Statistics (measuring §7)` {
    @Test(arguments: [
        (values: [3.0, 1, 2], probability: 0.5, expected: 2.0),
        (values: [4, 1, 3, 2], probability: 0.5, expected: 2.5),
        (values: [1, 2, 3, 4], probability: 0.25, expected: 1.75),
        (values: [1, 2, 3, 4, 5], probability: 0.9, expected: 4.6),
        (values: [7], probability: 0.99, expected: 7),
        (values: [1, 2], probability: 0, expected: 1),
        (values: [1, 2], probability: 1, expected: 2),
    ])
    func `a quantile is interpolated between order statistics (type 7)`(
        values: [Double], probability: Double, expected: Double
    ) throws {
        let quantile = try #require(Statistics.quantile(values, probability))

        #expect(abs(quantile - expected) < 1e-12)
    }

    @Test func `the deviation and the trimmed mean follow their formulas`() {
        let values = [1.0, 1, 2, 2, 4, 6, 9]

        #expect(Statistics.medianAbsoluteDeviation(values) == 1)
        #expect(Statistics.trimmedMean([100, 1, 2, 3, -50], share: 0.2) == 2)
    }

    @Test func `too few values are absent, not zero`() {
        #expect(Statistics.median([]) == nil)
        #expect(Statistics.quantile([1], 1.5) == nil)
        #expect(Statistics.medianAbsoluteDeviation([]) == nil)
        #expect(Statistics.trimmedMean([1], share: 0.5) == nil)
        #expect(Statistics.medianInterval([1]) == nil)
        #expect(Statistics.signTest([0, 0]) == nil)
        #expect(Statistics.signedRankTest([]) == nil)
        #expect(Statistics.signedRankTest(Array(repeating: 1, count: 201)) == nil)
    }

    @Test(arguments: [
        (count: 2, confidence: 0.95, ranks: 1...2, coverage: 0.5),
        (count: 5, confidence: 0.95, ranks: 1...5, coverage: 0.9375),
        (count: 6, confidence: 0.95, ranks: 1...6, coverage: 0.96875),
        (count: 20, confidence: 0.98, ranks: 5...16, coverage: 0.98818),
        (count: 20, confidence: 0.95, ranks: 6...15, coverage: 0.95861),
    ])
    func `the median's interval lies between two order statistics and tells its coverage`(
        count: Int, confidence: Double, ranks: ClosedRange<Int>, coverage: Double
    ) throws {
        let values = (1...count).map(Double.init).shuffled()

        let interval = try #require(Statistics.medianInterval(values, confidence: confidence))

        #expect(interval.lower == Double(ranks.lowerBound))
        #expect(interval.upper == Double(ranks.upperBound))
        #expect(abs(interval.coverage - coverage) < 1e-5)
        #expect(interval.count == count)
    }

    @Test func `the interval covers the true median as often as it says`() {
        var generator = SeededGenerator(seed: testSeed())
        let trials = 4_000

        let hits = (0..<trials).count { _ in
            let values = (0..<7).map { _ in Double.random(in: 0..<1, using: &generator) }
            let interval = Statistics.medianInterval(values)
            return interval.map { $0.lower <= 0.5 && 0.5 <= $0.upper } ?? false
        }

        // 7 values: the range, 98.44 %; four standard errors are 0.8 %.
        #expect(abs(Double(hits) / Double(trials) - 0.9844) < 0.008)
    }

    @Test func `16 of 20 equal signs have p = .0059`() throws {
        let differences = (0..<20).map { $0 < 16 ? 1.0 : -1.0 }

        let p = try #require(Statistics.signTest(differences))

        #expect(abs(p - 0.005909) < 1e-6)
    }

    @Test func `zeros do not count in the sign test`() {
        #expect(Statistics.signTest([1, 1, 0, 0]) == 0.25)
    }

    @Test func `29 of 40 equal signs have p = .0032`() throws {
        let p = try #require(Statistics.signTest((0..<40).map { $0 < 29 ? 1.0 : -1.0 }))

        #expect(abs(p - 0.003213) < 1e-6)
    }

    @Test(arguments: [
        (count: 20, positiveSum: 175, p: 0.0037), (count: 20, positiveSum: 210, p: 9.5e-7),
        (count: 40, positiveSum: 605, p: 0.0039),
    ])
    func `the signed-rank test is exact`(count: Int, positiveSum: Int, p: Double) throws {
        let differences = differences(count: count, positiveSum: positiveSum)

        let found = try #require(Statistics.signedRankTest(differences))

        #expect(abs(found - p) < max(5e-5, p * 0.02))
    }

    @Test func `the signed-rank test by hand for three values`() {
        // Sums of positive ranks over the eight assignments: 0 1 2 3 3 4 5 6.
        #expect(Statistics.signedRankTest([1, 2, 3]) == 1.0 / 8)
        #expect(Statistics.signedRankTest([1, -2, 3]) == 3.0 / 8)
        #expect(Statistics.signedRankTest([-1, -2, -3]) == 1)
        // Tied sizes share rank 1.5: sums 0 1.5 1.5 3.
        #expect(Statistics.signedRankTest([1, -1]) == 3.0 / 4)
    }

    @Test func `the rank-sum test knows separated, equal and mixed groups`() throws {
        let separated = try #require(
            Statistics.rankSumTest([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]))
        let alternating = try #require(Statistics.rankSumTest([1, 4, 5, 8], [2, 3, 6, 7]))

        // Of the 25 ordered pairs, 12.5 are expected and all 25 have the same direction: z = 2.507.
        #expect(abs(separated - 0.012_186) < 1e-5)
        #expect(alternating == 1)
        #expect(Statistics.rankSumTest([1, 1], [1]) == nil)
        #expect(Statistics.rankSumTest([], [1]) == nil)
    }

    /// Differences of sizes 1…count. The greatest sizes that fit into `positiveSum` are positive.
    private func differences(count: Int, positiveSum: Int) -> [Double] {
        var rest = positiveSum
        return stride(from: count, through: 1, by: -1).map { size in
            guard size <= rest else { return -Double(size) }
            rest -= size
            return Double(size)
        }
    }
}
