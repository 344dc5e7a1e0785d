// Batch requests: run as SQL, without this context and its objects (spec §6). The row cache only
// learns which tables they change.
extension ManagedObjectContext {
    /// Inserts rows in one transaction, into the first store that holds the entity and can be
    /// written.
    ///
    /// Where another row has the values of a uniqueness constraint, the kind of the context's
    /// `mergePolicy` decides. `error` throws. Store trump and rollback skip the row. Object trump
    /// and overwrite update the other row with the attributes that were given, and leave its other
    /// attributes and its relationships as they are. Skipped and updated rows leave gaps between
    /// the primary keys.
    ///
    /// - Parameters:
    ///   - request: Where the rows come from, and the entity.
    ///   - resultType: What to report.
    ///   - contexts: The contexts that merge the rows, as by `mergeChanges(_:into:)`. Other
    ///     contexts find the rows with a new fetch.
    /// - Throws: `FetchError` if the entity is unknown or abstract. `StoreError` if a row is wrong,
    ///   if it collides and the policy is `error`, if it collides with two rows or with one of
    ///   another entity and the policy updates, if the store runs no batch requests, or if it
    ///   fails; then nothing is inserted. The errors of the request's source.
    @discardableResult
    public func execute(
        _ request: BatchInsertRequest, resultType: BatchResultType = .count,
        mergingInto contexts: [ManagedObjectContext] = []
    ) throws -> BatchResult {
        try execute("batch insert", request.entityName, resultType, contexts) { entity in
            guard !entity.isAbstract else { throw FetchError.abstractEntity(entity.name) }
            let record = coordinator.recordForInsertion(of: entity, in: request.affectedStores)
            guard let record else { throw StoreError(.noStore(entity: entity.name)) }
            return [record]
        } changing: {
            [$0.rootIndex]
        } body: { store, entity, resultType in
            try store.execute(
                request, entity: entity, collisions: mergePolicy.kind.collisionRule,
                resultType: resultType, from: origin)
        }
    }

    /// Changes rows in one statement. Their versions increase, so objects read before conflict when
    /// saved unless the changes are merged.
    ///
    /// Several stores with the entity are changed one after the other.
    ///
    /// - Parameters:
    ///   - request: Which rows to change, and how.
    ///   - resultType: What to report.
    ///   - contexts: The contexts that merge the rows, as by `mergeChanges(_:into:)`.
    /// - Throws: `FetchError` if the request cannot be run. `StoreError` if a store runs no batch
    ///   requests, and then nothing is changed, or if a store fails, and then nothing is changed in
    ///   that store.
    @discardableResult
    public func execute(
        _ request: BatchUpdateRequest, resultType: BatchResultType = .count,
        mergingInto contexts: [ManagedObjectContext] = []
    ) throws -> BatchResult {
        try execute("batch update", request.entityName, resultType, contexts) { entity in
            coordinator.writableRecords(holding: entity.familyIndexes, in: request.affectedStores)
        } changing: {
            [$0.rootIndex]
        } body: { store, entity, resultType in
            try store.execute(
                request, entity: entity, resultType: resultType, from: origin)
        }
    }

    /// Deletes rows in one transaction, and applies their delete rules.
    ///
    /// Several stores with the entity are changed one after the other.
    ///
    /// - Parameters:
    ///   - request: Which rows to delete.
    ///   - resultType: What to report.
    ///   - contexts: The contexts that merge the rows, as by `mergeChanges(_:into:)`.
    /// - Throws: `FetchError` if the request cannot be run. `StoreError` if a store runs no batch
    ///   requests, and then nothing is deleted, or if a store fails, and then nothing is deleted in
    ///   that store.
    @discardableResult
    public func execute(
        _ request: BatchDeleteRequest, resultType: BatchResultType = .count,
        mergingInto contexts: [ManagedObjectContext] = []
    ) throws -> BatchResult {
        if let ids = request.objectIDs {
            guard let first = ids.first else { return BatchResult() }
            let root = first.scope.rootEntityName
            if let other = ids.first(where: { $0.scope.rootEntityName != root }) {
                throw FetchError.severalHierarchies(first.entityName, other.entityName)
            }
        }
        let fetchRequest = request.fetchRequest
        let name = fetchRequest.entityName
        return try execute("batch delete", name, resultType, contexts) { entity in
            coordinator.writableRecords(
                holding: entity.familyIndexes, in: fetchRequest.affectedStores)
        } changing: {
            model.tablesChanged(byDeleting: $0)
        } body: { store, entity, resultType in
            try store.execute(
                request, entity: entity, resultType: resultType, from: origin)
        }
    }

    private func execute(
        _ kind: String, _ entityName: String, _ resultType: BatchResultType,
        _ contexts: [ManagedObjectContext],
        inRecords records: (Entity) throws -> [PersistentStoreCoordinator.StoreRecord],
        changing tables: (Entity) -> Set<Int>,
        body: (any BatchStore, Entity, BatchResultType) throws -> BatchOutcome
    ) throws -> BatchResult {
        guard let entity = model.entity(named: entityName) else {
            throw FetchError.unknownEntity(entityName)
        }
        var result = BatchResult()
        var historyNumbers: [String: Int64] = [:]
        // Contexts also merge what was changed before another store failed.
        defer {
            if !result.changes.isEmpty { Self.mergeChanges(result.changes, into: contexts) }
        }
        try coordinator.underLockPolicy {
            // All stores are checked before the first is changed.
            let targets = try records(entity).map { record in
                guard let store = record.store.batchStore else {
                    throw StoreError(
                        .unsupported("a \(kind) of \(entityName); use objects instead"))
                }
                return (record, store)
            }
            for (record, store) in targets {
                let outcome = try body(store, entity, contexts.isEmpty ? resultType : .objectIDs)
                record.rowCache.age(roots: tables(entity))
                coordinator.forgetRowsChangedByTriggers(of: record)
                func identifiers(_ keys: [EntityKey]) -> [ManagedObjectID] {
                    keys.map {
                        ManagedObjectID(scope: record.scopes[$0.entityIndex], reference: $0.key)
                    }
                }
                result.count += outcome.count
                result.changes.inserted += identifiers(outcome.inserted)
                result.changes.updated += identifiers(outcome.updated)
                result.changes.deleted += identifiers(outcome.deleted)
                historyNumbers[store.identifier] = outcome.historyNumber
                result.changes.historyToken = PersistentHistoryToken(ifAny: historyNumbers)
            }
        }
        return result
    }
}

extension ManagedObjectModel {
    /// The root entities whose tables a batch delete changes, by its cascades and by cutting
    /// references.
    fileprivate func tablesChanged(byDeleting entity: Entity) -> Set<Int> {
        var roots: Set<Int> = []
        var deleted: Set<Int> = []
        var waiting = Array(entity.familyIndexes)
        while let index = waiting.popLast() {
            guard deleted.insert(index).inserted else { continue }
            roots.insert(entities[index].rootIndex)
            for relationship in entities[index].properties.compactMap(\.relationship) {
                let destination = destination(of: relationship)
                switch relationship.deleteRule {
                case .cascade: waiting += destination.familyIndexes
                case .nullify: roots.insert(destination.rootIndex)
                case .noAction, .deny: break
                }
            }
        }
        return roots
    }
}

extension MergePolicy.Kind {
    /// How a batch insert treats a row whose unique values another row has.
    fileprivate var collisionRule: CollisionRule {
        switch self {
        case .error: .fail
        case .mergeByPropertyStoreTrump, .rollback: .skip
        case .mergeByPropertyObjectTrump, .overwrite: .update
        }
    }
}
