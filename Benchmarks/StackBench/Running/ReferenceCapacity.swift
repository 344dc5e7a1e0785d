import Measuring
import RunRecords

/// The capacity of the reference, which open phases take shares of. So all subjects are offered the
/// same load, and a slow one does not get an easier one. Measured once for each set of parameters.
///
/// It is the median of several readings: a single one may be off by half, and the whole load
/// depends on it. Each reading is a process that runs the closed phases, so three readings with
/// phases of 2.5 s take about ten seconds.
final class ReferenceCapacity {
    private struct Key: Hashable {
        var workload: String
        var cell: String
    }

    private static let readingCount = 3

    private let preparation: Preparation
    private let seed: UInt64
    /// Nil if the reference reported no rate to take shares of.
    private var findings: [Key: Result<LoadPlan.Capacity?, WorkerFailure>] = [:]

    /// - Parameter earlier: the capacities that an earlier process measured, so that a resumed run
    ///   offers the same load.
    init(_ preparation: Preparation, seed: UInt64, earlier: [LoadCapacity]) {
        self.preparation = preparation
        self.seed = seed
        for found in earlier {
            guard let capacity = LoadPlan.Capacity(found) else { continue }
            findings[Key(workload: found.workload, cell: found.cell)] = .success(capacity)
        }
    }

    /// The capacity for a cell. Nil if the load takes no shares, or if there is no reference; then
    /// the subject's own capacity is used.
    ///
    /// - Parameter ofOwn: whether to measure the subject's own capacity if there is no reference.
    /// - Parameter keep: called with a new capacity, to store it.
    /// - Throws: ``WorkerFailure`` if the capacity cannot be measured: the cell fails, since any
    ///   other load would not be the same. ``Interrupted``, and the errors of starting a process or
    ///   writing to the disk.
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
        let key = Key(workload: workload.name, cell: workload.identifier(of: measured))
        if let known = findings[key] { return try known.get() }
        let finding = try Result.ofWorker { try measure(measured, key, of: workload, load, keep) }
            .mapError {
                let verb = $0.isWrongAnswer ? "gave a wrong answer" : "failed"
                return WorkerFailure(
                    reason: "no load can be offered as a share of the capacity of \(key.cell), "
                        + "which \(verb): \($0.reason)")
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
            let arm = PairedArm(workload: workload, cell: cell)
            let outcome = try preparation.withJob(for: arm, seed: seed) { job in
                job.load = load.forCapacity
                return try WorkerProcess.run(job, timeout: preparation.timeout)
            }
            guard let reading = LoadPlan.Capacity(try outcome.verifiedSample) else {
                throw WorkerFailure(reason: "the worker reported no capacity")
            }
            found.writesPerSecond.append(reading.writesPerSecond)
            found.readsPerSecond.append(reading.readsPerSecond)
        }
        try keep(found)
        return LoadPlan.Capacity(found)
    }
}

extension LoadPlan {
    /// The shares that open phases take of the capacity, in order.
    fileprivate var sharesTaken: [Double] {
        phases.compactMap { phase in
            if case .open(.shareOfCapacity(let share), _) = phase.mode { share } else { nil }
        }
    }

    /// The closed phases only; there is one before each open phase that takes a share.
    fileprivate var forCapacity: LoadPlan {
        var plan = self
        plan.phases = phases.filter { $0.mode == .closed }
        plan.phases[plan.phases.count - 1].isRecorded = true
        return plan
    }
}
