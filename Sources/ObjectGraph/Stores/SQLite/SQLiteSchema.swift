import Foundation

/// Creates and checks the tables of a SQLite store: bookkeeping, one table for each root entity,
/// join tables, indexes (spec §8).
struct SQLiteSchema {
    let model: ManagedObjectModel

    /// The entities that the store holds.
    var entityNames: Set<String>

    /// Whether a store of another model is accepted, if it has the tables and columns that the
    /// model needs.
    var ignoresVersions = false
    var debug = DebugOptions()

    private var roots: [Entity] {
        model.rootEntities.filter { root in
            model.entities[root.familyIndexes].contains { entityNames.contains($0.name) }
        }
    }

    /// Every entity that shares a table with one that the store holds.
    private var entities: [Entity] { roots.flatMap { model.entities[$0.familyIndexes] } }

    /// Creates the tables if the database is empty; otherwise checks that it has the model's.
    ///
    /// - Returns: The identifier of the store and its metadata.
    /// - Throws: `StoreError` if tables of the model are missing, or the store was written with
    ///   another model.
    func open(
        on connection: Connection, isReadOnly: Bool, url: URL?
    ) throws -> (identifier: String, metadata: MetadataList) {
        var tables = try tableNames(on: connection)
        if tables.isEmpty, !isReadOnly {
            let made = try connection.transaction(.exclusive) {
                // Another connection may have created the tables before this one got the lock.
                try tableNames(on: connection).isEmpty ? try create(on: connection) : nil
            }
            if let made { return made }
            tables = try tableNames(on: connection)
        }
        guard tables.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]) else {
            throw StoreError(.incompatibleSchema("no table Z_METADATA"), url: url)
        }
        return try check(tables, on: connection, url: url)
    }

    // MARK: - Creation

    private func create(
        on connection: Connection
    ) throws -> (identifier: String, metadata: MetadataList) {
        for statement in try statements() { try connection.execute(statement) }
        for entity in entities {
            let insert = try connection.statement(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
            insert.bind(entity.number, at: 1)
            insert.bind(entity.name, at: 2)
            insert.bind(entity.superentityIndex.map { Int64($0 + 1) } ?? 0, at: 3)
            try insert.run()
        }
        let identifier = UUID().uuidString
        let insert = try connection.statement(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        insert.bind(identifier, at: 1)
        let metadata = MetadataList(versionHashes: versionHashes)
        insert.bind(blob: try metadata.data(), at: 2)
        try insert.run()
        return (identifier, metadata)
    }

    /// The statements that turn an empty database into a store, in order.
    func statements() throws -> [String] {
        try [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        ] + roots.map(table) + entities.flatMap(indexes)
            + joinTables.flatMap { [$0.create, $0.index] }
    }

    private func table(of root: Entity) -> String {
        var columns: [(name: String, type: String, rank: Int)] = []
        var seen: Set<String> = []
        for entity in model.entities[root.familyIndexes] {
            for property in entity.properties {
                guard let slot = property.slot else { continue }
                let type = property.attributeType?.columnType ?? "INTEGER"
                for slot in [slot, property.entitySlot].compactMap(\.self)
                where seen.insert(entity.columns[slot]).inserted {
                    columns.append((entity.columns[slot], type, Self.rank[type]!))
                }
            }
        }
        // Narrow columns come first, since SQLite reads a row from its start (and as in Core Data,
        // spec §8.3).
        let ordered = columns.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }.map { "\($0.element.name) \($0.element.type)" }
        let all = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + ordered
        return "CREATE TABLE \(root.table) (\(all.joined(separator: ", ")))"
    }

    private static let rank = [
        "INTEGER": 0, "TIMESTAMP": 1, "FLOAT": 1, "DECIMAL": 2, "VARCHAR": 3, "BLOB": 4,
    ]

    private var joinTables: [(name: String, create: String, index: String)] {
        var made: Set<String> = []
        return entities.flatMap(\.properties).compactMap { property in
            guard case .joinTable(let join) = property.relationship?.storage, join.isOwner,
                made.insert(join.table).inserted
            else { return nil }
            let (first, second) = (join.sourceColumn, join.destinationColumn)
            let places = [join.placeColumn, join.inversePlaceColumn].compactMap { column in
                column.map { "\($0) INTEGER, " }
            }.joined()
            return (
                join.table,
                "CREATE TABLE \(join.table) (\(first) INTEGER, \(second) INTEGER, \(places)PRIMARY KEY (\(first), \(second)))",
                "CREATE INDEX \(join.table)_\(second)_INDEX ON \(join.table) (\(second), \(first))"
            )
        }
    }

    // MARK: - Checking

    private func check(
        _ tables: Set<String>, on connection: Connection, url: URL?
    ) throws -> (identifier: String, metadata: MetadataList) {
        let (identifier, metadata) = try SQLiteStore.readMetadata(on: connection, url: url)
        let (hashes, own) = (metadata.versionHashes, versionHashes)
        let differing = Set(hashes.keys).union(own.keys).filter { hashes[$0] != own[$0] }
        debug.noteMigration(
            "the store at \(url?.path ?? ":memory:") has \(hashes.count) entities, the model \(own.count); version hashes differ for: \(differing.isEmpty ? "none" : differing.sorted().joined(separator: ", "))"
        )
        guard ignoresVersions || differing.isEmpty else {
            debug.noteMigration("the store is not opened, because it needs a migration")
            throw StoreError(.incompatibleModel(entities: differing.sorted()), url: url)
        }
        // Rows refer to their entities by these numbers.
        for entity in entities {
            let select = try connection.statement(
                "SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = ? AND Z_NAME = ?")
            select.bind(entity.number, at: 1)
            select.bind(entity.name, at: 2)
            defer { select.reset() }
            guard try select.step() else {
                throw StoreError(
                    .incompatibleSchema(
                        "no entity \(entity.name) with the number \(entity.number), which it has in the model"
                    ), url: url)
            }
        }
        for entity in roots {
            guard tables.contains(entity.table) else {
                throw StoreError(.incompatibleSchema("no table \(entity.table)"), url: url)
            }
            let present = try names(
                "SELECT name FROM pragma_table_info('\(entity.table)')", on: connection)
            let needed = model.entities[entity.familyIndexes].flatMap(\.columns)
            if let missing = needed.first(where: { !present.contains($0) }) {
                throw StoreError(
                    .incompatibleSchema("no column \(entity.table).\(missing)"), url: url)
            }
        }
        if let missing = joinTables.first(where: { !tables.contains($0.name) }) {
            throw StoreError(.incompatibleSchema("no table \(missing.name)"), url: url)
        }
        return (identifier, metadata)
    }

    private var versionHashes: [String: Data] {
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
