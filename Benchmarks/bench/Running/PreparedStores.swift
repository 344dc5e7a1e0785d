import Benchmarking
import Foundation

/// The stores of which samples begin with copies. Each is made once per run, by a worker of its own, and copied for each
/// sample: making it is not measured, and no sample sees what another one changed.
final class PreparedStores {
    struct Store {
        var url: URL
        /// What whoever made it told of it.
        var facts: [String: Int64]
    }

    private struct Key: Hashable {
        var executable: URL
        var store: String
    }

    private let folder: URL
    private let timeout: Duration
    /// A store that could not be made fails every sample that needs it.
    private var stores: [Key: Result<Store, WorkerFailure>] = [:]

    init(folder: URL, timeout: Duration) {
        self.folder = folder
        self.timeout = timeout
    }

    /// The store that the job is to copy, made when it is first asked for; nil where the sample begins with nothing.
    ///
    /// - Throws: ``WorkerFailure`` when it cannot be made, ``Interrupted``, and what ``WorkerProcess/run`` throws else.
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
    /// The job that makes the store which a sample copies, and what tells it apart from others. Flights are imported by each
    /// subject itself, as it would; other stores are the same for all.
    fileprivate func storeJob(for job: WorkerJob) -> (name: String, job: WorkerJob)? {
        var making = job
        if startsWithFlights {
            // Questions about unsaved objects begin with none.
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
