import Foundation

/// Brings a store to the program's model before it is opened (spec §9.1, §9.2).
///
/// It works in the store's own file and in one transaction: a failure or a crash at any point leaves
/// the store as it was.
struct StoreMigration {
    private let description: PersistentStoreDescription
    private let file: URL
    private let model: ManagedObjectModel
    private let debug: DebugOptions

    /// How long to wait for other connections to close. The file must have no other one, since
    /// they would not find the tables that they know.
    private static let longestWait = Duration.seconds(5)

    /// - Parameter error: Why the store could not be opened.
    /// - Returns: Nil if a migration is not the remedy, or is not asked for.
    init?(
        for error: StoreError, _ description: PersistentStoreDescription,
        to model: ManagedObjectModel, _ debug: DebugOptions
    ) {
        guard case .incompatibleModel = error.reason, description.migratesAutomatically,
            !description.isReadOnly, let file = description.file
        else { return nil }
        self.description = description
        self.file = file
        self.model = model
        self.debug = debug
    }

    /// Migrates the store.
    ///
    /// - Throws: `MigrationError`; `StoreError` if the file cannot be read or written.
    func run() throws {
        do {
            try checkModels()
            let files = description.externalFiles(debug)
            let connection = try makeConnection(files)
            try connection.transaction(.exclusive) { try migrate(connection, files) }
            try connection.close()
        } catch let error as SQLiteError {
            guard error.isBusy else { throw StoreError(error, url: file) }
            throw MigrationError(.storeInUse, url: file)
        } catch var error as MigrationError {
            error.url = file
            throw error
        } catch var error as StoreError {
            error.url = file
            throw error
        }
    }

    /// Throws what no wait for others would change.
    private func checkModels() throws {
        try Connection.reading(
            file.path, rollsBack: true, timeout: description.timeout
        ) { connection in
            let (_, metadata) = try SQLiteStore.readMetadata(on: connection, url: file)
            _ = try ModelCorrespondence(from: sourceModel(metadata, connection), to: model)
            connection.handle.resetStatements()
        }
    }

    /// A connection that SQLite opens if there is no other one, in the file's journal mode.
    private func makeConnection(_ files: ExternalFiles?) throws -> Connection {
        var description = description
        description.timeout = min(description.timeout, Self.longestWait)
        // Views and triggers of others keep the names that they use.
        description.pragmas["legacy_alter_table"] = "ON"
        var configuration = description.connectionConfiguration(debug)
        configuration.pragmas.removeAll { $0.name.lowercased() == "journal_mode" }
        configuration.pragmas.insert(("locking_mode", "EXCLUSIVE"), at: 0)
        let connection = try Connection(configuration)
        try QueryFunctions.register(on: connection)
        try TriggerFunctions().register(on: connection)
        try ExternalData.register(on: connection, files)
        return connection
    }

    private func migrate(_ connection: Connection, _ files: ExternalFiles?) throws {
        var (identifier, metadata) = try SQLiteStore.readMetadata(on: connection, url: file)
        let names = Set(metadata.versionHashes.keys)
        guard let entityNames = model.entityNames(inConfiguration: description.configuration) else {
            return
        }
        let source = try sourceModel(metadata, connection)
        let catalog = try StoreCatalog(connection)
        let layout = try StoreLayout(
            source, catalog, storeIdentifier: identifier, entityNames: names,
            isUnrelatedModel: false,
            marks: metadata.isOfCoreData ? .asModel : .columns(Set(metadata.externalColumns ?? [])))
        let correspondence = try ModelCorrespondence(from: source, to: model)
        let target = StoreLayout(
            model,
            numbers: MigrationScript.numbers(correspondence, from: layout, catalog),
            storeIdentifier: identifier)
        let schema = SQLiteSchema(model: model, entityNames: entityNames)
        let script = MigrationScript(
            correspondence, from: layout, holding: names, to: target, schema)
        // The next opening then removes the files of values that are gone.
        if metadata.externalColumns != nil {
            do throws(FileFailure) { try files?.hold() } catch { throw StoreError(error.reason) }
        }
        for statement in try script.statements(SchemaObjects(connection)) {
            try run(statement, of: script, connection)
        }
        if catalog.hasHistoryTables {
            let columns = try HistoryTables.names(on: connection)["ACHANGE"] ?? []
            let tombstones = columns.filter { $0.hasPrefix("ZTOMBSTONE") }.sorted()
            for statement in script.historyStatements(tombstones: tombstones) {
                try run(statement, of: script, connection)
            }
        }
        metadata.migrate(toVersionHashes: schema.versionHashes)
        if !metadata.isOfCoreData {
            let marked = target.markedColumns(of: schema.entities)
            metadata.externalColumns = marked.isEmpty ? nil : marked
        }
        try SQLiteStore.write(metadata, on: connection)
        try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try schema.writeModelCache(on: connection, url: file)
    }

    private func run(
        _ statement: String, of script: MigrationScript, _ connection: Connection
    ) throws {
        let start = ContinuousClock.now
        do {
            try connection.execute(statement)
        } catch {
            guard error.isUniqueness, let violated = script.constraint(of: statement) else {
                throw error
            }
            throw MigrationError(
                .constraintViolated(entity: violated.entity, constraint: violated.attributes))
        }
        debug.noteMigration("\(statement) (\((ContinuousClock.now - start).inSeconds))")
    }

    // MARK: - The model of the rows

    /// The model that the store was written with: one of those that the program gives, or the one
    /// that the store carries.
    private func sourceModel(
        _ metadata: MetadataList, _ connection: Connection
    ) throws -> ManagedObjectModel {
        let hashes = metadata.ownVersionHashes
        func isSource(_ model: ManagedObjectModel) -> Bool {
            guard let hashes else { return false }
            return model.entityVersionHashesByName.filter { hashes[$0.key] != nil }
                .mapValues { Data($0) } == hashes
        }
        if let given = description.sourceModels.first(where: isSource) { return given }
        if let cache = try SQLiteStore.modelCache(on: connection, url: file) {
            let carried = try ManagedObjectModel(
                cached: cache, into: ModelDraft(of: file, classes: [], transformers: []))
            // Core Data's own hashes follow a rule that is not known here.
            if hashes == nil || isSource(carried) { return carried }
        }
        throw MigrationError(.unknownSourceModel(entities: metadata.versionHashes.keys.sorted()))
    }
}
