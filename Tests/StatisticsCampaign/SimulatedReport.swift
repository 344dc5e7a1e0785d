import Foundation
import Measuring
import Reports
import RunRecords

/// A whole report on a noisy machine. ``RoundAllocation`` gives rounds to questions while the
/// budget lasts, and the ``SequentialDesign`` of all contests judges each cell.
struct SimulatedReport: Sendable {
    static let sameWithin = 0.1

    var noise: MachineNoise
    /// The true excess of the cells of each contest over the first, as a share: 0.02 is 2 % more.
    var excess: [[Double]]
    /// Whether the others are compared with the first cell, instead of with the best one.
    var hasBaseline = true
    /// The budget of a contest, in rounds of two cells.
    var roundsPerContest = 20.0
    /// The standard deviation of a bias that each process keeps for its whole life. Above 0,
    /// processes stay for the whole report, which the design does not allow.
    var lastingBias = 0.0

    private var contests: [Contest] {
        excess.map { cells in
            let names = cells.indices.map(String.init)
            return Contest(
                label: "", cells: names, values: names, baseline: hasBaseline ? "0" : nil)
        }
    }

    var design: SequentialDesign { SequentialDesign(contests: contests) }

    /// The comparisons of the report, with their conclusions.
    func comparisons(_ design: SequentialDesign, seed: UInt64) -> [SimulatedComparison] {
        var generator = SeededGenerator(seed: seed)
        var machine = NoisyMachine(noise, seed: generator.next())
        var allocation = RoundAllocation(design, seed: generator.next())
        var contests = zip(contests, excess).map { contest, cells in
            SimulatedContest(
                contest, design,
                levels: cells.map { log(1 + $0) + lastingBias * generator.normal() },
                truths: cells.map { log(1 + $0) })
        }
        var left = roundsPerContest * Double(excess.count)
        var open = contests.map(\.block)
        while case let turns = allocation.next(open, secondsLeft: left), !turns.isEmpty {
            for turn in turns {
                left -= SimulatedContest.secondsPerSample * Double(turn.cells.count)
                contests[turn.block].takeRound(
                    of: turn.cells, on: &machine, number: turn.block, using: &generator)
                open[turn.block] = contests[turn.block].block
            }
        }
        return contests.flatMap(\.comparisons)
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

/// A contest whose cells are sampled together.
private struct SimulatedContest {
    static let secondsPerSample = 0.5

    private let contest: Contest
    private let design: SequentialDesign
    private let levels: [Double]
    private let truths: [Double]
    private var roundCount = 0
    /// ln of the times of each cell.
    private var times: [[Double]]
    /// ln of each pair's ratio, in the rounds that sampled both.
    private var logRatios: [[[Double]]]
    /// How cells compare with others, at the last look of each pair.
    private var conclusions: [[SequentialDesign.State]]

    init(_ contest: Contest, _ design: SequentialDesign, levels: [Double], truths: [Double]) {
        self.contest = contest
        self.design = design
        self.levels = levels
        self.truths = truths
        times = levels.map { _ in [] }
        logRatios = levels.map { _ in levels.map { _ in [] } }
        let none = levels.map { _ in SequentialDesign.State() }
        conclusions = levels.map { _ in none }
    }

    /// The baseline, or the cell with the best median.
    private var reference: Int {
        guard contest.baseline == nil else { return 0 }
        let medians = times.map { Statistics.median($0) ?? 0 }
        return medians.indices.min { medians[$0] < medians[$1] }!
    }

    /// A cell that is known to be better.
    private func better(than cell: Int) -> Int? {
        levels.indices.first { $0 != cell && conclusions[cell][$0].conclusion == .more }
    }

    var block: RoundAllocation.Block {
        let reference = reference
        let others = levels.indices.filter { $0 != reference }
        let spread = RoundAllocation.pooledSpread(others.map { logRatios[$0][reference] })
        let open = others.filter { cell in
            let state = conclusions[cell][reference]
            return state.conclusion == nil && !state.isContradictory
                && (contest.baseline != nil || better(than: cell) == nil)
        }
        return RoundAllocation.Block(
            comparisons: open.map {
                RoundAllocation.OpenComparison(
                    question: "", cells: [$0, reference], logRatios: logRatios[$0][reference],
                    sameWithin: SimulatedReport.sameWithin, spread: spread)
            }, roundCount: roundCount,
            seconds: Dictionary(
                uniqueKeysWithValues: levels.indices.map { ($0, Self.secondsPerSample) }))
    }

    /// Samples cells in random order, and evaluates the comparisons that have reached a look.
    mutating func takeRound(
        of cells: Set<Int>, on machine: inout NoisyMachine, number: Int,
        using generator: inout SeededGenerator
    ) {
        roundCount += 1
        for cell in cells.sorted().shuffled(using: &generator) {
            times[cell].append(levels[cell] + machine.sample(of: cell, in: number))
        }
        for cell in cells {
            for other in cells where other != cell && (contest.baseline == nil || other == 0) {
                logRatios[cell][other].append(times[cell].last! - times[other].last!)
                let state = conclusions[cell][other]
                guard state.conclusion == nil, !state.isContradictory else { continue }
                let logRatios = logRatios[cell][other]
                guard design.isLook(at: logRatios.count) else { continue }
                conclusions[cell][other] = design.evaluate(
                    logRatios, contest.errorShares(against: contest.cells[other]),
                    sameWithin: SimulatedReport.sameWithin, after: state)
            }
        }
    }

    /// The verdict on each cell but the reference: against it, or against one that is better.
    var comparisons: [SimulatedComparison] {
        let reference = reference
        return levels.indices.filter { $0 != reference }.map { cell in
            let isOpen = conclusions[cell][reference].conclusion == nil
            let other = isOpen && contest.baseline == nil ? better(than: cell) : nil
            return SimulatedComparison(
                cell, other ?? reference, truths,
                conclusions[cell][other ?? reference].conclusion)
        }
    }
}

extension SimulatedComparison {
    /// A comparison of the cell that comes first with the other one, in whichever direction it was
    /// made.
    fileprivate init(
        _ cell: Int, _ reference: Int, _ truths: [Double],
        _ conclusion: SequentialDesign.Conclusion?
    ) {
        truth = truths[min(cell, reference)] - truths[max(cell, reference)]
        self.conclusion =
            switch conclusion {
            case .less where cell > reference: .more
            case .more where cell > reference: .less
            default: conclusion
            }
    }
}
