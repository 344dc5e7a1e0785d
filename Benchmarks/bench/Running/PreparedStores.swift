import Benchmarking
import Foundation

/// Stores that hold the imported flights, made by each subject once per run and copied for each
/// worker: preparing is not measured, and no sample sees what another one changed.
final class PreparedStores {
    enum Result {
        case store(URL)
        /// Preparing failed, and so does every sample that needs the store.
        case ending(WorkerProcess.Ending)
    }

    private struct Key: Hashable {
        var executable: URL
        var subject: String
        var indexes: FlightsModel.Indexes
        var flightCount: Int?
    }

    private let folder: URL
    private let timeout: Duration
    private var results: [Key: Result] = [:]

    init(folder: URL, timeout: Duration) {
        self.folder = folder
        self.timeout = timeout
    }

    /// The store that the job is to copy; the first call for a subject imports it.
    func store(for job: WorkerJob, executable: URL) throws -> Result {
        let indexes = job.indexes
        let key = Key(
            executable: executable, subject: job.subject, indexes: indexes,
            flightCount: job.dataset?.flightCount)
        if let result = results[key] { return result }
        var importJob = job
        importJob.kind = WorkloadKind.importing.name
        importJob.parameters = ["saveSize": "1000", "indexes": indexes.rawValue]
        importJob.folder = folder.appendingPathComponent(String(results.count))
        try FileManager.default.createDirectory(
            at: importJob.folder, withIntermediateDirectories: true)
        let launch = WorkerProcess.Launch(executable: executable)
        let ending = try WorkerProcess.run(importJob, launch, timeout: timeout)
        let result = result(of: ending, importJob)
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
            return .store(WorkerContext(job: job).storeURL)
        }
    }
}
