extension ManagedObjectContext {
    // MARK: - Kinds of results

    /// The objects that match, in the order asked for.
    ///
    /// Registered objects are returned as they are. Pending changes are included unless the request
    /// excludes them. Queue: the context's. Cost: one statement, and one for each step of a
    /// prefetched key path; see `FetchedObjects` for batches.
    /// - Throws: `FetchError` if the request cannot be run, before any statement; `StoreError` if
    ///   reading fails.
    public func fetch<Object: ManagedObject>(
        _ request: FetchRequest, as type: Object.Type = Object.self
    ) throws -> FetchedObjects<Object> {
        let entity = try entity(of: request, type)
        let pending = pendingObjects(for: request, entity)
        // Changed objects need their places among all others, and a parent may have some.
        if request.returnsFirstBatchEarly, request.fetchBatchSize > 0, pending.isEmpty,
            parent == nil, let keys = try channel.stores().streamKeys(request, entity: entity)
        {
            return FetchedObjects(
                .batches(FetchedBatches(keys, request, entity: entity, context: self)))
        }
        return try inOneState(request, entity) {
            let found = try find(request, entity, beside: pending)
            return FetchedObjects(try results(found, request, entity, pending))
        }
    }

    /// The identifiers of the objects that match, in the order asked for.
    ///
    /// Rows are also read into the row cache unless `includesPropertyValues` is false (spec §3.7).
    /// `fetchBatchSize` is ignored.
    /// - Throws: as `fetch`.
    public func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
        let entity = try entity(of: request)
        let pending = pendingObjects(for: request, entity)
        let stored = request.stored(beside: pending)
        let groups = try askAbove {
            request.includesPropertyValues
                ? try channel.fetchRows(stored, entity: entity, ReadOptions())
                    .map(StoreKeys.init)
                : try channel.fetchKeys(stored, entity: entity)
        }
        if let group = try keys(groups, request, entity, pending) {
            return group.keys.map {
                ManagedObjectID(
                    scope: binding($0.entityIndex, group.storeNumber).scope, reference: $0.key)
            }
        }
        return try objects(.keys(groups), request, entity, pending).map(\.objectID)
    }

    /// Values of the rows that match, without objects: see `propertiesToFetch`. Nulls are absent.
    ///
    /// Returns what is stored, without pending changes (spec §3.8). `fetchBatchSize` is ignored.
    /// The rows of several stores follow each other store by store.
    /// - Throws: as `fetch`.
    public func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
        let entity = try entity(of: request)
        return try channel.stores().fetchDictionaries(request, entity: entity)
    }

    /// How many objects match; at most the limit if there is one. `fetchBatchSize` is ignored.
    ///
    /// Cost: one statement. It returns a number, or identities if the pending changes to exclude
    /// exceed the limits of a predicate.
    /// - Throws: as `fetch`.
    public func count(for request: FetchRequest) throws -> Int {
        let entity = try entity(of: request)
        let pending = pendingObjects(for: request, entity)
        guard !pending.isEmpty else { return try channel.count(request, entity: entity) }
        let matches = try matches(among: pending, request, entity)
        let others = try countAbove(
            request.withoutPage(), entity, besides: try known(above: pending))
        return request.page(ofCount: others + matches.count)
    }

    /// How many objects the level above finds, except these.
    private func countAbove(
        _ request: FetchRequest, _ entity: Entity, besides objects: [ManagedObject]
    ) throws -> Int {
        do {
            return try askAbove {
                try channel.count(request.excluding(objects), entity: entity)
            }
        } catch FetchError.tooDeep, FetchError.tooManyConstants {
            // The predicate is within the limits, but not with the objects to exclude.
            return try askAbove {
                let excluded = Dictionary(grouping: objects, by: \.binding.storeNumber)
                    .mapValues { Set($0.map(\.reference)) }
                return try channel.fetchKeys(request, entity: entity).reduce(0) { sum, found in
                    let keys = excluded[found.storeNumber] ?? []
                    return sum + found.keys.count(where: { !keys.contains($0.key) })
                }
            }
        }
    }

    /// The objects that the level above may count as well.
    private func known(above pending: [ManagedObject]) throws -> [ManagedObject] {
        let candidates = pending.filter(\.mayBeKnownAbove)
        let unsure = candidates.filter { $0.isInserted && $0.reference < 0 }
        guard !unsure.isEmpty else { return candidates }
        // Asking the parent avoids a predicate with a term for each new object.
        let known = try Dictionary(grouping: unsure, by: \.binding.entity.index).flatMap {
            let binding = $1[0].binding
            let objects = $1
            return try askAbove {
                try channel.rows(
                    objects.map(\.reference), entity: binding.entity,
                    storeNumber: binding.storeNumber)
            }.map(\.key)
        }
        let unknown = Set(unsure.map(\.reference)).subtracting(known)
        return candidates.filter { !unknown.contains($0.reference) }
    }

    /// How the request would be run: for each SQLite store the statement with its bindings,
    /// SQLite's query plan, and what makes it slow. Stores in memory have no statement.
    ///
    /// Explains only the first SQL statement. Those for batches, prefetched relationships and
    /// faults look rows up by key. In a child context it explains what the coordinator would run.
    /// Cost: a few statements about the schema, no rows.
    /// - Throws: as `fetch`.
    public func explain(
        _ request: FetchRequest, resultType: FetchResultType = .managedObject
    ) throws -> [FetchExplanation] {
        let entity = try entity(of: request)
        return try channel.stores().explain(request, entity: entity, resultType: resultType)
    }

    private func entity(of request: FetchRequest) throws -> Entity {
        checkQueue()
        takePendingUpdates()
        // Checked before pending changes alter the request.
        try request.checkLimits()
        guard let entity = model.entity(named: request.entityName) else {
            throw FetchError.unknownEntity(request.entityName)
        }
        return entity
    }

    /// The entity of the request. Throws, before any statement, if objects of the entity are not of
    /// the class or a key path to prefetch is wrong.
    func entity<Object: ManagedObject>(
        of request: FetchRequest, _ type: Object.Type
    ) throws -> Entity {
        let entity = try entity(of: request)
        for index in entity.familyIndexes {
            let member = model.entities[index].description
            let objectClass = member.managedObjectClass as? ManagedObject.Type
            guard (objectClass ?? ManagedObject.self) is Object.Type else {
                throw FetchError.classMismatch(entity: member.name, expected: "\(type)")
            }
        }
        for keyPath in request.relationshipKeyPathsForPrefetching {
            _ = try steps(of: keyPath, from: entity)
        }
        return entity
    }

    /// Runs the statements of a request with prefetching so that they see one state.
    private func inOneState<T>(
        _ request: FetchRequest, _ entity: Entity, _ body: () throws -> T
    ) throws -> T {
        guard !request.relationshipKeyPathsForPrefetching.isEmpty else { return try body() }
        return try channel.stores().readingOneState(request, entity: entity, body)
    }

    // MARK: - Objects

    private func find(
        _ request: FetchRequest, _ entity: Entity, beside pending: [ManagedObject]
    ) throws -> FoundRows {
        // Does not copy the request if nothing is pending.
        guard pending.isEmpty else {
            return try find(request.stored(beside: pending), entity, beside: [])
        }
        // A program that looks one object up looks up more.
        let isLookUp = request.fetchLimit == 1
        return try askAbove {
            request.wantsKeys
                ? .keys(try channel.fetchKeys(request, entity: entity))
                : .rows(
                    try channel.fetchRows(
                        request, entity: entity,
                        ReadOptions(keepsSnapshot: isLookUp && queue.keepSnapshot())))
        }
    }

    /// All objects that match, without prefetching: a child context does its own.
    func fetchObjects(_ request: FetchRequest, _ entity: Entity) throws -> [ManagedObject] {
        let pending = pendingObjects(for: request, entity)
        let found = try find(request, entity, beside: pending)
        return try objects(found, request, entity, pending)
    }

    /// The result of a fetch, made from what the level above has found.
    func results(
        _ found: FoundRows, _ request: FetchRequest, _ entity: Entity, _ pending: [ManagedObject]
    ) throws -> FetchedResults {
        if request.fetchBatchSize > 0, case .keys(let groups) = found,
            let keys = try keys(groups, request, entity, pending)
        {
            return .batches(FetchedBatches(keys, request, entity: entity, context: self))
        }
        let objects = try objects(found, request, entity, pending)
        return .objects(objects, prefetched: try prefetch(for: objects, request, entity))
    }

    private func objects(
        _ found: FoundRows, _ request: FetchRequest, _ entity: Entity, _ pending: [ManagedObject]
    ) throws -> [ManagedObject] {
        var objects: [ManagedObject]
        let storeCount: Int
        switch found {
        case .rows(let groups):
            storeCount = groups.count
            objects = groups.joined { self.objects(of: $0, request, entity) }
        case .keys(let groups):
            if let keys = try keys(groups, request, entity, pending) {
                return self.objects(of: keys)
            }
            storeCount = groups.count
            objects = groups.joined { self.objects(of: $0) }
            if !request.sortKeys.isEmpty { try load(objects, entity) }
        }
        if !pending.isEmpty { return try correct(objects, for: request, entity, pending) }
        guard storeCount > 1 else { return objects }
        return try request.page(of: sort(objects, by: request, entity))
    }

    private func objects(
        of fetched: StoreRows, _ request: FetchRequest, _ entity: Entity
    ) -> [ManagedObject] {
        objects(
            of: fetched, root: entity, realised: !request.returnsObjectsAsFaults,
            refreshes: request.shouldRefreshRefetchedObjects)
    }

    private func objects(of fetched: StoreKeys) -> [ManagedObject] {
        fetched.keys.map {
            object($0.key, entityIndex: $0.entityIndex, storeNumber: fetched.storeNumber)
        }
    }

    /// One window of a batched result, in the order of its identities, with the objects prefetched
    /// for it.
    ///
    /// - Parameter window: Makes the identities. New objects among them may still get other keys.
    func batch(
        _ request: FetchRequest, _ entity: Entity, window: () -> StoreKeys
    ) -> (objects: [ManagedObject], prefetched: [ManagedObject]) {
        checkQueue()
        var loaded: [ManagedObject] = []
        do {
            return try inOneState(request, entity) {
                let (keys, found) = try askAbove {
                    let keys = window()
                    return (keys, try rows(of: keys, request, entity))
                }
                if let found { loaded = objects(of: found, request, entity) }
                // Held until here, since the registry does not keep objects alive.
                return try withExtendedLifetime(loaded) {
                    let objects = objects(of: keys)
                    let prefetched = try prefetch(for: objects, request, entity)
                    sweepIfGrown()
                    return (objects, prefetched)
                }
            }
        } catch {
            let objects = objects(of: window())
            faultHandler(objects[0].objectID, error)
            return (objects, [])
        }
    }

    private func rows(
        of window: StoreKeys, _ request: FetchRequest, _ entity: Entity
    ) throws -> StoreRows? {
        guard request.includesPropertyValues else { return nil }
        var keys = window.keys.map(\.key)
        // New objects of this context have no row. Those of a parent have one in the parent.
        if parent == nil { keys.removeAll { $0 < 0 } }
        guard !keys.isEmpty else { return nil }
        return StoreRows(
            storeNumber: window.storeNumber,
            rows: try channel.rows(keys, entity: entity, storeNumber: window.storeNumber))
    }

    /// Reports that the identity of an object of a batched result could not be read.
    ///
    /// - Returns: An object without a row. Values that the program computes from it must not be
    ///   saved.
    func unreadObject(
        at position: Int, _ entity: Entity, storeNumber: Int, _ error: any Error
    ) -> ManagedObject {
        checkQueue()
        // No row has such a key: a store gives out only the lower half of them. One for each
        // entity, since the entities of a table share their keys.
        let place = Int64(position) * Int64(model.entities.count) + Int64(entity.index)
        let object = object(.max - place, entityIndex: entity.index, storeNumber: storeNumber)
        readFailed(of: object, error, givesValue: true)
        return object
    }

    /// The objects that may still get other keys, by position.
    func unsavedObjects(of found: StoreKeys) -> [Int: ManagedObject] {
        var unsaved: [Int: ManagedObject] = [:]
        for (position, key) in found.keys.enumerated() where key.key < 0 {
            unsaved[position] = object(
                key.key, entityIndex: key.entityIndex, storeNumber: found.storeNumber)
        }
        return unsaved
    }
}

/// The results of the level above: rows, or identities if no values are needed yet.
enum FoundRows: Sendable {
    case rows([StoreRows])
    case keys([StoreKeys])
}

extension FetchRequest {
    /// Whether a fetch of objects reads their identities first.
    var wantsKeys: Bool { fetchBatchSize > 0 || !includesPropertyValues }

    /// The request to the level above. Each object with pending changes may leave the page, so as
    /// many more rows are read.
    func stored(beside pending: [ManagedObject]) -> FetchRequest {
        pending.isEmpty ? self : untilPage(and: pending.count(where: \.mayBeKnownAbove))
    }

    /// The request for the number of all objects that match.
    fileprivate func withoutPage() -> FetchRequest {
        var request = self
        request.fetchLimit = 0
        request.fetchOffset = 0
        request.sortKeys = []
        return request
    }

    /// The request for all objects that match, except these.
    fileprivate func excluding(_ objects: [ManagedObject]) -> FetchRequest {
        guard !objects.isEmpty else { return self }
        var request = self
        let others = ObjectPredicate.not(
            .comparison(
                .init(
                    .evaluatedObject, .in,
                    .aggregate(objects.map { .constant(.objectID($0.objectID)) }))))
        request.predicate = predicate.map { $0 && others } ?? others
        return request
    }
}

extension ManagedObject {
    /// Whether the level above may find the object as well. It may even if the object is new here:
    /// undo may have brought the object back here, and another context may have done so above.
    fileprivate var mayBeKnownAbove: Bool {
        !isInserted || reference >= 0 || managedObjectContext?.parent != nil
    }
}

extension StoreKeys {
    init(_ fetched: StoreRows) {
        self.init(storeNumber: fetched.storeNumber, keys: fetched.rows.map(EntityKey.init))
    }
}

extension Array {
    /// Concatenates the results of the groups. The result of a single group is not copied.
    fileprivate func joined<Result>(_ results: (Element) -> [Result]) -> [Result] {
        count == 1 ? results(self[0]) : flatMap(results)
    }
}
