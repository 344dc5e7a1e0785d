import Foundation

/// Keeps a store as it is while a new one is made of it, and then replaces its content (spec §9.4).
final class StoreReplacement {
    let connection: Connection
    private let version: Int64
    private let file: URL

    /// How long to wait for other connections to close.
    private static let longestWait = Duration.seconds(5)

    /// Takes the store's write lock. Others can read.
    ///
    /// - Throws: `SQLiteError` with `SQLITE_BUSY` if another connection has the store open.
    init(of store: MigratedStore) throws {
        file = store.file
        // Whoever has the file open would not find the tables that they know. A connection that
        // closes as the last one also empties the WAL.
        let alone = try Connection(Self.configuration(of: store, isAlone: true))
        try alone.begin(.exclusive)
        alone.rollback()
        try alone.close()
        connection = try Connection(Self.configuration(of: store, isAlone: false))
        try connection.begin(.immediate)
        version = try Self.version(on: connection)
    }

    /// In the file's own journal mode.
    private static func configuration(
        of store: MigratedStore, isAlone: Bool
    ) -> SQLiteConfiguration {
        var description = store.description
        description.timeout = min(description.timeout, longestWait)
        var configuration = description.connectionConfiguration(store.debug)
        let replaced = ["journal_mode", "locking_mode", "cache_size"]
        configuration.pragmas.removeAll { replaced.contains($0.name.lowercased()) }
        configuration.pragmas.insert(("cache_size", "-4096"), at: 0)
        if isAlone { configuration.pragmas.insert(("locking_mode", "EXCLUSIVE"), at: 0) }
        return configuration
    }

    /// A number that changes when another connection commits.
    private static func version(on connection: Connection) throws -> Int64 {
        let statement = try connection.statement("PRAGMA data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).integer : 0
    }

    /// Replaces the whole content in one transaction.
    ///
    /// Under an exclusive lock, which is taken only now, since it excludes readers. If another
    /// connection has written between the two locks, nothing is replaced.
    /// - Throws: `MigrationError` with `storeInUse`; `SQLiteError`.
    func replace(with new: Connection) throws {
        connection.rollback()
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try connection.begin(.exclusive)
        guard try Self.version(on: connection) == version else {
            connection.rollback()
            throw MigrationError(.storeInUse, url: file)
        }
        // The lock stays.
        try connection.commit()
        try Connection.backup(from: new, to: connection)
        // The copied header may say another journal mode than the file has.
        try connection.execute("PRAGMA schema_version")
    }

    /// Gives up the lock. Closing twice does nothing.
    func close() throws {
        connection.rollback()
        try connection.close()
    }
}
