import Measuring

/// Decides which cells take the next round.
///
/// First all blocks take the rounds to the quick look, the cheapest first. The remaining time goes
/// to questions: to the one that is likely to be decided at the lowest price, up to its next look. If
/// none is likely to be decided in the time that is left, single comparisons get rounds: those that
/// are, then the others, since a look may come out better than expected. So a budget is spent as long
/// as anything is open. Without one, what no number of rounds is likely to decide ends, after enough
/// rounds to judge that. Rounds are taken only if they can reach a look.
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
        /// The time of a sample of each cell. Cells without a sample are absent.
        public var seconds: [Int: Double]

        public init(comparisons: [OpenComparison], roundCount: Int, seconds: [Int: Double]) {
            self.comparisons = comparisons
            self.roundCount = roundCount
            self.seconds = seconds
        }

        func secondsPerRound(of cells: Set<Int>) -> Double {
            cells.reduce(0) { $0 + (seconds[$1] ?? 0) }
        }
    }

    /// A comparison that can still be decided.
    public struct OpenComparison: Sendable {
        /// The name of its question, unique in the block.
        public var question: String
        /// The two cells.
        public var cells: Set<Int>
        /// ln(cell / reference) of each round so far.
        public var logRatios: [Double]
        public var sameWithin: Double
        /// The common spread of the contest; see ``pooledSpread(_:)``.
        public var spread: Double?

        public init(
            question: String, cells: Set<Int>, logRatios: [Double], sameWithin: Double,
            spread: Double?
        ) {
            self.question = question
            self.cells = cells
            self.logRatios = logRatios
            self.sameWithin = sameWithin
            self.spread = spread
        }
    }

    /// The root mean square of the standard deviations of ratios to one reference; `nil` before the
    /// second round. A few rounds of one comparison may agree by chance.
    ///
    /// - Parameter logRatios: those of each cell.
    public static func pooledSpread(_ logRatios: [[Double]]) -> Double? {
        let variances = logRatios.filter { $0.count >= 2 }.map { rounds in
            let deviation = Statistics.meanAndDeviation(rounds[...]).deviation
            return deviation * deviation
        }
        guard !variances.isEmpty else { return nil }
        return (variances.reduce(0, +) / Double(variances.count)).squareRoot()
    }

    /// Cells of a block that take a round.
    public struct Turn: Hashable, Sendable {
        /// The index of the block.
        public let block: Int
        public let cells: Set<Int>
    }

    /// How much more than the cheapest question alone a round may cost that serves others too.
    fileprivate static let companyFactor = 1.6

    /// One slow round of a few spreads them so far that no number of rounds seems to suffice. So a run
    /// without a budget gives a comparison up only after this many.
    private static let roundCountToGiveUp = 20

    private let design: SequentialDesign
    private var generator: SeededGenerator
    /// The cells on their way to a later look, and the number of rounds of their block there.
    private var underWay: (turn: Turn, goal: Int)?

    public init(_ design: SequentialDesign, seed: UInt64) {
        self.design = design
        generator = SeededGenerator(seed: seed)
    }

    /// The turns that take one round each now, in random order. Empty if nothing open can be decided
    /// or nothing fits.
    ///
    /// - Parameter blocks: the same blocks in the same order at each call, with their current
    ///   state.
    /// - Parameter secondsLeft: `nil` for no budget.
    public mutating func next(_ blocks: [Block], secondsLeft: Double?) -> [Turn] {
        let left = secondsLeft ?? .infinity
        let first = blocks.indices.filter { blocks[$0].roundCount < design.quickLook }.compactMap {
            step(toQuickLook: blocks[$0], at: $0)
        }.fitting(within: left)
        if !first.isEmpty { return first.map(\.turn).shuffled(using: &generator) }

        if let (turn, goal) = underWay, case let block = blocks[turn.block],
            block.roundCount < goal, !block.comparisons.isEmpty,
            Double(goal - block.roundCount) * block.secondsPerRound(of: turn.cells) <= left
        {
            return [turn]
        }
        let alone: (OpenComparison) -> String = { $0.cells.sorted().description + $0.question }
        let best =
            cheapest(blocks, within: left, groupedBy: \.question)
            ?? cheapest(blocks, within: left, groupedBy: alone)
            ?? cheapest(blocks, within: left, groupedBy: alone, chance: .withMoreTime)
            ?? cheapest(blocks, within: left, groupedBy: alone, chance: .none)
        underWay = best.map { ($0.turn, blocks[$0.turn.block].roundCount + $0.roundCount) }
        return best.map { [$0.turn] } ?? []
    }
}

extension RoundAllocation {
    /// The rounds that take cells to a look.
    fileprivate struct Step {
        var turn: Turn
        var roundCount: Int
        /// The time of these rounds.
        var seconds: Double
        /// The likely time until all comparisons of the step are decided.
        var price: Double
    }

    /// Which comparisons may take rounds.
    private enum Chance {
        /// Those likely to be decided in the time that is left.
        case inTime
        /// Those that need more time as well: a look may come out better than expected.
        case withMoreTime
        /// Also those that no number of rounds is likely to decide.
        case none
    }

    /// The rounds that take all open cells of a block to the quick look; `nil` if none is open.
    private func step(toQuickLook block: Block, at index: Int) -> Step? {
        guard !block.comparisons.isEmpty else { return nil }
        let cells = block.comparisons.reduce(into: Set<Int>()) { $0.formUnion($1.cells) }
        let roundCount = design.quickLook - block.roundCount
        let seconds = Double(roundCount) * block.secondsPerRound(of: cells)
        return Step(
            turn: Turn(block: index, cells: cells), roundCount: roundCount, seconds: seconds,
            price: seconds)
    }

    /// The step of the group of comparisons that is likely to be decided soonest, with others of its
    /// block that cost little more; `nil` if there is none. The time that is left has to suffice for the
    /// next look.
    private func cheapest(
        _ blocks: [Block], within left: Double, groupedBy key: (OpenComparison) -> String,
        chance: Chance = .inTime
    ) -> Step? {
        var best: Step?
        for (index, block) in blocks.enumerated() {
            let steps = Dictionary(grouping: block.comparisons, by: key).values.compactMap {
                group in
                step(group, of: block, at: index) {
                    chance == .none && (left.isFinite || !isHopeless($0))
                }
            }.filter { $0.seconds <= left && (chance != .inTime || $0.price <= left) }.sorted {
                ($0.price, $0.turn.cells.sorted().description)
                    < ($1.price, $1.turn.cells.sorted().description)
            }
            guard let first = steps.first, first.price < best?.price ?? .infinity else { continue }
            best = first.joined(by: steps.dropFirst(), of: block, within: left)
        }
        return best
    }

    /// Whether so many rounds of the comparison alone show that no number decides it.
    private func isHopeless(_ comparison: OpenComparison) -> Bool {
        comparison.logRatios.count >= Self.roundCountToGiveUp
            && design.roundsNeeded(
                for: comparison.logRatios, sameWithin: comparison.sameWithin) == nil
    }

    /// The step of comparisons to their next look; `nil` if one of them cannot be decided.
    ///
    /// - Parameter goesOn: whether a comparison that no number of rounds is likely to decide takes all
    ///   that are allowed.
    private func step(
        _ group: [OpenComparison], of block: Block, at index: Int,
        whereUnlikely goesOn: (OpenComparison) -> Bool
    ) -> Step? {
        var more = 0
        var toLook = Int.max
        for comparison in group {
            let count = comparison.logRatios.count
            let needed =
                design.roundsNeeded(
                    for: comparison.logRatios, sameWithin: comparison.sameWithin,
                    spread: comparison.spread) ?? (goesOn(comparison) ? design.roundCountMax : nil)
            // A comparison with ratios for fewer than half of the first rounds cannot be measured.
            guard 2 * count >= min(block.roundCount, design.quickLook), let needed, needed > count
            else { return nil }
            more = max(more, needed - count)
            toLook = min(toLook, design.nextLook(after: count) - count)
        }
        let cells = group.reduce(into: Set<Int>()) { $0.formUnion($1.cells) }
        let seconds = block.secondsPerRound(of: cells)
        return Step(
            turn: Turn(block: index, cells: cells), roundCount: toLook,
            seconds: Double(toLook) * seconds, price: Double(more) * seconds)
    }
}

extension RoundAllocation.Step {
    /// The step with the cells of others, as long as its rounds cost little more.
    fileprivate func joined(
        by others: some Sequence<Self>, of block: RoundAllocation.Block, within left: Double
    ) -> Self {
        let limit = RoundAllocation.companyFactor * block.secondsPerRound(of: turn.cells)
        var cells = turn.cells
        for other in others {
            let union = cells.union(other.turn.cells)
            let seconds = block.secondsPerRound(of: union)
            if seconds <= limit, Double(roundCount) * seconds <= left { cells = union }
        }
        var step = self
        step.turn = RoundAllocation.Turn(block: turn.block, cells: cells)
        step.seconds = Double(roundCount) * block.secondsPerRound(of: cells)
        return step
    }
}

extension [RoundAllocation.Step] {
    /// The steps that fit together, lowest price first.
    fileprivate func fitting(within secondsLeft: Double) -> [RoundAllocation.Step] {
        var left = secondsLeft
        return sorted { ($0.price, $0.turn.block) < ($1.price, $1.turn.block) }.filter { step in
            guard step.seconds <= left else { return false }
            left -= step.seconds
            return true
        }
    }
}
