/// The objects of a fetch in their order: all of them, or a window at a time while it is traversed.
///
/// With a `fetchBatchSize` it holds the identities of all objects and loads the batch around an index when that is read;
/// traversing n objects costs 1 + ⌈n / size⌉ statements, and only the last few batches are kept alive. `Array(result)`
/// loads everything. Queue: that of the context. Source: spec §3.9.
public struct FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    private let source: Source

    fileprivate enum Source {
        case objects([ManagedObject])
        case batches(FetchedBatches)
    }

    init(_ objects: [ManagedObject]) { source = .objects(objects) }
    init(_ batches: FetchedBatches) { source = .batches(batches) }

    /// Goes through the objects in order.
    public struct Iterator: IteratorProtocol {
        private let objects: [ManagedObject]
        private let batches: FetchedBatches?
        private var position = 0

        fileprivate init(_ source: Source) {
            switch source {
            case .objects(let all): (objects, batches) = (all, nil)
            case .batches(let all): (objects, batches) = ([], all)
            }
        }

        public mutating func next() -> Object? {
            guard position < objects.count else { return nextOfBatches() }
            defer { position += 1 }
            return unsafeDowncast(objects[position], to: Object.self)
        }

        private mutating func nextOfBatches() -> Object? {
            guard let batches, position < batches.count else { return nil }
            defer { position += 1 }
            return unsafeDowncast(batches[position], to: Object.self)
        }
    }

    public func makeIterator() -> Iterator { Iterator(source) }

    public var startIndex: Int { 0 }

    public var endIndex: Int {
        switch source {
        case .objects(let objects): objects.count
        case .batches(let batches): batches.count
        }
    }

    // The context has checked that all objects are of the class before it made the result.
    public subscript(position: Int) -> Object {
        switch source {
        case .objects(let objects): unsafeDowncast(objects[position], to: Object.self)
        case .batches(let batches): unsafeDowncast(batches[position], to: Object.self)
        }
    }
}

/// The batches of one result: identities of all objects, objects of the batches read last.
final class FetchedBatches {
    /// How many batches are kept alive; enough to look back and forth across a border.
    private static let liveBatchLimit = 4

    private let context: ManagedObjectContext
    private let entity: Entity
    private let keys: [(storeNumber: Int, key: EntityKey)]
    private let request: FetchRequest
    private var liveBatches: [(number: Int, objects: [ManagedObject])] = []

    init(
        _ keys: [(storeNumber: Int, key: EntityKey)], _ request: FetchRequest, entity: Entity,
        context: ManagedObjectContext
    ) {
        self.keys = keys
        self.request = request
        self.entity = entity
        self.context = context
    }

    var count: Int { keys.count }

    subscript(position: Int) -> ManagedObject {
        let number = position / request.fetchBatchSize
        let first = number * request.fetchBatchSize
        // The batch read last stands at the end.
        for batch in liveBatches.reversed() where batch.number == number {
            return batch.objects[position - first]
        }
        let window = keys[first..<min(first + request.fetchBatchSize, keys.count)]
        let objects = context.objects(ofBatch: window, request, entity: entity)
        if liveBatches.count == Self.liveBatchLimit { liveBatches.removeFirst() }
        liveBatches.append((number, objects))
        return objects[position - first]
    }
}
