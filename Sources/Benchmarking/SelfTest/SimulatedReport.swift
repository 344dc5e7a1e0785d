import Foundation

/// A whole report on a noisy machine. ``RoundAllocation`` gives rounds to questions while the
/// budget lasts, and the ``SequentialDesign`` of all comparisons judges each one.
struct SimulatedReport: Sendable {
    static let sameWithin = 0.1

    var noise: MachineNoise
    /// The true excess of the cells of each block over the first, as a share: 0.02 is 2 % more. All
    /// pairs of a block are compared.
    var excess: [[Double]]
    /// The budget of a block, in rounds of two cells.
    var roundsPerBlock = 20.0
    /// The standard deviation of a bias that each process keeps for its whole life. Above 0,
    /// processes stay for the whole report, which the design does not allow.
    var lastingBias = 0.0

    var design: SequentialDesign {
        SequentialDesign(
            comparisonCount: excess.map { $0.count * ($0.count - 1) / 2 }.reduce(0, +))
    }

    /// The comparisons of the report, with their conclusions.
    func comparisons(_ design: SequentialDesign, seed: UInt64) -> [SimulatedComparison] {
        var generator = SeededGenerator(seed: seed)
        var machine = NoisyMachine(noise, seed: generator.next())
        var allocation = RoundAllocation(design, seed: generator.next())
        var blocks = excess.map { cells in
            SimulatedBlock(
                levels: cells.map { log(1 + $0) + lastingBias * generator.normal() },
                truths: cells.map { log(1 + $0) })
        }
        var left = roundsPerBlock * Double(excess.count)
        var open = blocks.map(\.open)
        while case let turns = allocation.next(open, secondsLeft: left), !turns.isEmpty {
            for turn in turns {
                left -= blocks[turn].secondsPerRound
                blocks[turn].takeRound(on: &machine, block: turn, using: &generator, by: design)
                open[turn] = blocks[turn].open
            }
        }
        return blocks.flatMap { $0.pairs.map(\.comparison) }
    }
}

/// A comparison of two cells whose true ratio is known.
struct SimulatedComparison: Sendable {
    /// ln of the true ratio.
    let truth: Double
    var conclusion: SequentialDesign.Conclusion?

    /// Called faster or slower, although the difference is too small to be called so.
    var isFalseDifference: Bool {
        let margin = log(1 + SequentialDesign.smallestDifference) + 1e-9
        return switch conclusion {
        case .less: truth > -margin
        case .more: truth < margin
        default: false
        }
    }

    /// Called equivalent, although the difference matters.
    var isFalseEquivalence: Bool {
        conclusion == .equivalent && abs(truth) > log(1 + SimulatedReport.sameWithin) - 1e-9
    }
}

/// Cells that are sampled together.
private struct SimulatedBlock {
    private let levels: [Double]
    private(set) var pairs: [Pair]
    private var roundCount = 0

    struct Pair {
        let cells: (Int, Int)
        var comparison: SimulatedComparison
        var logRatios: [Double] = []
        var isClosed = false
    }

    init(levels: [Double], truths: [Double]) {
        self.levels = levels
        pairs = levels.indices.flatMap { first in
            levels.indices.dropFirst(first + 1).map { second in
                Pair(
                    cells: (first, second),
                    comparison: SimulatedComparison(truth: truths[first] - truths[second]))
            }
        }
    }

    private var cellsNeeded: [Int] {
        levels.indices.filter { cell in
            pairs.contains { !$0.isClosed && ($0.cells.0 == cell || $0.cells.1 == cell) }
        }
    }

    /// Every sample takes half a second.
    var secondsPerRound: Double { Double(cellsNeeded.count) / 2 }

    var open: RoundAllocation.Block {
        RoundAllocation.Block(
            comparisons: pairs.filter { !$0.isClosed }.map {
                RoundAllocation.OpenComparison(
                    logRatios: $0.logRatios, sameWithin: SimulatedReport.sameWithin)
            }, roundCount: roundCount, secondsPerRound: secondsPerRound)
    }

    /// Samples the cells that are needed, in random order, and evaluates at a look.
    mutating func takeRound(
        on machine: inout NoisyMachine, block: Int, using generator: inout SeededGenerator,
        by design: SequentialDesign
    ) {
        var times = levels
        for cell in cellsNeeded.shuffled(using: &generator) {
            times[cell] += machine.sample(ofBlock: block)
        }
        roundCount += 1
        for index in pairs.indices where !pairs[index].isClosed {
            let cells = pairs[index].cells
            pairs[index].logRatios.append(times[cells.0] - times[cells.1])
            guard design.isLook(at: roundCount) else { continue }
            let state = design.evaluate(
                pairs[index].logRatios, sameWithin: SimulatedReport.sameWithin)
            pairs[index].comparison.conclusion = state.conclusion
            pairs[index].isClosed = state.conclusion != nil || state.isContradictory
        }
    }
}
