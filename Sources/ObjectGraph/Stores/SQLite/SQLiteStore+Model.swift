import Foundation

extension SQLiteStore {
    /// The model that a file describes itself with, compressed. Creates and changes no file.
    ///
    /// - Throws: `ModelFileError` if it has none.
    static func modelCache(at url: URL) throws -> Data {
        try withConnection(url, .readOnly) { connection in
            // Other databases are no stores.
            _ = try readMetadata(on: connection, url: url)
            if let cache = try modelCache(on: connection, url: url) { return cache }
            throw ModelFileError(
                try hasEmptyModelCache(connection) ? .emptyModelInStore : .noModelInStore,
                file: url)
        }
    }

    /// Whether a file without a model has a row for it.
    private static func hasEmptyModelCache(_ connection: Connection) throws -> Bool {
        guard try hasModelCache(connection) else { return false }
        let rows = try connection.statement("SELECT 1 FROM Z_MODELCACHE")
        defer { rows.reset() }
        return try rows.step()
    }

    private static func hasModelCache(_ connection: Connection) throws -> Bool {
        let tables = try connection.statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'Z_MODELCACHE'")
        defer { tables.reset() }
        return try tables.step()
    }

    /// The same of an open file; nil if it has none.
    static func modelCache(on connection: Connection, url: URL?) throws -> Data? {
        guard try hasModelCache(connection) else { return nil }
        let select = try connection.statement(
            "SELECT length(Z_CONTENT) FROM Z_MODELCACHE WHERE typeof(Z_CONTENT) = 'blob'")
        defer { select.reset() }
        guard try select.step() else { return nil }
        guard select.value(at: 0).integer <= ModelFile.maximumByteCount else {
            throw ModelFileError(.tooLarge(limit: ModelFile.maximumByteCount), file: url)
        }
        let content = try connection.statement(
            "SELECT Z_CONTENT FROM Z_MODELCACHE WHERE typeof(Z_CONTENT) = 'blob'")
        defer { content.reset() }
        return try content.step() ? Data(content.value(at: 0).blob) : nil
    }
}
