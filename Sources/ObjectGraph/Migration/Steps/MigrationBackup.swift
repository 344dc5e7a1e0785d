import Foundation

/// The copy of a store that its migration makes before it begins (spec §9.4).
struct MigrationBackup {
    private let store: MigratedStore
    private let url: URL

    /// - Returns: Nil if no copy is wanted.
    init?(of store: MigratedStore) {
        guard let url = store.description.migration.backup else { return nil }
        self.store = store
        self.url = url
    }

    /// Copies the store, unless a migration that was interrupted has done so.
    ///
    /// - Throws: `MigrationError` with `backupFailed`.
    func make() throws {
        do {
            guard store.file.resolvingSymlinksInPath() != url.resolvingSymlinksInPath() else {
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
                    var (_, list) = try MetadataTable.read(on: connection, url: url)
                    list.migrationTarget = target
                    try MetadataTable.write(list, on: connection)
                }
            }
        } catch let error as StoreError {
            throw MigrationError(.backupFailed(error.reason, at: url))
        }
    }

    /// To what the migration leads: the program's model and the last of its migrations as code.
    private var target: String {
        let last = store.description.migration.migrations.map(\.version).max()
        return [store.model.versionChecksum, last?.description].compactMap(\.self)
            .joined(separator: " ")
    }

    /// Whether the copy is of this store as it was before the first task. Then the store has changed
    /// since, and is on its way to the same target.
    private var isOfThisMigration: Bool {
        get throws {
            guard FileState.hasContent(path: url.path),
                let (identifier, copy) = try? SQLiteStore.withConnection(
                    url, .readOnly, { try MetadataTable.read(on: $0, url: url) }),
                copy.migrationTarget == target
            else { return false }
            return try store.reading { metadata, connection in
                let (own, _) = try MetadataTable.read(on: connection, url: store.file)
                let hasBegun =
                    metadata.versionHashes != copy.versionHashes
                    || metadata.migrations != copy.migrations || metadata.stage != copy.stage
                return hasBegun && ([own] + metadata.formerIdentifiers).contains(identifier)
            }
        }
    }
}
