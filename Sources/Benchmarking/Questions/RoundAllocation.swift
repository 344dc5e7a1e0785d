/// Decides which block of cells takes the next round.
///
/// First every block takes its glance, then its first look, a round of each block in turn, so that the rounds of a block
/// are spread over time. What is left goes to those that are likely to be decided soonest. No block begins rounds that
/// end before a look. Which comparisons go on may depend on everything measured so far; when they are looked at must
/// not, so looks are those of the ``SequentialDesign`` alone.
public struct RoundAllocation: Sendable {
    /// Cells that are sampled together in a round, since questions compare them.
    public struct Block: Sendable {
        /// Those still undecided.
        public var comparisons: [OpenComparison]
        /// The rounds taken so far, also those that failed.
        public var roundCount: Int
        /// Of the cells still needed; nil before the first round.
        public var secondsPerRound: Double?

        public init(comparisons: [OpenComparison], roundCount: Int, secondsPerRound: Double?) {
            self.comparisons = comparisons
            self.roundCount = roundCount
            self.secondsPerRound = secondsPerRound
        }
    }

    /// An undecided comparison.
    public struct OpenComparison: Sendable {
        /// ln(cell / reference) of each round so far.
        public var logRatios: [Double]
        public var sameWithin: Double

        public init(logRatios: [Double], sameWithin: Double) {
            self.logRatios = logRatios
            self.sameWithin = sameWithin
        }
    }

    private let design: SequentialDesign
    private var generator: SeededGenerator
    /// The number of rounds at which each block that was chosen after its first look is looked at again.
    private var goals: [Int: Int] = [:]

    public init(_ design: SequentialDesign, seed: UInt64) {
        self.design = design
        generator = SeededGenerator(seed: seed)
    }

    /// The indices of the blocks that take a round each now, in random order; none when nothing that is open can be
    /// decided, or nothing fits.
    ///
    /// - Parameter blocks: always the same ones in the same order, with what is known of them by now.
    /// - Parameter secondsLeft: nil for no budget.
    public mutating func next(_ blocks: [Block], secondsLeft: Double?) -> [Int] {
        let left = secondsLeft ?? .infinity
        let open = blocks.indices.filter { !blocks[$0].comparisons.isEmpty }
        for stage in [glances(open, blocks), firstLooks(open, blocks), underWay(open, blocks)] {
            let chosen = stage.cheapest(within: left)
            if !chosen.isEmpty { return chosen.map(\.block).shuffled(using: &generator) }
        }
        let later = open.compactMap { step($0, blocks[$0]) }
        // Half of what is left, so that what these rounds tell can still change who is next.
        var chosen = later.cheapest(within: left / 2)
        if chosen.isEmpty { chosen = Array(later.cheapest(within: left).prefix(1)) }
        for step in chosen { goals[step.block] = blocks[step.block].roundCount + step.roundCount }
        return chosen.map(\.block).shuffled(using: &generator)
    }
}

extension RoundAllocation {
    /// The rounds that take a block to its next look.
    fileprivate struct Step {
        var block: Int
        var roundCount: Int
        var seconds: Double
        /// The seconds that a decision of the block is likely to cost.
        var price: Double
    }

    private func glances(_ open: [Int], _ blocks: [Block]) -> [Step] {
        open.filter { blocks[$0].roundCount < design.glanceCount }
            .map { Step($0, blocks[$0], to: design.glanceCount) }
    }

    private func firstLooks(_ open: [Int], _ blocks: [Block]) -> [Step] {
        let first = design.nextLook(after: 0)
        return open.filter { (design.glanceCount..<first).contains(blocks[$0].roundCount) }
            .map { Step($0, blocks[$0], to: first) }
    }

    private func underWay(_ open: [Int], _ blocks: [Block]) -> [Step] {
        open.compactMap { index in
            guard let goal = goals[index], blocks[index].roundCount < goal else { return nil }
            return Step(index, blocks[index], to: goal)
        }
    }

    /// To the next look of a block that had its first one; nil when nothing in it is likely ever to be decided.
    private func step(_ index: Int, _ block: Block) -> Step? {
        guard block.roundCount >= design.nextLook(after: 0) else { return nil }
        let needed = block.comparisons.compactMap { comparison in
            design.roundsNeeded(for: comparison.logRatios, sameWithin: comparison.sameWithin)
                .map { (more: $0 - comparison.logRatios.count, count: comparison.logRatios.count) }
        }.sorted { $0.more < $1.more }
        let looks = needed.map { design.nextLook(after: $0.count) - $0.count }
        guard let toLook = looks.min() else { return nil }
        var step = Step(index, block, to: block.roundCount + toLook)
        let seconds = block.secondsPerRound ?? 0
        step.price =
            needed.enumerated().map { seconds * Double($1.more) / Double($0 + 1) }.min() ?? 0
        return step
    }
}

extension RoundAllocation.Step {
    fileprivate init(_ index: Int, _ block: RoundAllocation.Block, to goal: Int) {
        self.block = index
        roundCount = goal - block.roundCount
        seconds = Double(roundCount) * (block.secondsPerRound ?? 0)
        price = seconds
    }
}

extension [RoundAllocation.Step] {
    /// Those that fit together, the lowest price first.
    fileprivate func cheapest(within secondsLeft: Double) -> [RoundAllocation.Step] {
        var left = secondsLeft
        return sorted { ($0.price, $0.block) < ($1.price, $1.block) }.filter { step in
            guard step.seconds <= left else { return false }
            left -= step.seconds
            return true
        }
    }
}
