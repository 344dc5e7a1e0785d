import Foundation

/// The table with the identifier of a store and the property list of its metadata, in one row.
enum MetadataTable {
    /// The identifier and the property list.
    static func read(
        on connection: Connection, url: URL?
    ) throws -> (String, MetadataList) {
        let (identifier, bytes) = try readBytes(on: connection, url: url)
        return (identifier, MetadataList(bytes))
    }

    /// The identifier and the property list as it is stored.
    static func readBytes(on connection: Connection, url: URL?) throws -> (String, Data) {
        let tables = try connection.statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'Z_METADATA'")
        defer { tables.reset() }
        guard try tables.step() else {
            throw StoreError(.incompatibleSchema("no table Z_METADATA"), url: url)
        }
        let select = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
        defer { select.reset() }
        guard try select.step() else {
            throw StoreError(.incompatibleSchema("Z_METADATA has no row"), url: url)
        }
        return (select.value(at: 0).string, Data(select.value(at: 1).blob))
    }

    static func write(_ list: MetadataList, on connection: Connection) throws {
        let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        statement.bind(blob: try list.data(), at: 1)
        try statement.run()
    }
}
