extension ManagedObjectContext {
    // MARK: - Kinds of results

    /// The objects that match, in the order asked for.
    ///
    /// Registered objects are returned as they are; unsaved changes take part unless the request says otherwise. Queue: the
    /// context's. Cost: one statement, one more for each step of a prefetched key path; see `FetchedObjects` for batches.
    /// - Throws: `FetchError` if the request cannot be run, before any statement; `StoreError` if reading fails.
    public func fetch<Object: ManagedObject>(
        _ request: FetchRequest, as type: Object.Type = Object.self
    ) throws -> FetchedObjects<Object> {
        let entity = try entity(of: request)
        for index in entity.familyIndexes {
            let member = model.entities[index].description
            let objectClass = member.managedObjectClass as? ManagedObject.Type
            guard (objectClass ?? ManagedObject.self) is Object.Type else {
                throw FetchError.classMismatch(entity: member.name, expected: "\(type)")
            }
        }
        if request.fetchBatchSize > 0, pendingObjects(for: request, entity).isEmpty {
            let keys = try channel.fetchKeys(request, entity: entity)
            if keys.count == 1 {
                let all = keys[0].keys.map { (storeNumber: keys[0].storeNumber, key: $0) }
                return FetchedObjects(
                    FetchedBatches(all, request, entity: entity, context: self))
            }
        }
        return FetchedObjects(try fetchObjects(request, entity))
    }

    /// The identifiers of the objects that match, in the order asked for.
    ///
    /// Rows are read into the row cache as well unless `includesPropertyValues` is false (spec §3.7).
    /// - Throws: as `fetch`.
    public func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
        let entity = try entity(of: request)
        guard pendingObjects(for: request, entity).isEmpty else {
            return try fetchObjects(request, entity).map(\.objectID)
        }
        if request.includesPropertyValues {
            return try channel.fetchRows(request, entity: entity).flatMap { fetched in
                fetched.rows.map { identifier($0.key, $0.entityIndex, fetched.storeNumber) }
            }
        }
        return try channel.fetchKeys(request, entity: entity).flatMap { fetched in
            fetched.keys.map { identifier($0.key, $0.entityIndex, fetched.storeNumber) }
        }
    }

    /// Values of the rows that match, without objects: see `propertiesToFetch`. Nulls are absent.
    ///
    /// Shows what is stored; unsaved changes never take part (spec §3.8).
    /// - Throws: as `fetch`.
    public func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
        try coordinator.fetchDictionaries(request, entity: try entity(of: request))
    }

    /// How many objects match; at most the limit if there is one.
    ///
    /// - Throws: as `fetch`.
    public func count(for request: FetchRequest) throws -> Int {
        let entity = try entity(of: request)
        guard pendingObjects(for: request, entity).isEmpty else {
            return try fetchObjects(request, entity).count
        }
        return try channel.count(request, entity: entity)
    }

    private func identifier(_ key: Int64, _ entityIndex: Int, _ store: Int) -> ManagedObjectID {
        ManagedObjectID(scope: binding(entityIndex, store).scope, reference: key)
    }

    private func entity(of request: FetchRequest) throws -> Entity {
        checkQueue()
        takeMail()
        guard let entity = model.entity(named: request.entityName) else {
            throw FetchError.unknownEntity(request.entityName)
        }
        return entity
    }

    // MARK: - Objects

    /// The objects that match, unsaved changes considered, with prefetched relationships.
    func fetchObjects(_ request: FetchRequest, _ entity: Entity) throws -> [ManagedObject] {
        let pending = pendingObjects(for: request, entity)
        var stored = request
        if !pending.isEmpty {
            // The limit is applied to the corrected result. Each row with unsaved changes may leave it, so that as many
            // more are read.
            if request.fetchLimit > 0 {
                stored.fetchLimit =
                    request.fetchOffset + request.fetchLimit + pending.count { !$0.isInserted }
            }
            stored.fetchOffset = 0
        }
        var objects = try storedObjects(stored, entity)
        if !pending.isEmpty {
            objects = try correct(objects, for: request, entity, pending)
        }
        for keyPath in request.relationshipKeyPathsForPrefetching {
            try prefetch(keyPath, of: objects, entity)
        }
        return objects
    }

    private func storedObjects(_ request: FetchRequest, _ entity: Entity) throws -> [ManagedObject]
    {
        if !request.includesPropertyValues {
            return try channel.fetchKeys(request, entity: entity).flatMap { fetched in
                fetched.keys.map {
                    object($0.key, entityIndex: $0.entityIndex, storeNumber: fetched.storeNumber)
                }
            }
        }
        let fetched = try channel.fetchRows(request, entity: entity)
        let groups = fetched.map {
            objects(
                of: $0, root: entity, realised: !request.returnsObjectsAsFaults,
                refreshes: request.shouldRefreshRefetchedObjects)
        }
        guard groups.count > 1 else { return groups.first ?? [] }
        return try request.page(of: sort(groups.flatMap(\.self), by: request, entity))
    }

    /// One window of a batched result, in the order of its identities.
    func objects(
        ofBatch keys: ArraySlice<(storeNumber: Int, key: EntityKey)>, _ request: FetchRequest,
        entity: Entity
    ) -> [ManagedObject] {
        let storeNumber = keys.first?.storeNumber ?? 0
        do {
            let rows = try channel.rows(
                keys.map(\.key.key), entity: entity, storeNumber: storeNumber)
            // Held until the end, since the registry alone does not keep objects.
            let loaded = objects(
                of: StoreRows(storeNumber: storeNumber, rows: rows), root: entity,
                realised: !request.returnsObjectsAsFaults, refreshes: false)
            return withExtendedLifetime(loaded) {
                let window = keys.map {
                    object(
                        $0.key.key, entityIndex: $0.key.entityIndex, storeNumber: $0.storeNumber)
                }
                for keyPath in request.relationshipKeyPathsForPrefetching {
                    try? prefetch(keyPath, of: window, entity)
                }
                sweepIfGrown()
                return window
            }
        } catch {
            faultHandler(identifier(keys.first!.key.key, entity.index, storeNumber), error)
            return keys.map {
                object($0.key.key, entityIndex: $0.key.entityIndex, storeNumber: $0.storeNumber)
            }
        }
    }

    // MARK: - Pending changes (spec §3.8)

    private func pendingObjects(for request: FetchRequest, _ entity: Entity) -> [ManagedObject] {
        guard request.includesPendingChanges else { return [] }
        guard !insertedList.isEmpty || !updatedList.isEmpty || !deletedList.isEmpty else {
            return []
        }
        processPendingChanges()
        let family =
            request.includesSubentities ? entity.familyIndexes : entity.index...entity.index
        func isConcerned(_ object: ManagedObject) -> Bool {
            object.hasChanges && family.contains(object.binding.entity.index)
        }
        return (insertedList + updatedList + deletedList).filter(isConcerned)
    }

    private func correct(
        _ objects: [ManagedObject], for request: FetchRequest, _ entity: Entity,
        _ pending: [ManagedObject]
    ) throws -> [ManagedObject] {
        let predicate = try request.predicate.map { try compiled($0, entity) }
        let matches = pending.filter {
            !$0.isDeleted && predicate?.matches(ObjectSubject(object: $0)) ?? true
        }
        let dropped = Set(pending).subtracting(matches)
        var result = objects.filter { !dropped.contains($0) }
        var known = Set(result)
        result += matches.filter { known.insert($0).inserted }
        return try request.page(of: sort(result, by: request, entity))
    }

    private func sort(
        _ objects: [ManagedObject], by request: FetchRequest, _ entity: Entity
    ) throws -> [ManagedObject] {
        guard !request.sortKeys.isEmpty else { return objects }
        let sort = try CompiledSort(request.sortKeys, entity: entity, model: model)
        return objects.map(ObjectSubject.init).sorted(by: sort.areInIncreasingOrder).map(\.object)
    }

    // MARK: - Prefetching (spec §3.4)

    /// Loads the destinations along a key path, one statement a step.
    private func prefetch(
        _ keyPath: String, of objects: [ManagedObject], _ entity: Entity
    ) throws {
        var owners = objects
        var entity = entity
        for key in keyPath.split(separator: ".").map(String.init) {
            guard let property = entity.property(named: key),
                let relationship = property.relationship
            else { throw FetchError.unknownKeyPath(keyPath, entity: entity.name) }
            let destination = model.destination(of: relationship)
            owners =
                property.kind == .toOne
                ? try prefetchToOne(property, destination, of: owners)
                : try prefetchToMany(property, relationship, destination, of: owners)
            coordinator.debug.annotate("Prefetching with key '\(key)'. Got \(owners.count) rows.")
            entity = destination
        }
    }

    private func prefetchToOne(
        _ property: Property, _ destination: Entity, of owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        let destinations = Set(owners.compactMap { $0.destination(of: property) })
        try load(destinations.filter { $0.isFault && $0.row == nil }, destination)
        return Array(destinations)
    }

    private func prefetchToMany(
        _ property: Property, _ relationship: Relationship, _ destination: Entity,
        of owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        let missing = owners.filter {
            !$0.isInserted && !$0.hasLoadedDestinations(of: property)
        }
        for (storeNumber, group) in Dictionary(grouping: missing, by: \.binding.scope.storeNumber) {
            let byKey = Dictionary(uniqueKeysWithValues: group.map { ($0.reference, $0) })
            let contents = try channel.destinations(
                of: property, group[0].binding.scope, keys: Array(byKey.keys))
            for (key, owner) in byKey {
                let members = contents[key, default: []].map {
                    object($0.key, entityIndex: $0.entityIndex, storeNumber: storeNumber)
                }
                owner.prefetched(members, in: property)
            }
        }
        let destinations = Set(owners.flatMap { $0.destinations(of: property) })
        try load(destinations.filter { $0.isFault && $0.row == nil }, destination)
        return Array(destinations)
    }

    /// Reads the rows of faults in one statement a store.
    private func load(_ faults: [ManagedObject], _ entity: Entity) throws {
        for (storeNumber, group) in Dictionary(grouping: faults, by: \.binding.scope.storeNumber) {
            let keys = group.map(\.reference).filter { $0 >= 0 }
            guard !keys.isEmpty else { continue }
            let rows = try channel.rows(keys, entity: entity, storeNumber: storeNumber)
            _ = objects(
                of: StoreRows(storeNumber: storeNumber, rows: rows), root: entity,
                realised: false, refreshes: false)
        }
    }
}

/// A managed object as predicates and sort keys see it.
struct ObjectSubject: PredicateSubject {
    let object: ManagedObject

    var objectID: ManagedObjectID { object.objectID }

    func value(of property: Property) -> AttributeValue {
        guard property.kind == .toOne else { return object.attributeValue(of: property) }
        return object.destination(of: property).map { .objectID($0.objectID) } ?? .null
    }

    func destination(of property: Property) -> ObjectSubject? {
        object.destination(of: property).map(ObjectSubject.init)
    }

    func destinations(of property: Property) -> [ObjectSubject] {
        object.orderedDestinations(of: property).map(ObjectSubject.init)
    }
}
