import Foundation
import Synchronization

/// The index of the WAL, and the empty WAL, that connections for reading make and cannot remove
/// (spec §11.4.1).
struct LeftLog {
    private let path: String
    private let vfs: String?

    /// What readers of this process have made beside a file, by its path. A second reader finds it
    /// and may close last.
    private static let made = Mutex<[String: Set<String>]>([:])

    init(beside configuration: SQLiteConfiguration) {
        // SQLite looks for both beside the target of a symbolic link.
        path = URL(filePath: configuration.path).resolvingSymlinksInPath().path
        vfs = configuration.vfs
        let missing = ["-wal", "-shm"].filter { FileState(path: path + $0) == nil }
        Self.made.withLock { $0[path, default: []].formUnion(missing) }
    }

    /// Removes what readers have made, unless another connection has the file open. A WAL with
    /// content stays.
    func remove() {
        let suffixes = Self.made.withLock { $0[path] ?? [] }.filter { suffix in
            FileState(path: path + suffix) != nil
                && (suffix == "-shm" || !FileState.hasContent(path: path + suffix))
        }
        guard !suffixes.isEmpty else { return }
        var configuration = SQLiteConfiguration(path: path, mode: .withoutIndex)
        configuration.pragmas = [("locking_mode", "EXCLUSIVE"), ("query_only", "1")]
        configuration.busyTimeout = .zero
        configuration.vfs = vfs
        // Whatever fails leaves the files to the next connection that may write.
        guard let connection = try? Connection(configuration) else { return }
        defer { try? connection.close() }
        // The read takes the lock of the file, without which no other connection opens the WAL.
        guard (try? connection.execute("SELECT 1 FROM sqlite_schema")) != nil else { return }
        for suffix in suffixes { unlink(path + suffix) }
        Self.made.withLock { $0[path] = nil }
    }
}
