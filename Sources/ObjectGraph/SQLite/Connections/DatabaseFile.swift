import CSQLite
import Foundation

/// The bytes of a database file, read through SQLite and without a lock.
///
/// When a process closes any descriptor of a file, it loses all its locks on that file, including
/// those of its SQLite connections. SQLite therefore delays closing while a connection holds a
/// lock; `FileHandle` and `FileManager` do not (https://www.sqlite.org/howtocorrupt.html, section
/// 2.2).
final class DatabaseFile {
    private let handle: ConnectionHandle
    // Right to use: the connection owns it and lives as long as this object.
    private let file: UnsafeMutablePointer<sqlite3_file>

    /// Opens an existing file, which need not be a database.
    ///
    /// - Throws: `SQLITE_CANTOPEN` if the file is missing or cannot be read.
    init(path: String) throws(SQLiteError) {
        handle = try ConnectionHandle(SQLiteConfiguration(path: path, mode: .readOnly))
        var opened: UnsafeMutablePointer<sqlite3_file>?
        try handle.check(
            sqlite3_file_control(handle.database, "main", SQLITE_FCNTL_FILE_POINTER, &opened))
        guard let file = opened, file.pointee.pMethods != nil else {
            throw handle.error(SQLITE_CANTOPEN)
        }
        self.file = file
    }

    /// Whether there is a file that begins as a database does.
    static func isDatabase(path: String) -> Bool {
        let head = try? DatabaseFile(path: path).bytes(at: 0, count: 16)
        return head == Data("SQLite format 3\0".utf8)
    }

    /// Whether readers need a WAL (https://www.sqlite.org/fileformat.html, section 1.3.3).
    func isWAL() throws(SQLiteError) -> Bool {
        let header = try bytes(at: 0, count: 20)
        return header.count == 20 && header[18] == 2
    }

    /// Writes all bytes to a new file.
    ///
    /// - Throws: `SQLiteError` if the file cannot be read; Foundation's error if the copy cannot be
    ///   written.
    func copy(to url: URL) throws {
        try Data().write(to: url)
        let copy = try FileHandle(forWritingTo: url)
        defer { try? copy.close() }
        var offset: Int64 = 0
        while true {
            let bytes = try bytes(at: offset, count: 1 << 20)
            guard !bytes.isEmpty else { return }
            try copy.write(contentsOf: bytes)
            offset += Int64(bytes.count)
        }
    }

    /// - Returns: fewer bytes than requested at the end of the file.
    private func bytes(at offset: Int64, count: Int) throws(SQLiteError) -> Data {
        var byteCount: Int64 = 0
        try handle.check(file.pointee.pMethods.pointee.xFileSize(file, &byteCount))
        var bytes = Data(count: Int(max(0, min(Int64(count), byteCount - offset))))
        guard !bytes.isEmpty else { return bytes }
        let code = bytes.withUnsafeMutableBytes { bytes in
            file.pointee.pMethods.pointee.xRead(
                file, bytes.baseAddress, Int32(bytes.count), offset)
        }
        try handle.check(code)
        return bytes
    }
}
