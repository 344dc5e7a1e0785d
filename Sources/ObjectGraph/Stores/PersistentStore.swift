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

    /// The rows that match, in the order asked for.
    func fetchRows(_ request: FetchRequest, entity: Entity) throws -> RowList

    /// The identities of the rows that match, in the order asked for.
    func fetchKeys(_ request: FetchRequest, entity: Entity) throws -> [EntityKey]

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

    /// Primary keys that nobody else will get.
    func reserveKeys(_ count: Int, root: Entity) throws -> Range<Int64>

    /// Writes all changes or none.
    ///
    /// - Throws: `StoreConflict` if rows are not as the plan expects them; `StoreError` otherwise.
    func save(_ plan: SavePlan) throws

    func execute(
        _ request: BatchInsertRequest, entity: Entity, resultType: BatchResultType
    ) throws -> BatchOutcome
    func execute(
        _ request: BatchUpdateRequest, entity: Entity, resultType: BatchResultType
    ) throws -> BatchOutcome
    func execute(
        _ request: BatchDeleteRequest, entity: Entity, resultType: BatchResultType
    ) throws -> BatchOutcome

    /// Ends all use of the store.
    func close() throws
}

/// The identity of a row within its store.
struct EntityKey: Sendable, Hashable {
    let entityIndex: Int
    let key: Int64
}

/// What a batch request did: the number of rows, and their identities if they were asked for.
struct BatchOutcome: Sendable {
    var count: Int
    var keys: [EntityKey] = []
}
