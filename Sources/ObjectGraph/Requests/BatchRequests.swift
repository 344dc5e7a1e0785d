/// Changes attributes of many rows in one SQL statement, past contexts, validation and the row cache (spec §6.3).
public struct BatchUpdateRequest: Sendable {
    public var entityName: String

    /// Which rows; nil means all. It cannot lead through relationships.
    public var predicate: ObjectPredicate?

    /// The new value of each attribute by name.
    public var propertiesToUpdate: [String: ObjectExpression]

    /// Whether rows of the entity's descendants are changed too.
    public var includesSubentities = true

    /// The identifiers of the stores to change rows in; nil means all that hold the entity and can be written.
    public var affectedStores: [String]?

    public init(
        entityName: String, predicate: ObjectPredicate? = nil,
        propertiesToUpdate: [String: ObjectExpression]
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.propertiesToUpdate = propertiesToUpdate
    }
}

/// Deletes many rows in the store, following delete rules in SQL, past contexts and validation (spec §6.4).
public struct BatchDeleteRequest: Sendable {
    /// Which rows: entity, predicate, order, limit and offset count.
    public var fetchRequest: FetchRequest

    public init(fetchRequest: FetchRequest) {
        self.fetchRequest = fetchRequest
    }
}

/// What a batch request reports.
public struct BatchResult: Sendable, Hashable {
    /// The number of rows inserted, updated or deleted.
    public var count: Int

    /// The rows, if the request was to report them; empty otherwise.
    public var objectIDs: [ManagedObjectID]
}

/// What a batch request is to report; identifiers cost memory and a statement.
public enum BatchResultType: Sendable, Hashable {
    case count
    case objectIDs
}
