import Foundation
import Synchronization

/// A store in one SQLite file with Core Data's table layout (spec §8): one writer, a pool of
/// readers, WAL.
final class SQLiteStore: PersistentStore {
    let file: StoreFile

    /// The reader of all rows if this is the store of a generation; nil for the newest state.
    private let pinnedReader: PinnedReader?

    /// The writer for rows of which few are read at a time in a turn; nil between turns, and while
    /// a statement fills it.
    let turnWriter = Mutex<RowWriter?>(nil)

    /// The statements that read the members of relationships.
    let memberSelects = Mutex<[PropertyPlace: String]>([:])

    /// Opens the file. A new file and its tables are created.
    ///
    /// - Throws: `StoreError` for a file that is missing, is not a store, has another schema or
    ///   model, or cannot be opened.
    convenience init(
        _ description: PersistentStoreDescription, model: ManagedObjectModel, debug: DebugOptions
    ) throws {
        self.init(
            file: try StoreFile(opening: description, model: model, debug: debug),
            pinnedReader: nil)
    }

    private init(file: StoreFile, pinnedReader: PinnedReader?) {
        self.file = file
        self.pinnedReader = pinnedReader
    }

    var identifier: String { file.identifier }
    var url: URL? { file.url }
    var isReadOnly: Bool { file.isReadOnly }
    var layout: StoreLayout { file.layout }
    var model: ManagedObjectModel { layout.model }
    var pool: ConnectionPool { file.pool }
    var metadataState: MetadataState { file.metadataState }
    var debug: DebugOptions { file.debug }
    var history: StoreHistory? { file.history }
    var externalFiles: ExternalFiles? { file.externalFiles }
    var statements: [EntityStatements] { file.tables.statements }
    var hasTable: [Bool] { file.tables.exist }
    var rowTranslations: TranslationCache { file.rowTranslations }

    func pinned() throws -> (any PersistentStore)? {
        // The files are kept before the reader sees the state to which they belong.
        let files = externalFiles?.keepingFiles()
        return try mapping { try pool.pin(keeping: files) }.map {
            SQLiteStore(file: file, pinnedReader: $0)
        }
    }

    var isPinned: Bool { pinnedReader != nil }

    var batchStore: (any BatchStore)? { self }
    var historyStore: (any HistoryStore)? { history == nil ? nil : self }

    var statistics: ConnectionStatistics { pool.statistics }
    func resetStatistics() { pool.resetStatistics() }

    func close() throws {
        // Before the writer, which removes the WAL as the last connection of the file.
        file.commitWatch?.close()
        try mapping { try pool.close() }
        externalFiles?.close()
    }

    func observeCommits(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        file.commitWatch?.observe(handler) ?? pool.commits.observers.add(handler)
    }

    func reserveKeys(_ count: Int, root: Entity) throws -> Range<Int64> {
        try file.keys.take(count, root: root) { blockSize in
            try mapping {
                try write { connection in
                    try connection.transaction(.immediate) {
                        let last = try lastKey(of: root, on: connection)
                        let (next, isTooFar) = last.addingReportingOverflow(Int64(blockSize))
                        guard !isTooFar, next < .max else {
                            throw StoreError(
                                .damagedValue(
                                    """
                                    cannot reserve \(blockSize) keys of '\(root.name)' after \
                                    \(last)
                                    """))
                        }
                        try setLastKey(next, of: root, on: connection)
                        return last + 1..<next + 1
                    }
                }
            }
        }
    }

    /// The value of a setting on the writer.
    func pragma(_ name: String) throws -> String {
        try mapping {
            try pool.write { connection in
                let statement = try connection.statement("PRAGMA \(name)")
                defer { statement.reset() }
                guard try statement.step() else {
                    throw StoreError(.unsupported("PRAGMA \(name)"), url: url)
                }
                return statement.value(at: 0).string
            }
        }
    }

    func selection(_ entity: Entity, includesSubentities: Bool) -> RowSelection {
        file.tables.selection(entity, includesSubentities: includesSubentities)
    }

    /// Runs the body with the writer. Throws if the store is read-only, or if its file is no longer
    /// at its path: SQLite would write to a file without a name, or to the WAL of another database.
    func write<T>(_ body: (Connection) throws -> T) throws -> T {
        guard !isReadOnly else { throw StoreError(file.obstacle ?? .readOnly, url: url) }
        return try pool.write { connection in
            guard pool.file?.isInPlace ?? true else { throw StoreError(.fileChanged, url: url) }
            return try body(connection)
        }
    }

    /// Runs the body with a reader.
    func read<T>(
        keepingSnapshot: Bool = false, seesNewest: Bool = false, _ body: (Connection) throws -> T
    ) throws -> T {
        guard let pinnedReader else {
            return try pool.read(
                keepingSnapshot: keepingSnapshot, seesNewest: seesNewest, body)
        }
        return try pinnedReader.read(body)
    }

    /// Throws if another program has written to a file that is read without locks: the rows read
    /// may be of two states.
    func requireUnchanged() throws {
        guard pool.file?.isUnchanged ?? true else { throw StoreError(.fileChanged, url: url) }
    }

    func takeRowsChangedByTriggers() -> [EntityKey] {
        file.triggerFunctions.takeRows().compactMap { row in
            layout.entityIndex(number: row.entityNumber).map {
                EntityKey(entityIndex: $0, key: row.key)
            }
        }
    }

    /// Runs the body and turns SQLite's errors into store errors.
    func mapping<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError(error, url: url)
        } catch let error as PinError {
            throw StoreError(error, url: url)
        } catch var error as StoreError where error.url == nil {
            error.url = url
            throw error
        }
    }

    /// The last primary key handed out for the entity's table (`Z_MAX` of the root's row, spec
    /// §8.2).
    func lastKey(of root: Entity, on connection: Connection) throws -> Int64 {
        let statement = try connection.statement(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        statement.bind(layout.number(of: root), at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return 0 }
        let key = statement.value(at: 0).integer
        guard Self.lastKeys.contains(key) else {
            throw StoreError(.damagedValue("Z_PRIMARYKEY.Z_MAX of '\(root.name)' is \(key)"))
        }
        return key
    }

    /// After each of these, more keys are left than any store can use.
    private static let lastKeys = 0...Int64.max / 2

    func setLastKey(_ key: Int64, of root: Entity, on connection: Connection) throws {
        let statement = try connection.statement(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        statement.bind(key, at: 1)
        statement.bind(layout.number(of: root), at: 2)
        try statement.run()
    }
}

/// A property of an entity, by their indexes.
struct PropertyPlace: Hashable {
    let entityIndex: Int
    let propertyIndex: Int
}
