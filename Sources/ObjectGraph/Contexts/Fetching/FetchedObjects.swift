/// The objects of a fetch in their order: all of them, or a window at a time while it is traversed.
///
/// With a `fetchBatchSize` it holds the identities of all objects and loads the batch around an index when that is read;
/// traversing n objects costs 1 + ⌈n / size⌉ statements, in any order as long as it stays near, and only the last few batches
/// are kept alive. `Array(result)` loads everything. It works in child contexts too, where Core Data loads the whole result
/// at once, and beside unsaved changes. Prefetched objects are kept with the result, or with their batch.
/// Queue: that of the context. Source: spec §3.9.
public struct FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    private let results: FetchedResults

    init(_ results: FetchedResults) { self.results = results }

    /// Goes through the objects in order.
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

    // The context has checked that all objects are of the class before it made the result.
    public subscript(position: Int) -> Object {
        switch results {
        case .objects(let objects, _): unsafeDowncast(objects[position], to: Object.self)
        case .batches(let batches): unsafeDowncast(batches[position], to: Object.self)
        }
    }

    /// Objects that are all there are lent as they lie, so that an array is made of them at once.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Object>) throws -> Result
    ) rethrows -> Result? {
        guard case .objects(let objects, _) = results else { return nil }
        return try objects.withUnsafeBufferPointer {
            try $0.withMemoryRebound(to: Object.self, body)
        }
    }
}

/// What a fetch has led to: the objects, or the way to them.
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

    /// How many batches are kept alive; enough to look back and forth across a border.
    private static let liveBatchLimit = 4

    private let context: ManagedObjectContext
    private let entity: Entity
    private let keys: StoreKeys
    private let request: FetchRequest

    /// The unsaved objects by their positions: a save gives them other keys.
    private let unsavedObjects: [Int: ManagedObject]
    private var liveBatches: [Batch] = []

    init(
        _ keys: StoreKeys, _ request: FetchRequest, entity: Entity, context: ManagedObjectContext
    ) {
        self.keys = keys
        self.request = request
        self.entity = entity
        self.context = context
        unsavedObjects = context.unsavedObjects(of: keys)
    }

    var count: Int { keys.keys.count }

    /// The identities at these positions, by the keys that the objects have now.
    private func window(at positions: Range<Int>) -> StoreKeys {
        var window = Array(keys.keys[positions])
        if !unsavedObjects.isEmpty {
            for position in positions {
                guard let object = unsavedObjects[position] else { continue }
                window[position - positions.lowerBound] = EntityKey(object)
            }
        }
        return StoreKeys(storeNumber: keys.storeNumber, keys: window)
    }

    subscript(position: Int) -> ManagedObject {
        let number = position / request.fetchBatchSize
        let first = number * request.fetchBatchSize
        // The batch read last stands at the end.
        for batch in liveBatches.reversed() where batch.number == number {
            return batch.objects[position - first]
        }
        let positions = first..<min(first + request.fetchBatchSize, count)
        let unsaved =
            unsavedObjects.isEmpty ? [] : positions.compactMap { unsavedObjects[$0] }
        let batch = context.batch(beside: unsaved, request, entity) { window(at: positions) }
        if liveBatches.count == Self.liveBatchLimit { liveBatches.removeFirst() }
        liveBatches.append(
            Batch(number: number, objects: batch.objects, prefetched: batch.prefetched))
        return batch.objects[position - first]
    }
}
