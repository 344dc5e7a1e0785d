import Benchmarking

/// The capacity of the reference, of which open phases take their share: so every subject is offered
/// the same load, and a slow one does not get an easy one. Found once for each set of parameters.
///
/// It is the median of several readings: all that is offered hangs on it, and a single one may be off by
/// half. Each is a process that goes through the closed phases, so that three of them with phases of 2.5 s
/// take some ten seconds.
final class ReferenceCapacity {
    enum Finding {
        /// Nil where no share is taken, or there is no reference: the subject's own counts then.
        case capacity(LoadPlan.Capacity?)
        /// Why there is none. The cell fails with it, since any other load would not be the same.
        case failure(String)
        /// The user asked to stop.
        case interrupted
    }

    private struct Key: Hashable {
        var workload: String
        var cell: String
    }

    private static let readingCount = 3

    private let preparation: Preparation
    private let seed: UInt64
    private var findings: [Key: Finding] = [:]

    /// - Parameter earlier: what an earlier process has found, so that the same is offered from then on.
    init(_ preparation: Preparation, seed: UInt64, earlier: [LoadCapacity]) {
        self.preparation = preparation
        self.seed = seed
        for found in earlier {
            guard let capacity = LoadPlan.Capacity(found) else { continue }
            findings[Key(workload: found.workload, cell: found.cell)] = .capacity(capacity)
        }
    }

    /// - Parameter ofOwn: whether the subject's own is measured where there is no reference.
    /// - Parameter keep: is told what was measured now, and does not have to be again.
    /// - Throws: when no process can be started or the disk cannot be written.
    func find(
        for cell: Cell, of workload: Workload, ofOwn: Bool = false,
        keep: (LoadCapacity) throws -> Void
    ) throws -> Finding {
        guard let load = workload.load, !load.sharesTaken.isEmpty else { return .capacity(nil) }
        var measured = cell
        if let name = workload.reference {
            let reference = workload.cells.first {
                $0.subject.name == name && $0.parameters == cell.parameters
            }
            guard let reference else {
                return .failure(
                    "no load can be offered: the reference \(name) has no cell with its parameters")
            }
            measured = reference
        } else if !ofOwn {
            return .capacity(nil)
        }
        let key = Key(
            workload: workload.name, cell: CellResult(measured, of: workload).identifier)
        if let known = findings[key] { return known }
        let finding = try measure(measured, key, of: workload, load, keep)
        findings[key] = finding
        return finding
    }

    private func measure(
        _ cell: Cell, _ key: Key, of workload: Workload, _ load: LoadPlan,
        _ keep: (LoadCapacity) throws -> Void
    ) throws -> Finding {
        func failure(_ reason: String) -> Finding {
            .failure("no load can be offered: \(key.cell), of which it is a share, \(reason)")
        }
        var found = LoadCapacity(
            workload: key.workload, cell: key.cell, shares: load.sharesTaken)
        for number in 0..<Self.readingCount {
            let seed = seed &+ UInt64(number)
            let ending = try preparation.withJob(for: cell, of: workload, seed: seed) { result in
                guard case .job(var job) = result else { return result.ending }
                job.load = load.forCapacity
                return try WorkerProcess.run(job, timeout: preparation.timeout)
            }
            switch ending {
            case .interrupted: return .interrupted
            case .failure(let reason): return failure("failed: \(reason)")
            case .outcome(let outcome):
                if case .failed(let reason) = outcome.verification {
                    return failure("gave a wrong answer: \(reason)")
                }
                guard let reading = LoadPlan.Capacity(outcome.sample) else {
                    return failure("told no capacity")
                }
                found.writesPerSecond.append(reading.writesPerSecond)
                found.readsPerSecond.append(reading.readsPerSecond)
            }
        }
        try keep(found)
        return .capacity(LoadPlan.Capacity(found))
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
