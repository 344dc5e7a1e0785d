import Foundation

/// A store as a coordinator uses it: it reads rows for requests, and writes rows.
///
/// A store has entities and rows, but no objects. Every method may be called from any thread.
package protocol PersistentStore: AnyObject, Sendable {
    /// The UUID that is part of every permanent object identifier.
    var identifier: String { get }

    /// The file of the store; nil in memory.
    var url: URL? { get }
    var isReadOnly: Bool { get }

    /// The store, if it runs batch requests itself; otherwise nil.
    ///
    /// The store says so, not a cast: a linker leaves a conformance out of the program if nothing
    /// else refers to its file in a static library.
    var batchStore: (any BatchStore)? { get }

    /// The store, if it has a history; otherwise nil.
    var historyStore: (any HistoryStore)? { get }
    var statistics: ConnectionStatistics { get }
    func resetStatistics()

    var metadata: StoreMetadata { get }

    /// Replaces the program's own metadata values. The next save writes them.
    func setMetadataValues(_ values: [String: AttributeValue])

    /// Whether a save without rows has metadata to write.
    var hasUnwrittenMetadata: Bool { get }

    /// The rows that match, in the order of the request.
    func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> RowList

    /// The identities of the rows that match, in the order of the request.
    func fetchKeys(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> [EntityKey]

    /// The identities of the rows that match; the last of them may be read later, from the same
    /// state. Nil if the store reads all at once.
    func startList(_ request: FetchRequest, entity: Entity) throws -> ListStart?

    /// How the store would run a request; nil for a store without statements.
    func explain(
        _ request: FetchRequest, entity: Entity, resultType: FetchResultType
    ) throws -> FetchExplanation?

    /// - Parameter objectID: Makes the identifier of an entity's row, for expressions whose value
    ///   is one.
    func fetchDictionaries(
        _ request: FetchRequest, entity: Entity,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws -> [[String: AttributeValue]]
    func count(_ request: FetchRequest, entity: Entity) throws -> Int

    /// The row of exactly this entity with this key; nil if there is none.
    func row(_ key: Int64, entity: Entity, _ options: ReadOptions) throws -> RowReference?

    /// Called when a context leaves its queue after reads whose options keep snapshots.
    func endTurn()

    /// The rows of the entity's family with these keys, in any order; missing ones are left out.
    func rows(_ keys: [Int64], entity: Entity) throws -> RowList

    /// The contents of a to-many relationship of one row.
    func destinations(of property: Property, _ owner: Entity, key: Int64) throws -> [EntityKey]

    /// The rows of these contents, in their order; nil if they take more memory than a slab.
    func memberRows(
        of property: Property, _ owner: Entity, key: Int64, _ options: ReadOptions
    ) throws -> RowList?

    /// The contents of a to-many relationship of several rows, with the destinations' rows.
    func relatedRows(
        of property: Property, _ owner: Entity, keys: [Int64]
    ) throws -> RelatedRows

    /// Runs the body, whose reads on this thread see one state if the store can do that: a server
    /// can.
    func readingOneState(_ body: () throws -> Void) throws

    /// The store at its present state, for reading; nil if only the newest state can be read.
    ///
    /// - Throws: `StoreError`, with the reason `tooManyGenerations` if there are too many already.
    func pinned() throws -> (any PersistentStore)?

    /// Reserves primary keys, which no other caller gets.
    func reserveKeys(_ count: Int, root: Entity) throws -> Range<Int64>

    /// Writes all changes or none.
    ///
    /// - Parameters:
    ///   - plan: The changes.
    ///   - origin: Who makes them, for a store that keeps a history.
    ///   - beforeCommit: Called after all writes and before the commit. If it throws, nothing is
    ///     written. Nil if there is nothing to wait for.
    /// - Returns: The number of the transaction in the store's history; nil if it keeps none.
    /// - Throws: `StoreConflict` if rows differ from what the plan expects; the error of
    ///   `beforeCommit`; otherwise `StoreError`.
    @discardableResult
    func save(
        _ plan: SavePlan, from origin: ChangeOrigin, beforeCommit: (() throws -> Void)?
    ) throws -> Int64?

    /// The rows that triggers of the store have changed since the last call, besides those of the
    /// plans.
    func takeRowsChangedByTriggers() -> [EntityKey]

    /// Calls the handler, on any thread, after each commit to the store by any process, until the
    /// result is cancelled or released. May call it once for several commits.
    ///
    /// The store was opened with `postsRemoteChanges`.
    func observeCommits(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation

    /// Closes the store; it must not be used afterwards.
    func close() throws
}

/// The identity of a row within its store.
package struct EntityKey: Sendable, Hashable {
    package let entityIndex: Int
    package let key: Int64

    package init(entityIndex: Int, key: Int64) {
        self.entityIndex = entityIndex
        self.key = key
    }
}

/// The contents of a to-many relationship of several rows, by owner, and the destinations' rows,
/// each once.
package struct RelatedRows: Sendable {
    package var contents: [Int64: [EntityKey]]
    package var rows: RowList

    package init(contents: [Int64: [EntityKey]], rows: RowList) {
        self.contents = contents
        self.rows = rows
    }
}

extension RelatedRows {
    /// - Parameter members: Returns the rows of an owner's members, in their order.
    init(_ owners: [Int64], members: (Int64) throws -> [RowReference]) rethrows {
        self.init(contents: [:], rows: RowList())
        var known: Set<Int64> = []
        for owner in owners {
            let members = try members(owner)
            contents[owner] = members.map(EntityKey.init)
            for row in members where known.insert(row.key).inserted { rows.append(row) }
        }
    }
}
