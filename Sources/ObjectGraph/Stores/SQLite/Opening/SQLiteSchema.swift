import Foundation

/// Creates the tables of a SQLite store, or finds them in its file: bookkeeping, one table for each
/// root entity, join tables, indexes (spec §8).
struct SQLiteSchema {
    let model: ManagedObjectModel

    /// The entities that the store holds.
    var entityNames: Set<String>

    /// Whether a store of another model is accepted, if it has the tables and columns that the
    /// model needs.
    var ignoresVersions = false

    /// Whether changes go into the store's history, and whether one with a history is written even
    /// if they do not.
    var tracksHistory = false
    var writesWithoutHistory = false

    /// The versions of the program's migrations, which a new store does not need.
    var migrations: [String] = []
    var debug = DebugOptions()

    /// The roots of the tables.
    var roots: [Entity] { model.rootsOfTables(holding: entityNames) }

    /// Every entity that shares a table with one that the store holds.
    var entities: [Entity] { roots.flatMap { model.entities[$0.familyIndexes] } }

    /// An open store: what its file says of itself.
    struct Opened {
        let identifier: String
        let metadata: MetadataList
        let layout: StoreLayout

        /// Why the store can only be read; nil if it can be written.
        var obstacle: StoreError.Reason?

        /// Whether the store has the tables of a history.
        var hasHistoryTables = false

        /// Whether the file lacks the version hashes that its metadata have here.
        var hasNewNote = false

        /// The temporary triggers that the writer needs.
        var writerStatements: [String] = []

        /// The columns that may refer to files.
        var externalColumns = ExternalColumns()

        /// The source of all of this; nil for a new store.
        var origin: Origin?

        mutating func note(_ columns: ExternalColumns) {
            externalColumns = columns
            writerStatements += columns.writerStatements
        }
    }

    /// The state of a file's schema and metadata.
    struct Origin: Equatable {
        let schemaVersion: Int64
        let identifier: String
        let list: Data

        init?(_ connection: Connection) throws {
            let version = try connection.statement("PRAGMA schema_version")
            defer { version.reset() }
            let metadata = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
            defer { metadata.reset() }
            guard try version.step(), try metadata.step() else { return nil }
            schemaVersion = version.value(at: 0).integer
            identifier = metadata.value(at: 0).string
            list = Data(metadata.value(at: 1).blob)
        }
    }

    /// Creates the tables if the database is empty; otherwise finds those of the model.
    ///
    /// - Parameter inspected: What another connection has read from the file before. It is returned
    ///   if the file has not changed since then.
    /// - Throws: `StoreError` if tables of the model are missing, or the store was written with
    ///   another model.
    func open(
        on connection: Connection, isReadOnly: Bool, url: URL?, inspected: Opened? = nil
    ) throws -> Opened {
        if let inspected, try Origin(connection) == inspected.origin { return inspected }
        var tables = try tableNames(on: connection)
        if tables.isEmpty, !isReadOnly {
            let made = try connection.transaction(.exclusive) {
                // Another connection may have created the tables before this one got the lock.
                try tableNames(on: connection).isEmpty ? try create(on: connection, url: url) : nil
            }
            if let made { return made }
            tables = try tableNames(on: connection)
        }
        guard tables.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]) else {
            throw StoreError(.incompatibleSchema("no table Z_METADATA"), url: url)
        }
        do {
            return try openExisting(on: connection, url: url)
        } catch var error as StoreError {
            error.url = url
            throw error
        }
    }

    // MARK: - Creation

    private func create(on connection: Connection, url: URL?) throws -> Opened {
        let identifier = UUID().uuidString
        let layout = StoreLayout(model, storeIdentifier: identifier)
        for statement in try statements(layout) { try connection.execute(statement) }
        for entity in entities {
            let insert = try connection.statement(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
            insert.bind(entity.number, at: 1)
            insert.bind(entity.name, at: 2)
            insert.bind(entity.superentityIndex.map { Int64($0 + 1) } ?? 0, at: 3)
            try insert.run()
        }
        try writeModelCache(on: connection, url: url)
        let insert = try connection.statement(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        insert.bind(identifier, at: 1)
        var metadata = MetadataList(versionHashes: versionHashes)
        let marked = layout.markedColumns(of: entities)
        if !marked.isEmpty { metadata.externalColumns = marked }
        if !migrations.isEmpty { metadata.migrations = migrations }
        insert.bind(blob: try metadata.data(), at: 2)
        try insert.run()
        var made = Opened(identifier: identifier, metadata: metadata, layout: layout)
        try made.note(ExternalColumns(marked))
        return made
    }

    /// Keeps the model in the file.
    func writeModelCache(on connection: Connection, url: URL?) throws {
        let cache = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        do throws(StoreError) {
            cache.bind(blob: try model.cacheOfStore(), at: 1)
        } catch {
            throw StoreError(error.reason, url: url)
        }
        try cache.run()
    }

    /// The statements that turn an empty database into a store, in order.
    private func statements(_ layout: StoreLayout) throws -> [String] {
        let tables = tables(layout)
        return try tables.bookkeeping + roots.map { tables.table(of: $0) }
            + entities.flatMap { try indexes(of: $0, layout) } + tables.joinTables
            + derivedAttributes().flatMap { attribute, entity in
                DerivedTriggers(attribute, of: entity, layout).statements
            }
    }

    func tables(_ layout: StoreLayout) -> StoreTables {
        StoreTables(layout, entityNames: entityNames)
    }

    // MARK: - Existing stores

    private func openExisting(on connection: Connection, url: URL?) throws -> Opened {
        var (identifier, metadata) = try MetadataTable.read(on: connection, url: url)
        let hashes = try knownHashes(of: metadata, on: connection, url: url)
        let own = versionHashes
        let differing = Set(hashes.keys).union(own.keys).filter { hashes[$0] != own[$0] }.sorted()
        debug.noteMigration(
            "the store at \(url?.path ?? ":memory:") has \(hashes.count) entities, the model \(own.count); version hashes differ for: \(differing.isEmpty ? "none" : differing.joined(separator: ", "))"
        )
        guard ignoresVersions || differing.isEmpty else {
            debug.noteMigration("the store is not opened, because it needs a migration")
            throw StoreError(.incompatibleModel(entities: differing))
        }
        let hasNewNote = differing.isEmpty && metadata.ownVersionHashes == nil
        if hasNewNote { metadata.noteVersionHashes(own) }
        let catalog = try StoreCatalog(connection)
        let layout = try StoreLayout(
            model, catalog, storeIdentifier: identifier, entityNames: entityNames,
            isUnrelatedModel: !differing.isEmpty,
            marks: metadata.isOfCoreData ? .asModel : .columns(Set(metadata.externalColumns ?? [])))
        var opened = Opened(identifier: identifier, metadata: metadata, layout: layout)
        opened.hasNewNote = hasNewNote
        opened.origin = try Origin(connection)
        opened.hasHistoryTables = catalog.hasHistoryTables
        if metadata.isOfCoreData {
            let upkeep = try RTreeUpkeep(layout, catalog, on: connection)
            opened.writerStatements = upkeep.statements
            opened.obstacle = upkeep.unmaintained.first.map { .unmaintainedIndex($0) }
        }
        if let lost = try unmaintainedDerivation(layout, on: connection) {
            opened.obstacle = .unmaintainedDerivation(lost)
        }
        try opened.note(
            ExternalColumns(
                metadata.isOfCoreData
                    ? layout.markedColumns(of: entities) : metadata.externalColumns ?? []))
        if catalog.hasHistory, !tracksHistory, !writesWithoutHistory {
            opened.obstacle = .hasHistory
        }
        return opened
    }

    /// The version hashes of the store's entities by this engine's rule. Core Data's hashes follow
    /// a rule of its own, so those of its stores are computed from the model that the store
    /// carries.
    private func knownHashes(
        of metadata: MetadataList, on connection: Connection, url: URL?
    ) throws -> [String: Data] {
        if let hashes = metadata.ownVersionHashes {
            let known = model.updating(hashes)
            if known == versionHashes { return known }
            // The store may have been made with other transient attributes.
            let carried = try? carriedModel(on: connection, url: url)
            return carried?.updating(known) ?? known
        }
        if ignoresVersions { return [:] }
        guard let model = try carriedModel(on: connection, url: url) else {
            throw StoreError(.unknownModel)
        }
        let names = metadata.versionHashes.keys
        return model.entityVersionHashesByName.filter { names.contains($0.key) }
            .mapValues { Data($0) }
    }

    private func carriedModel(
        on connection: Connection, url: URL?
    ) throws -> ManagedObjectModel? {
        guard let url, let cache = try ModelCacheTable.read(on: connection, url: url) else {
            return nil
        }
        return try ManagedObjectModel(
            cached: cache, into: ModelDraft(of: url, classes: [], transformers: []))
    }

    /// The version hashes of the entities that the store holds.
    var versionHashes: [String: Data] {
        model.entityVersionHashesByName.filter { entityNames.contains($0.key) }
            .mapValues { Data($0) }
    }

    private func tableNames(on connection: Connection) throws -> Set<String> {
        try names(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            on: connection)
    }

    private func names(_ sql: String, on connection: Connection) throws -> Set<String> {
        let statement = try connection.statement(sql)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.value(at: 0).string) }
        return names
    }
}
