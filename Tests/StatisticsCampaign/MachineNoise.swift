import Foundation
import Measuring
import Reports
import RunRecords

/// The noise of samples that a machine takes one after the other, on a logarithmic scale. It
/// includes changes over time, such as phases and levels, which neighbouring samples share.
enum MachineNoise: Hashable, Sendable {
    case normal(spread: Double)
    /// Normal; in 16 % of samples Laplacian with a scale of 15 %.
    case heavy
    /// Student's t with 2 degrees of freedom, which has no variance.
    case student
    /// Half the speed for a quarter of the time; a slow phase has `length` samples on average.
    case phases(length: Double)
    /// A level with autocorrelation .9 and a standard deviation of 10 %.
    case autoregressive
    /// Normal; every second cell has slower samples now and then, so that ratios are skewed.
    case skewed
    /// Normal; the second cell of a contest has three times the spread of the others.
    case unequal
    /// As recorded: the contests take the models in turn.
    case recorded([NoiseModel])

    /// The share of reports that may have a false verdict. The signed-rank test assumes that both
    /// sides have the same kind of noise. Tails on one side move the middle of the ratios by a
    /// percent or two, and cells that are exactly 2 % apart without them are called different.
    var allowedShare: ClosedRange<Double> {
        self == .skewed ? 0...0.1 : 0...SequentialDesign.error
    }

    static let all: [MachineNoise] = [
        .normal(spread: 0.05), .heavy, .student, .phases(length: 4), .phases(length: 20),
        .autoregressive, .skewed, .unequal,
        .recorded(NoiseModel.all),
    ]
}

extension MachineNoise: CustomStringConvertible {
    var description: String {
        switch self {
        case .normal(let spread): "normal \(fixed(spread * 100, 0)) %"
        case .heavy: "heavy tails"
        case .student: "Student's t, 2 degrees"
        case .phases(let length): "half-speed phases of \(fixed(length, 0))"
        case .autoregressive: "autoregressive level"
        case .skewed: "tails on one side"
        case .unequal: "one cell of threefold noise"
        case .recorded: "recorded"
        }
    }
}

/// A machine with its noise and its current state.
struct NoisyMachine {
    private let noise: MachineNoise
    private var generator: SeededGenerator
    private var isSlow: Bool
    private var level: Double

    init(_ noise: MachineNoise, seed: UInt64) {
        self.noise = noise
        generator = SeededGenerator(seed: seed)
        isSlow = Double.random(in: 0..<1, using: &generator) < 0.25
        level = 0.1 * generator.normal()
    }

    /// The noise of the next sample of a cell of a contest, as ln of a factor.
    mutating func sample(of cell: Int, in contest: Int) -> Double {
        switch noise {
        case .normal(let spread): return spread * generator.normal()
        case .heavy:
            let isTail = Double.random(in: 0..<1, using: &generator) < 0.16
            return isTail ? 0.15 * generator.laplacian() : 0.035 * generator.normal()
        case .student:
            // χ² with 2 degrees of freedom is exponential with mean 2.
            let uniform = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &generator)
            return 0.035 * generator.normal() / (-log(uniform)).squareRoot()
        case .phases(let length):
            let chance = isSlow ? 1 / length : 1 / (3 * length)
            if Double.random(in: 0..<1, using: &generator) < chance { isSlow.toggle() }
            return (isSlow ? log(2) : 0) + 0.05 * generator.normal()
        case .autoregressive:
            level = 0.9 * level + 0.1 * (1 - 0.9 * 0.9).squareRoot() * generator.normal()
            return level + 0.035 * generator.normal()
        case .skewed:
            let isTail =
                !cell.isMultiple(of: 2) && Double.random(in: 0..<1, using: &generator) < 0.15
            return 0.05 * generator.normal() + (isTail ? 0.1 * abs(generator.laplacian()) : 0)
        case .unequal:
            return 0.05 * (cell == 1 ? 3 : 1) * generator.normal()
        case .recorded(let models):
            // The models are for pairs; each side has half of the variance.
            return models[contest % models.count].draw(using: &generator) / 2.0.squareRoot()
        }
    }
}
