import Foundation

/// The space on the disk that a migration in place needs at the least (spec §9.4).
///
/// It counts the texts and data of rows that are copied, and nothing else: indexes, numbers and the
/// structure of pages come on top. So it refuses no migration that could succeed; one that fails
/// nevertheless is rolled back.
struct MigrationSpace {
    /// The old tables whose rows are copied, and the columns whose values go on.
    let copied: [(table: String, columns: [String])]
    let store: MigratedStore

    /// - Throws: `MigrationError` with `insufficientSpace`.
    func check(_ connection: Connection) throws {
        let file = store.file.resolvingSymlinksInPath()
        guard !copied.isEmpty,
            let available = store.description.fileCalls.availableBytes(at: file.path)
        else { return }
        let pageSize = try number("PRAGMA page_size", connection)
        // All pages may be written to the log and then to the file. The rows are read only if that
        // does not suffice.
        guard try 2 * pageSize * number("PRAGMA page_count", connection) > available else { return }
        let payload = try copied.reduce(Int64(0)) {
            try $0 + number(Self.payload(of: $1.columns, in: $1.table), connection)
        }
        // What can be written over.
        let free =
            try connection.hasWAL()
            ? FileState.byteCount(path: file.path + "-wal")
            : number("PRAGMA freelist_count", connection) * pageSize
        store.debug.noteMigration(
            "at least \(payload) bytes are copied, \(free) can be written over, and the disk has \(available)"
        )
        guard payload - free > available else { return }
        throw MigrationError(
            .insufficientSpace(neededBytes: payload - free, availableBytes: available))
    }

    /// The length of a text in characters is at most its bytes.
    private static func payload(of columns: [String], in table: String) -> String {
        let lengths = columns.map {
            "CASE WHEN typeof(\($0)) IN ('text', 'blob') THEN length(\($0)) ELSE 0 END"
        }
        return "SELECT total(\((["0"] + lengths).joined(separator: " + "))) FROM \(table)"
    }

    private func number(_ sql: String, _ connection: Connection) throws -> Int64 {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).integer : 0
    }
}
