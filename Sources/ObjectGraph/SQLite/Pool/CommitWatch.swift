import Foundation
import Synchronization

/// Notices commits to a database file, by any connection of any process.
///
/// `FileWatcher` says when to look. Whether there was a commit, SQLite tells: `PRAGMA data_version`
/// gives another number on one connection after each commit of another one. The watch has a
/// connection for this, which has no transaction open between two looks, so that the WAL can be
/// checkpointed.
final class CommitWatch: Sendable {
    private struct Watched {
        let connection: Connection
        var version: Int64
        var schemaVersion: Int64
    }

    private let file: OpenedFile
    private let path: String
    private let watched: Mutex<Watched?>

    /// Opens the connection. Commits from now on are noticed.
    ///
    /// - Throws: `SQLiteError` if it cannot be opened.
    init(
        _ file: OpenedFile, _ configuration: SQLiteConfiguration,
        isSameDatabase: @escaping @Sendable (Connection) throws -> Bool
    ) throws {
        self.file = file
        path = realPath(configuration.path)
        var configuration = configuration
        if configuration.mode == .readWriteCreate { configuration.mode = .readWrite }
        configuration.pragmasOfNewFiles = []
        configuration.pragmas = [("query_only", "1")]
        configuration.trace = nil
        let connection = try Connection(configuration)
        // From here on a look does not wait for a lock: there will be another look.
        connection.handle.state.pointee.busyWait.timeout = .zero
        connection.isSameDatabase = isSameDatabase
        let version = (try? Self.version("data", on: connection)) ?? 0
        let schemaVersion = (try? Self.version("schema", on: connection)) ?? 0
        watched = Mutex(
            Watched(connection: connection, version: version, schemaVersion: schemaVersion))
    }

    /// Calls the handler on any thread, once for any number of commits at a time.
    ///
    /// - Returns: Ends the calls when it is cancelled or released.
    func observe(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        @Sendable func look() {
            if let event = nextEvent() { handler(event) }
        }
        let url = URL(filePath: path)
        let name = url.lastPathComponent
        let observation = FileWatcher.shared.watch(
            [name, "\(name)-wal", "\(name)-journal"],
            inFolder: url.deletingLastPathComponent().path, look)
        // There may have been a commit before inotify watched.
        look()
        return observation
    }

    private func nextEvent() -> CommitEvent? {
        watched.withLock { watched in
            guard let connection = watched?.connection else { return nil }
            func end() -> CommitEvent {
                try? connection.close()
                watched = nil
                return .ended
            }
            guard file.isInPlace, file.isUnchanged else { return end() }
            // While a writer without a WAL holds its lock, the version cannot be read.
            guard let version = try? Self.version("data", on: connection),
                version != watched?.version,
                let schemaVersion = try? Self.version("schema", on: connection)
            else { return nil }
            if schemaVersion != watched?.schemaVersion {
                guard let isSame = try? connection.isSameDatabase?(connection) else { return nil }
                if !isSame { return end() }
                watched?.schemaVersion = schemaVersion
            }
            watched?.version = version
            return .committed
        }
    }

    /// Closes the connection. Later looks find nothing.
    func close() {
        watched.withLock { watched in
            try? watched?.connection.close()
            watched = nil
        }
    }

    private static func version(_ kind: String, on connection: Connection) throws -> Int64 {
        let statement = try connection.statement("PRAGMA \(kind)_version")
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).integer : 0
    }
}
