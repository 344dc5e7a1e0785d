import Foundation
import Measuring
import ObjectGraph
import Stacks
import Synchronization

/// Two readers of random rows beside a writer that saves one change at a time, for a fixed time:
/// the first reader in the view, the second in a background context.
enum StoreReadersWorkload {
    static let seconds = 0.3
    private static let readerCount = 2

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let session = try context.openOwnStore(isWritten: true)
        let path = session.path("attribute")
        let view = try session.stack.viewContext
        let (limit, seed) = (context.integer("rows"), context.job.seed)
        let rows = try view.performAndWait {
            var request = FetchRequest(entityName: path.entity)
            request.includesSubentities = false
            request.fetchLimit = limit
            return try view.fetchObjectIDs(request)
        }
        let attributes = session.storedAttributes(of: path.entity)
        let readers =
            try [view] + (1..<readerCount).map { _ in try session.stack.makeWorkerContext() }
        let writer = try session.stack.makeWorkerContext()
        let tally = Mutex((reads: 0, missing: 0, writes: 0))
        var sample = try context.measure(session.stack, rowCount: 0) {
            let end = ContinuousClock.now + .seconds(seconds)
            try atOnce(readerCount + 1) { index in
                var random = SeededGenerator(seed: seed &+ UInt64(index))
                while ContinuousClock.now < end, let id = rows.randomElement(using: &random) {
                    if index < readerCount {
                        let isThere = try readers[index].read(id, attributes)
                        tally.withLock {
                            $0.reads += 1
                            $0.missing += isThere ? 0 : 1
                        }
                    } else {
                        try writer.rewrite(path.property, of: id)
                        try session.stack.saveToDisk(writer)
                        tally.withLock { $0.writes += 1 }
                    }
                }
            }
        }
        let result = tally.withLock { $0 }
        sample.metrics = [:]
        sample[.readsPerSecond] = Double(result.reads) / seconds
        sample[.writesPerSecond] = Double(result.writes) / seconds
        let (store, tables) = try session.readBack()
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("rows missing", result.missing, equals: 0)
        verifier.checkAny("reads and writes", min(result.reads, result.writes))
        let table = tables.table(of: path.entity) ?? ""
        verifier.check(
            "rows",
            try store.integer(
                "SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(tables.number(of: path.entity) ?? 0)"
            ),
            equals: session.rowCount(of: path.entity))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    /// Runs `work` on so many threads and waits for all of them.
    ///
    /// - Throws: the first error.
    private static func atOnce(
        _ count: Int, _ work: @escaping @Sendable (Int) throws -> Void
    ) throws {
        let group = DispatchGroup()
        let failure = Mutex((any Error)?.none)
        for index in 0..<count {
            group.enter()
            Thread {
                do { try work(index) } catch { failure.withLock { $0 = $0 ?? error } }
                group.leave()
            }.start()
        }
        group.wait()
        try failure.withLock { if let error = $0 { throw error } }
    }
}

extension ManagedObjectContext {
    /// Reads all attributes of an object anew; false if its row is gone.
    fileprivate func read(_ id: ManagedObjectID, _ attributes: [String]) throws -> Bool {
        try performAndWait {
            let object = try existingObject(with: id)
            for name in attributes { _ = try object.value(forKey: name) }
            refresh(object, mergeChanges: true)
            return !object.isDeleted
        }
    }

    /// Changes an attribute of an object to another value of its type.
    fileprivate func rewrite(_ name: String, of id: ManagedObjectID) throws {
        try performAndWait {
            let object = try existingObject(with: id)
            switch try object.value(forKey: name) {
            case let date as Date: try object.setValue(date.addingTimeInterval(1), forKey: name)
            case let number as Double: try object.setValue(number + 1, forKey: name)
            case let number as any BinaryInteger:
                // Even and odd in turn, so that no type is left.
                try object.setValue(Int64(number) ^ 1, forKey: name)
            default: try object.setValue(1, forKey: name)
            }
        }
    }
}

extension WorkloadKind {
    static let storeReaders = WorkloadKind(
        name: "store-readers", summary: "two readers of random rows beside a writer",
        subjects: [.stack], data: .none, work: .contended,
        parameters: [.shown("attribute"), .shown("rows")], primaryMetric: .readsPerSecond,
        extraMetrics: [.writesPerSecond], run: StoreReadersWorkload.run)
}
