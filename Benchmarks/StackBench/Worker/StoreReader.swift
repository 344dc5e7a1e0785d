import CSQLite
import Foundation

/// Reads a closed store with plain SQL, independently of the subject that wrote it, or prepares
/// one.
public final class StoreReader {
    private let connection: OpaquePointer
    private let isInMemory: Bool

    /// The journal mode that the store must have.
    var expectedJournalMode: String { isInMemory ? "memory" : "wal" }

    /// - Throws: an error with the path and SQLite's reason if the database does not exist.
    public init(_ url: URL) throws {
        isInMemory = url.isInMemory
        connection = try Self.open(
            url.sqliteName, SQLITE_OPEN_READWRITE | (isInMemory ? SQLITE_OPEN_CREATE : 0), url)
    }

    /// Opens a file so that neither it nor its neighbours change.
    init(reading url: URL) throws {
        isInMemory = false
        let log = try? FileManager.default.attributesOfItem(atPath: url.path + "-wal")
        let hasLog = log?[.size] as? Int ?? 0 > 0
        // Without locks, which need a file beside the store in WAL mode.
        var name = url.absoluteURL.absoluteString
        if !hasLog { name += "?immutable=1" }
        connection = try Self.open(name, SQLITE_OPEN_READONLY, url)
    }

    private static func open(_ name: String, _ flags: Int32, _ url: URL) throws -> OpaquePointer {
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(name, &connection, flags | SQLITE_OPEN_URI, nil)
        guard code == SQLITE_OK, let connection,
            TextHash.register(on: connection) == SQLITE_OK
        else {
            defer { sqlite3_close(connection) }
            throw StoreReaderError(
                sql: "open \(url.path)", reason: String(cString: sqlite3_errstr(code)))
        }
        return connection
    }

    /// Opens a database in memory and copies a file into it; empty if there is no file.
    convenience init(_ url: URL, loading file: URL?) throws {
        try self.init(url)
        guard let file else { return }
        try StoreReader(file).execute("VACUUM INTO '\(url.sqliteName)'")
    }

    deinit {
        sqlite3_close(connection)
    }

    /// The columns of the first row as integers; NULL reads as 0.
    ///
    /// - Throws: an error with the statement and SQLite's reason.
    public func integers(_ sql: String) throws -> [Int] {
        try firstRow(sql) { statement in
            (0..<sqlite3_column_count(statement)).map {
                Int(sqlite3_column_int64(statement, $0))
            }
        }
    }

    /// The columns of all rows as integers; NULL reads as 0.
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

    /// The first column of the first row as an integer; NULL reads as 0.
    ///
    /// - Throws: an error with the statement and SQLite's reason.
    public func integer(_ sql: String) throws -> Int {
        try integers(sql)[0]
    }

    /// The bytes of the pages that are in use.
    var usedBytes: Int {
        get throws {
            try (integer("PRAGMA page_count") - integer("PRAGMA freelist_count"))
                * integer("PRAGMA page_size")
        }
    }

    func text(_ sql: String) throws -> String {
        try firstRow(sql) { statement in
            sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
        }
    }

    /// Runs a statement without result rows.
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

extension URL {
    /// The folder of databases in memory. All connections of the process share such a database by
    /// name.
    static let inMemory = "/dev/null"

    var isInMemory: Bool { path.hasPrefix(Self.inMemory + "/") }

    /// Source: SQLite's URI filenames, and its VFS for memory.
    fileprivate var sqliteName: String { isInMemory ? "file:\(path)?vfs=memdb" : path }
}

struct StoreReaderError: Error, CustomStringConvertible {
    var sql: String
    var reason: String

    var description: String { "\(sql): \(reason)" }
}
