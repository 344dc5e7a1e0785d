import CSQLite
import Foundation

/// One connection through the C API, without SQLite's mutexes, since one thread uses it.
///
/// It is the reference for all subjects, so it must not cost more than the calls themselves.
final class CConnection {
    private let database: OpaquePointer
    private var isClosed = false
    let variant: PeerVariant

    /// Opens an existing database.
    init(_ configuration: SubjectConfiguration) throws {
        variant = configuration.variant
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            configuration.storeURL.path, &opened,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close(opened) }
            throw CSQLiteError(
                operation: "open \(configuration.storeURL.path)",
                reason: String(cString: sqlite3_errstr(code)))
        }
        database = opened
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(configuration.synchronous)")
        try execute("PRAGMA cache_size = \(SubjectConfiguration.cacheSize)")
        try execute("PRAGMA temp_store = \(SubjectConfiguration.temporaryStore)")
    }

    deinit {
        if !isClosed { sqlite3_close_v2(database) }
    }

    /// - Throws: `CSQLiteError` while a statement is not finalized.
    func close() throws {
        guard !isClosed else { return }
        guard sqlite3_close(database) == SQLITE_OK else { throw error("close") }
        isClosed = true
    }

    /// Runs one or several statements and discards rows.
    func execute(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
    }

    /// - Parameter textBytes: the bytes of bound texts that SQLite need not copy.
    func prepare(_ sql: String, textBytes: Int = 4096) throws -> CStatement {
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(
            database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else { throw error(sql) }
        return CStatement(pointer, textBytes: textBytes)
    }

    /// Runs `body` in a transaction and rolls back if it throws. Within another transaction, only
    /// runs it.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        guard sqlite3_get_autocommit(database) != 0 else { return try body() }
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The number of rows changed by the last INSERT, UPDATE or DELETE.
    @inline(__always)
    var changes: Int { Int(sqlite3_changes64(database)) }

    func integer(_ sql: String) throws -> Int64 {
        var statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    func settings(_ pragmas: [String]) throws -> [String] {
        try pragmas.map { pragma in
            var statement = try prepare("PRAGMA \(pragma)")
            return try statement.step() ? statement.text(0) : ""
        }
    }

    /// Stores the last key of an entity after rows were inserted with explicit keys.
    func keepLastKey(of entity: String) throws {
        try execute(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT MAX(Z_PK) FROM Z\(entity.uppercased())) \
            WHERE Z_NAME = '\(entity)'
            """)
    }

    private func error(_ operation: String) -> CSQLiteError {
        CSQLiteError(operation: operation, reason: String(cString: sqlite3_errmsg(database)))
    }
}
