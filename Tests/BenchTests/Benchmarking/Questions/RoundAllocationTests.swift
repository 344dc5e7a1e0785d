import Foundation
import Testing

@testable import Benchmarking

@Suite struct `Round allocation` {
    // The glance is after 4 rounds, the looks are after 12, 15 and 19.
    private static let design = SequentialDesign(comparisonCount: 30)

    /// A block with open comparisons. Their rounds have these spreads around no difference.
    private func block(
        _ roundCount: Int, spreads: [Double] = [0.1], seconds: Double? = 1
    ) -> RoundAllocation.Block {
        RoundAllocation.Block(
            comparisons: spreads.map { spread in
                RoundAllocation.OpenComparison(
                    logRatios: (0..<roundCount).map {
                        spread * (Double($0) / Double(max(roundCount - 1, 1)) - 0.5)
                    }, sameWithin: 0.1)
            }, roundCount: roundCount, secondsPerRound: seconds)
    }

    private func next(_ blocks: [RoundAllocation.Block], _ secondsLeft: Double?) -> [Int] {
        var allocation = RoundAllocation(Self.design, seed: testSeed())
        return allocation.next(blocks, secondsLeft: secondsLeft).sorted()
    }

    @Test func `all blocks begin together`() {
        #expect(next([block(0, seconds: nil), block(0, seconds: nil)], 10) == [0, 1])
    }

    @Test func `a block without open comparisons takes no rounds`() {
        #expect(next([block(4, spreads: []), block(4)], nil) == [1])
        #expect(next([block(4, spreads: [])], nil).isEmpty)
    }

    @Test func `glances come first, then first looks, then the rest`() {
        #expect(next([block(3), block(4), block(12)], nil) == [0])
        #expect(next([block(4), block(11), block(12)], nil) == [0, 1])
        #expect(next([block(12), block(12, spreads: [])], nil) == [0])
    }

    @Test(arguments: [
        // The first look needs 8 more rounds.
        (seconds: 16.0, chosen: [0, 1]), (seconds: 15.9, chosen: [0]), (seconds: 8.0, chosen: [0]),
        (seconds: 7.9, chosen: [Int]()),
    ])
    func `no block begins rounds that do not reach a look`(seconds: Double, chosen: [Int]) {
        #expect(next([block(4), block(4)], seconds) == chosen)
    }

    @Test func `where not all fit, the cheapest do`() {
        let blocks = [block(4, seconds: 3), block(4, seconds: 1), block(4, seconds: 2)]

        #expect(next(blocks, 24) == [1, 2])
        #expect(next(blocks, 48) == [0, 1, 2])
    }

    @Test func `after the first looks, what is soonest decided goes on`() {
        #expect(next([block(12, spreads: [0.5]), block(12, spreads: [0.25])], 100) == [1])
        // The cheaper block goes on, or the one with more comparisons.
        #expect(
            next([block(12, spreads: [0.25], seconds: 9), block(12, spreads: [0.3])], 100) == [1])
        #expect(
            next([block(12, spreads: [0.25]), block(12, spreads: [0.25, 0.25, 0.25])], 100)
                == [1])
    }

    @Test func `what is too noisy ever to be decided ends`() {
        #expect(next([block(12, spreads: [5])], nil).isEmpty)
        #expect(next([block(12, spreads: [5]), block(12, spreads: [0.25])], nil) == [1])
    }

    @Test func `a block goes on to its next look before another one is chosen`() {
        var allocation = RoundAllocation(Self.design, seed: 1)
        var blocks = [block(12, spreads: [0.25]), block(12, spreads: [0.3])]
        let first = allocation.next(blocks, secondsLeft: 100)

        // Further rounds make it the more expensive one.
        blocks[0] = block(13, spreads: [0.9])
        let second = allocation.next(blocks, secondsLeft: 99)
        blocks[0] = block(15, spreads: [0.9])

        #expect(first == [0])
        #expect(second == [0])
        #expect(allocation.next(blocks, secondsLeft: 97) == [1])
    }

    @Test func `a comparison that missed a round is looked at a round later`() {
        var late = block(12, spreads: [0.25])
        late.comparisons[0].logRatios.removeLast()

        // Its first look needs one more round, its second three.
        #expect(next([late], 1) == [0])
        #expect(next([block(12, spreads: [0.25])], 2).isEmpty)
    }

    @Test func `a block whose rounds give no ratio ends after the first look`() {
        var empty = block(12)
        empty.comparisons[0].logRatios = []

        #expect(next([empty], nil).isEmpty)
    }

    @Test func `blocks take turns in random order`() {
        var allocation = RoundAllocation(Self.design, seed: testSeed())
        let blocks = (0..<8).map { _ in block(1) }
        let orders = (0..<4).map { _ in allocation.next(blocks, secondsLeft: nil) }

        #expect(orders.allSatisfy { $0.sorted() == Array(0..<8) })
        #expect(Set(orders).count > 1)
    }
}
