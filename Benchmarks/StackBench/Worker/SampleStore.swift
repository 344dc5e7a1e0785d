import Foundation

/// A store that a worker makes once per run and that each sample copies, so that making it is not
/// part of a sample. Equal descriptions share one store.
protocol SampleStore: Sendable {
    /// Makes the store at ``WorkerContext/storeURL``, where no file exists yet, and closes it.
    ///
    /// - Returns: facts about the rows, so that samples need not make the rows again.
    func make(in context: WorkerContext) throws -> [String: Int64]
}

extension WorkerContext {
    /// Replaces the store with a fresh copy of the prepared one. If the job has no prepared store,
    /// this makes one.
    ///
    /// - Parameter isWritten: whether the subject writes to it.
    /// - Returns: the facts from ``SampleStore/make(in:)``.
    @discardableResult
    func placeStore(isWritten: Bool) throws -> [String: Int64] {
        removeStore()
        guard let preparedStore = job.preparedStore else {
            return try store?.make(in: self) ?? [:]
        }
        try FileManager.default.copyItem(at: preparedStore, to: storeURL)
        // Links suffice for values in files of their own, since such a file is never changed.
        if FileManager.default.fileExists(atPath: preparedStore.supportFolder.path) {
            try FileManager.default.linkItem(
                at: preparedStore.supportFolder, to: storeURL.supportFolder)
        }
        if isWritten {
            // Otherwise the first sync that is measured would also write the copy.
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
        try? FileManager.default.removeItem(at: storeURL.supportFolder)
    }
}
