import Foundation
import Measuring
import Testing

@Suite struct `Key distributions` {
    private static let keyCount = 1_000
    private static let drawCount = 100_000

    /// How often each key is drawn, in the order of keys.
    private func counts(
        _ distribution: KeyDistribution, keyCount: Int = Self.keyCount,
        client: (index: Int, count: Int) = (0, 1), isPartitioned: Bool = false, newest: Int? = nil
    ) -> [Int] {
        var chooser = KeyChooser(
            distribution, keyCount: keyCount, seed: testSeed(), client: client,
            isPartitioned: isPartitioned)
        var counts = Array(repeating: 0, count: max(keyCount, newest ?? 0))
        for _ in 0..<Self.drawCount { counts[chooser.next(newest: newest) - 1] += 1 }
        return counts
    }

    /// Whether a share of the draws is as expected, within five standard errors.
    private func isClose(_ count: Int, to share: Double) -> Bool {
        let error = (share * (1 - share) / Double(Self.drawCount)).squareRoot()
        return abs(Double(count) / Double(Self.drawCount) - share) < 5 * error
    }

    /// The share of a rank of 1, 2, … among a thousand.
    private func zipfShare(ofRank rank: Int, skew: Double) -> Double {
        let sum = (1...Self.keyCount).reduce(0.0) { $0 + pow(Double($1), -skew) }
        return pow(Double(rank), -skew) / sum
    }

    @Test func `a sequence takes every key in turn`() {
        var chooser = KeyChooser(KeyDistribution(.sequential), keyCount: 3, seed: 1)
        #expect((0..<7).map { _ in chooser.next() } == [1, 2, 3, 1, 2, 3, 1])
    }

    @Test func `clients begin a sequence at different places`() {
        let first = (0..<4).map { client in
            var chooser = KeyChooser(
                KeyDistribution(.sequential), keyCount: 100, seed: 1, client: (client, 4))
            return chooser.next()
        }
        #expect(first == [1, 26, 51, 76])
    }

    @Test func `a uniform choice takes each as often`() {
        let counts = counts(KeyDistribution(.uniform), keyCount: 10)
        for count in counts { #expect(isClose(count, to: 0.1)) }
    }

    @Test(arguments: [0.5, 0.99, 1.3])
    func `a zipfian choice follows its law, over keys that are scattered`(skew: Double) {
        let counts = counts(KeyDistribution(.zipfian, skew: skew))
        let byRank = counts.sorted(by: >)
        for rank in [1, 2, 3] {
            #expect(isClose(byRank[rank - 1], to: zipfShare(ofRank: rank, skew: skew)))
        }
        let hottest = counts.indices.sorted { counts[$0] > counts[$1] }.prefix(3)
        #expect(zip(hottest, hottest.dropFirst()).allSatisfy { abs($0 - $1) > 10 })
    }

    @Test func `the latest are chosen most often, and newer ones as they come`() {
        let counts = counts(KeyDistribution(.latest), newest: 1_500)
        #expect(isClose(counts[1_499], to: zipfShare(ofRank: 1, skew: 0.99)))
        #expect(isClose(counts[1_498], to: zipfShare(ofRank: 2, skew: 0.99)))
        #expect(counts[..<500].allSatisfy { $0 == 0 })
    }

    @Test(arguments: KeyDistribution.Shape.allCases)
    func `clients with parts of their own never meet`(shape: KeyDistribution.Shape) {
        // 1,000 is not divisible by 3: the last keys must not run over the end.
        let parts = (0..<3).map { client in
            counts(KeyDistribution(shape), client: (client, 3), isPartitioned: true)
        }
        for key in 0..<Self.keyCount { #expect(parts.filter { $0[key] > 0 }.count <= 1) }
        for part in parts { #expect(part.reduce(0, +) == Self.drawCount) }
    }
}

@Suite struct `Arrivals` {
    @Test func `fixed arrivals do not drift`() {
        var arrivals = ArrivalSchedule(.fixed, perSecond: 3_000, startNanoseconds: 50)
        var last: UInt64 = 0
        for _ in 0...3_000_000 { last = arrivals.next() }
        #expect(last / 1_000 == 1_000_000_000)
    }

    @Test func `random arrivals have exponential gaps`() {
        var arrivals = ArrivalSchedule(
            .poisson, perSecond: 1_000, startNanoseconds: 0, seed: testSeed())
        let times = (0..<50_000).map { _ in Double(arrivals.next()) / 1e6 }
        let gaps = zip(times.dropFirst(), times).map(-)
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let longer = gaps.filter { $0 > 1 }.count
        // Mean and standard deviation are 1 ms; a share of 1/e is longer than the mean.
        #expect(abs(mean - 1) < 5 / Double(gaps.count).squareRoot())
        #expect(abs(Double(longer) / Double(gaps.count) - exp(-1)) < 0.012)
    }

    @Test func `the same seed gives the same arrivals`() {
        func times(_ seed: UInt64) -> [UInt64] {
            var arrivals = ArrivalSchedule(
                .poisson, perSecond: 10, startNanoseconds: 0, seed: seed)
            return (0..<10).map { _ in arrivals.next() }
        }
        #expect(times(1) == times(1))
        #expect(times(1) != times(2))
    }
}
