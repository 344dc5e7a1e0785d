#if PostgreSQL
import Foundation
import ObjectGraph

/// Opens the schema of a store in one transaction: makes its tables, or compares what is there with
/// the model.
struct StoreOpening {
    private let description: PersistentStoreDescription
    private let model: ManagedObjectModel
    private let schema: String
    private let entityNames: Set<String>

    /// - Throws: `StoreError` if the model has what PostgreSQL cannot do.
    init(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) {
        self.description = description
        self.model = model
        schema = description.schema
        guard let names = model.entityNames(inConfiguration: description.configuration) else {
            throw StoreError(
                .unknownConfiguration(description.configuration ?? ""), url: description.url)
        }
        entityNames = names
        for entity in model.entities where names.contains(entity.name) {
            guard let index = entity.description.indexes.first(where: { $0.kind != .binary })
            else { continue }
            throw StoreError(
                .unsupported("the full-text or R-tree index \(entity.name).\(index.name)"),
                url: description.url)
        }
    }

    /// How the links of the store connect.
    ///
    /// - Throws: `PostgreSQLError` for an address that libpq cannot read.
    func settings(_ debug: DebugOptions) throws -> LinkSettings {
        var settings = try LinkSettings(
            description.addressOfDatabase(), schema: schema, timeout: description.timeout)
        let observer = description.statementObserver
        if observer != nil || debug.sqlLevel > 0 {
            settings.trace = { sql, duration in
                observer?(sql, duration)
                if debug.sqlLevel > 0 { debug.log("CoreData: sql: \(sql)") }
                debug.annotate("sql connection fetch time: \(duration.inSeconds)")
            }
        }
        return settings
    }

    func run(on link: Link) throws -> OpenedStore {
        _ = try link.run(beginning)
        do {
            let opened = try open(on: link)
            _ = try link.run(Command("COMMIT"))
            return opened
        } catch {
            _ = try? link.run(Command("ROLLBACK"))
            throw error
        }
    }

    /// Of several processes that open a new store, one makes it, and the others wait for it.
    private var beginning: [Command] {
        description.isReadOnly
            ? [Command("BEGIN READ ONLY")]
            : [
                Command("BEGIN"),
                Command(
                    "SELECT 1 FROM pg_catalog.pg_advisory_xact_lock($1)",
                    [.integer(Self.lockKey(of: schema))]),
            ]
    }

    /// The key of the lock on a schema: its name by FNV-1a.
    private static func lockKey(of schema: String) -> Int64 {
        Int64(
            bitPattern: "stackbench \(schema)".utf8.reduce(0xCBF2_9CE4_8422_2325) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01B3
            })
    }

    private func open(on link: Link) throws -> OpenedStore {
        let catalog = try SchemaCatalog(schema, on: link)
        do {
            // Others cannot hold all texts, count their bytes, or compare them in another order.
            guard catalog.encoding == "UTF8" else {
                throw StoreError(
                    .unsupported(
                        "a database with the encoding \(catalog.encoding), not ENCODING 'UTF8'"))
            }
            guard description.isReadOnly || !catalog.isStandby else {
                throw PostgreSQLError(.readOnly, "the server is a standby, which takes no changes")
            }
            guard catalog.tables["z_metadata"] == nil else {
                return try openExisting(catalog, on: link)
            }
            guard !description.isReadOnly else {
                throw StoreError(.incompatibleSchema("no table z_metadata"))
            }
            return try create(catalog, on: link)
        } catch var error as StoreError {
            error.url = description.url
            throw error
        }
    }

    // MARK: - A new store

    private func create(_ catalog: SchemaCatalog, on link: Link) throws -> OpenedStore {
        let layout = StoreLayout(postgreSQL: model, storeIdentifier: UUID().uuidString)
        let tables = SchemaTables(model, entityNames: entityNames, layout)
        // The tables of another program stay as they are.
        if let taken = tables.forms.first(where: { catalog.tables[$0.name] != nil }) {
            throw StoreError(
                .incompatibleSchema("it has a table \(taken.name), but no table z_metadata"))
        }
        let statements =
            (catalog.hasSchema ? [] : ["CREATE SCHEMA \(schema.quotedName)"])
            + (try StoreTables(layout, entityNames: entityNames).statements)
        try link.execute(statements.joined(separator: ";\n"))
        let list = MetadataList(
            versionHashes: model.versionHashes(inConfiguration: description.configuration),
            type: .postgreSQL)
        let entities = tables.entities
        var numbers = ParameterColumn(.integer, capacity: entities.count)
        var names = ParameterColumn(.text, capacity: entities.count)
        var parents = ParameterColumn(.integer, capacity: entities.count)
        for entity in entities {
            numbers.append(integer: layout.number(of: entity))
            names.append(text: entity.name)
            parents.append(
                integer: entity.superentityIndex.map { layout.number(of: model.entities[$0]) } ?? 0)
        }
        _ = try link.run([
            Command(
                """
                INSERT INTO z_primarykey (z_ent, z_name, z_super, z_max) \
                SELECT *, 0 FROM unnest($1::bigint[], $2::text[], $3::bigint[])
                """, [.column(numbers), .column(names), .column(parents)]),
            Command(
                "INSERT INTO z_metadata (z_version, z_uuid, z_plist) VALUES (1, $1, $2)",
                [.text(layout.storeIdentifier), .bytes(try list.data())]),
            Command(
                "INSERT INTO z_modelcache (z_content) VALUES ($1)",
                [.bytes(try model.cacheOfStore())]),
        ])
        return OpenedStore(layout, list, description)
    }

    // MARK: - An existing store

    private func openExisting(_ catalog: SchemaCatalog, on link: Link) throws -> OpenedStore {
        for form in SchemaTables.bookkeeping { try catalog.require(form) }
        let results = try link.run([
            Command("SELECT z_uuid, z_plist FROM z_metadata"),
            Command("SELECT z_ent, z_name FROM z_primarykey"),
        ])
        let metadata = results[0]
        guard metadata.count == 1, !metadata.isNull(0, 0), !metadata.isNull(0, 1),
            UUID(uuidString: try metadata.text(0, 0)) != nil
        else {
            throw StoreError(.incompatibleSchema("z_metadata has no row with an identifier"))
        }
        let list = MetadataList(Data(metadata.bytes(0, 1)))
        try model.requireVersionHashes(list.versionHashes, of: description)
        let layout = StoreLayout(
            postgreSQL: model,
            numbers: try model.numbers(results[1], requiring: entityNames),
            storeIdentifier: try metadata.text(0, 0),
            // Indexes are no part of the version hashes. Whoever writes to the store must write the
            // columns that it has, and can read no others.
            folded: .existing { catalog.tables[$0.serverName]?[$1.serverName] != nil })
        let forms = SchemaTables(model, entityNames: entityNames, layout).forms
        for form in forms { try catalog.require(form) }
        // Another server has another snapshot.
        let foreign = forms.map(\.name).first(where: catalog.isForeign)
        if let foreign, description.tracksHistory {
            throw StoreError(.unsupported("a history of the foreign table \(foreign)"))
        }
        return OpenedStore(layout, list, description, foreignTable: foreign)
    }
}
#endif
