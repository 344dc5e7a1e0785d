import Foundation

extension SQLiteStore {
    /// The model that a file describes itself with, compressed. Creates and changes no file.
    ///
    /// - Throws: `ModelFileError` if it has none.
    static func modelCache(at url: URL) throws -> Data {
        try withConnection(url, .readOnly) { connection in
            // Other databases are no stores.
            _ = try MetadataTable.read(on: connection, url: url)
            if let cache = try ModelCacheTable.read(on: connection, url: url) { return cache }
            throw ModelFileError(
                try ModelCacheTable.hasRow(on: connection) ? .emptyModelInStore : .noModelInStore,
                file: url)
        }
    }
}
