// Writing: saves, keys, and which objects contexts have. Reading is in `StoreChannel`.
extension PersistentStoreCoordinator: StoreChannel {
    var coordinator: PersistentStoreCoordinator { self }
    func stores() -> any StoreChannel { self }

    /// Whether a request has more than one store.
    func spreads(_ request: FetchRequest, _ entity: Entity) -> Bool {
        records(holding: entity.familyIndexes, in: request.affectedStores).count > 1
    }

    func reserveKeys(_ count: Int, root: Entity, storeNumber: Int) throws -> Range<Int64> {
        let record = try openRecord(storeNumber, entityName: root.name)
        return try underLockPolicy { try record.store.reserveKeys(count, root: root) }
    }

    // Optimistic locking has two levels (spec §5.3): first the row cache, then the versioned
    // statements.
    func save(
        _ plans: [StorePlan], from origin: ChangeOrigin, ifCurrent isCurrent: @Sendable () -> Bool
    ) throws -> PersistentHistoryToken? {
        try underLockPolicy {
            let targets = try targets(of: plans)
            for target in targets {
                if let conflict = cachedConflict(target.plan, target.record.rowCache) {
                    throw noted(conflict, target, wasCached: true)
                }
            }
            var committed = Committed()
            try write(targets[...], from: origin, &committed)
            for target in targets {
                update(target.record.rowCache, with: target.plan)
                forgetRowsChangedByTriggers(of: target.record)
            }
            graphCounters.saves.add(1, ordering: .relaxed)
            return PersistentHistoryToken(ifAny: committed.historyNumbers)
        }
    }

    private struct SaveTarget {
        let plan: SavePlan
        let record: StoreRecord
    }

    /// The stores that have committed, and the numbers of the transactions in their histories.
    private struct Committed {
        var records: [StoreRecord] = []
        var historyNumbers: [String: Int64] = [:]
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
        _ targets: ArraySlice<SaveTarget>, from origin: ChangeOrigin,
        _ committed: inout Committed
    ) throws {
        guard let target = targets.first else { return }
        let others = targets.dropFirst()
        var finished = Committed()
        do {
            let number = try target.record.store.save(
                target.plan, from: origin,
                beforeCommit: others.isEmpty
                    ? nil : { try self.write(others, from: origin, &finished) })
            committed = finished
            committed.records.append(target.record)
            if let number {
                committed.historyNumbers[target.record.store.identifier] = number
            }
        } catch let conflict as StoreConflict {
            throw noted(conflict, target, wasCached: false)
        } catch  where !finished.records.isEmpty {
            for target in others { forgetRows(of: target) }
            throw StoreError(
                .incompleteSave(
                    saved: finished.records.map(\.store.identifier),
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
                // The store has computed other values of derived attributes.
                if model.hasDerivedAttributes {
                    let derived = plan.rows[range].lazy.filter { !$0.entity.derived.isEmpty }
                    cache.remove(derived.map(\.key), root: root)
                }
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
    /// Ends the snapshots of reads whose options keep them.
    func endTurn() {
        for record in records { record.store.endTurn() }
    }

    /// Removes the cached rows that triggers have changed, so that they are read again.
    func forgetRowsChangedByTriggers(of record: StoreRecord) {
        for row in record.store.takeRowsChangedByTriggers() {
            record.rowCache.remove(
                CollectionOfOne(row.key), root: model.entities[row.entityIndex].rootIndex)
        }
    }

    /// Whether a row may have been read or written since its deletion: it is cached, or belongs to
    /// an entity whose written rows are not.
    func mayHaveRow(_ key: Int64, _ scope: ObjectIDScope) -> Bool {
        !model.entities[scope.entityIndex].derived.isEmpty || cachedVersion(key, scope) != nil
    }

    /// The version of the cached row; nil if there is none.
    func cachedVersion(_ key: Int64, _ scope: ObjectIDScope) -> UInt32? {
        guard key >= 0, let record = record(number: scope.storeNumber) else { return nil }
        return record.rowCache.row(key, root: model.entities[scope.entityIndex].rootIndex)?.version
    }

    /// Removes the cached rows of objects of any coordinator, so that they are read again.
    func forgetRows(of ids: [ManagedObjectID]) {
        for id in ids {
            guard let scope = localScope(of: id) else { continue }
            forgetRow(id.reference, scope)
        }
    }

    /// Removes the cached row of an object, so that it is read again.
    func forgetRow(_ key: Int64, _ scope: ObjectIDScope) {
        guard key >= 0 else { return }
        record(number: scope.storeNumber)?.rowCache.remove(
            CollectionOfOne(key), root: model.entities[scope.entityIndex].rootIndex)
    }
}
