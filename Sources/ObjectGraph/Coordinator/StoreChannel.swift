/// A level above that reads from stores: the coordinator, which reads their newest state, or a
/// `GenerationChannel`.
///
/// Both read in the same way. They differ in their `StoreRecord`s: which stores they have, what a
/// read of such a store sees, and where its rows are cached.
protocol StoreChannel: ObjectChannel {
    typealias StoreRecord = PersistentStoreCoordinator.StoreRecord

    var coordinator: PersistentStoreCoordinator { get }

    /// The stores whose configuration has one of the entities.
    ///
    /// - Parameter stores: The identifiers of the stores to choose from; nil means all.
    func records(
        holding entityIndexes: ClosedRange<Int>, in stores: [String]?
    ) throws -> [StoreRecord]

    /// The store with this number.
    func openRecord(_ number: Int, entityName: String) throws -> StoreRecord

    /// Primary keys for new objects.
    func reserveKeys(_ count: Int, root: Entity, storeNumber: Int) throws -> Range<Int64>

    /// Notes which objects a context has registered. Until they are unregistered, their rows are
    /// kept, except rows that were deleted or may have changed in the store.
    func register(_ keys: [Int64], root: Int, storeNumber: Int)
    func register(_ key: Int64, root: Int, storeNumber: Int)
    func unregister(_ keys: [Int64], root: Int, storeNumber: Int)
}

extension StoreChannel {
    func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> [StoreRows] {
        try fromEachStore(request, entity) { record, request in
            let rows = try record.store.fetchRows(request, entity: entity, options)
            record.rowCache.store(rows, root: entity.rootIndex)
            return StoreRows(storeNumber: record.number, rows: rows)
        }
    }

    /// Runs the body, whose reads of the stores of a request see one state of each if the store can
    /// do that.
    func readingOneState<T>(
        _ request: FetchRequest, entity: Entity, _ body: () throws -> T
    ) throws -> T {
        let records = try records(holding: entity.familyIndexes, in: request.affectedStores)
        return try readingOneState(of: records[...], body)
    }

    private func readingOneState<T>(
        of records: ArraySlice<StoreRecord>, _ body: () throws -> T
    ) throws -> T {
        guard let first = records.first else { return try body() }
        var result: T?
        try first.store.readingOneState {
            result = try readingOneState(of: records.dropFirst(), body)
        }
        return result!
    }

    func fetchKeys(_ request: FetchRequest, entity: Entity) throws -> [StoreKeys] {
        try fetchKeys(request, entity: entity, progress: nil)
    }

    func fetchKeys(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> [StoreKeys] {
        try fromEachStore(request, entity) { record, request in
            StoreKeys(
                storeNumber: record.number,
                keys: try record.store.fetchKeys(request, entity: entity, progress: progress))
        }
    }

    /// The identities of the rows that match, of which the last may be read later. Nil if
    /// `fetchKeys` must be used: there are several stores, or the store reads all at once.
    func startList(
        _ request: FetchRequest, entity: Entity
    ) throws -> (keys: StoreKeyStream, firstRows: StoreRows?)? {
        // Reading on outside the lock would be a second request at a time.
        guard coordinator.lockPolicy != .serialized else { return nil }
        let records = try records(holding: entity.familyIndexes, in: request.affectedStores)
        guard records.count == 1,
            let start = try records[0].store.startList(request, entity: entity)
        else { return nil }
        let record = records[0]
        let rows = start.firstRows.flatMap { firstRows($0, record, entity) }
        return (
            StoreKeyStream(storeNumber: record.number, keys: start.keys),
            rows.map { StoreRows(storeNumber: record.number, rows: $0) }
        )
    }

    /// Nil if there may be newer rows.
    private func firstRows(_ first: FirstRows, _ record: StoreRecord, _ entity: Entity) -> RowList?
    {
        guard first.isNewest() else { return nil }
        record.rowCache.store(first.rows, root: entity.rootIndex)
        // A save that is not counted by now changes the cache after this.
        guard first.isNewest() else {
            record.rowCache.remove(first.rows.map(\.key), root: entity.rootIndex)
            return nil
        }
        return first.rows
    }

    func count(_ request: FetchRequest, entity: Entity) throws -> Int {
        let counts = try fromEachStore(request, entity) { record, request in
            try record.store.count(request, entity: entity)
        }
        return counts.count == 1 ? counts[0] : request.page(ofCount: counts.reduce(0, +))
    }

    func fetchDictionaries(
        _ request: FetchRequest, entity: Entity
    ) throws -> [[String: AttributeValue]] {
        let groups = try fromEachStore(request, entity) { record, request in
            try record.store.fetchDictionaries(request, entity: entity) { index, key in
                ManagedObjectID(scope: record.scopes[index], reference: key)
            }
        }
        return groups.count == 1 ? groups[0] : request.page(of: groups.flatMap(\.self))
    }

    func explain(
        _ request: FetchRequest, entity: Entity, resultType: FetchResultType
    ) throws -> [FetchExplanation] {
        try fromEachStore(request, entity) { record, request in
            try record.store.explain(request, entity: entity, resultType: resultType)
        }.compactMap(\.self)
    }

    /// - Parameter body: Gets the store and the request for it.
    private func fromEachStore<T: Sendable>(
        _ request: FetchRequest, _ entity: Entity,
        _ body: (StoreRecord, FetchRequest) throws -> T
    ) throws -> [T] {
        try coordinator.underLockPolicy {
            let records = try records(
                holding: entity.familyIndexes, in: request.affectedStores)
            if records.count == 1 { return [try body(records[0], request)] }
            // No store knows which part of the page comes from the others.
            let request = request.untilPage()
            return try records.map { try body($0, request) }
        }
    }

    func row(
        _ key: Int64, _ scope: ObjectIDScope, _ options: ReadOptions
    ) throws -> RowReference? {
        // The object was never saved here, for example because a parent context has dropped it.
        guard key >= 0 else { return nil }
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        let entity = coordinator.model.entities[scope.entityIndex]
        if let row = record.rowCache.row(key, root: entity.rootIndex),
            row.entityIndex == entity.index,
            options.staleness.map({ row.slab.readAt.age <= $0 }) ?? true
        {
            coordinator.debug.annotate(
                "fault fulfilled from cache for : \(ManagedObjectID(scope: scope, reference: key))")
            return row
        }
        coordinator.graphCounters.faultsReadFromStore.add(1, ordering: .relaxed)
        let span = TraceSpan()
        defer { span.end(.fault, entity.traceName) }
        return try coordinator.underLockPolicy {
            guard let row = try record.store.row(key, entity: entity, options) else { return nil }
            record.rowCache.store(row, root: entity.rootIndex)
            coordinator.debug.annotate(
                "fault fulfilled from database for : \(ManagedObjectID(scope: scope, reference: key))"
            )
            return row
        }
    }

    func rows(_ keys: [Int64], entity: Entity, storeNumber: Int) throws -> RowList {
        let record = try openRecord(storeNumber, entityName: entity.name)
        return try coordinator.underLockPolicy {
            let rows = try record.store.rows(keys, entity: entity)
            record.rowCache.store(rows, root: entity.rootIndex)
            return rows
        }
    }

    func members(
        of property: Property, _ scope: ObjectIDScope, key: Int64, _ options: ReadOptions?
    ) throws -> FoundMembers {
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        let owner = coordinator.model.entities[scope.entityIndex]
        let found: FoundMembers = try coordinator.underLockPolicy {
            if let options,
                let rows = try record.store.memberRows(of: property, owner, key: key, options)
            {
                let destination = coordinator.model.destination(of: property.relationship!)
                record.rowCache.store(rows, root: destination.rootIndex)
                return .rows(rows)
            }
            return .keys(try record.store.destinations(of: property, owner, key: key))
        }
        coordinator.debug.annotate(
            "to-many relationship fault \"\(property.name)\" for objectID \(ManagedObjectID(scope: scope, reference: key)) fulfilled from database. Got \(found.count) rows"
        )
        return found
    }

    func relatedRows(
        of property: Property, _ scope: ObjectIDScope, keys: [Int64]
    ) throws -> RelatedRows {
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        return try coordinator.underLockPolicy {
            let related = try record.store.relatedRows(
                of: property, coordinator.model.entities[scope.entityIndex], keys: keys)
            let destination = coordinator.model.destination(of: property.relationship!)
            record.rowCache.store(related.rows, root: destination.rootIndex)
            return related
        }
    }
}
