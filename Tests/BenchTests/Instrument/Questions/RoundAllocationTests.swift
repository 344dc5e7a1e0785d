import Foundation
import Testing

@testable import Reports
@testable import RunRecords

@Suite struct `Round allocation` {
    // The quick look is after 5 rounds, the others are after 11, 14 and 18.
    private static let design = SequentialDesign(
        contests: Array(
            repeating: Contest(label: "", cells: ["0", "1"], values: ["0", "1"], baseline: "0"),
            count: 30))

    /// A block with a question for each spread, whose rounds have it around no difference. All have
    /// cell 0 and one of their own.
    private func block(
        _ roundCount: Int, spreads: [Double] = [0.1], seconds: Double? = 1
    ) -> RoundAllocation.Block {
        RoundAllocation.Block(
            comparisons: spreads.enumerated().map { index, spread in
                RoundAllocation.OpenComparison(
                    question: "\(index)", cells: [0, index + 1],
                    logRatios: (0..<roundCount).map {
                        spread * (Double($0) / Double(max(roundCount - 1, 1)) - 0.5)
                    }, sameWithin: 0.1, spread: nil)
            }, roundCount: roundCount,
            seconds: seconds.map { [0: $0 / 2, 1: $0 / 2, 2: $0 / 2, 3: $0 * 10] } ?? [:])
    }

    private func turns(
        _ blocks: [RoundAllocation.Block], _ secondsLeft: Double?
    ) -> [RoundAllocation.Turn] {
        var allocation = RoundAllocation(Self.design, seed: testSeed())
        return allocation.next(blocks, secondsLeft: secondsLeft).sorted { $0.block < $1.block }
    }

    private func next(_ blocks: [RoundAllocation.Block], _ secondsLeft: Double?) -> [Int] {
        turns(blocks, secondsLeft).map(\.block)
    }

    @Test func `all blocks begin together`() {
        #expect(next([block(0, seconds: nil), block(0, seconds: nil)], 10) == [0, 1])
    }

    @Test func `a block without open comparisons takes no rounds`() {
        #expect(next([block(4, spreads: []), block(4)], nil) == [1])
        #expect(next([block(4, spreads: [])], nil).isEmpty)
    }

    @Test func `quick looks come first, then questions`() {
        #expect(next([block(4), block(5), block(3)], nil) == [0, 2])
        #expect(next([block(5), block(5, spreads: [])], nil) == [0])
    }

    @Test(arguments: [
        // The quick look needs 2 more rounds.
        (seconds: 4.0, chosen: [0, 1]), (seconds: 3.9, chosen: [0]), (seconds: 2.0, chosen: [0]),
        (seconds: 1.9, chosen: [Int]()),
    ])
    func `no block begins rounds that do not reach a look`(seconds: Double, chosen: [Int]) {
        #expect(next([block(3), block(3)], seconds) == chosen)
    }

    @Test func `where not all fit, the cheapest do`() {
        let blocks = [block(3, seconds: 3), block(3, seconds: 1), block(3, seconds: 2)]

        #expect(next(blocks, 6) == [1, 2])
        #expect(next(blocks, 12) == [0, 1, 2])
    }

    @Test func `what is decided at the lowest price goes on`() {
        #expect(next([block(5, spreads: [0.5]), block(5, spreads: [0.25])], 1_000) == [1])
        #expect(
            next([block(5, spreads: [0.25], seconds: 9), block(5, spreads: [0.3])], 1_000) == [1])
    }

    @Test func `what the time that is left is not likely to decide comes last`() {
        // The first needs 54 rounds, and 6 to its next look.
        let (unlikely, likely) = (
            block(5, spreads: [0.5], seconds: 0.5), block(5, spreads: [0.1], seconds: 3)
        )

        #expect(next([unlikely, likely], 20) == [1])
        #expect(next([unlikely], 20) == [0])
        #expect(next([unlikely], 2.9).isEmpty)
    }

    @Test func `other questions of the block come along if they cost little more`() {
        let cheap = block(5, spreads: [0.1, 0.2])
        let dear = block(5, spreads: [0.1, 0.2, 0.2])

        #expect(turns([cheap], 1_000).map(\.cells) == [[0, 1, 2]])
        #expect(turns([dear], 1_000).map(\.cells) == [[0, 1, 2]])
    }

    @Test func `a question that cannot be decided leaves its comparisons to single rounds`() {
        var block = block(5, spreads: [0.1, 5])
        block.comparisons[1].question = block.comparisons[0].question

        #expect(turns([block], 1_000).map(\.cells) == [[0, 1]])
    }

    @Test func `the spread of a contest counts more than a few rounds that agree`() {
        var agreeing = block(5, spreads: [0.02])
        agreeing.comparisons[0].spread = 0.5

        #expect(next([agreeing, block(5, spreads: [0.2])], 1_000) == [1])
    }

    @Test func `what seems too noisy ever to be decided goes on while there is a budget`() {
        let noisy = block(5, spreads: [5])

        // Its next look is 6 rounds away.
        #expect(next([noisy], 6) == [0])
        #expect(next([noisy], 5.9).isEmpty)
        // Whatever may be decided comes first, even if it is dearer.
        let dear = block(5, spreads: [0.25], seconds: 9)
        #expect(next([noisy, dear], 60) == [1])
        #expect(next([block(5, spreads: [5], seconds: 0.01), dear], 60) == [1])
    }

    @Test func `one slow round of the first five does not end a run with minutes left`() {
        var unlucky = block(5)
        unlucky.comparisons[0].logRatios = [0.01, -0.01, 0.02, 0, 1.5]
        unlucky.comparisons[0].spread = RoundAllocation.pooledSpread(
            [unlucky.comparisons[0].logRatios])

        #expect(next([unlucky], 170) == [0])
        #expect(next([unlucky], nil) == [0])
    }

    @Test func `without a budget, enough rounds show that no number decides`() {
        #expect(next([block(18, spreads: [5])], nil) == [0])
        #expect(next([block(23, spreads: [5])], nil).isEmpty)
        // The others of its contest do not condemn what its own rounds decide.
        var besideNoisy = block(23)
        besideNoisy.comparisons[0].spread = 9
        #expect(next([besideNoisy], nil) == [0])
    }

    @Test func `the last look ends a comparison, with any budget`() {
        let last = Self.design.roundCountMax

        #expect(next([block(last - 1, spreads: [5])], 10_000) == [0])
        #expect(next([block(last, spreads: [5])], 10_000).isEmpty)
        #expect(next([block(last, spreads: [0.3])], nil).isEmpty)
    }

    @Test func `cells go on to their next look before others are chosen`() {
        var allocation = RoundAllocation(Self.design, seed: 1)
        var blocks = [block(5, spreads: [0.25]), block(5, spreads: [0.3])]
        let first = allocation.next(blocks, secondsLeft: 1_000)

        // Further rounds make it the more expensive one.
        blocks[0] = block(6, spreads: [0.9])
        let second = allocation.next(blocks, secondsLeft: 999)
        blocks[0] = block(11, spreads: [0.9])

        #expect(first.map(\.block) == [0])
        #expect(second.map(\.block) == [0])
        #expect(allocation.next(blocks, secondsLeft: 990).map(\.block) == [1])
    }

    @Test func `a comparison that missed a round is looked at a round later`() {
        var late = block(11, spreads: [0.1])
        late.comparisons[0].logRatios.removeLast()

        // Its first look needs one more round, its second three.
        #expect(next([late], 1) == [0])
        #expect(next([block(11, spreads: [0.1])], 2).isEmpty)
    }

    @Test func `a block whose rounds give no ratio ends after the quick look`() {
        var empty = block(12)
        empty.comparisons[0].logRatios = []

        #expect(next([empty], nil).isEmpty)
    }

    @Test func `blocks take turns in random order`() {
        var allocation = RoundAllocation(Self.design, seed: testSeed())
        let blocks = (0..<8).map { _ in block(1) }
        let orders = (0..<4).map { _ in
            allocation.next(blocks, secondsLeft: nil).map(\.block)
        }

        #expect(orders.allSatisfy { $0.sorted() == Array(0..<8) })
        #expect(Set(orders).count > 1)
    }
}
