import Benchmarking
import Foundation

/// A store that is made once per run by a worker of its own and copied for each sample: making it is
/// no part of a sample. Stores with equal descriptions are the same.
protocol SampleStore: Sendable {
    /// Makes the store at ``WorkerContext/storeURL``, where there is none, and closes it.
    ///
    /// - Returns: what samples need to know of the rows, so that they need not make them again.
    func make(in context: WorkerContext) throws -> [String: Int64]
}

extension WorkloadKind {
    func makeStore(_ context: WorkerContext) throws -> WorkloadOutcome {
        WorkloadOutcome(
            sample: Sample(repetition: 0, positionInRound: 0, startedAtSeconds: 0),
            verification: .notApplicable, storeFacts: try store(context)?.make(in: context))
    }
}

extension WorkerContext {
    /// Puts a fresh copy of the prepared store in place of whatever is there. A worker that was given
    /// none makes one.
    ///
    /// - Parameter isWritten: whether the subject writes to it.
    /// - Returns: what whoever made it told of it.
    @discardableResult
    func placeStore(isWritten: Bool) throws -> [String: Int64] {
        removeStore()
        guard let preparedStore = job.preparedStore else {
            return try WorkloadKind.named(job.kind)?.store(self)?.make(in: self) ?? [:]
        }
        try FileManager.default.copyItem(at: preparedStore, to: storeURL)
        if isWritten {
            // Else the first sync that is measured writes the copy, too.
            let copy = try FileHandle(forUpdating: storeURL)
            try copy.synchronize()
            try copy.close()
        }
        return job.storeFacts ?? [:]
    }

    func removeStore() {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: storeURL.path + suffix)
        }
    }
}
