import Foundation
import Synchronization

/// A store in one SQLite file with Core Data's table layout (spec §8): one writer, a pool of
/// readers, WAL.
final class SQLiteStore: PersistentStore {
    let identifier: String
    let url: URL?
    let isReadOnly: Bool
    let layout: StoreLayout
    var model: ManagedObjectModel { layout.model }
    let pool: ConnectionPool
    /// Nil without `postsRemoteChanges`, and in memory.
    private let commitWatch: CommitWatch?
    let metadataState: MetadataState
    let debug: DebugOptions

    /// Nil if the store has none.
    let history: StoreHistory?
    private let keys: KeyReservation

    /// Why a store of Core Data is only read, although the description does not ask for it.
    private let obstacle: StoreError.Reason?

    private let triggerFunctions: TriggerFunctions

    /// The folder for large values; nil in memory, and if no column can refer to files.
    let externalFiles: ExternalFiles?

    /// The copy that is read instead of a file that cannot be read in place.
    private let copy: RecoveredCopy?

    /// The reader of all rows if this is the store of a generation; nil for the newest state.
    private let pinnedReader: PinnedReader?

    /// The writer for rows of which few are read at a time in a turn; nil between turns, and while
    /// a statement fills it.
    let turnWriter = Mutex<RowWriter?>(nil)

    /// The columns of every entity, alone and with its descendants, by entity index.
    private let selections: [RowSelection]
    private let familySelections: [RowSelection]
    let statements: [EntityStatements]

    /// Whether the store has the entity's table, by entity index. Objects of the store cannot be
    /// related to objects of other configurations, whose tables may be missing (spec §11.1).
    let hasTable: [Bool]

    /// The statements that read the members of relationships.
    let memberSelects = Mutex<[PropertyPlace: String]>([:])

    /// The translations of fetches of rows.
    let rowTranslations: TranslationCache

    /// Opens the file. A new file and its tables are created.
    ///
    /// - Throws: `StoreError` for a file that is missing, is not a store, has another schema or
    ///   model, or cannot be opened.
    init(
        _ description: PersistentStoreDescription, model: ManagedObjectModel, debug: DebugOptions
    ) throws {
        let url = description.location
        let files = description.externalFiles(debug)
        guard let names = model.entityNames(inConfiguration: description.configuration) else {
            throw StoreError(.unknownConfiguration(description.configuration ?? ""), url: url)
        }
        let schema = SQLiteSchema(
            model: model, entityNames: names, ignoresVersions: description.ignoresModelVersions,
            tracksHistory: description.tracksHistory,
            writesWithoutHistory: description.writesWithoutHistory,
            migrations: description.migration.migrations.map(\.version.description), debug: debug)
        do {
            var description = description
            // A file that only its copy can tell of is inspected there.
            let path = description.file?.resolvingSymlinksInPath().path
            var copy =
                path.map(SQLiteConfiguration.hasLogWithoutIndex) == true
                ? nil : try Self.recoveredCopy(description)
            description.url = copy?.url ?? description.url
            let existing = try Self.inspect(description, schema)
            obstacle = existing?.obstacle
            if obstacle != nil { description.isReadOnly = true }
            if copy == nil { copy = try Self.recoveredCopy(description) }
            description.url = copy?.url ?? description.url
            self.copy = copy
            if !description.isReadOnly { try Self.makeFolder(for: description.file) }
            debug.annotate("Connecting to sqlite database file at \"\(url?.path ?? ":memory:")\"")
            let slotCount = model.entities.map(\.layout.slotCount)
                .reduce(PairWriter.slotCount, max)
            var configuration = description.connectionConfiguration(debug)
            // The file has no WAL and none can be made, so no other connection has the database
            // open.
            if description.isReadOnly, let url = description.file,
                try RecoveredCopy.needsImmutable(url, timeout: description.timeout)
            {
                configuration.mode = .immutable
            }
            let triggerFunctions = TriggerFunctions()
            self.triggerFunctions = triggerFunctions
            let identity = StoreIdentity()
            pool = try ConnectionPool(
                configuration: configuration,
                maximumReaderCount: description.isExclusive ? 0 : description.maximumReaderCount,
                onOpen: { connection in
                    try QueryFunctions.register(on: connection)
                    try connection.registerPendingRows(slotCount: slotCount)
                    try connection.registerRequestedKey()
                    try triggerFunctions.register(on: connection)
                    try ExternalData.register(on: connection, files)
                }, isSameDatabase: { try identity.isSame(on: $0) })
            let (opened, history) = try pool.write { connection in
                let opened = try schema.open(
                    on: connection, isReadOnly: connection.isReadOnly, url: url,
                    inspected: existing)
                if debug.checksIntegrity { try Self.checkIntegrity(of: connection, url) }
                if !connection.isReadOnly {
                    for statement in opened.writerStatements {
                        try connection.execute(statement)
                        connection.temporaryStore = nil
                    }
                }
                let history = try StoreHistory(
                    opened, isRecording: description.tracksHistory && !connection.isReadOnly,
                    on: connection)
                if let files, !opened.externalColumns.isEmpty, !connection.isReadOnly {
                    Self.sweep(files, of: url, opened, on: connection)
                }
                if description.vacuumsWhenOpened { try connection.execute("VACUUM") }
                if description.analyzesWhenOpened { try connection.execute("ANALYZE") }
                identity.note(opened.identifier, copy: opened.metadata.copyMark)
                connection.acceptContent()
                return (opened, history)
            }
            self.history = history
            identifier = opened.identifier
            metadataState = MetadataState(
                opened.metadata, hasUnwrittenNote: opened.hasNewNote)
            layout = opened.layout
            externalFiles = opened.externalColumns.isEmpty ? nil : files
            isReadOnly = try pool.write { $0.isReadOnly }
            commitWatch = description.postsRemoteChanges ? try pool.makeCommitWatch() : nil
        } catch let error as SQLiteError {
            throw StoreError(error, url: url)
        }
        self.url = url
        self.debug = debug
        pinnedReader = nil
        rowTranslations = TranslationCache()
        let layout = layout
        keys = KeyReservation(model: model)
        let folder = externalFiles?.path ?? ""
        let selections = model.entities.map {
            RowSelection($0, includesSubentities: false, layout: layout, folder: folder)
        }
        self.selections = selections
        familySelections = model.entities.map {
            RowSelection($0, includesSubentities: true, layout: layout, folder: folder)
        }
        statements = model.entities.map {
            EntityStatements($0, selection: selections[$0.index], layout: layout)
        }
        hasTable = model.haveTables(inStoreOf: names)
    }

    /// The same store, but with rows of the state of this reader.
    private init(_ store: SQLiteStore, pinnedTo reader: PinnedReader) {
        identifier = store.identifier
        url = store.url
        isReadOnly = store.isReadOnly
        layout = store.layout
        pool = store.pool
        commitWatch = nil
        metadataState = store.metadataState
        debug = store.debug
        keys = store.keys
        obstacle = store.obstacle
        triggerFunctions = store.triggerFunctions
        externalFiles = store.externalFiles
        copy = store.copy
        history = store.history
        pinnedReader = reader
        selections = store.selections
        familySelections = store.familySelections
        statements = store.statements
        hasTable = store.hasTable
        rowTranslations = store.rowTranslations
    }

    func pinned() throws -> (any PersistentStore)? {
        // The files are kept before the reader sees the state to which they belong.
        let files = externalFiles?.keepingFiles()
        return try mapping { try pool.pin(keeping: files) }.map { SQLiteStore(self, pinnedTo: $0) }
    }

    var isPinned: Bool { pinnedReader != nil }

    /// A copy to read instead of a file that cannot be read in place.
    private static func recoveredCopy(
        _ description: PersistentStoreDescription
    ) throws -> RecoveredCopy? {
        guard description.isReadOnly, let file = description.file else { return nil }
        return try RecoveredCopy.ifNeeded(for: file, timeout: description.timeout)
    }

    private static func checkIntegrity(of connection: Connection, _ url: URL?) throws {
        let statement = try connection.statement("PRAGMA integrity_check")
        defer { statement.reset() }
        guard try statement.step(), statement.value(at: 0).string == "ok" else {
            throw StoreError(.notADatabase, url: url)
        }
    }

    /// Checks an existing file before any setting changes it.
    ///
    /// - Returns: Nil for a new file.
    private static func inspect(
        _ description: PersistentStoreDescription, _ schema: SQLiteSchema
    ) throws -> SQLiteSchema.Opened? {
        guard let url = description.file else { return nil }
        guard let values = try? url.resourceValues(forKeys: [.fileSizeKey, .isDirectoryKey]) else {
            if description.isReadOnly { throw StoreError(.missingFile, url: url) }
            return nil
        }
        guard values.isDirectory != true else { throw StoreError(.cannotOpen, url: url) }
        guard values.fileSize != 0 else { return nil }
        return try Connection.reading(
            url.path, rollsBack: !description.isReadOnly, timeout: description.timeout
        ) { connection in
            let isEmpty = try !connection.statement("SELECT 1 FROM sqlite_schema").step()
            connection.handle.resetStatements()
            return isEmpty ? nil : try schema.open(on: connection, isReadOnly: true, url: url)
        }
    }

    private static func makeFolder(for file: URL?) throws {
        guard let folder = file?.deletingLastPathComponent() else { return }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw StoreError(.cannotOpen, url: file)
        }
    }

    var batchStore: (any BatchStore)? { self }
    var historyStore: (any HistoryStore)? { history == nil ? nil : self }

    var statistics: ConnectionStatistics { pool.statistics }
    func resetStatistics() { pool.resetStatistics() }

    func close() throws {
        // Before the writer, which removes the WAL as the last connection of the file.
        commitWatch?.close()
        try mapping { try pool.close() }
        externalFiles?.close()
    }

    func observeCommits(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        commitWatch?.observe(handler) ?? pool.commits.observers.add(handler)
    }

    func reserveKeys(_ count: Int, root: Entity) throws -> Range<Int64> {
        try keys.take(count, root: root) { blockSize in
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
        includesSubentities ? familySelections[entity.index] : selections[entity.index]
    }

    /// Runs the body with the writer. Throws if the store is read-only, or if its file is no longer
    /// at its path: SQLite would write to a file without a name, or to the WAL of another database.
    func write<T>(_ body: (Connection) throws -> T) throws -> T {
        guard !isReadOnly else { throw StoreError(obstacle ?? .readOnly, url: url) }
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
        triggerFunctions.takeRows().compactMap { row in
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

/// The SQL of the statements about single rows of an entity, built once.
struct EntityStatements: Sendable {
    /// Inserts the rows of `PendingRows`, with version 1.
    let insert: String
    /// Inserts the rows of `PendingRows`, with their versions.
    let insertAgain: String
    let delete: String
    let selectRow: LookUpSQL

    init(_ entity: Entity, selection: RowSelection, layout: StoreLayout) {
        let table = layout.table(of: entity)
        let number = layout.number(of: entity)
        // Triggers give derived attributes their values.
        let derived = Set(
            entity.properties.compactMap { $0.derivation == nil ? nil : $0.slot })
        let slots = (0..<entity.layout.slotCount).filter { !derived.contains($0) }
        let columns =
            ["Z_PK", "Z_ENT", "Z_OPT"] + slots.map { layout.column($0, of: entity) }
        let pending = PendingRows.columns(slotCount: entity.layout.slotCount)
        let values = slots.map { layout.writing(pending.values[$0], $0, of: entity) }
        func insertion(version: String) -> String {
            """
            INSERT INTO \(table) (\(columns.joined(separator: ", "))) \
            SELECT \(([pending.key, "\(number)", version] + values).joined(separator: ", ")) \
            FROM \(PendingRows.tableName)
            """
        }
        insert = insertion(version: "1")
        insertAgain = insertion(version: pending.version)
        delete = "DELETE FROM \(table) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
        // A table that several entities share may have a row of another entity with the key.
        let isShared = entity.hasDescendants || entity.superentityIndex != nil
        selectRow = LookUpSQL(
            selection.columns, from: table, condition: isShared ? "t0.Z_ENT = \(number)" : nil)
    }
}
