import Benchmarking

/// The capacity of the reference, of which open phases take their share: so every subject is offered
/// the same load, and a slow one does not get an easy one. Found once for each set of parameters.
///
/// It is the median of several readings: all that is offered hangs on it, and a single one may be off by
/// half. Each is a process that goes through the closed phases, so that three of them with phases of 2.5 s
/// take some ten seconds.
final class ReferenceCapacity {
    private struct Key: Hashable {
        var workload: String
        var cell: String
    }

    private static let readingCount = 3

    private let preparation: Preparation
    private let seed: UInt64
    /// Nil where the reference told no rate to take shares of.
    private var findings: [Key: Result<LoadPlan.Capacity?, WorkerFailure>] = [:]

    /// - Parameter earlier: what an earlier process has found, so that the same is offered from then on.
    init(_ preparation: Preparation, seed: UInt64, earlier: [LoadCapacity]) {
        self.preparation = preparation
        self.seed = seed
        for found in earlier {
            guard let capacity = LoadPlan.Capacity(found) else { continue }
            findings[Key(workload: found.workload, cell: found.cell)] = .success(capacity)
        }
    }

    /// Nil where no share is taken, or there is no reference: the subject's own counts then.
    ///
    /// - Parameter ofOwn: whether the subject's own is measured where there is no reference.
    /// - Parameter keep: is told what was measured now, and does not have to be again.
    /// - Throws: ``WorkerFailure`` when there is none: the cell fails with it, since any other load would not be the same.
    ///   ``Interrupted``; and when no process can be started or the disk cannot be written.
    func find(
        for cell: Cell, of workload: Workload, ofOwn: Bool = false,
        keep: (LoadCapacity) throws -> Void
    ) throws -> LoadPlan.Capacity? {
        guard let load = workload.load, !load.sharesTaken.isEmpty else { return nil }
        var measured = cell
        if let name = workload.reference {
            let reference = workload.cells.first {
                $0.subject.name == name && $0.parameters == cell.parameters
            }
            guard let reference else {
                throw WorkerFailure(
                    reason:
                        "no load can be offered: the reference \(name) has no cell with its parameters"
                )
            }
            measured = reference
        } else if !ofOwn {
            return nil
        }
        let key = Key(
            workload: workload.name, cell: CellResult(measured, of: workload).identifier)
        if let known = findings[key] { return try known.get() }
        let finding = try Result.ofWorker { try measure(measured, key, of: workload, load, keep) }
            .mapError {
                let verb = $0.isWrongAnswer ? "gave a wrong answer" : "failed"
                return WorkerFailure(
                    reason: "no load can be offered: \(key.cell), of which it is a share, "
                        + "\(verb): \($0.reason)")
            }
        findings[key] = finding
        return try finding.get()
    }

    private func measure(
        _ cell: Cell, _ key: Key, of workload: Workload, _ load: LoadPlan,
        _ keep: (LoadCapacity) throws -> Void
    ) throws -> LoadPlan.Capacity? {
        var found = LoadCapacity(
            workload: key.workload, cell: key.cell, shares: load.sharesTaken)
        for number in 0..<Self.readingCount {
            let seed = seed &+ UInt64(number)
            let outcome = try preparation.withJob(for: cell, of: workload, seed: seed) { job in
                var job = job
                job.load = load.forCapacity
                return try WorkerProcess.run(job, timeout: preparation.timeout)
            }
            guard let reading = LoadPlan.Capacity(try outcome.verifiedSample) else {
                throw WorkerFailure(reason: "it told no capacity")
            }
            found.writesPerSecond.append(reading.writesPerSecond)
            found.readsPerSecond.append(reading.readsPerSecond)
        }
        try keep(found)
        return LoadPlan.Capacity(found)
    }
}

extension LoadPlan {
    /// What open phases take of the capacity, in their order.
    fileprivate var sharesTaken: [Double] {
        phases.compactMap { phase in
            if case .open(.shareOfCapacity(let share), _) = phase.mode { share } else { nil }
        }
    }

    /// The closed phases alone, of which there is one before each open one that takes a share.
    fileprivate var forCapacity: LoadPlan {
        var plan = self
        plan.phases = phases.filter { $0.mode == .closed }
        plan.phases[plan.phases.count - 1].isRecorded = true
        return plan
    }
}
