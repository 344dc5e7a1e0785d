import Measuring
import ObjectGraph
import Synchronization

/// A view reads fetched faults page by page, and before each page a worker deletes every other item
/// of it. Counts the faults that find no row, and the reads of rows that are gone.
///
/// One thread does both in turn, so the counts are exact.
enum DanglingWorkload {
    /// How a fault whose row is gone shows.
    enum Missing: String, CaseIterable {
        /// The object counts as deleted.
        case deleted
        /// The fault handler gets an error.
        case reported
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let pageSize = context.integer("pageSize")
        let missing: Missing = context.choice("missing")
        let isPinned = context.text("view") == "pinned"
        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
        let view = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let worker = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let reported = MissingRows()
        try view.performAndWait {
            view.shouldDeleteInaccessibleFaults = missing == .deleted
            view.faultHandler = { reported.note($0, $1) }
            if isPinned { try view.setQueryGeneration(from: .current) }
        }
        let (measured, reads) = try context.measure(in: view, rowCount: rowCount) {
            try view.readAll(pageSize: pageSize, reported) { try worker.deleteAll($0) }
        }
        var sample = measured
        sample[.dangling] = Double(reads.danglingCount)
        sample[.stale] = Double(reads.staleCount)
        try coordinator.removePersistentStores()

        let store = try StoreReader(context.storeURL)
        let kept = try store.integers("SELECT COUNT(*), SUM(ZNUMBER) FROM ZITEM")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("kept items", kept[0], equals: rowCount - rowCount / 2)
        verifier.check("numbers of kept items", reads.sumOfKept, equals: kept[1])
        verifier.check(
            "deleted items", reads.danglingCount + reads.staleCount, equals: rowCount / 2)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

/// The reads of a view while others deleted.
private struct FaultReads: Sendable {
    var danglingCount = 0
    /// The reads of deleted items that gave the values from before.
    var staleCount = 0
    /// The sum of the numbers of all other items.
    var sumOfKept = 0
}

extension ManagedObjectContext {
    /// Fetches all items as faults and reads each. Runs on the queue.
    fileprivate func readAll(
        pageSize: Int, _ reported: MissingRows, deleting delete: ([ManagedObjectID]) throws -> Void
    ) throws -> FaultReads {
        let items = try Item.all(in: self, sortedBy: [.ascending("number")])
        var reads = FaultReads()
        for start in stride(from: 0, to: items.count, by: pageSize) {
            let page = start..<min(start + pageSize, items.count)
            try delete(page.filter { $0 % 2 == 1 }.map { items[$0].objectID })
            for index in page {
                let item = items[index]
                let number = Int(item.number)
                if item.isDeleted || reported.has(item.objectID) {
                    reads.danglingCount += 1
                } else if index % 2 == 0 {
                    reads.sumOfKept += number
                } else if number == index + 1 {
                    reads.staleCount += 1
                }
            }
        }
        return reads
    }

    fileprivate func deleteAll(_ identifiers: [ManagedObjectID]) throws {
        try performAndWait {
            for identifier in identifiers { delete(object(with: identifier)) }
            try save()
        }
    }
}

/// The objects for which a fault handler got the error that they have no row.
private final class MissingRows: Sendable {
    private let identifiers = Mutex(Set<ManagedObjectID>())

    func note(_ identifier: ManagedObjectID, _ error: any Error) {
        guard case FetchError.noSuchObject = error else { return }
        identifiers.withLock { _ = $0.insert(identifier) }
    }

    func has(_ identifier: ManagedObjectID) -> Bool {
        identifiers.withLock { $0.contains(identifier) }
    }
}

extension Metric {
    fileprivate static let dangling = Metric("dangling", unit: .count)
    fileprivate static let stale = Metric("stale", unit: .count)
}

extension WorkloadKind {
    static let dangling = WorkloadKind(
        name: "dangling", summary: "read faults whose rows a worker deletes meanwhile",
        subjects: [.engine],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(2...1_000_000), defaultValue: "1000",
                summary: "items, every other of which is deleted"),
            WorkloadParameter(
                name: "pageSize", values: .integer(2...1_000_000), defaultValue: "50",
                summary: "items that are read after each save of deletions"),
            WorkloadParameter(
                name: "view", values: .choice(["unpinned", "pinned"]), defaultValue: "unpinned",
                summary: "whether the view is pinned to the generation of its fetch"),
            WorkloadParameter(
                name: "missing", values: .cases(of: DanglingWorkload.Missing.self),
                defaultValue: "deleted",
                summary: "whether an object without a row counts as deleted or is reported"),
        ],
        extraMetrics: [.dangling, .stale],
        run: DanglingWorkload.run)
}
