import Foundation

extension SQLiteStore {
    /// The model that a file describes itself with, compressed; nil if it has none. Creates and
    /// changes no file.
    static func modelCache(at url: URL) throws -> Data? {
        try withConnection(url, .readOnly) { connection in
            // Other databases are no stores.
            _ = try readMetadata(on: connection, url: url)
            return try modelCache(on: connection, url: url)
        }
    }

    /// The same of an open file.
    static func modelCache(on connection: Connection, url: URL?) throws -> Data? {
        let tables = try connection.statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'Z_MODELCACHE'")
        defer { tables.reset() }
        guard try tables.step() else { return nil }
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
