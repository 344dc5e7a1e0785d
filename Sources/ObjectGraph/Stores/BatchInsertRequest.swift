/// Inserts many rows of one entity in one transaction, past contexts, validation and the row cache (spec §6.2).
///
/// Attributes that are not given take their default or stay null; relationships cannot be set.
public struct BatchInsertRequest: Sendable {
    public var entityName: String

    /// The identifiers of the stores to choose from; nil means all. The rows go to the first that holds the entity and can
    /// be written.
    public var affectedStores: [String]?
    let source: Source

    enum Source: Sendable {
        case objects([[String: AttributeValue]])
        case handler(@Sendable (inout BatchInsertRow) throws -> Bool)
    }

    /// One row for each dictionary of values by attribute name.
    public init(entityName: String, objects: [[String: AttributeValue]]) {
        self.entityName = entityName
        source = .objects(objects)
    }

    /// One row for each call of the handler until it returns true; the row of that call is not inserted.
    ///
    /// The handler runs within the transaction. It must not save to the store, nor fetch from one that is in memory or whose
    /// coordinator lets through one request at a time: the process is stopped, since it would wait for itself for ever.
    public init(
        entityName: String, rowHandler: @escaping @Sendable (inout BatchInsertRow) throws -> Bool
    ) {
        self.entityName = entityName
        source = .handler(rowHandler)
    }
}
