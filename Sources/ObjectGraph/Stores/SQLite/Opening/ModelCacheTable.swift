import Foundation

/// The table with the model that a store describes itself with, compressed.
enum ModelCacheTable {
    /// The model; nil if the store has none.
    ///
    /// - Throws: `ModelFileError` if it is too large.
    static func read(on connection: Connection, url: URL?) throws -> Data? {
        guard try exists(on: connection) else { return nil }
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

    /// Whether there is a row, even without a model.
    static func hasRow(on connection: Connection) throws -> Bool {
        guard try exists(on: connection) else { return false }
        let rows = try connection.statement("SELECT 1 FROM Z_MODELCACHE")
        defer { rows.reset() }
        return try rows.step()
    }

    private static func exists(on connection: Connection) throws -> Bool {
        let tables = try connection.statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'Z_MODELCACHE'")
        defer { tables.reset() }
        return try tables.step()
    }
}
