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
        return try PendingCorrection(
            context: self, request: request, entity: entity, pending: pending
        ).count()
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

    /// Runs the statements of a request with prefetching so that they see one state.
    func inOneState<T>(
        _ request: FetchRequest, _ entity: Entity, _ body: () throws -> T
    ) throws -> T {
        guard !request.relationshipKeyPathsForPrefetching.isEmpty else { return try body() }
        return try channel.stores().readingOneState(request, entity: entity, body)
    }

    // MARK: - Objects

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
        return .objects(
            objects, prefetched: try Prefetch(in: self).run(for: objects, request, entity))
    }

    /// The identities in order, corrected by pending changes. Returns nil if the values of many
    /// rows are needed.
    private func keys(
        _ groups: [StoreKeys], _ request: FetchRequest, _ entity: Entity, _ pending: [ManagedObject]
    ) throws -> StoreKeys? {
        guard groups.count == 1 else { return nil }
        guard !pending.isEmpty else { return groups[0] }
        return try PendingCorrection(
            context: self, request: request, entity: entity, pending: pending
        ).correct(groups[0])
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
        if !pending.isEmpty {
            return try PendingCorrection(
                context: self, request: request, entity: entity, pending: pending
            ).correct(objects)
        }
        guard storeCount > 1 else { return objects }
        return try request.page(of: request.sorted(objects, entity, model))
    }

    func objects(
        of fetched: StoreRows, _ request: FetchRequest, _ entity: Entity
    ) -> [ManagedObject] {
        objects(
            of: fetched, root: entity, realised: !request.returnsObjectsAsFaults,
            refreshes: request.shouldRefreshRefetchedObjects)
    }

    func objects(of fetched: StoreKeys) -> [ManagedObject] {
        fetched.keys.map {
            object($0.key, entityIndex: $0.entityIndex, storeNumber: fetched.storeNumber)
        }
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

    /// The objects in the order of the request.
    func sorted(
        _ objects: [ManagedObject], _ entity: Entity, _ model: ManagedObjectModel
    ) throws -> [ManagedObject] {
        guard !sortKeys.isEmpty else { return objects }
        let sort = try CompiledSort(sortKeys, entity: entity, model: model)
        return objects.map(ObjectSubject.init).sorted(by: sort.areInIncreasingOrder).map(\.object)
    }

    /// The request to the level above. Each object with pending changes may leave the page, so as
    /// many more rows are read.
    func stored(beside pending: [ManagedObject]) -> FetchRequest {
        pending.isEmpty ? self : untilPage(and: pending.count(where: \.mayBeKnownAbove))
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
