import Benchmarking
import Foundation

/// Two programs held against each other over the same cells: first what they do is counted, then
/// the time it takes is measured in pairs.
final class Gate {
    /// What is compared, and how far the gate goes.
    struct Plan: Sendable {
        var workloads: [Workload]
        /// The programs whose workers do the work.
        var base = Executable.url
        var head = Executable.url
        /// What each arm does in excess, for the self test.
        var baseInjections: [Injection] = []
        var headInjections: [Injection] = []
        var rule = PairedRule()
        var takesCounts = true
        /// Beside the other counts.
        var countsInstructions = false
        var takesPairs = true
        var seed: UInt64
        /// Of every turn; nil for what suits a gate.
        var turnSeconds: Double?
        /// After so long no pairs are added to rows that cannot be judged.
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

    /// - Parameter journal: what it knows is not measured again, and it is told of the rest.
    /// - Parameter note: is told of progress, a line each.
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
        places = plan.workloads.filter { !$0.kind.isGrowth }.flatMap { workload in
            workload.cells.map { cell in
                Place(
                    workload: workload, cell: cell,
                    identifier: CellResult(cell, of: workload).identifier)
            }
        }
    }

    /// Measures and judges; nothing of a cell that failed is judged.
    ///
    /// - Throws: when no process can be started or the disk cannot be written.
    func execute() throws -> PairedGate.Findings {
        let started = ContinuousClock.now
        var findings = PairedGate.Findings()
        do {
            if plan.takesCounts { try count(into: &findings) }
        } catch is Interrupted {
            findings.isInterrupted = true
        }
        guard plan.takesPairs, !findings.isInterrupted else { return findings }
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
        return findings
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

    /// Times from turns, and what else the rules ask for from a run of each arm after the other.
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

    /// Both arms under the same load.
    private func inSuccession(
        _ run: PairedRun, of place: Place, block: Int
    ) throws -> PairOfSamples {
        // This program measures it, and it is the head.
        let capacity = try ArmFailure.naming(isHead: true) {
            try capacities.find(
                for: place.cell, of: place.workload, ofOwn: true, keep: journal.keep)
        }
        return try run.inSuccession(block: block, capacity: capacity)
    }

    // MARK: Counts

    /// Work of several threads is left out: its counts depend on how they were scheduled.
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
                        "instructions not counted, since the work cannot be repeated in one store "
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
    /// The pair of each metric that the rounds measured, by the metric's name.
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
    /// The pair of each metric that both samples have. Latencies from the intended time are left out
    /// where a load was saturated: they tell how long it lasted.
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
    /// Whether it comes from turns that both arms take.
    fileprivate var isOfTurns: Bool { [.time, .cpuTime].contains(self) }
}
