// Batch requests: run as SQL, without this context, its objects and the row cache (spec §6).
extension ManagedObjectContext {
    /// Inserts rows in one transaction, into the first store that holds the entity and can be
    /// written.
    ///
    /// Contexts find the rows with a new fetch, or through `mergeChanges(_:into:)` with the
    /// identifiers reported.
    /// - Throws: `FetchError.unsupported` below a parent context. `StoreError` if a row is wrong,
    ///   the store runs no batch requests, or it fails; then nothing is inserted.
    @discardableResult
    public func execute(
        _ request: BatchInsertRequest, resultType: BatchResultType = .count
    ) throws -> BatchResult {
        try execute("batch insert", request.entityName) { entity in
            let record = coordinator.recordForInsertion(of: entity, in: request.affectedStores)
            guard let record else { throw StoreError(.noStore(entity: entity.name)) }
            return [record]
        } body: { store, entity in
            try store.execute(request, entity: entity, resultType: resultType)
        }
    }

    /// Changes rows in one statement. Their versions increase, so objects read before conflict when
    /// saved unless the changes are merged.
    ///
    /// Several stores with the entity are changed one after the other.
    /// - Throws: `FetchError` if the request cannot be run. `StoreError` if a store runs no batch
    ///   requests, and then nothing is changed, or if a store fails, and then nothing is changed in
    ///   that store.
    @discardableResult
    public func execute(
        _ request: BatchUpdateRequest, resultType: BatchResultType = .count
    ) throws -> BatchResult {
        try execute("batch update", request.entityName) { entity in
            coordinator.writableRecords(holding: entity.familyIndexes, in: request.affectedStores)
        } body: { store, entity in
            try store.execute(request, entity: entity, resultType: resultType)
        }
    }

    /// Deletes rows in one transaction, and applies their delete rules.
    ///
    /// Several stores with the entity are changed one after the other.
    /// - Throws: `FetchError` if the request cannot be run. `StoreError` if a store runs no batch
    ///   requests, and then nothing is deleted, or if a store fails, and then nothing is deleted in
    ///   that store.
    @discardableResult
    public func execute(
        _ request: BatchDeleteRequest, resultType: BatchResultType = .count
    ) throws -> BatchResult {
        let fetchRequest = request.fetchRequest
        return try execute("batch delete", fetchRequest.entityName) { entity in
            coordinator.writableRecords(
                holding: entity.familyIndexes, in: fetchRequest.affectedStores)
        } body: { store, entity in
            try store.execute(request, entity: entity, resultType: resultType)
        }
    }

    private func execute(
        _ kind: String, _ entityName: String,
        inRecords records: (Entity) throws -> [PersistentStoreCoordinator.StoreRecord],
        body: (SQLiteStore, Entity) throws -> BatchOutcome
    ) throws -> BatchResult {
        guard parent == nil else {
            throw FetchError.unsupported(
                feature: "A \(kind) in a context with a parent (use a context on the coordinator)")
        }
        guard let entity = model.entity(named: entityName) else {
            throw FetchError.unknownEntity(entityName)
        }
        var result = BatchResult(count: 0, objectIDs: [])
        try coordinator.underLockPolicy {
            // All stores are checked before the first is changed.
            let targets = try records(entity).map { record in
                guard let store = record.store as? SQLiteStore else {
                    throw StoreError(
                        .unsupported("a \(kind) of \(entityName); use objects instead"))
                }
                return (record, store)
            }
            for (record, store) in targets {
                let outcome = try body(store, entity)
                result.count += outcome.count
                result.objectIDs += outcome.keys.map {
                    ManagedObjectID(scope: record.scopes[$0.entityIndex], reference: $0.key)
                }
            }
        }
        return result
    }
}
