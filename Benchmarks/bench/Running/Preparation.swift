import Benchmarking
import Foundation

/// What workers need before they can begin: the part of the data set that is worked on, and the stores
/// of which they get copies. Each is made once, when first needed, and shared by all cells; every worker gets a
/// fresh copy.
final class Preparation {
    /// After this a worker is taken for hung.
    let timeout: Duration
    /// Describes the largest part that was read; nil before any was.
    private(set) var dataset: DatasetDescription?
    private var largestFlightCount = -1
    private let folder: URL
    private let stores: PreparedStores
    private var selections: [Int?: DatasetSelection] = [:]
    private var folderCount = 0

    /// - Parameter folder: where stores lie; made here and removed by ``remove()``. What an earlier
    ///   process left there is removed.
    /// - Parameter timeout: after it a worker is taken for hung.
    init(folder: URL, timeout: Duration) throws {
        self.folder = folder
        self.timeout = timeout
        stores = PreparedStores(
            folder: folder.appendingPathComponent("prepared"), timeout: timeout)
        remove()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Removes all stores.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The data that a workload works on; nil where it makes its own.
    ///
    /// - Throws: when the data set is damaged.
    func selection(for workload: Workload) throws -> DatasetSelection? {
        guard workload.kind.usesDataset else { return nil }
        if let selection = selections[workload.flightCount] { return selection }
        if selections.isEmpty, workload.flightCount != nil, DatasetSelection.isPublished {
            // Once, so that no worker has to: a damaged data set is found out here.
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

    /// The data of all of them; nil where none needs any.
    ///
    /// - Throws: when the data set is damaged.
    func dataset(of workloads: [Workload]) throws -> DatasetDescription? {
        for workload in workloads { _ = try selection(for: workload) }
        return dataset
    }

    /// Calls `body` with the job of one worker, whose folder exists while it runs.
    ///
    /// - Parameter executable: who prepares the store where one is needed: the worker's own
    ///   program, so that a change of the format is no difference between two arms.
    /// - Throws: ``WorkerFailure`` when the store cannot be prepared, ``Interrupted``, and what `body` throws.
    func withJob<Value>(
        for cell: Cell, of workload: Workload, seed: UInt64, executable: URL = Executable.url,
        _ body: (WorkerJob) throws -> Value
    ) throws -> Value {
        folderCount += 1
        var job = WorkerJob(
            kind: workload.kind.name, parameters: cell.parameters, subject: cell.subject.name,
            lockPolicy: cell.lockPolicy, synchronous: workload.synchronous, seed: seed,
            folder: folder.appendingPathComponent("worker-\(folderCount)"),
            dataset: try selection(for: workload), load: workload.load)
        let store = try stores.store(for: job, of: workload.kind, executable: executable)
        (job.preparedStore, job.storeFacts) = (store?.url, store?.facts)
        try FileManager.default.createDirectory(
            at: job.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: job.folder) }
        return try body(job)
    }
}
