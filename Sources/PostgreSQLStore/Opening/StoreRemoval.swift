#if PostgreSQL
import Foundation
import ObjectGraph

/// Removes the tables of a store. Those of other programs in the schema stay.
package struct StoreRemoval {
    private let schema: String
    private let url: URL
    private let settings: LinkSettings

    /// - Throws: `PostgreSQLError` for an address that libpq cannot read.
    init(_ description: PersistentStoreDescription) throws {
        let description = description.withHiddenAddress()
        schema = description.schema
        let address = try description.addressOfDatabase()
        url = description.url ?? address
        settings = try LinkSettings(
            address, schema: schema, timeout: description.timeout)
    }

    /// Drops the tables that the store's own model names, its bookkeeping and its history.
    ///
    /// - Throws: `StoreError` if the schema has no store; `ModelFileError` if its model cannot be
    ///   read; `PostgreSQLError` if views or tables of others depend on the store, or if a
    ///   transaction uses it for longer than the timeout. Nothing is dropped then.
    func run() throws {
        let link = try Link(settings)
        _ = try link.run(Command("BEGIN"))
        let catalog = try SchemaCatalog(schema, on: link)
        guard catalog.tables["z_metadata"] != nil else {
            throw StoreError(.incompatibleSchema("no table z_metadata"))
        }
        let names = try tablesOfModel(on: link) + Self.otherTables
        let tables = Set(names.filter { catalog.tables[$0] != nil }).sorted()
            .map(\.quotedName).joined(separator: ", ")
        do {
            _ = try link.run([
                Command("DROP TABLE \(tables)", isPrepared: false),
                Command("DROP SEQUENCE IF EXISTS atransactionkey", isPrepared: false),
                Command("COMMIT"),
            ])
        } catch {
            guard error.sqlState == Self.dependentObjects else { throw error }
            throw PostgreSQLError(
                .dependentObjects, error.detail ?? error.message, sqlState: error.sqlState)
        }
    }

    private static let dependentObjects = "2BP01"

    private static let otherTables = [
        "z_metadata", "z_primarykey", "z_modelcache", "atransaction", "achange",
        "atransactioncounter",
    ]

    private func tablesOfModel(on link: Link) throws -> [String] {
        let results = try link.run([
            Command("SELECT z_content FROM z_modelcache WHERE z_content IS NOT NULL LIMIT 1"),
            Command("SELECT z_ent, z_name FROM z_primarykey"),
        ])
        guard results[0].count == 1 else {
            throw StoreError(.incompatibleSchema("z_modelcache has no model"))
        }
        let model = try ManagedObjectModel(cacheOfStore: Data(results[0].bytes(0, 0)), url: url)
        let stored = Set(try (0..<results[1].count).map { try results[1].text($0, 1) })
        let layout = StoreLayout(
            postgreSQL: model, numbers: try model.numbers(results[1], requiring: []),
            storeIdentifier: "")
        let names = stored.intersection(model.entities.map(\.name))
        return SchemaTables(model, entityNames: names, layout).forms.map(\.name)
    }

    /// Drops the schema with everything in it, whoever made it. For tests.
    package static func dropSchema(of description: PersistentStoreDescription) throws {
        var description = description
        description.timeout = .seconds(10)
        let removal = try StoreRemoval(description)
        try Link(removal.settings).execute(
            "DROP SCHEMA IF EXISTS \(removal.schema.quotedName) CASCADE")
    }
}
#endif
