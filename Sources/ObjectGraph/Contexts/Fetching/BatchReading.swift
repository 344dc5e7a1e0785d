/// Reads the batches of one result.
struct BatchReading {
    let context: ManagedObjectContext
    let request: FetchRequest
    let entity: Entity

    /// One window of a batched result, in the order of its identities, with the objects prefetched
    /// for it.
    ///
    /// - Parameters:
    ///   - known: The rows of the window; nil if they are not read yet.
    ///   - window: Makes the identities. New objects among them may still get other keys.
    func read(
        _ known: StoreRows? = nil, _ window: () -> StoreKeys
    ) -> (objects: [ManagedObject], prefetched: [ManagedObject]) {
        context.checkQueue()
        var loaded: [ManagedObject] = []
        do {
            return try request.inOneState(of: entity, in: context) {
                let (keys, found) = try context.askAbove {
                    let keys = window()
                    return (keys, try known ?? rows(of: keys))
                }
                if let found { loaded = found.objects(request, entity, in: context) }
                // Held until here, since the registry does not keep objects alive.
                return try withExtendedLifetime(loaded) {
                    let objects = keys.objects(in: context)
                    let prefetched = try Prefetch(in: context).run(for: objects, request, entity)
                    context.sweepIfGrown()
                    return (objects, prefetched)
                }
            }
        } catch {
            let objects = window().objects(in: context)
            context.faultHandler(objects[0].objectID, error)
            return (objects, [])
        }
    }

    private func rows(of window: StoreKeys) throws -> StoreRows? {
        guard request.includesPropertyValues else { return nil }
        var keys = window.keys.map(\.key)
        // New objects of this context have no row. Those of a parent have one in the parent.
        if context.parent == nil { keys.removeAll { $0 < 0 } }
        guard !keys.isEmpty else { return nil }
        return StoreRows(
            storeNumber: window.storeNumber,
            rows: try context.channel.rows(keys, entity: entity, storeNumber: window.storeNumber))
    }

    /// Reports that the identity of an object of a batched result could not be read.
    ///
    /// - Returns: An object without a row. Values that the program computes from it must not be
    ///   saved.
    func unreadObject(at position: Int, storeNumber: Int, _ error: any Error) -> ManagedObject {
        context.checkQueue()
        // No row has such a key: a store gives out only the lower half of them. One for each
        // entity, since the entities of a table share their keys.
        let place = Int64(position) * Int64(context.model.entities.count) + Int64(entity.index)
        let object = context.object(
            .max - place, entityIndex: entity.index, storeNumber: storeNumber)
        context.readFailed(of: object, error, givesValue: true)
        return object
    }
}
