import Foundation
import Measuring
import Reports
import RunRecords

/// The noise of a pair of identical processes: ln(head / base) is normal, and now and then
/// Laplacian with far longer tails.
///
/// The shape was fitted to pairs measured on a virtual machine with two cores.
/// Source: measuring §2 and §9.
struct NoiseModel: Hashable, Sendable {
    var name: String
    /// The standard deviation of the normal part; .01 is 1 %.
    var spread: Double
    /// How often the Laplacian part is drawn (0…1), and its scale.
    var tailShare: Double
    var tailSpread: Double

    init(_ name: String, spread: Double, tailShare: Double = 0, tailSpread: Double = 0) {
        self.name = name
        self.spread = spread
        self.tailShare = tailShare
        self.tailSpread = tailSpread
    }

    /// One pair's ln(head / base) on identical code.
    func draw(using generator: inout SeededGenerator) -> Double {
        if Double.random(in: 0..<1, using: &generator) < tailShare {
            return tailSpread * generator.laplacian()
        }
        return spread * generator.normal()
    }
}

extension NoiseModel {
    /// Single-threaded work, both arms pinned to one core and taking turns.
    static let pinned = NoiseModel("pinned", spread: 0.006_5)
    /// SQLite's write-ahead log with `synchronous=NORMAL`, measured the same way.
    static let writeAheadLog = NoiseModel(
        "WAL", spread: 0.019, tailShare: 0.02, tailSpread: 0.06)
    /// Processes run one after the other; the 10th percentile of their batches.
    static let backToBack = NoiseModel(
        "back-to-back p10", spread: 0.010_6, tailShare: 0.16, tailSpread: 0.15)
    /// Threads with contention, 20 rounds.
    static let contended = NoiseModel(
        "contended, R = 20", spread: 0.055, tailShare: 0.15, tailSpread: 0.12)
    /// The CPU time of threads with contention.
    static let contendedCPU = NoiseModel(
        "contended CPU", spread: 0.035, tailShare: 0.05, tailSpread: 0.08)
    /// Commits that wait for a throttled disk.
    static let sync = NoiseModel(
        "fsync back-to-back", spread: 0.13, tailShare: 0.45, tailSpread: 0.90)

    static let all = [
        pinned, writeAheadLog, backToBack, contended, contendedCPU, sync,
    ]
}

extension SeededGenerator {
    /// A draw from the standard normal distribution, by the Box–Muller transformation.
    mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self)))
            .squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }

    /// A draw from the Laplace distribution of scale 1: an exponential draw with a random sign.
    mutating func laplacian() -> Double {
        let size = -log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self))
        return Bool.random(using: &self) ? size : -size
    }
}
