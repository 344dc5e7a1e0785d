#if PostgreSQL
import Foundation
import ObjectGraph

/// Removes the tables of a store. Those of other programs in the schema stay.
package struct StoreRemoval {
    private let schema: String
    private let settings: LinkSettings

    /// - Throws: `PostgreSQLError` for an address that libpq cannot read.
    init(_ description: PersistentStoreDescription) throws {
        let description = description.withHiddenAddress()
        schema = description.schema
        settings = try LinkSettings(
            description.addressOfDatabase(), schema: schema, timeout: description.timeout)
    }

    /// - Throws: `StoreError` if the schema has no store; `PostgreSQLError`, for example if a
    ///   transaction uses the store for longer than the timeout.
    func run() throws {
        let link = try Link(settings)
        _ = try link.run(Command("BEGIN"))
        let catalog = try SchemaCatalog(schema, on: link)
        guard catalog.tables["z_metadata"] != nil else {
            throw StoreError(.incompatibleSchema("no table z_metadata"))
        }
        let tables = catalog.tablesOfStore.map(\.quotedName).joined(separator: ", ")
        _ = try link.run([
            Command("DROP TABLE \(tables)"), Command("DROP SEQUENCE IF EXISTS atransactionkey"),
            Command("COMMIT"),
        ])
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
