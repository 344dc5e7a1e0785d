import Foundation

// Objects by position. A list with batches holds the objects of the last few batches only.
extension FetchedResultsController {
    func objects(inSection name: String) -> [Object] {
        context.checkQueue()
        return objects(at: list?.positions(inSection: name) ?? 0..<0)
    }

    func objects(at positions: Range<Int>) -> [Object] { positions.map { object(at: $0) } }

    /// The object at a position, which must be one of the list.
    func object(at position: Int) -> Object {
        guard let list, let order else { preconditionFailure("A position without a list.") }
        if let object = list.fetched?[position] {
            guard object.state.isDetached else { return cast(object) }
            return cast(context.object(object.reference, object.binding.scope))
        }
        let item = list.items[list.items.handle(at: position)]
        if let object = item.object ?? windows[RowIdentity(item)] { return cast(object) }
        let size = max(1, order.request.fetchBatchSize)
        let start = position / size * size
        let items = (start..<min(start + size, list.count)).map {
            list.items[list.items.handle(at: $0)]
        }.filter { $0.object == nil && $0.storeNumber == item.storeNumber }
        let reading = BatchReading(
            context: context, request: order.request, entity: order.entity)
        let batch = reading.read {
            StoreKeys(storeNumber: item.storeNumber, keys: items.map(\.key))
        }
        windows.add(
            ResultBatch(items: items, objects: batch.objects, prefetched: batch.prefetched))
        return cast(windows[RowIdentity(item)] ?? order.object(of: item))
    }

    // The context checks that all objects of the request are of the class before it fetches.
    func cast(_ object: ManagedObject) -> Object { unsafeDowncast(object, to: Object.self) }
}

/// The objects of the batches read last.
struct ResultWindows {
    private struct Window {
        let objects: [RowIdentity: ManagedObject]
        let prefetched: [ManagedObject]
    }

    /// How many batches are held: enough to go back and forth across a border.
    private static let limit = 4

    private var windows: [Window] = []

    /// The objects that the whole result has prefetched.
    var prefetched: [ManagedObject] = []

    subscript(identity: RowIdentity) -> ManagedObject? {
        for window in windows.reversed() {
            if let object = window.objects[identity], !object.state.isDetached { return object }
        }
        return nil
    }

    mutating func add(_ batch: ResultBatch) {
        if windows.count == Self.limit { windows.removeFirst() }
        windows.append(
            Window(
                objects: Dictionary(
                    uniqueKeysWithValues: zip(batch.items.map(RowIdentity.init), batch.objects)),
                prefetched: batch.prefetched))
    }
}
