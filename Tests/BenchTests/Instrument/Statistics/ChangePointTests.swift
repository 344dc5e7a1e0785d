import Foundation
import Testing

@testable import Measuring
@testable import StatisticsCampaign

@Suite struct `Change points (measuring §14)` {
    private static func series(_ parts: (Double, Int)...) -> [Double] {
        parts.flatMap { Array(repeating: $0.0, count: $0.1) }
    }

    private func indices(_ values: [Double], tolerance: Double = 0) -> [Int] {
        ChangePointRule(error: 0.01, tolerance: tolerance).changePoints(in: values).map(\.index)
    }

    private static let steps: [([Double], [Int])] = [
        (series((100, 30), (103, 30)), [30]), (series((2, 3), (4, 57)), [3]),
        (series((2, 57), (1, 3)), [57]), (series((0, 20), (5, 20)), [20]),
        (series((5, 3), (6, 3)), [3]), (series((100, 20), (110, 20), (90, 20)), [20, 40]),
        (series((100, 27), (103, 3), (100, 30)), [27, 30]),
        (series((100, 145), (103, 10), (100, 145)), [145, 155]),
    ]

    @Test(arguments: steps)
    func `an exact step is found at its commit, also one that is taken back`(
        values: [Double], expected: [Int]
    ) {
        #expect(indices(values) == expected)
    }

    @Test(arguments: [
        [], [7], series((3, 60)), series((3, 2), (4, 2)), series((100, 59), (103, 1)),
        series((100, 58), (103, 2)), series((100, 20), (103, 1), (100, 39)),
        series((100, 20), (500, 1), (100, 10), (500, 1), (100, 28)),
        series((100, 30), (103, 2), (100, 28)),
    ])
    func `a constant series, a short one, and one or two runs off the line have no change`(
        values: [Double]
    ) {
        #expect(indices(values).isEmpty)
    }

    @Test func `a run off the line hides no step`() {
        var values = Self.series((100, 30), (103, 30))
        values[10] = 140
        values[50] = 60
        #expect(indices(values) == [30])
    }

    private static let lines: [([Double], [Double])] = [
        ([5, 5, 5, 9, 5, 5], [5, 5, 5, 5, 5, 5]), ([9, 5, 5, 5, 5, 5], [5, 5, 5, 5, 5, 5]),
        ([5, 5, 5, 8, 8, 8], [5, 5, 5, 8, 8, 8]), ([1, 9, 1, 9], [1, 9, 1, 9]),
        // No line: more than one in ten is off.
        ([5, 5, 9, 5, 5, 9, 5, 5, 9, 5], [5, 5, 9, 5, 5, 9, 5, 5, 9, 5]),
    ]

    @Test(arguments: lines)
    func `a value off the line of its neighbours is replaced, a step is kept`(
        values: [Double], expected: [Double]
    ) {
        #expect(Statistics.withoutOutliers(values) == expected)
    }

    @Test func `a difference within the tolerance is no change`() {
        let values = Self.series((1_000, 30), (1_004, 30))
        #expect(indices(values) == [30])
        #expect(indices(values, tolerance: 0.005).isEmpty)
    }

    @Test func `levels are medians of the stretches`() {
        var values = Self.series((100, 30), (103, 30))
        values[10] = 140
        let points = ChangePointRule(error: 0.01, tolerance: 0).changePoints(in: values)
        #expect(points.map(\.before) == [100] && points.map(\.after) == [103])
    }

    private static let ends: [([Double], Int?)] = [
        (series((100, 59), (103, 1)), 59), (series((100, 58), (103, 2)), 58),
        (series((100, 30), (103, 28), (90, 2)), 58),
        (series((100, 57), (103, 3)), nil), (series((100, 58), (103, 1), (100, 1)), nil),
        (series((100, 58), (103, 1), (97, 1)), 59), (series((100, 60)), nil),
    ]

    @Test(arguments: ends)
    func `newest values off the line wait to be confirmed`(values: [Double], index: Int?) {
        let rule = ChangePointRule(error: 0.01, tolerance: 0)
        let changes = rule.changePoints(in: values)
        #expect(rule.unconfirmedStart(in: values, after: changes) == index)
    }

    @Test func `a split has the largest divergence of all, by its definition`() throws {
        var generator = SeededGenerator(seed: testSeed())
        for _ in 0..<20 {
            let values = (0..<12).map { _ in Double(Int.random(in: 0...9, using: &generator)) }
            let split = try #require(EnergySplit(of: values[...], shortest: 2))
            let all = (2...10).flatMap { index in
                ((index + 2)...12).map { Self.divergence(values[..<index], values[index..<$0]) }
            }
            #expect(abs(split.divergence - all.max()!) < 1e-9)
            let own = Self.divergence(values[..<split.index], values[split.index..<split.end])
            #expect(abs(own - split.divergence) < 1e-9)
        }
    }

    /// Q of Matteson and James, equations 5 and 7, from sums over all pairs.
    private static func divergence(_ x: ArraySlice<Double>, _ y: ArraySlice<Double>) -> Double {
        func distances(_ a: ArraySlice<Double>, _ b: ArraySlice<Double>) -> Double {
            a.reduce(0) { sum, one in b.reduce(sum) { $0 + abs(one - $1) } }
        }
        let (n, m) = (Double(x.count), Double(y.count))
        let energy =
            2 / (n * m) * distances(x, y) - distances(x, x) / 2 / (n * (n - 1) / 2)
            - distances(y, y) / 2 / (m * (m - 1) / 2)
        return n * m / (n + m) * energy
    }

    /// By integrating the density of Student's distribution.
    private static let tested: [([Double], [Double], Double)] = [
        ([1, 2, 3, 4], [3, 4, 5, 6, 7], 0.038334), ([5, 5, 5], [5, 5], 1),
        ([5, 5, 5], [6, 6], 0), ([1, 2], [2.5], 0.454371),
        // Where the continued fraction may be taken from either side.
        ([0, 0], [3, 6, 0], 0.272228),
    ]

    @Test(arguments: tested)
    func `Student's test takes the variance of both groups together`(
        first: [Double], second: [Double], expected: Double
    ) throws {
        let value = try #require(Statistics.studentTest(first[...], second[...]))
        #expect(abs(value - expected) < 1e-5)
    }

    @Test func `two values, or none on one side, cannot be tested`() {
        #expect(Statistics.studentTest([1], [2]) == nil)
        #expect(Statistics.studentTest([], [1, 2, 3]) == nil)
    }

    /// The campaign has 100 of each.
    @Test(arguments: [true, false])
    func `a planted step of 3 % is found at its commit, and none where there is none`(
        hasStep: Bool
    ) {
        for (number, history) in SimulatedHistory.all(20, hasStep: hasStep, seed: 7).enumerated() {
            #expect(
                history.isRight,
                "history \(number): planted \(String(describing: history.planted)), found \(history.found)"
            )
        }
    }
}
