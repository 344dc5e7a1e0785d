#if PostgreSQL
import Foundation
import ObjectGraph

/// A store in a schema of a PostgreSQL database, with the tables and columns of a SQLite store.
///
/// Every read is one round trip and sees the newest state, or that of a generation. Nothing is kept
/// between reads: a transaction that waits for its program would hold up others.
final class PostgreSQLStore: PersistentStore {
    /// What was found or made when the store was opened.
    let opened: OpenedStore

    /// The links of all reads and writes, except those of generations and of the listener.
    let pool: LinkPool

    /// The column lists of entities.
    let selections: EntitySelections

    /// Primary keys that this process may give.
    let keys: KeyReservation

    /// Nil if the store has none.
    let history: StoreHistory?

    /// Why the store is only read, although the description does not ask for it.
    let obstacle: StoreError.Reason?

    let debug: DebugOptions

    /// The state that is read; nil for the newest one.
    let generation: Generation?

    let oneState = OneState()

    /// Nil without `postsRemoteChanges`.
    private let listener: CommitListener?

    /// Opens the schema. A missing schema and its tables are created.
    ///
    /// - Throws: `StoreError` for a schema that is no store, or one of another model.
    ///   `PostgreSQLError` if the server cannot be reached or refuses something.
    init(
        _ description: PersistentStoreDescription, model: ManagedObjectModel, debug: DebugOptions
    ) throws {
        let description = description.withHiddenAddress()
        let opening = try StoreOpening(description, model: model)
        let settings = try opening.settings(debug)
        let pool = LinkPool(settings, maximumCount: max(1, description.maximumReaderCount) + 1)
        do {
            let opened = try pool.write { try opening.run(on: $0) }
            self.opened = opened
            let isRecording = description.tracksHistory && !description.isReadOnly
            history = try pool.write {
                try StoreHistory(opened.layout, isRecording: isRecording, on: $0)
            }
            let mayMissChanges =
                !isRecording && !description.isReadOnly && !description.writesWithoutHistory
            let hasTransactions =
                try mayMissChanges && history != nil && pool.read(StoreHistory.hasTransactions)
            obstacle = hasTransactions ? .hasHistory : nil
            listener = try description.postsRemoteChanges ? Self.listener(opened, pool) : nil
        } catch {
            pool.close()
            throw error
        }
        self.pool = pool
        self.debug = debug
        selections = EntitySelections(opened.layout)
        keys = KeyReservation(model: model)
        generation = nil
    }

    /// Listens on a link of the store, or past a pooler.
    private static func listener(_ opened: OpenedStore, _ pool: LinkPool) throws -> CommitListener {
        guard let direct = try pool.settings.direct() else {
            throw StoreError(
                .unsupported(
                    "postsRemoteChanges through a pooler; name the server in the URL's direct=…"),
                url: opened.url)
        }
        let ownPool = pool.settings.isPooled ? LinkPool(direct, maximumCount: 1) : pool
        return try CommitListener(ownPool, channel: opened.channel)
    }

    deinit { listener?.close() }

    /// The same store with the rows of a generation.
    private init(_ store: PostgreSQLStore, of generation: Generation) {
        opened = store.opened
        pool = store.pool
        selections = store.selections
        keys = store.keys
        history = store.history
        obstacle = store.obstacle
        debug = store.debug
        listener = nil
        self.generation = generation
    }

    var settings: LinkSettings { pool.settings }
    var identifier: String { opened.identifier }
    var url: URL? { opened.url }
    var isReadOnly: Bool { opened.isReadOnly || obstacle != nil }
    var layout: StoreLayout { opened.layout }
    var model: ManagedObjectModel { opened.layout.model }

    // MARK: - Metadata

    var metadataState: MetadataState { opened.metadataState }
    var metadata: StoreMetadata {
        StoreMetadata(identifier, metadataState.list, type: .postgreSQL)
    }

    func setMetadataValues(_ values: [String: AttributeValue]) { metadataState.setValues(values) }

    var hasUnwrittenMetadata: Bool { metadataState.unwritten != nil }

    // MARK: - Generations, commits, the end

    func pinned() throws -> (any PersistentStore)? {
        guard !settings.isPooled else {
            throw StoreError(
                .unsupported("a generation through a pooler that shares sessions"), url: url)
        }
        if let table = opened.foreignTable {
            throw StoreError(.unsupported("a generation of the foreign table \(table)"), url: url)
        }
        return PostgreSQLStore(self, of: try Generation(pool, url: url))
    }

    func observeCommits(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        listener?.observe(handler) ?? CommitObservers().add(handler)
    }

    /// No transaction of a turn is kept.
    func endTurn() {}

    func takeRowsChangedByTriggers() -> [EntityKey] { [] }

    func close() throws {
        listener?.close()
        pool.close()
    }

    // MARK: - Counts

    var batchStore: (any BatchStore)? { self }
    var historyStore: (any HistoryStore)? { history == nil ? nil : self }

    var statistics: ConnectionStatistics {
        let work = pool.statistics
        var statistics = ConnectionStatistics()
        statistics.statementsPrepared = work.preparedCount
        statistics.statementsRun = work.statementCount
        statistics.rowsRead = work.rowCount
        statistics.bytesSent = work.sentByteCount
        statistics.roundTrips = work.roundTripCount
        return statistics
    }

    func resetStatistics() { pool.resetStatistics() }
}
#endif
