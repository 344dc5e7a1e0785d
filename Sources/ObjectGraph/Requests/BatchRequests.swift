/// Changes attributes of many rows in one SQL statement. It bypasses contexts, validation and the
/// row cache (spec §6.3).
public struct BatchUpdateRequest: Sendable {
    public var entityName: String

    /// Selects the rows; nil means all.
    public var predicate: ObjectPredicate?

    /// The new values by attribute name, or by the key path of an element of a composite attribute.
    /// An element wins over its composite attribute.
    public var propertiesToUpdate: [String: ObjectExpression]

    /// Whether rows of descendant entities are changed too.
    public var includesSubentities = true

    /// The identifiers of the stores to change; nil means all writable stores that have the entity.
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

/// Deletes many rows in the store. Delete rules are applied in SQL; contexts and validation are
/// bypassed (spec §6.4).
public struct BatchDeleteRequest: Sendable {
    /// Selects the rows by entity with or without subentities, stores, predicate, order, limit and
    /// offset. For a request with identifiers, only its stores count.
    public var fetchRequest: FetchRequest

    /// The rows to delete, instead of those that match the fetch request.
    package let objectIDs: [ManagedObjectID]?

    public init(fetchRequest: FetchRequest) {
        self.fetchRequest = fetchRequest
        objectIDs = nil
    }

    /// Deletes the rows of these identifiers, however many they are.
    ///
    /// Identifiers without a row are passed over. `execute` throws `FetchError.severalHierarchies`
    /// if their entities have no ancestor in common.
    public init(objectIDs: [ManagedObjectID]) {
        fetchRequest = FetchRequest(entityName: objectIDs.first?.scope.rootEntityName ?? "")
        self.objectIDs = objectIDs
    }
}

/// The form of a batch request's report. Identifiers cost memory and a statement.
public enum BatchResultType: Sendable, Hashable {
    case count
    case objectIDs
}
