import Foundation
import Measuring

/// The counts and a ratio of 60 commits, with the noise that such figures have, and with a step of 3 %
/// in one count or without one.
struct SimulatedHistory: Sendable {
    static let commitCount = 60
    static let step = 0.03

    let rows: [Row]
    /// The row with the step, and the index of the first commit after it.
    let planted: (row: Int, index: Int)?

    struct Row: Sendable {
        let name: String
        /// The share by which values of the same program may differ.
        let tolerance: Double
        var values: [Double]
    }

    /// - Parameter stepRow: the row with a step; `nil` for none.
    init(stepRow: Int?, using generator: inout SeededGenerator) {
        let shortest = ChangePointRule.shortestStretch
        let index = Int.random(in: shortest...Self.commitCount - shortest, using: &generator)
        planted = stepRow.map { ($0, index) }
        rows = Self.kinds.enumerated().map { number, kind in
            var row = Row(
                name: kind.name, tolerance: kind.tolerance,
                values: (0..<Self.commitCount).map { _ in
                    kind.level * exp(kind.noise.draw(using: &generator))
                })
            if kind.isCount { row.values = row.values.map { $0.rounded() } }
            if number == stepRow {
                for place in index..<Self.commitCount {
                    row.values[place] = (row.values[place] * (1 + Self.step)).rounded()
                }
            }
            for place in kind.hasOffRuns ? Self.offRuns(awayFrom: index, using: &generator) : [] {
                let share = Double.random(in: 0.02...0.3, using: &generator)
                row.values[place] *= Bool.random(using: &generator) ? 1 + share : 1 - share
            }
            return row
        }
    }

    /// The rows of a history. A step is planted in the counts.
    private static let kinds: [Kind] = [
        Kind(name: "exact", level: 2_000, tolerance: 0),
        Kind(name: "exact, two runs off", level: 40_000, tolerance: 0, hasOffRuns: true),
        Kind(name: "nearly exact", level: 8_000, tolerance: 0.005, noise: .pools),
        Kind(
            name: "nearly exact, two runs off", level: 90_000, tolerance: 0.005, noise: .pools,
            hasOffRuns: true),
        Kind(name: "ratio to C", level: 1.7, tolerance: 0.05, noise: .ratios, isCount: false),
    ]
    static let countRows: [Int] = kinds.indices.filter { kinds[$0].isCount }

    private struct Kind {
        let name: String
        let level: Double
        let tolerance: Double
        var noise = NoiseModel("none", spread: 0)
        var hasOffRuns = false
        var isCount = true
    }

    /// Two places that neither touch each other nor the step: a run off the line beside a step would
    /// belong to either side.
    private static func offRuns(
        awayFrom step: Int, using generator: inout SeededGenerator
    ) -> [Int] {
        let free = (0..<commitCount).filter { abs($0 - step) > 2 && abs($0 + 1 - step) > 2 }
        guard let first = free.randomElement(using: &generator),
            let second = free.filter({ abs($0 - first) > 2 }).randomElement(using: &generator)
        else { return [] }
        return [first, second]
    }

    /// The changes that the rule finds, with the number of their row. The rows share an error of 5 %.
    var found: [(row: Int, point: ChangePoint)] {
        let varying = rows.count { row in row.values.contains { $0 != row.values[0] } }
        return rows.enumerated().flatMap { number, row in
            ChangePointRule(error: 0.05 / Double(max(varying, 1)), tolerance: row.tolerance)
                .changePoints(in: row.values).map { (number, $0) }
        }
    }

    /// Whether exactly the planted step was found, or nothing where nothing was planted.
    var isRight: Bool {
        guard let planted else { return found.isEmpty }
        return found.count == 1 && found[0].row == planted.row
            && found[0].point.index == planted.index
    }

    /// Histories from one seed; those with a step have it in one count after the other.
    static func all(_ count: Int, hasStep: Bool, seed: UInt64) -> [SimulatedHistory] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            SimulatedHistory(
                stepRow: hasStep ? countRows[number % countRows.count] : nil, using: &generator)
        }
    }
}

extension NoiseModel {
    /// Counts that differ by pools and addresses, well within 0.5 %.
    fileprivate static let pools = NoiseModel("pools", spread: 0.001)
    /// A median ratio of some rounds to C, on another day for each commit.
    fileprivate static let ratios = NoiseModel(
        "ratios", spread: 0.02, tailShare: 0.1, tailSpread: 0.05)
}

extension SimulatedHistory {
    /// 100 histories with a step and 100 without.
    static var hundreds: (stepped: [SimulatedHistory], steady: [SimulatedHistory]) {
        (all(100, hasStep: true, seed: 1), all(100, hasStep: false, seed: 2))
    }

    /// The ``hundreds``, a line for each row: what `scripts/compare-with-otava` gives to another program.
    static var lines: String {
        let histories = hundreds.stepped + hundreds.steady
        let head = "history,row,tolerance,planted,found,values"
        let lines = histories.enumerated().flatMap { number, history in
            history.rows.enumerated().map { place, row in
                let planted =
                    history.planted.flatMap { $0.row == place ? "\($0.index)" : nil } ?? ""
                let found = history.found.filter { $0.row == place }.map { "\($0.point.index)" }
                return [
                    "\(number)", row.name.replacing(",", with: ""), "\(row.tolerance)", planted,
                    found.joined(separator: " "), row.values.map { "\($0)" }.joined(separator: " "),
                ].joined(separator: ",")
            }
        }
        return ([head] + lines).joined(separator: "\n")
    }
}
