import Foundation
import Reports

/// The stores that samples copy. A separate worker makes each store once per run. So making it is
/// not measured, and no sample sees another one's changes.
final class PreparedStores {
    struct Store {
        var url: URL
        /// The facts from the worker that made it.
        var facts: [String: Int64]
    }

    private struct Key: Hashable {
        var executable: URL
        var store: String
    }

    private let folder: URL
    private let timeout: Duration
    /// A failure to make a store fails every sample that needs it.
    private var stores: [Key: Result<Store, WorkerFailure>] = [:]

    init(folder: URL, timeout: Duration) {
        self.folder = folder
        self.timeout = timeout
    }

    /// The store for the job to copy, made at the first use; nil if the sample starts with nothing.
    ///
    /// - Throws: ``WorkerFailure`` if it cannot be made, ``Interrupted``, and other errors of
    ///   ``WorkerProcess/run``.
    func store(for job: WorkerJob, of kind: WorkloadKind, executable: URL) throws -> Store? {
        guard let making = kind.storeJob(for: job) else { return nil }
        let key = Key(executable: executable, store: making.name)
        if let known = stores[key] { return try known.get() }
        var job = making.job
        job.folder = folder.appendingPathComponent(String(stores.count))
        try FileManager.default.createDirectory(at: job.folder, withIntermediateDirectories: true)
        let launch = WorkerProcess.Launch(executable: executable)
        let made = try Result.ofWorker {
            let outcome = try WorkerProcess.run(job, launch, timeout: timeout)
            _ = try outcome.verifiedSample
            return Store(url: WorkerContext(job: job).storeURL, facts: outcome.storeFacts ?? [:])
        }.mapError { $0.during("preparing the store") }
        stores[key] = made
        return try made.get()
    }
}

extension WorkloadKind {
    /// The job that makes the store for a sample, and a name that identifies the store. Each
    /// subject imports the flights itself; other stores are the same for all subjects.
    fileprivate func storeJob(for job: WorkerJob) -> (name: String, job: WorkerJob)? {
        var making = job
        if startsWithFlights {
            // Questions about unsaved objects start with an empty store.
            guard job.parameters["place"] != "memory" else { return nil }
            making.kind = WorkloadKind.importing.name
            making.parameters = ["saveSize": "1000", "indexes": job.indexes.rawValue]
            let count = job.dataset?.flightCount.map(String.init) ?? "all"
            return ("\(count) flights of \(job.subject), \(job.indexes)", making)
        }
        making.makesStore = true
        return store(WorkerContext(job: job)).map { ("\($0)", making) }
    }
}
