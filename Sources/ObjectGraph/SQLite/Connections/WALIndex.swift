import CSQLite

/// The header of a file's WAL index, which every commit of any process changes.
///
/// Comparing it costs nothing, where a new read transaction costs several system calls. The format:
/// https://www.sqlite.org/walformat.html#the_wal_index_header.
struct WALIndex {
    /// The fields that a commit changes: the number of transactions, and the checksum of the last
    /// frame.
    struct State: Equatable {
        fileprivate let changeCount: UInt64
        fileprivate let checksum: UInt64
    }

    // Right to read without a lock: SQLite maps this memory until the connection closes, before
    // which `Connection` releases the owner. A process that commits meanwhile changes it; a value
    // read halfway differs from the earlier one, and only that matters.
    private let header: UnsafeRawPointer

    private static let regionByteCount: Int32 = 32768

    /// Nil if the connection reads no WAL, or one whose index is not in shared memory.
    init?(of database: OpaquePointer) {
        // With a rollback journal, asking for the index would create its file. A reader has only a
        // WAL open.
        guard let log = Self.file(SQLITE_FCNTL_JOURNAL_POINTER, of: database),
            log.pointee.pMethods != nil,
            let file = Self.file(SQLITE_FCNTL_FILE_POINTER, of: database),
            let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, Self.regionByteCount, 0, &region) == SQLITE_OK, let region else {
            return nil
        }
        header = UnsafeRawPointer(region)
    }

    private static func file(
        _ code: Int32, of database: OpaquePointer
    ) -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database, "main", code, &file)
        return file
    }

    var state: State {
        State(
            changeCount: header.load(fromByteOffset: 8, as: UInt64.self),
            checksum: header.load(fromByteOffset: 24, as: UInt64.self))
    }
}
