import Foundation

/// An open store file. The store and those of its generations share it.
final class StoreFile: Sendable {
    let url: URL?
    let identifier: String
    let isReadOnly: Bool
    let layout: StoreLayout
    let tables: TableStatements
    let pool: ConnectionPool
    /// Nil without `postsRemoteChanges`, and in memory.
    let commitWatch: CommitWatch?
    let metadataState: MetadataState
    let debug: DebugOptions
    /// Nil if the store has none.
    let history: StoreHistory?
    let keys: KeyReservation
    /// Why a store of Core Data is only read, although the description does not ask for it.
    let obstacle: StoreError.Reason?
    let triggerFunctions = TriggerFunctions()
    /// The folder for large values; nil in memory, and if no column can refer to files.
    let externalFiles: ExternalFiles?
    /// The translations of fetches of rows.
    let rowTranslations = TranslationCache()
    /// The copy that is read instead of a file that cannot be read in place.
    private let copy: RecoveredCopy?

    /// Opens the file. A new file and its tables are created.
    ///
    /// - Throws: as the initialiser of ``SQLiteStore``.
    init(
        opening description: PersistentStoreDescription, model: ManagedObjectModel,
        debug: DebugOptions
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
            let found = try InspectedFile(description, schema)
            let description = found.description
            obstacle = found.existing?.obstacle
            copy = found.copy
            if !description.isReadOnly { try Self.makeFolder(for: description.file) }
            debug.annotate("Connecting to sqlite database file at \"\(url?.path ?? ":memory:")\"")
            let identity = StoreIdentity()
            pool = try Self.openPool(
                description, model, files, triggerFunctions, identity, debug)
            let (opened, history) = try pool.write { connection in
                let opened = try schema.open(
                    on: connection, isReadOnly: connection.isReadOnly, url: url,
                    inspected: found.existing)
                if debug.checksIntegrity { try Self.checkIntegrity(of: connection, url) }
                if !connection.isReadOnly {
                    for statement in opened.writerStatements {
                        try connection.execute(statement)
                        connection.temporaryStore = nil
                    }
                }
                let history = try StoreHistory(
                    of: opened.layout, hasTables: opened.hasHistoryTables,
                    isOfCoreData: opened.metadata.isOfCoreData,
                    isRecording: description.tracksHistory && !connection.isReadOnly,
                    on: connection)
                if let files, !opened.externalColumns.isEmpty, !connection.isReadOnly {
                    Self.sweep(files, of: url, opened, on: connection)
                }
                if description.vacuumsWhenOpened { try connection.execute("VACUUM") }
                if description.analyzesWhenOpened { try connection.execute("ANALYZE") }
                identity.note(opened.identifier, opened.metadata)
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
        keys = KeyReservation(model: model)
        tables = TableStatements(
            model, entityNames: names, layout: layout, folder: externalFiles?.path ?? "")
    }

    private static func openPool(
        _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
        _ files: ExternalFiles?, _ triggerFunctions: TriggerFunctions, _ identity: StoreIdentity,
        _ debug: DebugOptions
    ) throws -> ConnectionPool {
        let slotCount = model.entities.map(\.layout.slotCount).reduce(PairWriter.slotCount, max)
        var configuration = description.connectionConfiguration(debug)
        // The file has no WAL and none can be made, so no other connection has the database open.
        if description.isReadOnly, let url = description.file,
            try RecoveredCopy.needsImmutable(url, timeout: description.timeout)
        {
            configuration.mode = .immutable
        }
        return try ConnectionPool(
            configuration: configuration,
            maximumReaderCount: description.isExclusive ? 0 : description.maximumReaderCount,
            onOpen: { connection in
                try QueryFunctions.register(on: connection)
                try connection.registerPendingRows(slotCount: slotCount)
                try connection.registerRequestedKey()
                try triggerFunctions.register(on: connection)
                try ExternalData.register(on: connection, files)
            }, isSameDatabase: { try identity.isSame(on: $0) })
    }

    /// Removes what a process has left that was killed. The files of a store of Core Data stay,
    /// since Core Data itself may be about to commit them, and so do those of a store that shares
    /// its folder with another one.
    private static func sweep(
        _ files: ExternalFiles, of url: URL?, _ opened: SQLiteSchema.Opened,
        on connection: Connection
    ) {
        files.sweep {
            guard let url, !opened.metadata.isOfCoreData,
                !ExternalFiles.isSupportFolderShared(by: url)
            else { return nil }
            return try opened.externalColumns.references(on: connection)
        }
    }

    private static func checkIntegrity(of connection: Connection, _ url: URL?) throws {
        let statement = try connection.statement("PRAGMA integrity_check")
        defer { statement.reset() }
        guard try statement.step(), statement.value(at: 0).string == "ok" else {
            throw StoreError(.notADatabase, url: url)
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
}

/// What a file has before it is opened, and how it is opened therefore.
private struct InspectedFile {
    var description: PersistentStoreDescription
    /// The copy that is read instead of a file that cannot be read in place.
    var copy: RecoveredCopy?
    /// Nil for a new file.
    let existing: SQLiteSchema.Opened?

    init(_ description: PersistentStoreDescription, _ schema: SQLiteSchema) throws {
        self.description = description
        // A file that only its copy can tell of is inspected there.
        let path = description.file?.resolvingSymlinksInPath().path
        copy =
            path.map(SQLiteConfiguration.hasLogWithoutIndex) == true
            ? nil : try Self.recoveredCopy(description)
        self.description.url = copy?.url ?? description.url
        existing = try Self.inspect(self.description, schema)
        if existing?.obstacle != nil { self.description.isReadOnly = true }
        if copy == nil { copy = try Self.recoveredCopy(self.description) }
        self.description.url = copy?.url ?? self.description.url
    }

    /// A copy to read instead of a file that cannot be read in place.
    private static func recoveredCopy(
        _ description: PersistentStoreDescription
    ) throws -> RecoveredCopy? {
        guard description.isReadOnly, let file = description.file else { return nil }
        return try RecoveredCopy.ifNeeded(for: file, timeout: description.timeout)
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
}
