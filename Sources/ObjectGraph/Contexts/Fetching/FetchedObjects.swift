/// The objects of a fetch in their order: all of them, or loaded in batches while it is traversed.
///
/// With a `fetchBatchSize` the result holds identities, and reading an index loads the batch around
/// it. Traversing n objects costs 1 + ⌈n / size⌉ statements. A list of more than 256 objects that
/// SQLite reads in order costs a statement more, for its count. A long one is returned with its first
/// batch, while another thread reads the other identities from the same state. Only the last few
/// batches are kept alive, so going far back reads a batch again. `Array(result)` loads
/// everything. Batches also work beside pending changes and in child contexts, where Core Data
/// loads the whole result at once. Prefetched objects are kept with the result, or with their
/// batch. Queue: that of the context. Source: spec §3.9.
public struct FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    let results: FetchedResults

    init(_ results: FetchedResults) { self.results = results }

    /// Iterates over the objects in order.
    public struct Iterator: IteratorProtocol {
        private let objects: [ManagedObject]
        private let results: FetchedResults
        private var position = 0

        fileprivate init(_ results: FetchedResults) {
            self.results = results
            if case .objects(let all, _) = results { objects = all } else { objects = [] }
        }

        public mutating func next() -> Object? {
            guard position < objects.count else { return nextOfBatches() }
            defer { position += 1 }
            return unsafeDowncast(objects[position], to: Object.self)
        }

        private mutating func nextOfBatches() -> Object? {
            guard case .batches(let batches) = results, position < batches.count else { return nil }
            defer { position += 1 }
            return unsafeDowncast(batches[position], to: Object.self)
        }
    }

    public func makeIterator() -> Iterator { Iterator(results) }

    public var startIndex: Int { 0 }

    public var endIndex: Int {
        switch results {
        case .objects(let objects, _): objects.count
        case .batches(let batches): batches.count
        }
    }

    // The context checks that all objects are of the class before it makes the result.
    public subscript(position: Int) -> Object {
        switch results {
        case .objects(let objects, _): unsafeDowncast(objects[position], to: Object.self)
        case .batches(let batches): unsafeDowncast(batches[position], to: Object.self)
        }
    }

    /// Lends the objects without copying if all are loaded, so that making an array is fast.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Object>) throws -> Result
    ) rethrows -> Result? {
        guard case .objects(let objects, _) = results else { return nil }
        return try objects.withUnsafeBufferPointer {
            try $0.withMemoryRebound(to: Object.self, body)
        }
    }
}

/// The result of a fetch: the objects, or the batches that load them.
enum FetchedResults {
    case objects([ManagedObject], prefetched: [ManagedObject])
    case batches(FetchedBatches)
}

/// The batches of one result: identities of all objects, objects of the batches read last.
final class FetchedBatches {
    private struct Batch {
        let number: Int
        let objects: [ManagedObject]
        let prefetched: [ManagedObject]
    }

    /// How many batches are kept alive: enough to go back and forth across a border.
    private static let liveBatchLimit = 4

    private let reading: BatchReading
    private let keys: StoreKeyStream

    /// The new objects by position: a save may change their keys, and a context that discards one no
    /// longer finds it by its key.
    let unsavedObjects: [Int: ManagedObject]
    private var liveBatches: [Batch] = []

    convenience init(
        _ keys: StoreKeys, _ request: FetchRequest, entity: Entity, context: ManagedObjectContext
    ) {
        self.init(
            StoreKeyStream(storeNumber: keys.storeNumber, keys: KeyStream(keys.keys)), request,
            entity: entity, context: context, unsaved: Self.unsavedObjects(of: keys, in: context))
    }

    /// - Parameter unsaved: The new objects by position. A stream that is not complete has none, since
    ///   it comes from a store.
    init(
        _ keys: StoreKeyStream, _ request: FetchRequest, entity: Entity,
        context: ManagedObjectContext, unsaved: [Int: ManagedObject] = [:]
    ) {
        self.keys = keys
        reading = BatchReading(context: context, request: request, entity: entity)
        unsavedObjects = unsaved
    }

    /// The new objects by position, with temporary or permanent references. Those of a parent have
    /// temporary ones or are not discarded here.
    private static func unsavedObjects(
        of found: StoreKeys, in context: ManagedObjectContext
    ) -> [Int: ManagedObject] {
        let permanent = Set(
            context.tracker.inserted.lazy
                .filter { $0.reference > 0 && $0.binding.storeNumber == found.storeNumber }
                .map { EntityKey($0) })
        var unsaved: [Int: ManagedObject] = [:]
        for (position, key) in found.keys.enumerated()
        where key.key < 0 || permanent.contains(key) {
            unsaved[position] = context.object(
                key.key, entityIndex: key.entityIndex, storeNumber: found.storeNumber)
        }
        return unsaved
    }

    var count: Int { keys.keys.count }

    /// The batches that are kept alive, each with the position of its first object.
    var loadedBatches: [(start: Int, objects: [ManagedObject], prefetched: [ManagedObject])] {
        liveBatches.map { ($0.number * reading.request.fetchBatchSize, $0.objects, $0.prefetched) }
    }

    /// The identities of all objects, with the keys that they have now.
    func currentKeys() throws -> StoreKeys {
        window(try keys.keys.keys(at: 0..<count), at: 0..<count)
    }

    /// The identities at these positions, with the keys that the objects have now.
    private func window(_ read: [EntityKey], at positions: Range<Int>) -> StoreKeys {
        var window = read
        if !unsavedObjects.isEmpty {
            for position in positions {
                guard let object = unsavedObjects[position] else { continue }
                window[position - positions.lowerBound] = EntityKey(object)
            }
        }
        return StoreKeys(storeNumber: keys.storeNumber, keys: window)
    }

    subscript(position: Int) -> ManagedObject {
        let size = reading.request.fetchBatchSize
        let number = position / size
        // The batch read last is at the end.
        for batch in liveBatches.reversed() where batch.number == number {
            return batch.objects[position % size]
        }
        do {
            return try readBatch(number).objects[position % size]
        } catch {
            return reading.unreadObject(at: position, storeNumber: keys.storeNumber, error)
        }
    }

    /// Makes the objects of the first batch, whose rows were read with the identities.
    func takeFirstBatch(_ rows: StoreRows) throws { _ = try readBatch(0, rows) }

    /// - Throws: the error that kept the identities from being read.
    private func readBatch(_ number: Int, _ rows: StoreRows? = nil) throws -> Batch {
        let first = number * reading.request.fetchBatchSize
        let positions = first..<min(first + reading.request.fetchBatchSize, count)
        let read = try keys.keys.keys(at: positions)
        let objects = reading.read(rows) { window(read, at: positions) }
        let batch = Batch(
            number: number, objects: objects.objects, prefetched: objects.prefetched)
        if liveBatches.count == Self.liveBatchLimit { liveBatches.removeFirst() }
        liveBatches.append(batch)
        return batch
    }
}
