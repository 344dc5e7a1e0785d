import CSQLite
import Foundation

/// Reads a closed store with plain SQL, knowing nothing of whoever wrote it, or makes one ready.
final class StoreReader {
    private let connection: OpaquePointer

    /// - Throws: ``StoreReaderError`` when there is no such database.
    init(_ url: URL) throws {
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(url.path, &connection, SQLITE_OPEN_READWRITE, nil)
        guard code == SQLITE_OK, let connection else {
            defer { sqlite3_close(connection) }
            throw StoreReaderError(
                sql: "open \(url.path)", reason: String(cString: sqlite3_errstr(code)))
        }
        self.connection = connection
    }

    deinit {
        sqlite3_close(connection)
    }

    /// The columns of the first row as whole numbers; NULL reads 0.
    func integers(_ sql: String) throws -> [Int] {
        try firstRow(sql) { statement in
            (0..<sqlite3_column_count(statement)).map {
                Int(sqlite3_column_int64(statement, $0))
            }
        }
    }

    /// All rows, their columns as whole numbers; NULL reads 0.
    func rows(_ sql: String) throws -> [[Int]] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(sql) }
        var rows: [[Int]] = []
        code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map {
                    Int(sqlite3_column_int64(statement, $0))
                })
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else { throw error(sql) }
        return rows
    }

    func integer(_ sql: String) throws -> Int {
        try integers(sql)[0]
    }

    func text(_ sql: String) throws -> String {
        try firstRow(sql) { statement in
            sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
        }
    }

    /// Runs a statement that gives no rows.
    func execute(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
    }

    private func firstRow<Value>(_ sql: String, _ read: (OpaquePointer) -> Value) throws -> Value {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
            let statement, sqlite3_step(statement) == SQLITE_ROW
        else {
            throw error(sql)
        }
        return read(statement)
    }

    private func error(_ sql: String) -> StoreReaderError {
        StoreReaderError(sql: sql, reason: String(cString: sqlite3_errmsg(connection)))
    }
}

/// Why a store could not be read back.
struct StoreReaderError: Error, CustomStringConvertible {
    var sql: String
    var reason: String

    var description: String { "\(sql): \(reason)" }
}
