import Benchmarking
import Foundation

/// The stores of which samples begin with copies. Each is made once per run, by a worker of its own, and copied for each
/// sample: making it is not measured, and no sample sees what another one changed.
final class PreparedStores {
    enum Result {
        case store(URL, facts: [String: Int64])
        /// Preparing failed, and so does every sample that needs the store.
        case ending(WorkerProcess.Ending)
    }

    private struct Key: Hashable {
        var executable: URL
        var store: String
    }

    private let folder: URL
    private let timeout: Duration
    private var results: [Key: Result] = [:]

    init(folder: URL, timeout: Duration) {
        self.folder = folder
        self.timeout = timeout
    }

    /// The store that the job is to copy, made when it is first asked for; nil where the sample begins with nothing.
    func store(for job: WorkerJob, of kind: WorkloadKind, executable: URL) throws -> Result? {
        guard let making = kind.storeJob(for: job) else { return nil }
        let key = Key(executable: executable, store: making.name)
        if let result = results[key] { return result }
        var job = making.job
        job.folder = folder.appendingPathComponent(String(results.count))
        try FileManager.default.createDirectory(at: job.folder, withIntermediateDirectories: true)
        let launch = WorkerProcess.Launch(executable: executable)
        let result = result(of: try WorkerProcess.run(job, launch, timeout: timeout), job)
        results[key] = result
        return result
    }

    private func result(of ending: WorkerProcess.Ending, _ job: WorkerJob) -> Result {
        switch ending {
        case .interrupted: return .ending(ending)
        case .failure(let reason):
            return .ending(.failure("preparing the store failed: \(reason)"))
        case .outcome(let outcome):
            if case .failed(let reason) = outcome.verification {
                var wrong = outcome
                wrong.verification = .failed(reason: "preparing the store: \(reason)")
                return .ending(.outcome(wrong))
            }
            return .store(WorkerContext(job: job).storeURL, facts: outcome.storeFacts ?? [:])
        }
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
