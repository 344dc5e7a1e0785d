extension PersistentStoreCoordinator: ObjectChannel {
    var coordinator: PersistentStoreCoordinator { self }

    func fetchRows(_ request: FetchRequest, entity: Entity) throws -> [StoreRows] {
        try fromEachStore { record in
            let rows = try record.store.fetchRows(request, entity: entity)
            record.rowCache.store(rows, root: entity.rootIndex)
            return StoreRows(storeNumber: record.number, rows: rows)
        }
    }

    func fetchKeys(_ request: FetchRequest, entity: Entity) throws -> [StoreKeys] {
        try fromEachStore { record in
            StoreKeys(
                storeNumber: record.number,
                keys: try record.store.fetchKeys(request, entity: entity))
        }
    }

    func count(_ request: FetchRequest, entity: Entity) throws -> Int {
        try fromEachStore { try $0.store.count(request, entity: entity) }.reduce(0, +)
    }

    func fetchDictionaries(
        _ request: FetchRequest, entity: Entity
    ) throws -> [[String: AttributeValue]] {
        try fromEachStore { record in
            try record.store.fetchDictionaries(request, entity: entity) { index, key in
                ManagedObjectID(scope: record.scopes[index], reference: key)
            }
        }.flatMap(\.self)
    }

    private func fromEachStore<T>(_ body: (StoreRecord) throws -> T) throws -> [T] {
        try underLockPolicy { try records.map(body) }
    }

    func row(
        _ key: Int64, _ scope: ObjectIDScope, staleness: Duration?, keepsSnapshot: Bool
    ) throws -> RowReference? {
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        let entity = model.entities[scope.entityIndex]
        if let row = record.rowCache.row(key, root: entity.rootIndex),
            staleness.map({ row.slab.readAt.duration(to: .now) <= $0 }) ?? true
        {
            return row
        }
        graphCounters.faultsReadFromStore.add(1, ordering: .relaxed)
        return try underLockPolicy {
            guard
                let row = try record.store.row(
                    key, entity: entity, keepsSnapshot: keepsSnapshot)
            else { return nil }
            record.rowCache.store(row, root: entity.rootIndex)
            return row
        }
    }

    func rows(_ keys: [Int64], entity: Entity, storeNumber: Int) throws -> RowList {
        let record = try openRecord(storeNumber, entityName: entity.name)
        return try underLockPolicy {
            let rows = try record.store.rows(keys, entity: entity)
            record.rowCache.store(rows, root: entity.rootIndex)
            return rows
        }
    }

    func destinations(
        of property: Property, _ scope: ObjectIDScope, key: Int64
    ) throws -> [EntityKey] {
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        return try underLockPolicy {
            try record.store.destinations(
                of: property, model.entities[scope.entityIndex], key: key)
        }
    }

    func destinations(
        of property: Property, _ scope: ObjectIDScope, keys: [Int64]
    ) throws -> [Int64: [EntityKey]] {
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        return try underLockPolicy {
            try record.store.destinations(
                of: property, model.entities[scope.entityIndex], keys: keys)
        }
    }

    func reserveKeys(_ count: Int, root: Entity, storeNumber: Int) throws -> Range<Int64>? {
        let record = try openRecord(storeNumber, entityName: root.name)
        return try underLockPolicy { try record.store.reserveKeys(count, root: root) }
    }

    // Optimistic locking has two levels (spec §5.3): the row cache is asked first, the versioned statements second.
    func save(_ plans: [StorePlan], from context: ManagedObjectContext) throws {
        try underLockPolicy {
            for plan in plans {
                let record = try openRecord(
                    plan.storeNumber, entityName: plan.plan.rows.first?.entity.name ?? "")
                if let conflict = cachedConflict(plan.plan, record.rowCache) {
                    graphCounters.conflicts.add(1, ordering: .relaxed)
                    throw PlanConflict(
                        storeNumber: plan.storeNumber, conflict: conflict, wasCached: true)
                }
                do {
                    try record.store.save(plan.plan)
                } catch let conflict as StoreConflict {
                    graphCounters.conflicts.add(1, ordering: .relaxed)
                    throw PlanConflict(
                        storeNumber: plan.storeNumber, conflict: conflict, wasCached: false)
                }
                update(record.rowCache, with: plan.plan)
            }
            graphCounters.saves.add(1, ordering: .relaxed)
        }
    }

    private func cachedConflict(_ plan: SavePlan, _ cache: RowCache) -> StoreConflict? {
        var positions: [Int] = []
        plan.forEachTable { range in
            guard plan.rows[range.lowerBound].kind != .insert else { return }
            positions += cache.positionsOfOtherVersions(
                plan.rows, range, root: plan.rows[range.lowerBound].entity.rootIndex)
        }
        return positions.isEmpty ? nil : .versions(positions)
    }

    private func update(_ cache: RowCache, with plan: SavePlan) {
        plan.forEachTable { range in
            let root = plan.rows[range.lowerBound].entity.rootIndex
            if plan.rows[range.lowerBound].kind == .delete {
                cache.remove(plan.rows[range].lazy.map(\.key), root: root)
            } else {
                cache.store(RowList(plan.rows[range].lazy.map { $0.row! }), root: root)
            }
        }
    }

    func register(_ keys: [Int64], root: Int, storeNumber: Int) {
        record(number: storeNumber)?.rowCache.register(keys, root: root)
    }

    func register(_ key: Int64, root: Int, storeNumber: Int) {
        record(number: storeNumber)?.rowCache.register(CollectionOfOne(key), root: root)
    }

    func unregister(_ keys: [Int64], root: Int, storeNumber: Int) {
        record(number: storeNumber)?.rowCache.unregister(keys, root: root)
    }
}

extension PersistentStoreCoordinator {
    /// Ends the snapshots of reads that kept one.
    func endTurn() {
        for record in records { record.store.endTurn() }
    }

    /// Forgets the cached row of an object, so that it is read anew.
    func forgetRow(_ key: Int64, _ scope: ObjectIDScope) {
        record(number: scope.storeNumber)?.rowCache.remove(
            CollectionOfOne(key), root: model.entities[scope.entityIndex].rootIndex)
    }
}
