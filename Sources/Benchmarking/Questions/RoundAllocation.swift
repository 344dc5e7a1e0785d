/// Decides which block of cells takes the next round.
///
/// First all blocks get their glance, then their first look. They take turns, so that the rounds of
/// a block are spread over time. The remaining time goes to the block that is likely to be decided
/// at the lowest price, up to its next look. A block gets rounds only if they can reach a look.
///
/// Which comparisons continue may depend on everything measured so far. When they are evaluated
/// must not depend on it: the ``SequentialDesign`` determines that.
public struct RoundAllocation: Sendable {
    /// Cells that are sampled together in a round, because questions compare them.
    public struct Block: Sendable {
        /// The comparisons that are neither decided nor contradictory.
        public var comparisons: [OpenComparison]
        /// The rounds taken so far, including failed ones.
        public var roundCount: Int
        /// For the cells that are still needed; `nil` before the first round.
        public var secondsPerRound: Double?

        public init(comparisons: [OpenComparison], roundCount: Int, secondsPerRound: Double?) {
            self.comparisons = comparisons
            self.roundCount = roundCount
            self.secondsPerRound = secondsPerRound
        }
    }

    /// A comparison that can still be decided.
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
    /// The block on its way to a later look, and its number of rounds at that look.
    private var underWay: (block: Int, goal: Int)?

    public init(_ design: SequentialDesign, seed: UInt64) {
        self.design = design
        generator = SeededGenerator(seed: seed)
    }

    /// The indices of the blocks that take one round each now, in random order. Empty if nothing
    /// open can be decided or nothing fits.
    ///
    /// - Parameter blocks: the same blocks in the same order at each call, with their current
    ///   state.
    /// - Parameter secondsLeft: `nil` for no budget.
    public mutating func next(_ blocks: [Block], secondsLeft: Double?) -> [Int] {
        let left = secondsLeft ?? .infinity
        let open = blocks.indices.filter { !blocks[$0].comparisons.isEmpty }
        for stage in [
            steps(to: design.glanceCount, open, blocks), steps(to: design.firstLook, open, blocks),
        ] {
            let fitting = stage.fitting(within: left)
            if !fitting.isEmpty { return fitting.map(\.block).shuffled(using: &generator) }
        }
        if let (block, goal) = underWay, open.contains(block), blocks[block].roundCount < goal,
            Step(block, blocks[block], to: goal).seconds <= left
        {
            return [block]
        }
        underWay = open.compactMap { step($0, blocks[$0]) }.fitting(within: left).first
            .map { ($0.block, blocks[$0.block].roundCount + $0.roundCount) }
        return underWay.map { [$0.block] } ?? []
    }
}

extension RoundAllocation {
    /// The rounds that take a block to its next look.
    fileprivate struct Step {
        var block: Int
        var roundCount: Int
        var seconds: Double
        /// The likely cost in seconds of a decision in the block.
        var price: Double
    }

    /// The steps of the open blocks that have fewer rounds than `goal`.
    private func steps(to goal: Int, _ open: [Int], _ blocks: [Block]) -> [Step] {
        open.filter { blocks[$0].roundCount < goal }.map { Step($0, blocks[$0], to: goal) }
    }

    /// The step to the next look, for a block after its first one; `nil` if nothing in it is likely
    /// to be decided.
    private func step(_ index: Int, _ block: Block) -> Step? {
        guard block.roundCount >= design.firstLook else { return nil }
        // A comparison with ratios for fewer than half of the rounds cannot be measured.
        let measurable = block.comparisons.filter { 2 * $0.logRatios.count >= block.roundCount }
        let needed = measurable.compactMap { comparison in
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
    /// The steps that fit together, lowest price first.
    fileprivate func fitting(within secondsLeft: Double) -> [RoundAllocation.Step] {
        var left = secondsLeft
        return sorted { ($0.price, $0.block) < ($1.price, $1.block) }.filter { step in
            guard step.seconds <= left else { return false }
            left -= step.seconds
            return true
        }
    }
}
