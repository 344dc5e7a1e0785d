import Foundation
import Measuring
import Reports
import RunRecords
import Testing

@testable import StatisticsCampaign

@Suite struct `The order of a gate's work (measuring §7)` {
    private static let rule = PairedRule(pairCount: 20)

    private static func cells(_ count: Int) -> [PairedCell] {
        (0..<count).map { index in
            PairedCell(
                workload: "w", cell: "c\(index)", rules: [.init(.time, rule)])
        }
    }

    /// A pair with almost no noise.
    private static func pair(block: Int, logRatio: Double) -> PairedGate.Outcome {
        let wobble = 0.001 * Double(block % 5 - 2)
        return .measured([
            "time": PairedSamples.Pair(
                block: block, isHeadFirst: false, base: 1, head: exp(logRatio + wobble),
                logRatio: logRatio + wobble)
        ])
    }

    @Test func `a block is one pair of every cell, in an order of its own`() throws {
        var taken: [(cell: Int, block: Int)] = []
        var gate = PairedGate(Self.cells(4), seed: 3) { cell, block in
            taken.append((cell, block))
            return Self.pair(block: block, logRatio: 0)
        }

        let findings = try gate.run { true }

        #expect(findings.rows.map(\.verdict) == [.ok, .ok, .ok, .ok])
        #expect(taken.map(\.block) == (0..<20).flatMap { Array(repeating: $0, count: 4) })
        let orders = (0..<20).map { block in taken.filter { $0.block == block }.map(\.cell) }
        #expect(orders.allSatisfy { $0.sorted() == [0, 1, 2, 3] })
        #expect(Set(orders).count > 5)
    }

    @Test func `only cells with a change are confirmed, after all others, in fresh blocks`() throws
    {
        var taken: [(cell: Int, block: Int)] = []
        var gate = PairedGate(Self.cells(3), seed: 3) { cell, block in
            taken.append((cell, block))
            return Self.pair(block: block, logRatio: cell == 1 ? 0.08 : 0)
        }

        let findings = try gate.run { true }

        #expect(findings.rows.map(\.verdict) == [.ok, .regressed, .ok])
        #expect(taken.count == 3 * 20 + 20)
        #expect(taken.suffix(20).allSatisfy { $0.cell == 1 })
        #expect(taken.suffix(20).map(\.block) == Array(20..<40))
        #expect(findings.rows[1].confirmation.map(\.block) == Array(20..<40))
    }

    @Test func `a row that cannot be judged gets pairs while there is time`() throws {
        var generator = SeededGenerator(seed: 5)
        let model = NoiseModel("wide", spread: 0.045)
        var gate = PairedGate(Self.cells(1), seed: 3) { _, block in
            let pairs = SimulatedArms(model).pairs(count: 1, from: block, using: &generator)
            return .measured(["time": pairs[0]])
        }

        let findings = try gate.run { true }

        let row = findings.rows[0]
        #expect(row.verdict == .ok)
        #expect(row.pairs.count > 20)
        #expect((row.pairs.count - 20).isMultiple(of: 10))
    }

    @Test func `later pairs do not make up for those that the first look lacks`() throws {
        var gate = PairedGate(Self.cells(1), seed: 3) { _, block in
            // The load is saturated in the first blocks; then a change shows.
            block < 20
                ? .measured([:]) : Self.pair(block: block, logRatio: 0.08)
        }

        let findings = try gate.run { true }

        #expect(findings.rows.map(\.verdict) == [.inconclusive])
        #expect(findings.rows[0].confirmation.isEmpty)
    }

    @Test func `without time a row that cannot be judged stays so`() throws {
        var gate = PairedGate(Self.cells(1), seed: 3) { _, block in
            Self.pair(block: block, logRatio: block.isMultiple(of: 2) ? 0.3 : -0.3)
        }

        let findings = try gate.run { false }

        #expect(findings.rows.map(\.verdict) == [.inconclusive])
        #expect(findings.rows[0].pairs.count == 20)
    }

    @Test func `noise that no number of pairs helps is given up`() throws {
        var count = 0
        var gate = PairedGate(Self.cells(1), seed: 3) { _, block in
            count += 1
            return Self.pair(block: block, logRatio: block.isMultiple(of: 2) ? 2 : -2)
        }

        _ = try gate.run { true }

        #expect(count == 100)
    }

    @Test func `a cell that fails is given up, and the others go on`() throws {
        let failure = UnsoundCell(
            workload: "w", cell: "c0", isWrongAnswer: false, reason: "the head: crashed")
        var countOfFailed = 0
        var gate = PairedGate(Self.cells(2), seed: 3) { cell, block in
            guard cell == 0 else { return Self.pair(block: block, logRatio: 0) }
            countOfFailed += 1
            return .unsound(failure)
        }

        let findings = try gate.run { true }

        #expect(countOfFailed == 1)
        #expect(findings.unsoundCells == [failure])
        #expect(findings.rows.map(\.cell) == ["c1"])
    }

    @Test func `an interruption ends the work and keeps what was done`() throws {
        var count = 0
        var gate = PairedGate(Self.cells(1), seed: 3) { _, block in
            count += 1
            if count > 5 { throw Interrupted() }
            return Self.pair(block: block, logRatio: 0)
        }

        let findings = try gate.run { true }

        #expect(findings.isInterrupted)
        #expect(count == 6)
        #expect(findings.rows[0].pairs.count == 5)
        #expect(findings.rows[0].verdict == .inconclusive)
    }
}
