import Foundation

/// The copy of a store that its migration makes before it begins (spec §9.4).
struct MigrationBackup {
    private let store: MigratedStore
    private let model: ManagedObjectModel
    private let url: URL

    /// - Parameter model: The model to which the migration leads.
    /// - Returns: Nil if no copy is wanted.
    init?(of store: MigratedStore, to model: ManagedObjectModel) {
        guard let url = store.description.migration.backup else { return nil }
        self.store = store
        self.model = model
        self.url = url
    }

    /// Copies the store, unless a migration that was interrupted has done so.
    ///
    /// - Throws: `MigrationError` with `backupFailed`.
    func make() throws {
        do {
            let (own, place) = (store.file, url)
            guard own.resolvingSymlinksInPath() != place.resolvingSymlinksInPath() else {
                throw StoreError(.unsupported("a backup in the store's own file"))
            }
            guard try !isOfThisMigration else {
                store.debug.noteMigration("keeping the backup at \(url.path) of an earlier attempt")
                return
            }
            store.debug.noteMigration("copying the store to \(url.path)")
            try SQLiteStore.replace(url, with: store.file, timeout: store.description.timeout)
            try SQLiteStore.withConnection(url, .readWrite) { connection in
                try connection.transaction(.immediate) {
                    var (_, list) = try SQLiteStore.readMetadata(on: connection, url: url)
                    list.migrationTarget = model.versionChecksum
                    try SQLiteStore.write(list, on: connection)
                }
            }
        } catch let error as StoreError {
            throw MigrationError(.backupFailed(error.reason, at: url))
        }
    }

    /// Whether the copy is of this store as it was before the first step. Then the store is of
    /// another model by now, and on its way to the same one.
    private var isOfThisMigration: Bool {
        get throws {
            guard FileState.hasContent(path: url.path),
                let (identifier, list) = try? SQLiteStore.withConnection(
                    url, .readOnly, { try SQLiteStore.readMetadata(on: $0, url: url) }),
                list.migrationTarget == model.versionChecksum
            else { return false }
            return try store.reading { metadata, connection in
                let (own, _) = try SQLiteStore.readMetadata(on: connection, url: store.file)
                return own == identifier && metadata.versionHashes != list.versionHashes
            }
        }
    }
}
