import Foundation

extension SQLiteStore {
    /// The names of the files to which the rows of a store refer that is not open. Empty for a
    /// database that is no store.
    static func references(of url: URL, on connection: Connection) throws -> Set<String> {
        guard url.nameInMemory == nil,
            let (_, metadata) = try? MetadataTable.read(on: connection, url: url)
        else { return [] }
        let columns =
            metadata.isOfCoreData
            ? try ExternalColumns(ofCoreData: connection)
            : try ExternalColumns(metadata.externalColumns ?? [])
        return try columns.references(on: connection)
    }
}
