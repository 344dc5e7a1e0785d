import ObjectGraph
import Stacks

/// A stack or a peer on a store of items, for work that an app does on a few of them; see
/// ``EngineSubject`` for the tables.
protocol ItemsSubject: InspectableSubject {
    /// For each of these numbers, finds the item that has it, through the index, and reads each
    /// property once. Each look-up is a separate request of the same shape.
    ///
    /// - Parameter inTransaction: whether all look-ups share a read transaction, instead of one for
    ///   each. Those of one turn of a context's queue do.
    func findItems(numbered numbers: [Int64], inTransaction: Bool) throws -> ItemChecksum

    /// Reads all racks, then the items of each rack, and each property of each item once. A rack
    /// is a row of `ZRACK (Z_PK, Z_ENT, Z_OPT, ZNAME)`, and `ZITEM` has the column `ZRACK` with an
    /// index.
    ///
    /// - Parameter prefetching: whether one statement reads the items of all racks, instead of
    ///   one for each rack.
    func walkRacks(prefetching: Bool) throws -> ItemChecksum

    /// Deletes all racks with their items and inserts a rack with these items, in one transaction.
    func replaceRacks(with items: [ItemRow]) throws

    /// Closes all connections.
    func close() throws
}

/// A stack that works on items like an app: it reads in the view context and writes in a worker.
final class StackItems: ItemsSubject, StackCounting, Sendable {
    let stack: any PersistenceStack
    private let worker: ManagedObjectContext

    init(_ stack: any PersistenceStack) throws {
        self.stack = stack
        worker = try stack.makeWorkerContext()
    }

    func settings(_ pragmas: [String]) throws -> [[String]] { try stack.settings(pragmas) }

    func findItems(numbered numbers: [Int64], inTransaction: Bool) throws -> ItemChecksum {
        try stack.viewContext.findItems(numbered: numbers, inTransaction: inTransaction)
    }

    func walkRacks(prefetching: Bool) throws -> ItemChecksum {
        let view = try stack.viewContext
        let checksum = try view.walkRacks(prefetching: prefetching)
        // Objects that refer to each other stay, and the next walk would read nothing.
        for level in sequence(first: view, next: \.parent) {
            level.performAndWait { level.reset() }
        }
        return checksum
    }

    func replaceRacks(with items: [ItemRow]) throws {
        try worker.performAndWait {
            try worker.replaceRacks(with: items)
            try stack.saveToDisk(worker)
        }
    }

    func close() throws { try stack.close() }
}

extension ManagedObjectContext {
    func findItems(numbered numbers: [Int64], inTransaction: Bool) throws -> ItemChecksum {
        if inTransaction { return try findItems(numbered: numbers[...]) }
        var checksum = ItemChecksum()
        for index in numbers.indices {
            checksum.add(try findItems(numbered: numbers[index...index]))
        }
        return checksum
    }

    /// Finds items in one turn of the queue.
    private func findItems(numbered numbers: ArraySlice<Int64>) throws -> ItemChecksum {
        try performAndWait {
            var checksum = ItemChecksum()
            for number in numbers {
                let predicate = try ObjectPredicate("number == %ld", number)
                if let item = try Item.findFirst(in: self, where: predicate) {
                    checksum.add(item)
                }
            }
            return checksum
        }
    }

    func walkRacks(prefetching: Bool) throws -> ItemChecksum {
        var request = FetchRequest(entityName: "Rack")
        if prefetching { request.relationshipKeyPathsForPrefetching = ["items"] }
        let racks = request
        return try performAndWait {
            var checksum = ItemChecksum()
            for rack in try fetch(racks, as: Rack.self) {
                for item in rack.items { checksum.add(item) }
            }
            return checksum
        }
    }

    /// Deletes all racks, which cascades to their items, and inserts a new one. The caller saves.
    func replaceRacks(with items: [ItemRow]) throws {
        for rack in try Rack.all(in: self) { delete(rack) }
        let rack = Rack(context: self)
        rack[Rack.name] = Rack.feedName
        for row in items {
            let item = Item(context: self)
            item.take(row)
            rack.add(item, to: Rack.items)
        }
    }
}

extension WorkerContext {
    /// Opens the stack or the peer on a fresh copy of the store of items.
    ///
    /// - Parameters:
    ///   - isWritten: whether the work writes to it.
    ///   - features: those of the store.
    /// - Returns: the subject, and the sums of the store's items; see ``ItemSum``.
    func openItems(
        isWritten: Bool, _ features: ItemFeatures
    ) throws -> (subject: any ItemsSubject, facts: [String: Int64]) {
        guard Subject.named(job.subject)?.openStack != nil else {
            return try openEngine(isWritten: isWritten, features)
        }
        let facts = try placeStore(isWritten: isWritten)
        return (try StackItems(openStack(on: Item.makeModel(features))), facts)
    }
}
