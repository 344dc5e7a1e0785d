import CSQLite
import Foundation
import Measuring

/// Does the extra work that a worker's ``Injection``s describe, and adds no other counted work.
/// Used by one thread at a time.
final class Injector {
    private let slowdown: Double
    private let stall: (everySeconds: Double, seconds: Double)?
    private let statements, pages, syncs, allocations: Int
    private let database: InjectedDatabase
    private var lastStall = Stopwatch()

    /// Nil if nothing is injected.
    ///
    /// - Throws: if the database for extra pages and statements cannot be created.
    init?(_ job: WorkerJob) throws {
        guard let injections = job.injections, !injections.isEmpty else { return nil }
        slowdown = injections.reduce(0) { sum, injection in
            if case .slowdown(let share) = injection { sum + share } else { sum }
        }
        stall =
            injections.lazy.compactMap { injection in
                if case .stall(let interval, let seconds) = injection {
                    (interval, seconds)
                } else {
                    nil
                }
            }.first
        func count(_ extra: Injection.Extra) -> Int { injections.count { $0 == .extra(extra) } }
        statements = count(.statement)
        pages = count(.page)
        syncs = count(.sync)
        allocations = count(.allocation)
        database = try InjectedDatabase(job.folder.appendingPathComponent("injected.sqlite"))
    }

    /// Call this in each operation.
    func inOperation() {
        if let stall, lastStall.elapsedSeconds >= stall.everySeconds {
            lastStall = Stopwatch()
            Thread.sleep(forTimeInterval: stall.seconds)
        }
        for _ in 0..<statements { database.runStatement() }
        for _ in 0..<pages { database.writePage() }
        for _ in 0..<syncs { database.sync() }
        for _ in 0..<allocations {
            UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16).deallocate()
        }
    }

    /// Call this at the end of a turn, before its time is taken.
    func atEnd(ofTurn turn: Stopwatch) {
        let seconds = turn.elapsedSeconds
        while turn.elapsedSeconds < seconds * (1 + slowdown) {}
    }
}

/// A database beside the store, whose file is written to without SQL. So an extra page is no extra
/// statement, and an extra statement is no extra page.
private final class InjectedDatabase {
    private let connection: OpaquePointer
    private let statement: OpaquePointer
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let page = [UInt8](repeating: 0, count: 4096)

    init(_ url: URL) throws {
        var connection: OpaquePointer?
        var statement: OpaquePointer?
        var file: UnsafeMutablePointer<sqlite3_file>?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        guard sqlite3_open_v2(url.path, &connection, flags, nil) == SQLITE_OK,
            sqlite3_prepare_v2(connection, "SELECT 1 WHERE 0", -1, &statement, nil) == SQLITE_OK,
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
                == SQLITE_OK, let connection, let statement, let file
        else {
            throw CSQLiteError(
                operation: "open \(url.path)", reason: String(cString: sqlite3_errmsg(connection)))
        }
        (self.connection, self.statement, self.file) = (connection, statement, file)
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(connection)
    }

    func runStatement() {
        sqlite3_step(statement)
        sqlite3_reset(statement)
    }

    func writePage() {
        _ = file.pointee.pMethods.pointee.xWrite(file, page, Int32(page.count), 0)
    }

    func sync() {
        _ = file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
    }
}
