/// A store that runs batch requests itself, each in one transaction (spec §6).
package protocol BatchStore: PersistentStore {
    /// Inserts rows of exactly this entity.
    ///
    /// - Throws: `StoreError` for a wrong row, and for a collision if the rule is `fail`; the errors
    ///   of the request's source. Then nothing is inserted.
    func execute(
        _ request: BatchInsertRequest, entity: Entity, collisions: CollisionRule,
        resultType: BatchResultType, from origin: ChangeOrigin
    ) throws -> BatchOutcome

    /// - Throws: `FetchError` if the request cannot be run.
    func execute(
        _ request: BatchUpdateRequest, entity: Entity, resultType: BatchResultType,
        from origin: ChangeOrigin
    ) throws -> BatchOutcome

    /// - Throws: `FetchError` if the request cannot be run. `StoreError` if a delete rule would
    ///   remove a mandatory value.
    func execute(
        _ request: BatchDeleteRequest, entity: Entity, resultType: BatchResultType,
        from origin: ChangeOrigin
    ) throws -> BatchOutcome
}

/// The result of a batch request: the number of rows, and their identities by what happened to
/// them if the request wants them.
package struct BatchOutcome: Sendable {
    package var count: Int
    package var inserted: [EntityKey]
    package var updated: [EntityKey]
    package var deleted: [EntityKey]

    /// The number of the transaction in the store's history; nil if it keeps none.
    package var historyNumber: Int64?

    package init(
        count: Int, inserted: [EntityKey] = [], updated: [EntityKey] = [],
        deleted: [EntityKey] = []
    ) {
        self.count = count
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

/// How a batch insert treats a row whose values of a uniqueness constraint another row has.
package enum CollisionRule: Sendable {
    case fail
    case skip
    /// The other row takes the attributes that were given.
    case update
}
