import Foundation

/// A step of a migration in the store's own file, by SQL alone (spec §9.2).
///
/// It is one transaction: a failure or a crash at any point leaves the store as it was.
struct InPlaceMigration {
    private let step: MigrationStep
    private let store: MigratedStore

    init(_ step: MigrationStep, of store: MigratedStore) {
        self.step = step
        self.store = store
    }

    /// - Throws: `MigrationError`; `SQLiteError`, `StoreError` if the file cannot be read or written.
    func run() throws {
        let files = store.description.externalFiles(store.debug)
        let connection = try makeConnection(files)
        let start = ContinuousClock.now
        store.debug.noteMigration("migrating in place, in one transaction")
        try connection.reporting(to: progress?.statements) {
            try connection.transaction(.exclusive) { try migrate(connection, files) }
        }
        try connection.close()
        store.debug.noteMigration("committed (\((ContinuousClock.now - start).inSeconds))")
    }

    private var progress: MigrationProgress? { store.description.migration.progress }

    /// A connection that SQLite opens if there is no other one, in the file's journal mode.
    private func makeConnection(_ files: ExternalFiles?) throws -> Connection {
        var description = store.exclusiveDescription
        // Views and triggers of others keep the names that they use.
        description.pragmas["legacy_alter_table"] = "ON"
        let connection = try Connection(description.connectionConfiguration(store.debug))
        try QueryFunctions.register(on: connection)
        try TriggerFunctions().register(on: connection)
        try ExternalData.register(on: connection, files)
        return connection
    }

    private func migrate(_ connection: Connection, _ files: ExternalFiles?) throws {
        var (identifier, metadata) = try MetadataTable.read(on: connection, url: store.file)
        let names = Set(metadata.versionHashes.keys)
        let (source, model) = (step.source, step.destination)
        // Another process may have migrated the store since the step was decided.
        guard try store.sourceModel(metadata, connection).isSame(as: source, holding: names),
            let entityNames = model.entityNames(inConfiguration: store.description.configuration)
        else {
            store.debug.noteMigration("nothing to do: another process has migrated the store")
            return
        }
        let catalog = try StoreCatalog(connection)
        let layout = try StoreLayout(
            source, catalog, storeIdentifier: identifier, entityNames: names,
            isUnrelatedModel: false,
            marks: metadata.isOfCoreData ? .asModel : .columns(Set(metadata.externalColumns ?? [])))
        let correspondence = try ModelCorrespondence(from: source, to: model)
        let target = StoreLayout(
            model,
            numbers: MigrationScript.numbers(correspondence, from: layout, catalog),
            joinTables: MigrationScript.joinTables(correspondence, from: layout),
            storeIdentifier: identifier)
        let schema = SQLiteSchema(model: model, entityNames: entityNames)
        let script = try MigrationScript(
            correspondence, from: layout, holding: names, to: target, schema,
            deferred: store.description.migration.defersCleanUp
                ? DeferredCleanUp(catalog).unusedName : nil, SchemaObjects(connection))
        try MigrationSpace(copied: script.copiedTables, store: store).check(connection)
        // The next opening then removes the files of values that are gone.
        if metadata.externalColumns != nil {
            do throws(FileFailure) { try files?.hold() } catch { throw StoreError(error.reason) }
        }
        let foreign = try ForeignObjects(script.foreignObjects, on: connection)
        let statements = try script.statements()
        for (position, statement) in statements.enumerated() {
            try run(statement, of: script, connection)
            progress?.note(Double(position + 1) / Double(statements.count))
        }
        try foreign.restore(without: script.removedTables) {
            try run($0, of: script, connection)
        }
        if catalog.hasHistoryTables {
            let columns = try HistoryTables.names(on: connection)["ACHANGE"] ?? []
            let history = script.history(isOfCoreData: metadata.isOfCoreData)
            try history.register(on: connection)
            let tombstoneCount = columns.count { $0.hasPrefix("ZTOMBSTONE") }
            for statement in history.statements(tombstoneCount: tombstoneCount) {
                try run(statement, of: script, connection)
            }
        }
        metadata.migrate(toVersionHashes: schema.versionHashes)
        metadata.stage = step.stage
        if script.defersCleanUp { metadata.hasDeferredCleanUp = true }
        if !metadata.isOfCoreData {
            let marked = target.markedColumns(of: schema.entities)
            metadata.externalColumns = marked.isEmpty ? nil : marked
        }
        try MetadataTable.write(metadata, on: connection)
        try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try schema.writeModelCache(on: connection, url: store.file)
    }

    private func run(
        _ statement: String, of script: MigrationScript, _ connection: Connection
    ) throws {
        let start = ContinuousClock.now
        do {
            try connection.execute(statement)
        } catch { throw try explanation(of: error, in: statement, of: script) ?? error }
        store.debug.noteMigration("\(statement) (\((ContinuousClock.now - start).inSeconds))")
    }

    /// The error that says which rule of the new model the rows break; nil for other errors.
    private func explanation(
        of error: SQLiteError, in statement: String, of script: MigrationScript
    ) throws -> (any Error)? {
        if error.isUniqueness, let violated = script.constraint(of: statement) {
            return MigrationError(
                .constraintViolated(entity: violated.entity, constraint: violated.attributes))
        }
        // SQLite's sum of integers.
        guard error.message == "integer overflow",
            let derived = try script.derivedAttribute(of: statement)
        else { return nil }
        return StoreError(
            .derivedValueTooLarge(entity: derived.entity.name, attribute: derived.attribute.name))
    }
}
