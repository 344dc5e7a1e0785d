import Foundation

/// What a coordinator asks of a store: rows for requests, and rows to be written.
///
/// A store knows entities and rows but no objects. Every call may come from any thread.
protocol PersistentStore: AnyObject, Sendable {
    /// The UUID that is part of every permanent object identifier.
    var identifier: String { get }

    /// Where the store is kept; nil in memory.
    var url: URL? { get }
    var isReadOnly: Bool { get }
    var statistics: ConnectionStatistics { get }
    func resetStatistics()

    var metadata: StoreMetadata { get }

    /// Replaces what the program has noted; written by the next save.
    func setMetadataValues(_ values: [String: AttributeValue])

    /// Whether a save of no rows has something to write.
    var hasUnwrittenMetadata: Bool { get }

    /// The rows that match, in the order asked for.
    ///
    /// - Parameter progress: Is told how many rows have been read, and may cancel the fetch.
    func fetchRows(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> RowList

    /// The identities of the rows that match, in the order asked for.
    func fetchKeys(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> [EntityKey]

    /// How a request would be run; nil for a store that has no statements.
    func explain(
        _ request: FetchRequest, entity: Entity, resultType: FetchResultType
    ) throws -> FetchExplanation?

    /// - Parameter objectID: Makes the identifier of an entity's row, for expressions that ask for one.
    func fetchDictionaries(
        _ request: FetchRequest, entity: Entity,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws -> [[String: AttributeValue]]
    func count(_ request: FetchRequest, entity: Entity) throws -> Int

    /// The row of exactly this entity with this key; nil if there is none.
    ///
    /// - Parameter keepsSnapshot: Whether later reads of the kind may see the same state, until `endTurn` at the latest.
    func row(_ key: Int64, entity: Entity, keepsSnapshot: Bool) throws -> RowReference?

    /// Called when a context leaves its queue after reads that kept a snapshot.
    func endTurn()

    /// The rows of the entity's family with these keys, in any order; missing ones are left out.
    func rows(_ keys: [Int64], entity: Entity) throws -> RowList

    /// The contents of a to-many relationship of one row.
    func destinations(of property: Property, _ owner: Entity, key: Int64) throws -> [EntityKey]

    /// The contents of a to-many relationship of several rows, by owner.
    func destinations(
        of property: Property, _ owner: Entity, keys: [Int64]
    ) throws -> [Int64: [EntityKey]]

    /// The same, with the rows at the other end.
    func relatedRows(
        of property: Property, _ owner: Entity, keys: [Int64]
    ) throws -> RelatedRows

    /// Primary keys that nobody else will get.
    func reserveKeys(_ count: Int, root: Entity) throws -> Range<Int64>

    /// Writes all changes or none.
    ///
    /// - Parameter beforeCommit: Called when everything is written and only the commit is to come; if it throws, nothing is
    ///   written. Nil if there is nothing to wait for.
    /// - Throws: `StoreConflict` if rows are not as the plan expects them; what `beforeCommit` throws; else `StoreError`.
    func save(_ plan: SavePlan, beforeCommit: (() throws -> Void)?) throws

    /// Ends all use of the store.
    func close() throws
}

/// The identity of a row within its store.
struct EntityKey: Sendable, Hashable {
    let entityIndex: Int
    let key: Int64
}

/// The contents of a to-many relationship of several rows, by owner, and the rows that it leads to, each once.
struct RelatedRows: Sendable {
    var contents: [Int64: [EntityKey]]
    var rows: RowList
}

/// What a batch request did: the number of rows, and their identities if they were asked for.
struct BatchOutcome: Sendable {
    var count: Int
    var keys: [EntityKey] = []
}
