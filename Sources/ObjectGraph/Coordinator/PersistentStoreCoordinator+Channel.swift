extension PersistentStoreCoordinator: ObjectChannel {
    var coordinator: PersistentStoreCoordinator { self }

    func fetchRows(
        _ request: FetchRequest, entity: Entity, keepsSnapshot: Bool
    ) throws -> [StoreRows] {
        try fetchRows(request, entity: entity, progress: nil, keepsSnapshot: keepsSnapshot)
    }

    func fetchRows(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?,
        keepsSnapshot: Bool = false
    ) throws -> [StoreRows] {
        try fromEachStore(request, entity) { record, request in
            let rows = try record.store.fetchRows(
                request, entity: entity, progress: progress, keepsSnapshot: keepsSnapshot)
            record.rowCache.store(rows, root: entity.rootIndex)
            return StoreRows(storeNumber: record.number, rows: rows)
        }
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
        return try underLockPolicy {
            let records = records(for: request, entity)
            if records.count == 1 { return [try body(records[0], request)] }
            // No store knows which part of the page comes from the others.
            let request = request.untilPage()
            return try records.map { try body($0, request) }
        }
    }

    /// The stores of a request.
    private func records(for request: FetchRequest, _ entity: Entity) -> [StoreRecord] {
        records(holding: entity.familyIndexes, in: request.affectedStores)
    }

    /// Whether a request has more than one store.
    func spreads(_ request: FetchRequest, _ entity: Entity) -> Bool {
        records(for: request, entity).count > 1
    }

    func row(
        _ key: Int64, _ scope: ObjectIDScope, staleness: Duration?, keepsSnapshot: Bool
    ) throws -> RowReference? {
        // The object was never saved here, for example because a parent context has dropped it.
        guard key >= 0 else { return nil }
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        let entity = model.entities[scope.entityIndex]
        if let row = record.rowCache.row(key, root: entity.rootIndex),
            row.entityIndex == entity.index,
            staleness.map({ row.slab.readAt.duration(to: .now) <= $0 }) ?? true
        {
            debug.annotate(
                "fault fulfilled from cache for : \(ManagedObjectID(scope: scope, reference: key))")
            return row
        }
        graphCounters.faultsReadFromStore.add(1, ordering: .relaxed)
        return try underLockPolicy {
            guard
                let row = try record.store.row(
                    key, entity: entity, keepsSnapshot: keepsSnapshot)
            else { return nil }
            record.rowCache.store(row, root: entity.rootIndex)
            debug.annotate(
                "fault fulfilled from database for : \(ManagedObjectID(scope: scope, reference: key))"
            )
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
        let contents = try underLockPolicy {
            try record.store.destinations(
                of: property, model.entities[scope.entityIndex], key: key)
        }
        annotateMembers(of: property, scope, key: key, count: contents.count)
        return contents
    }

    func members(
        of property: Property, _ scope: ObjectIDScope, key: Int64, keepsSnapshot: Bool
    ) throws -> FoundMembers {
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        let found = try underLockPolicy {
            let rows = try record.store.memberRows(
                of: property, model.entities[scope.entityIndex], key: key,
                keepsSnapshot: keepsSnapshot)
            if let rows {
                let destination = model.destination(of: property.relationship!)
                record.rowCache.store(rows, root: destination.rootIndex)
            }
            return rows
        }
        guard let found else { return .keys(try destinations(of: property, scope, key: key)) }
        annotateMembers(of: property, scope, key: key, count: found.count)
        return .rows(found)
    }

    private func annotateMembers(
        of property: Property, _ scope: ObjectIDScope, key: Int64, count: Int
    ) {
        debug.annotate(
            "to-many relationship fault \"\(property.name)\" for objectID \(ManagedObjectID(scope: scope, reference: key)) fulfilled from database. Got \(count) rows"
        )
    }

    func relatedRows(
        of property: Property, _ scope: ObjectIDScope, keys: [Int64]
    ) throws -> RelatedRows {
        let record = try openRecord(scope.storeNumber, entityName: scope.entityName)
        return try underLockPolicy {
            let related = try record.store.relatedRows(
                of: property, model.entities[scope.entityIndex], keys: keys)
            let destination = model.destination(of: property.relationship!)
            record.rowCache.store(related.rows, root: destination.rootIndex)
            return related
        }
    }

    func reserveKeys(_ count: Int, root: Entity, storeNumber: Int) throws -> Range<Int64>? {
        let record = try openRecord(storeNumber, entityName: root.name)
        return try underLockPolicy { try record.store.reserveKeys(count, root: root) }
    }

    // Optimistic locking has two levels (spec §5.3): first the row cache, then the versioned
    // statements.
    func save(_ plans: [StorePlan], ifCurrent isCurrent: @Sendable () -> Bool) throws {
        try underLockPolicy {
            let targets = try targets(of: plans)
            for target in targets {
                if let conflict = cachedConflict(target.plan, target.record.rowCache) {
                    throw noted(conflict, target, wasCached: true)
                }
            }
            var committed: [StoreRecord] = []
            try write(targets[...], &committed)
            for target in targets {
                update(target.record.rowCache, with: target.plan)
                for row in target.record.store.takeRowsChangedByTriggers() {
                    target.record.rowCache.remove(
                        CollectionOfOne(row.key), root: model.entities[row.entityIndex].rootIndex)
                }
            }
            graphCounters.saves.add(1, ordering: .relaxed)
        }
    }

    private struct SaveTarget {
        let plan: SavePlan
        let record: StoreRecord
    }

    /// The stores of the plans, and those with only metadata to write. They are sorted by number,
    /// so that two saves never wait for each other.
    private func targets(of plans: [StorePlan]) throws -> [SaveTarget] {
        var targets = try plans.map { plan in
            let entityName = plan.plan.rows.first?.entity.name ?? ""
            return SaveTarget(
                plan: plan.plan,
                record: try openRecord(plan.storeNumber, entityName: entityName))
        }
        for record in records
        where record.store.hasUnwrittenMetadata
            && !plans.contains(where: { $0.storeNumber == record.number })
        {
            targets.append(SaveTarget(plan: SavePlan(), record: record))
        }
        return targets.sorted { $0.record.number < $1.record.number }
    }

    private func noted(
        _ conflict: StoreConflict, _ target: SaveTarget, wasCached: Bool
    ) -> PlanConflict {
        graphCounters.conflicts.add(1, ordering: .relaxed)
        return PlanConflict(
            storeNumber: target.record.number, conflict: conflict, wasCached: wasCached)
    }

    /// Writes to every store before the first of them commits, so that only a commit can fail
    /// halfway (spec §5.1).
    private func write(
        _ targets: ArraySlice<SaveTarget>, _ committed: inout [StoreRecord]
    ) throws {
        guard let target = targets.first else { return }
        let others = targets.dropFirst()
        var finished: [StoreRecord] = []
        do {
            try target.record.store.save(
                target.plan,
                beforeCommit: others.isEmpty ? nil : { try self.write(others, &finished) })
            committed = finished + [target.record]
        } catch let conflict as StoreConflict {
            throw noted(conflict, target, wasCached: false)
        } catch  where !finished.isEmpty {
            for target in others { forgetRows(of: target) }
            throw StoreError(
                .incompleteSave(
                    saved: finished.map(\.store.identifier),
                    failed: [target.record.store.identifier]), url: target.record.store.url,
                sqlite: (error as? StoreError)?.sqlite)
        }
    }

    private func forgetRows(of target: SaveTarget) {
        for change in target.plan.rows {
            target.record.rowCache.remove(
                CollectionOfOne(change.key), root: change.entity.rootIndex)
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
            switch plan.rows[range.lowerBound].kind {
            case .delete: cache.remove(plan.rows[range].lazy.map(\.key), root: root)
            case .insert, .update:
                cache.store(RowList(of: plan.rows[range]), root: root)
            case .check: break
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
    /// Ends the snapshots of reads with `keepsSnapshot`.
    func endTurn() {
        for record in records { record.store.endTurn() }
    }

    /// Removes the cached row of an object, so that it is read again.
    func forgetRow(_ key: Int64, _ scope: ObjectIDScope) {
        guard key >= 0 else { return }
        record(number: scope.storeNumber)?.rowCache.remove(
            CollectionOfOne(key), root: model.entities[scope.entityIndex].rootIndex)
    }
}
