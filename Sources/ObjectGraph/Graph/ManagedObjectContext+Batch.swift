// Batch requests: straight to SQL, past this context, its objects and the row cache (spec §6).
extension ManagedObjectContext {
    /// Inserts rows in one transaction.
    ///
    /// Contexts learn of them by a new fetch, or by `mergeChanges(_:into:)` with the identifiers reported.
    /// - Throws: `FetchError.unsupported` below a parent context; `StoreError` for a bad row or a failing store, and then
    ///   nothing is inserted.
    @discardableResult
    public func execute(
        _ request: BatchInsertRequest, resultType: BatchResultType = .count
    ) throws -> BatchResult {
        try execute(request.entityName, "A batch insert") { store, entity in
            try store.execute(request, entity: entity, resultType: resultType)
        }
    }

    /// Changes rows in one statement; versions count on, so objects read before will conflict unless merged.
    ///
    /// - Throws: `FetchError` if the request cannot be run; `StoreError` if the store fails, and then nothing is changed.
    @discardableResult
    public func execute(
        _ request: BatchUpdateRequest, resultType: BatchResultType = .count
    ) throws -> BatchResult {
        try execute(request.entityName, "A batch update") { store, entity in
            try store.execute(request, entity: entity, resultType: resultType)
        }
    }

    /// Deletes rows in one transaction, with what their delete rules say.
    ///
    /// - Throws: `FetchError` if the request cannot be run; `StoreError` if the store fails, and then nothing is deleted.
    @discardableResult
    public func execute(
        _ request: BatchDeleteRequest, resultType: BatchResultType = .count
    ) throws -> BatchResult {
        try execute(request.fetchRequest.entityName, "A batch delete") { store, entity in
            try store.execute(request, entity: entity, resultType: resultType)
        }
    }

    private func execute(
        _ entityName: String, _ kind: String,
        _ body: (any PersistentStore, Entity) throws -> BatchOutcome
    ) throws -> BatchResult {
        guard parent == nil else {
            throw FetchError.unsupported(feature: "\(kind) in a context with a parent")
        }
        guard let entity = model.entity(named: entityName) else {
            throw FetchError.unknownEntity(entityName)
        }
        var result = BatchResult(count: 0, objectIDs: [])
        try coordinator.underLockPolicy {
            for record in coordinator.records where !record.store.isReadOnly {
                let outcome = try body(record.store, entity)
                result.count += outcome.count
                result.objectIDs += outcome.keys.map {
                    ManagedObjectID(
                        scope: record.scopes[$0.entityIndex], reference: $0.key)
                }
            }
        }
        return result
    }
}
