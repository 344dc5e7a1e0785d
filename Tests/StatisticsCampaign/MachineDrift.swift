import Foundation
import Measuring
import Reports
import RunRecords

/// How the machine's speed drifts while pairs are measured, for both arms alike.
///
/// Source: measuring §2 (levels correlate from block to block; a throttled disk has two states)
/// and §9, item 1.
enum MachineDrift: Hashable, Sendable, CaseIterable {
    case none
    /// Each pair is slower by 1 % of the first level.
    case linear
    /// An AR(1) process with ρ = .9 and a stationary standard deviation of 10 %.
    case autoregressive
    /// Thirty times slower for about 10 pairs at a time, like a throttled disk.
    case twoState

    /// ln of the machine's slowness at each of `count` pairs.
    func levels(count: Int, using generator: inout SeededGenerator) -> [Double] {
        switch self {
        case .none: return Array(repeating: 0, count: count)
        case .linear: return (0..<count).map { log(1 + 0.01 * Double($0)) }
        case .autoregressive:
            let innovation = 0.1 * (1 - 0.9 * 0.9).squareRoot()
            var level = 0.1 * generator.normal()
            return (0..<count).map { _ in
                defer { level = 0.9 * level + innovation * generator.normal() }
                return level
            }
        case .twoState:
            var isSlow = Bool.random(using: &generator)
            return (0..<count).map { _ in
                if Double.random(in: 0..<1, using: &generator) < 0.1 { isSlow.toggle() }
                return isSlow ? log(30) : 0
            }
        }
    }
}
