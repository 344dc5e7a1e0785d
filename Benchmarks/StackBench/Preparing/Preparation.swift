import Foundation
import RunRecords

/// Provides what workers need to start: a part of the data set and copies of prepared stores. Each
/// is made at the first use and shared by all cells; each worker gets a fresh copy.
final class Preparation {
    /// The time after which a silent worker is killed.
    let timeout: Duration
    /// Describes the largest part that was read; nil before the first.
    private(set) var dataset: DatasetDescription?
    private var largestFlightCount = -1
    private let folder: URL
    private let own: SurveyedStore?
    private let stores: PreparedStores
    private var selections: [Int?: DatasetSelection] = [:]
    private var folderCount = 0

    /// - Parameter folder: the folder for stores, created here and removed by ``remove()``. Remains
    ///   of an earlier process are removed.
    /// - Parameter timeout: the time after which a silent worker is killed.
    /// - Parameter own: the user's store; nil if the workloads make their own.
    init(folder: URL, timeout: Duration, own: SurveyedStore? = nil) throws {
        self.folder = folder
        self.timeout = timeout
        self.own = own
        dataset = own?.dataset
        stores = PreparedStores(
            folder: folder.appendingPathComponent("prepared"), timeout: timeout)
        remove()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Removes all stores.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The data of a workload; nil if it makes its own rows.
    ///
    /// - Throws: if the data set is damaged.
    func selection(for workload: Workload) throws -> DatasetSelection? {
        guard workload.kind.usesDataset else { return nil }
        if let selection = selections[workload.flightCount] { return selection }
        if selections.isEmpty, workload.flightCount != nil, DatasetSelection.isPublished {
            // Checks the whole data set once here, so that no worker has to.
            _ = try DatasetSelection.load(flightCount: nil)
        }
        let read = try DatasetSelection.load(flightCount: workload.flightCount)
        let selection = DatasetSelection(flightCount: workload.flightCount, facts: read.facts)
        selections[workload.flightCount] = selection
        if read.flights.count > largestFlightCount {
            largestFlightCount = read.flights.count
            dataset = DatasetDescription(read)
        }
        return selection
    }

    /// The data of all workloads; nil if none needs any.
    ///
    /// - Throws: if the data set is damaged.
    func dataset(of workloads: [Workload]) throws -> DatasetDescription? {
        for workload in workloads { _ = try selection(for: workload) }
        return dataset
    }

    /// Calls `body` with the job of one worker, whose folder exists during the call.
    ///
    /// The program of the worker also prepares the store, so that a change of the file format makes
    /// no difference between two arms.
    ///
    /// - Throws: ``WorkerFailure`` if the store cannot be prepared, ``Interrupted``, and the errors
    ///   of `body`.
    func withJob<Value>(
        for arm: PairedArm, seed: UInt64, _ body: (inout WorkerJob) throws -> Value
    ) throws -> Value {
        let (workload, cell) = (arm.workload, arm.cell)
        folderCount += 1
        var job = WorkerJob(
            kind: workload.kind.name, parameters: cell.parameters, subject: cell.subject.name,
            lockPolicy: cell.lockPolicy, synchronous: workload.synchronous, seed: seed,
            folder: folder.appendingPathComponent("worker-\(folderCount)"),
            dataset: try selection(for: workload), load: workload.load)
        if let own {
            job.ownStore = own.copy
            (job.preparedStore, job.storeFacts) = (own.copy.url, own.facts)
        } else {
            let store = try stores.store(for: job, of: workload.kind, executable: arm.executable)
            (job.preparedStore, job.storeFacts) = (store?.url, store?.facts)
        }
        job.injections = arm.injections
        try FileManager.default.createDirectory(
            at: job.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: job.folder) }
        return try body(&job)
    }
}
