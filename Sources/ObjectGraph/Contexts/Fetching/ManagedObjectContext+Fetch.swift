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
        try fetch(request, as: type, needsAllIdentities: false)
    }

    /// - Parameter needsAllIdentities: Whether the caller waits for all of them in any case.
    func fetch<Object: ManagedObject>(
        _ request: FetchRequest, as type: Object.Type, needsAllIdentities: Bool
    ) throws -> FetchedObjects<Object> {
        let entity = try entity(of: request, type)
        let span = TraceSpan()
        defer { span.end(.fetch, on: queue.track, entity.traceName) }
        let fetch = Fetch(of: request, entity, in: self)
        // Changed objects need their places among all others, and a parent may have some.
        if request.fetchBatchSize > 0, !needsAllIdentities, fetch.pending.isEmpty, parent == nil,
            let start = try channel.stores().startList(request, entity: entity)
        {
            let batches = FetchedBatches(start.keys, request, entity: entity, context: self)
            if let rows = start.firstRows { try batches.takeFirstBatch(rows) }
            return FetchedObjects(.batches(batches))
        }
        return try request.inOneState(of: entity, in: self) {
            FetchedObjects(try fetch.results(fetch.find(request), request))
        }
    }

    /// The identifiers of the objects that match, in the order asked for.
    ///
    /// Rows are also read into the row cache unless `includesPropertyValues` is false (spec §3.7).
    /// `fetchBatchSize` is ignored.
    /// - Throws: as `fetch`.
    public func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
        let entity = try entity(of: request)
        let fetch = Fetch(of: request, entity, in: self)
        let stored = request.stored(beside: fetch.pending)
        let groups = try askAbove {
            request.includesPropertyValues
                ? try channel.fetchRows(stored, entity: entity, ReadOptions())
                    .map(StoreKeys.init)
                : try channel.fetchKeys(stored, entity: entity)
        }
        if let group = try fetch.keys(groups, request) {
            return group.keys.map {
                ManagedObjectID(
                    scope: binding($0.entityIndex, group.storeNumber).scope, reference: $0.key)
            }
        }
        return try fetch.objects(.keys(groups), request).map(\.objectID)
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
        return try Fetch(of: request, entity, in: self).count(request)
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
            _ = try model.steps(of: keyPath, from: entity)
        }
        return entity
    }

    /// The objects whose pending changes may affect the result.
    func pendingObjects(for request: FetchRequest, _ entity: Entity) -> [ManagedObject] {
        guard request.includesPendingChanges, !tracker.isEmpty else { return [] }
        processPendingChanges()
        let family =
            request.includesSubentities ? entity.familyIndexes : entity.index...entity.index
        func isConcerned(_ object: ManagedObject) -> Bool {
            guard object.hasChanges, family.contains(object.binding.entity.index) else {
                return false
            }
            guard let stores = request.affectedStores else { return true }
            return stores.contains(object.binding.scope.storeIdentifier ?? "")
        }
        return tracker.objects.filter(isConcerned)
    }
}
