import Foundation

/// A step of a migration through objects, into a new file whose content then replaces that of the
/// store (spec §9.3, §9.4).
///
/// The new store is made in a folder of its own, without regard to crashes. It replaces the old one
/// in one transaction of SQLite, so that a failure or a crash at any point leaves one or the other.
/// Large values of the new store are written into the folder that the old one has, since the new
/// one will have it.
struct MappedMigration {
    private let mapping: MappingModel
    private let store: MigratedStore

    /// Gets the part that is done, from 0 to 1. What it throws ends the migration.
    var report: @Sendable (Double) throws -> Void = { _ in }

    init(_ step: MigrationStep, of store: MigratedStore) {
        self.init(step.mapping!, of: store)
    }

    init(_ mapping: MappingModel, of store: MigratedStore) {
        self.mapping = mapping
        self.store = store
    }

    /// Replaces the store.
    ///
    /// - Throws: `MigrationError`; `SQLiteError`, `StoreError` if a file cannot be read or written.
    func run() throws {
        let replacement = try StoreReplacement(of: store)
        defer { try? replacement.close() }
        // Another process may have migrated the store since the step was decided.
        guard try isSource(replacement.connection) else { return }
        let references = try SQLiteStore.references(of: store.file, on: replacement.connection)
        try make(over: references, pageSize: pageSize(of: replacement.connection)) { new in
            try replacement.replace(with: new)
        }
        try replacement.close()
    }

    /// Makes a store in a new file; the migrated one stays as it is.
    ///
    /// - Throws: As `run`; `MigrationError` with `destinationExists`.
    func run(to destination: URL) throws {
        guard !FileManager.default.fileExists(atPath: destination.path) else {
            throw MigrationError(.destinationExists, url: destination)
        }
        let replacement = try StoreReplacement(of: store)
        defer { try? replacement.close() }
        var made = store
        made.file = destination
        made.description.url = destination
        var migration = MappedMigration(mapping, of: made)
        migration.report = report
        try migration.make(from: store, over: [], pageSize: 4096) { new in
            do {
                let connection = try Connection(
                    made.description.connectionConfiguration(store.debug))
                try Connection.backup(from: new, to: connection)
                try connection.execute("PRAGMA schema_version")
                try connection.close()
            } catch {
                for suffix in ["-wal", "-shm", "-journal", ""] {
                    try? FileManager.default.removeItem(atPath: destination.path + suffix)
                }
                throw error
            }
        }
    }

    private func isSource(_ connection: Connection) throws -> Bool {
        let (_, metadata) = try MetadataTable.read(on: connection, url: store.file)
        return try store.sourceModel(metadata, connection)
            .isSame(as: mapping.source, holding: Set(metadata.versionHashes.keys))
    }

    private func pageSize(of connection: Connection) throws -> Int64 {
        let statement = try connection.statement("PRAGMA page_size")
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).integer : 4096
    }

    // MARK: - The new store

    /// Makes the new store, and keeps the folder of its large values in agreement with the one that
    /// is in place.
    ///
    /// - Parameters:
    ///   - source: The store to migrate; nil means the one that is replaced.
    ///   - earlier: The files to which the rows in place refer.
    ///   - pageSize: The size of pages that both files must have.
    ///   - replace: Puts the new store in its place, in one transaction.
    private func make(
        from source: MigratedStore? = nil, over earlier: Set<String>, pageSize: Int64,
        _ replace: (Connection) throws -> Void
    ) throws {
        let folder = try MigrationFolder(for: store.file, store.description.fileCalls)
        defer { folder.remove() }
        let files = store.description.externalFiles(store.debug)
        defer { files?.close() }
        var written: Set<String> = []
        var isReplacing = false
        do {
            if !earlier.isEmpty { try hold(files) }
            let new = folder.url.appending(path: store.file.lastPathComponent)
            try fill(new, from: source ?? store, in: folder, files, pageSize, written: &written)
            let connection = try Connection(fileConfiguration(new))
            isReplacing = true
            try replace(connection)
            if let kept = try? SQLiteStore.references(of: store.file, on: connection) {
                files?.drop(earlier.union(written).subtracting(kept))
            } else {
                files?.rolledBack(mayHaveCommitted: true)
            }
            try? connection.close()
        } catch {
            if isReplacing {
                files?.rolledBack(mayHaveCommitted: true)
            } else {
                files?.drop(written)
            }
            throw error
        }
    }

    private func hold(_ files: ExternalFiles?) throws {
        do throws(FileFailure) { try files?.hold() } catch {
            throw StoreError(error.reason, url: store.file)
        }
    }

    /// Runs the passes and completes the metadata.
    private func fill(
        _ new: URL, from source: MigratedStore, in folder: MigrationFolder,
        _ files: ExternalFiles?, _ pageSize: Int64, written: inout Set<String>
    ) throws {
        let (mapping, debug, report) = (mapping, store.debug, report)
        let from = PersistentStoreCoordinator(model: mapping.source, debug: debug)
        let opened = try from.addPersistentStore(sourceDescription(source))
        defer {
            if from.persistentStore(for: source.file) != nil {
                try? from.removePersistentStore(opened)
            }
        }
        try makeFile(new, pageSize)
        let to = PersistentStoreCoordinator(model: mapping.destination, debug: debug)
        let made = try to.addPersistentStore(destinationDescription(new))
        let external = (to.records[0].store as? SQLiteStore)?.externalFiles
        defer {
            written = external?.writtenNames ?? []
            if !to.persistentStores.isEmpty { try? to.removePersistentStore(made) }
        }
        if external != nil { try hold(files) }
        let path = folder.url.appending(path: "associations").path
        let (sourceContext, context) = (
            ManagedObjectContext(.privateQueue, coordinator: from, name: "migration source"),
            ManagedObjectContext(.privateQueue, coordinator: to, name: "migration destination")
        )
        let vfs = store.description.vfs
        try sourceContext.performAndWait {
            try context.performAndWait {
                context.deferredValidation = []
                let associations = try Associations(path: path, vfs: vfs)
                let manager = MigrationManager(
                    mapping, try MappingPlan.all(mapping), from: sourceContext, to: context,
                    associations)
                let passes = try MigrationPasses(manager, report: report)
                try passes.run()
                try associations.close()
            }
        }
        try to.removePersistentStore(made)
        try from.removePersistentStore(opened)
        try takeOverMetadata(of: source, new)
    }

    /// Makes an empty file. A backup cannot change the size of pages in a file with a WAL.
    private func makeFile(_ new: URL, _ pageSize: Int64) throws {
        var configuration = fileConfiguration(new)
        configuration.pragmasOfNewFiles = [("page_size", "\(pageSize)"), ("auto_vacuum", "2")]
        let connection = try Connection(configuration)
        try connection.execute("CREATE TABLE first (a); DROP TABLE first")
        try connection.close()
    }

    private func takeOverMetadata(of source: MigratedStore, _ new: URL) throws {
        let (identifier, old) = try source.reading { _, connection in
            try MetadataTable.read(on: connection, url: source.file)
        }
        let connection = try Connection(fileConfiguration(new))
        try connection.transaction(.immediate) {
            var (_, metadata) = try MetadataTable.read(on: connection, url: new)
            metadata.takeOverValues(of: old, identifier: identifier)
            try MetadataTable.write(metadata, on: connection)
        }
        try connection.close()
    }

    // MARK: - Settings

    /// What both stores are opened with.
    private func description(_ base: PersistentStoreDescription) -> PersistentStoreDescription {
        var description = base
        description.tracksHistory = false
        description.postsRemoteChanges = false
        description.ignoresModelVersions = false
        description.expectedModelChecksum = nil
        description.vacuumsWhenOpened = false
        description.analyzesWhenOpened = false
        description.migration = .off
        let replaced = ["journal_mode", "synchronous", "locking_mode", "page_size", "cache_size"]
        description.pragmas = description.pragmas.filter {
            !replaced.contains($0.key.lowercased())
        }
        return description
    }

    private func sourceDescription(_ source: MigratedStore) throws -> PersistentStoreDescription {
        var description = description(source.description)
        description.isReadOnly = true
        description.pragmas["cache_size"] = "-4096"
        let names = try source.reading { metadata, _ in Set(metadata.versionHashes.keys) }
        // A configuration may have other entities than before, or another name.
        description.configuration = mapping.source.configurations.first { $0.value == names }?.key
        return description
    }

    private func destinationDescription(_ new: URL) -> PersistentStoreDescription {
        var description = description(store.description)
        description.url = new
        description.isReadOnly = false
        // The file is worth nothing after a failure.
        description.pragmas["journal_mode"] = "TRUNCATE"
        description.pragmas["synchronous"] = "OFF"
        description.pragmas["cache_size"] = "-16384"
        description.supportFolder = ExternalFiles.supportFolder(of: store.file)
        return description
    }

    private func fileConfiguration(_ url: URL) -> SQLiteConfiguration {
        var configuration = SQLiteConfiguration(path: url.path)
        configuration.vfs = store.description.vfs
        configuration.pragmas = [("synchronous", "OFF")]
        return configuration
    }
}
