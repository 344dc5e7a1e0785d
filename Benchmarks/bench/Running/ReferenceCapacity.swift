import Benchmarking

/// The capacity of the reference, of which open phases take their share: so every subject is offered
/// the same load, and a slow one does not get an easy one. Measured once for each set of parameters.
final class ReferenceCapacity {
    private struct Key: Hashable {
        var workload: String
        var subject: String
        var parameters: [String: String]
    }

    private let preparation: Preparation
    private let seed: UInt64
    private var capacities: [Key: LoadPlan.Capacity] = [:]

    init(_ preparation: Preparation, seed: UInt64) {
        self.preparation = preparation
        self.seed = seed
    }

    /// Nil where no share is taken, or there is no reference that could tell:
    /// the subject's own capacity counts then.
    ///
    /// - Parameter ofOwn: whether the subject's own is measured where there is no reference.
    /// - Throws: when no process can be started or the disk cannot be written.
    func capacity(
        for cell: Cell, of workload: Workload, ofOwn: Bool = false
    ) throws -> LoadPlan.Capacity? {
        let reference = workload.cells.first {
            $0.subject.name == workload.reference && $0.parameters == cell.parameters
        }
        guard let plan = workload.load?.forCapacity,
            let reference = reference ?? (ofOwn ? cell : nil)
        else { return nil }
        let key = Key(
            workload: workload.name, subject: reference.subject.name, parameters: cell.parameters)
        if let capacity = capacities[key] { return capacity }
        let ending = try preparation.withJob(for: reference, of: workload, seed: seed) { result in
            guard case .job(var job) = result else { return result.ending }
            job.load = plan
            return try WorkerProcess.run(job, timeout: preparation.timeout)
        }
        guard case .outcome(let outcome) = ending else { return nil }
        capacities[key] = LoadPlan.Capacity(outcome.sample)
        return capacities[key]
    }
}

extension LoadPlan {
    /// The closed phases alone; nil if no open one takes a share of what they find.
    fileprivate var forCapacity: LoadPlan? {
        let takesShare = phases.contains {
            if case .open(.shareOfCapacity, _) = $0.mode { true } else { false }
        }
        guard takesShare else { return nil }
        var plan = self
        plan.phases = phases.filter { $0.mode == .closed }
        plan.phases[plan.phases.count - 1].isRecorded = true
        return plan
    }
}
