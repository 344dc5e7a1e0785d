import Foundation
import ObjectGraph
import Synchronization

/// The engine without a stack: one coordinator, and a new context for each operation.
final class ObjectGraphEngine: EngineSubject {
    fileprivate let coordinator: PersistentStoreCoordinator
    private let store: PersistentStoreHandle
    private var loaded: LoadedItems?
    /// All identifiers in the order of their keys, fetched at the first use.
    private var identifiers: [ManagedObjectID] = []

    convenience init(configuration: SubjectConfiguration) throws {
        try self.init(
            configuration: configuration, model: Item.makeModel(configuration.itemFeatures))
    }

    /// - Parameter model: a model with the entity of ``Item``.
    convenience init(configuration: SubjectConfiguration, model: ManagedObjectModel) throws {
        var description = PersistentStoreDescription.sqlite(at: configuration.storeURL)
        description.pragmas = configuration.pragmas
        description.tracksHistory = configuration.tracksHistory
        try self.init(description, model, configuration.coordinatorLockPolicy)
    }

    /// On a store of any type.
    init(
        _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
        _ lockPolicy: LockPolicy = .pooled
    ) throws {
        coordinator = PersistentStoreCoordinator(model: model, lockPolicy: lockPolicy)
        store = try coordinator.addPersistentStore(description)
    }

    func close() throws {
        loaded = nil
        try coordinator.removePersistentStore(store)
    }

    func settings(_ pragmas: [String]) throws -> [[String]] {
        try [coordinator.settings(pragmas, of: store)]
    }

    private func makeContext() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    private static var allItems: FetchRequest {
        var request = FetchRequest(entityName: "Item")
        request.returnsObjectsAsFaults = false
        return request
    }

    // MARK: Reading

    func readItems() throws -> ItemChecksum {
        let context = makeContext()
        return try context.performAndWait {
            var checksum = ItemChecksum()
            for item in try context.fetch(Self.allItems, as: Item.self) { checksum.add(item) }
            return checksum
        }
    }

    func readNumbers() throws -> ItemChecksum {
        let context = makeContext()
        return try context.performAndWait {
            var checksum = ItemChecksum()
            for item in try context.fetch(Self.allItems, as: Item.self) {
                checksum.add(number: item.number)
            }
            return checksum
        }
    }

    func holdItems() throws -> HeldItems {
        let loaded = try LoadedItems(Self.allItems, in: makeContext())
        return HeldItems(items: loaded, checksum: loaded.numbers())
    }

    func readItems(withKeys keys: [Int64], inTransaction _: Bool) throws -> ItemChecksum {
        let context = makeContext()
        if identifiers.isEmpty {
            var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
            request.includesPropertyValues = false
            let fetch = request
            identifiers = try context.performAndWait { try context.fetchObjectIDs(fetch) }
        }
        let identifiers = identifiers
        return context.performAndWait {
            var checksum = ItemChecksum()
            for key in keys {
                guard let item = context.object(with: identifiers[Int(key) - 1]) as? Item
                else { continue }
                checksum.add(item)
            }
            return checksum
        }
    }

    func readPages(from numbers: [Int64], rowCount: Int) throws -> ItemChecksum {
        let context = makeContext()
        return try context.performAndWait {
            var checksum = ItemChecksum()
            var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
            request.fetchLimit = rowCount
            request.returnsObjectsAsFaults = false
            for number in numbers {
                request.predicate = .comparison(
                    .init(.keyPath("number"), .greaterThanOrEqual, .constant(.integer(number))))
                for item in try context.fetch(request, as: Item.self) { checksum.add(item) }
            }
            return checksum
        }
    }

    func holdFirstPage(rowCount: Int, times: Int) throws -> HeldItems {
        var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
        request.fetchLimit = rowCount
        request.returnsObjectsAsFaults = false
        var held: HeldItems?
        for _ in 0..<times {
            let loaded = try LoadedItems(request, in: makeContext())
            held = HeldItems(items: loaded, checksum: loaded.all())
        }
        return held!
    }

    func findItems(numbered numbers: [Int64], inTransaction: Bool) throws -> ItemChecksum {
        try makeContext().findItems(numbered: numbers, inTransaction: inTransaction)
    }

    func walkRacks(prefetching: Bool) throws -> ItemChecksum {
        try makeContext().walkRacks(prefetching: prefetching)
    }

    func searchItems(for words: [String]) throws -> ItemChecksum {
        let context = makeContext()
        return try context.performAndWait {
            var checksum = ItemChecksum()
            var request = Self.allItems
            for word in words {
                request.predicate = try ObjectPredicate("note SEARCH %@", word)
                for item in try context.fetch(request, as: Item.self) { checksum.add(item) }
            }
            return checksum
        }
    }

    /// Finds the items that match, and reads the number of each.
    func findItems(where predicate: ObjectPredicate) throws -> ItemChecksum {
        let context = makeContext()
        return try context.performAndWait {
            var checksum = ItemChecksum()
            var request = Self.allItems
            request.predicate = predicate
            for item in try context.fetch(request, as: Item.self) {
                checksum.add(number: item.number)
            }
            return checksum
        }
    }

    func readFirstBatch(rowCount: Int) throws -> (count: Int, checksum: ItemChecksum) {
        try readBatches(rowCount) { $0.prefix(rowCount) }
    }

    func scroll(rowCount: Int) throws -> (count: Int, checksum: ItemChecksum) {
        try readBatches(rowCount) { $0[...] }
    }

    private func readBatches(
        _ rowCount: Int, _ part: @Sendable (FetchedObjects<Item>) -> Slice<FetchedObjects<Item>>
    ) throws -> (count: Int, checksum: ItemChecksum) {
        let context = makeContext()
        return try context.performAndWait {
            var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
            request.fetchBatchSize = rowCount
            request.returnsObjectsAsFaults = false
            let items = try context.fetch(request, as: Item.self)
            var checksum = ItemChecksum()
            for item in part(items) { checksum.add(item) }
            return (items.count, checksum)
        }
    }

    // MARK: Inserting

    /// Fills one rack after the other.
    func insertOnRacks(_ items: [ItemRow]) throws {
        let context = makeContext()
        for start in stride(from: 0, to: items.count, by: 1_000) {
            try context.performAndWait {
                var rack: Rack?
                for index in start..<min(start + 1_000, items.count) {
                    if index % Rack.itemCount == 0 {
                        rack = Rack(context: context)
                        rack?[Rack.name] = "Rack \(index / Rack.itemCount + 1)"
                    }
                    let item = Item(context: context)
                    item.take(items[index])
                    rack?.add(item, to: Rack.items)
                }
                try context.save()
            }
        }
    }

    func insert(_ items: [ItemRow], saveSize: Int) throws {
        let context = makeContext()
        for start in stride(from: 0, to: items.count, by: saveSize) {
            try context.performAndWait {
                // Like the C reference, through the buffer: array iteration retains every string of
                // every item.
                items.withUnsafeBufferPointer { items in
                    for index in start..<min(start + saveSize, items.count) {
                        Item(context: context).take(items[index])
                    }
                }
                try context.save()
            }
        }
    }

    func insert(_ items: [ItemRow], picture: Data) throws {
        let context = makeContext()
        try context.performAndWait {
            for row in items {
                let item = Item(context: context)
                item.take(row)
                item[Item.picture] = picture
            }
            try context.save()
        }
    }

    func batchInsert(_ items: [ItemRow]) throws {
        try batchInsert(items, in: makeContext())
    }

    func upsert(_ items: [ItemRow]) throws {
        let context = makeContext()
        context.performAndWait { context.mergePolicy = .mergeByPropertyObjectTrump }
        try batchInsert(items, in: context)
    }

    private func batchInsert(_ items: [ItemRow], in context: ManagedObjectContext) throws {
        let position = Atomic(0)
        let request = BatchInsertRequest(entityName: "Item") { row in
            let index = position.add(1, ordering: .relaxed).oldValue
            guard index < items.count else { return true }
            items.withUnsafeBufferPointer { Item.set($0[index], in: &row) }
            return false
        }
        _ = try context.performAndWait { try context.execute(request) }
    }

    func importItems(from file: ItemFile) throws {
        let context = makeContext()
        let request = BatchInsertRequest(
            entityName: "Item", jsonArray: file.url, of: ItemRow.self
        ) { Item.set($0, in: &$1) }
        _ = try context.performAndWait { try context.execute(request) }
    }

    // MARK: Updating

    func replaceRacks(with items: [ItemRow]) throws {
        let context = makeContext()
        try context.performAndWait {
            try context.replaceRacks(with: items)
            try context.save()
        }
    }

    func loadItems() throws {
        loaded = try LoadedItems(Self.allItems, in: makeContext())
    }

    func updateLoadedItems() throws {
        try loaded?.update()
    }

    func readLoadedNumbers(in rounds: Rounds) throws -> ItemChecksum {
        loaded?.numbers(in: rounds) ?? ItemChecksum()
    }

    func readLoadedCities(in rounds: Rounds) throws -> ItemChecksum {
        loaded?.cities(in: rounds) ?? ItemChecksum()
    }

    func filterLoadedItems(
        quantityBelow quantity: Int32, cityPrefix: String
    ) throws -> ItemChecksum {
        let predicate: ObjectPredicate = .and([
            .comparison(
                .init(.keyPath("quantity"), .lessThan, .constant(.integer(Int64(quantity))))),
            .comparison(.init(.keyPath("city"), .beginsWith, .constant(.string(cityPrefix)))),
        ])
        return try loaded?.numbers(where: predicate) ?? ItemChecksum()
    }

    func deleteLoadedItems() throws {
        try loaded?.delete()
        loaded = nil
    }

    func batchUpdate() throws {
        let context = makeContext()
        let request = BatchUpdateRequest(
            entityName: "Item",
            propertiesToUpdate: [
                "quantity": .function("add:to:", [.keyPath("quantity"), .constant(1)])
            ])
        _ = try context.performAndWait { try context.execute(request) }
    }

    // MARK: History

    /// Reads all transactions, the oldest first.
    func readHistory(withChanges: Bool) throws -> HistorySize {
        let context = makeContext()
        var request = PersistentHistoryRequest()
        request.includesChanges = withChanges
        let history = request
        return try context.performAndWait {
            var size = HistorySize()
            try context.enumerateHistory(history) { transaction in
                size.transactionCount += 1
                size.changeCount += transaction.changes?.count ?? 0
            }
            return size
        }
    }
}

/// How much was read of a history.
struct HistorySize: Hashable {
    var transactionCount = 0
    var changeCount = 0
}

/// Fetched objects and their context, kept from one operation to the next.
private final class LoadedItems: @unchecked Sendable {
    // @unchecked Sendable: the objects are used only on their context's queue.

    private let context: ManagedObjectContext
    private var items: [Item] = []

    init(_ request: FetchRequest, in context: ManagedObjectContext) throws {
        self.context = context
        try context.performAndWait {
            items = Array(try context.fetch(request, as: Item.self))
        }
    }

    func all() -> ItemChecksum {
        context.performAndWait {
            var checksum = ItemChecksum()
            for item in items { checksum.add(item) }
            return checksum
        }
    }

    func numbers() -> ItemChecksum {
        context.performAndWait {
            var checksum = ItemChecksum()
            for item in items { checksum.add(number: item.number) }
            return checksum
        }
    }

    func numbers(in rounds: Rounds) -> ItemChecksum {
        context.performAndWait {
            var checksum = ItemChecksum()
            rounds.forEachRead(of: items) { checksum.add(number: $0.number) }
            return checksum
        }
    }

    func cities(in rounds: Rounds) -> ItemChecksum {
        context.performAndWait {
            var checksum = ItemChecksum()
            rounds.forEachRead(of: items) { checksum.add(city: $0.city) }
            return checksum
        }
    }

    func numbers(where predicate: ObjectPredicate) throws -> ItemChecksum {
        try context.performAndWait {
            var checksum = ItemChecksum()
            for item in try items.filter(predicate) { checksum.add(number: item.number) }
            return checksum
        }
    }

    func update() throws {
        try context.performAndWait {
            for item in items { item.quantity += 1 }
            try context.save()
        }
    }

    func delete() throws {
        try context.performAndWait {
            for item in items { context.delete(item) }
            try context.save()
        }
    }
}

extension Rounds {
    /// Reads without reference counting, which costs more than the read and is not part of it.
    @inline(__always)
    fileprivate func forEachRead(of items: [Item], _ read: (Item) -> Void) {
        // Safe, because the caller holds the items meanwhile.
        let borrowed = items.map { Unmanaged.passUnretained($0) }
        borrowed.withUnsafeBufferPointer { borrowed in
            forEachRead(of: borrowed.count) { borrowed[$0]._withUnsafeGuaranteedRef(read) }
        }
    }
}

extension ObjectGraphEngine: CountingSubject {
    var counters: [String: Int64] { coordinator.counters.byMetric }

    func resetCounters() {
        coordinator.resetCounters()
    }
}

extension Subject {
    static let objectGraph: Subject = {
        var subject = Subject(
            name: "object-graph", group: .engine,
            summary: "the engine without a stack, for the engine workload",
            openItems: ObjectGraphEngine.init, openHabits: EngineHabits.init,
            migrateItems: { try ObjectGraphEngine.migrate($0, $1, hasPictures: $2) })
        #if PostgreSQL
        subject.openServer = { try ObjectGraphEngine($0.description, Item.makeModel()) }
        #endif
        return subject
    }()
}
