import CSQLite
import Foundation
import TestSupport
import Testing

extension TemporaryFolder {
    /// Writes a file, and creates the folders above it.
    func write(_ text: String, to path: String, isExecutable: Bool = false) throws {
        let file = url(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("\(text)\n".utf8).write(to: file)
        guard isExecutable else { return }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    /// Runs SQL on a database of the folder.
    func execute(_ sql: String, on name: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        try #require(sqlite3_open(path(name), &connection) == SQLITE_OK)
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(connection)))")
    }
}
