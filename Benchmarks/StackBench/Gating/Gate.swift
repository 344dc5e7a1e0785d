import Foundation
import Measuring
import Reports
import RunRecords

/// Compares two programs on the same cells: first their counts, then their times in pairs.
final class Gate {
    /// What is compared, and how long.
    struct Plan: Sendable {
        var workloads: [Workload]
        /// The programs that do the work.
        var base = Executable.url
        var head = Executable.url
        /// Extra work of each arm, for the self test.
        var baseInjections: [Injection] = []
        var headInjections: [Injection] = []
        var rule = PairedRule()
        var takesCounts = true
        /// In addition to the other counts.
        var countsInstructions = false
        var takesPairs = true
        var seed: UInt64
        /// The time of a turn; nil for the default of ``PairedSettings``.
        var turnSeconds: Double?
        /// The time after which undecided rows get no more pairs.
        var budget = Duration.seconds(600)
    }

    fileprivate struct Place {
        var workload: Workload
        var cell: Cell
        var identifier: String
    }

    private let plan: Plan
    private let preparation: Preparation
    private let journal: GateJournal
    private let noise = NoiseProbe(folder: FileManager.default.temporaryDirectory)
    private let capacities: ReferenceCapacity
    private let places: [Place]
    private let note: (String) -> Void
    private var lastBlock = -1

    /// - Parameter journal: provides what was measured before and stores what is measured now.
    /// - Parameter note: called with a line of progress.
    init(
        _ plan: Plan, preparation: Preparation, journal: GateJournal = GateJournal(),
        note: @escaping (String) -> Void
    ) {
        self.plan = plan
        self.preparation = preparation
        self.journal = journal
        capacities = ReferenceCapacity(
            preparation, seed: plan.seed, earlier: journal.capacities)
        self.note = note
        places = plan.workloads.filter { $0.kind.work != .growth }.flatMap { workload in
            workload.cells.map { cell in
                Place(
                    workload: workload, cell: cell,
                    identifier: workload.identifier(of: cell))
            }
        }
    }

    /// Measures and judges all cells. A cell that failed has no rows.
    ///
    /// - Throws: the errors of starting a process or writing to the disk.
    func execute() throws -> PairedGate.Findings {
        let started = ContinuousClock.now
        var findings = PairedGate.Findings()
        do {
            if plan.takesCounts { try count(into: &findings) }
        } catch is Interrupted {
            findings.isInterrupted = true
        }
        if plan.takesPairs, !findings.isInterrupted {
            try takePairs(since: started, into: &findings)
        }
        do {
            if !findings.isInterrupted { try explain(&findings) }
        } catch is Interrupted {
            findings.isInterrupted = true
        }
        return findings
    }

    private func takePairs(
        since started: ContinuousClock.Instant, into findings: inout PairedGate.Findings
    ) throws {
        let sound = places.filter { place in
            !findings.unsoundCells.contains {
                $0.workload == place.workload.name && $0.cell == place.identifier
            }
        }
        var gate = PairedGate(
            sound.map { place in
                PairedCell(
                    workload: place.workload.name, cell: place.identifier,
                    rules: place.workload.pairedRules(of: place.identifier, standard: plan.rule))
            },
            seed: plan.seed
        ) { [self] index, block in
            try pair(of: sound[index], block: block)
        }
        let paired = try gate.run { ContinuousClock.now - started < plan.budget }
        findings.rows += paired.rows
        findings.unsoundCells += paired.unsoundCells
        findings.isInterrupted = paired.isInterrupted
    }

    /// Looks for what grew in cells with a regressed row.
    private func explain(_ findings: inout PairedGate.Findings) throws {
        for place in places {
            let regressed = findings.rows.indices.filter {
                let row = findings.rows[$0]
                return row.verdict == .regressed && row.workload == place.workload.name
                    && row.cell == place.identifier
            }
            guard !regressed.isEmpty else { continue }
            note("looking for the cause: \(place.workload.name) \(place.identifier)")
            let search = RegressionSearch(
                base: arm(place, isHead: false), head: arm(place, isHead: true),
                seed: CountingPass.seed, preparation: preparation)
            let phrases = try search.phrases(countsInstructions: plan.countsInstructions)
            guard !phrases.isEmpty else { continue }
            for row in regressed {
                findings.rows[row].reason = "grew most in \(phrases.joined(separator: "; "))"
            }
        }
    }

    private func arm(_ place: Place, isHead: Bool) -> PairedArm {
        PairedArm(
            executable: isHead ? plan.head : plan.base, workload: place.workload, cell: place.cell,
            injections: isHead ? plan.headInjections : plan.baseInjections)
    }

    // MARK: Pairs

    private func pair(of place: Place, block: Int) throws -> PairedGate.Outcome {
        if block != lastBlock { note("block \(block + 1)") }
        lastBlock = block
        return try journal.pair(
            place.workload.name, place.identifier, block: block, noise: noise
        ) {
            try measure(place, block: block)
        }
    }

    /// Measures times in turns, and the other metrics by running one arm after the other.
    private func measure(_ place: Place, block: Int) throws -> PairedGate.Outcome {
        var settings = PairedSettings(for: place.workload)
        if let turnSeconds = plan.turnSeconds { settings.turnSeconds = turnSeconds }
        let run = PairedRun(
            base: arm(place, isHead: false), head: arm(place, isHead: true), settings: settings,
            seed: plan.seed, preparation: preparation)
        let metrics = place.workload.pairedRules(of: place.identifier, standard: plan.rule)
            .map(\.metric)
        let centre: PairedSamples.Centre =
            place.workload.kind.isContended ? .trimmedMean : .median
        var pairs: [String: PairedSamples.Pair] = [:]
        do {
            if metrics.contains(where: \.isOfTurns) {
                pairs = try run.pair(block: block).pairs(centre: centre)
            }
            if !metrics.allSatisfy(\.isOfTurns) {
                let samples = try inSuccession(run, of: place, block: block)
                pairs.merge(samples.pairs(of: metrics, block: block)) { turns, _ in turns }
            }
        } catch let error as ArmFailure {
            return .unsound(place.unsound(error))
        }
        return .measured(pairs)
    }

    /// Runs both arms under the same load.
    private func inSuccession(
        _ run: PairedRun, of place: Place, block: Int
    ) throws -> PairOfSamples {
        // The head is this program, so its capacity is measured.
        let capacity = try ArmFailure.naming(isHead: true) {
            try capacities.find(
                for: place.cell, of: place.workload, ofOwn: true, keep: journal.keep)
        }
        return try run.inSuccession(block: block, capacity: capacity)
    }

    // MARK: Counts

    /// Skips contended work, whose counts depend on scheduling.
    private func count(into findings: inout PairedGate.Findings) throws {
        for place in places where !place.workload.kind.isContended {
            note("counting \(place.workload.name) \(place.identifier)")
            switch (try counts(of: place, isHead: false), try counts(of: place, isHead: true)) {
            case (.failure(let failure), _):
                findings.unsoundCells.append(
                    place.unsound(ArmFailure(isHead: false, failure: failure)))
            case (_, .failure(let failure)):
                findings.unsoundCells.append(
                    place.unsound(ArmFailure(isHead: true, failure: failure)))
            case (.samples(let base), .samples(let head)):
                if plan.countsInstructions, (base + head).allSatisfy({ $0[.instructions] == nil }) {
                    note(
                        "instructions not counted: the work cannot be repeated in one store, "
                            + "or its workers failed under valgrind")
                }
                findings.rows += Comparison.exactRows(
                    workload: place.workload.name, cell: place.identifier, base: base, head: head)
            }
        }
    }
}

extension Gate {
    private func counts(of place: Place, isHead: Bool) throws -> CellCounts {
        try journal.counts(place.workload.name, place.identifier, isHead: isHead) {
            try CellCounts.take(
                arm(place, isHead: isHead), seed: plan.seed, preparation,
                countsInstructions: plan.countsInstructions)
        }
    }
}

extension Gate.Place {
    fileprivate func unsound(_ error: ArmFailure) -> UnsoundCell {
        let arm = error.isHead ? "the head" : "the base"
        return UnsoundCell(
            error.failure.during(arm), workload: workload.name, cell: identifier)
    }
}

extension PairRounds {
    /// The pairs of the metrics that rounds measure, by metric name.
    func pairs(centre: PairedSamples.Centre) -> [String: PairedSamples.Pair] {
        func pair(
            _ base: (Round) -> Double, _ head: (Round) -> Double
        ) -> PairedSamples.Pair? {
            PairedSamples.Pair(
                block: block, isHeadFirst: isHeadFirst, baseRounds: rounds.map(base),
                headRounds: rounds.map(head), centre: centre)
        }
        var pairs: [String: PairedSamples.Pair] = [:]
        pairs[Metric.time.name] = pair(\.baseSeconds, \.headSeconds)
        pairs[Metric.cpuTime.name] = pair(\.baseCPUSeconds, \.headCPUSeconds)
        return pairs
    }
}

extension PairOfSamples {
    /// The pairs of the metrics that both samples have. In a saturated load, latencies from the
    /// intended time depend only on its length, so they are left out.
    func pairs(of metrics: [Metric], block: Int) -> [String: PairedSamples.Pair] {
        let isSaturated = [base, head].contains { $0[.saturated] == 1 }
        return metrics.reduce(into: [:]) { pairs, metric in
            if isSaturated, metric.isIntended { return }
            guard let base = base.value(of: metric.name), let head = head.value(of: metric.name)
            else { return }
            pairs[metric.name] = PairedSamples.Pair(
                block: block, isHeadFirst: isHeadFirst, baseRounds: [base], headRounds: [head],
                centre: .median)
        }
    }
}

extension Metric {
    /// Whether the metric is measured in turns.
    fileprivate var isOfTurns: Bool { [.time, .cpuTime].contains(self) }
}
