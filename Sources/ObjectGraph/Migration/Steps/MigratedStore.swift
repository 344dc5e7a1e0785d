import Foundation

/// A store while it is migrated: its file, and the models that its rows may have.
struct MigratedStore {
    var description: PersistentStoreDescription
    var file: URL

    /// The program's model.
    let model: ManagedObjectModel
    let debug: DebugOptions

    /// How long to wait for other connections to close.
    private static let longestWait = Duration.seconds(5)

    /// How to open the store alone: other connections would not find the tables that they know.
    var exclusiveDescription: PersistentStoreDescription {
        var description = description
        description.isExclusive = true
        description.timeout = min(description.timeout, Self.longestWait)
        return description
    }

    /// Reads the file as the last commit left it.
    func reading<Result>(
        _ body: (MetadataList, Connection) throws -> Result
    ) throws -> Result {
        try Connection.reading(
            file.path, rollsBack: !description.isReadOnly, timeout: description.timeout
        ) { connection in
            let (_, metadata) = try MetadataTable.read(on: connection, url: file)
            defer { connection.handle.resetStatements() }
            return try body(metadata, connection)
        }
    }

    /// Runs a part of a migration. Its errors name the file.
    ///
    /// - Throws: `MigrationError`; `StoreError` if the file cannot be read or written.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            if error.isInterruption { throw MigrationError(.cancelled(nil), url: file) }
            guard error.isBusy else { throw StoreError(error, url: file) }
            throw MigrationError(.storeInUse, url: file)
        } catch var error as MigrationError {
            error.url = error.url ?? file
            throw error
        } catch var error as StoreError {
            if error.reason == .timeout { throw MigrationError(.storeInUse, url: file) }
            error.url = file
            throw error
        }
    }

    /// The model that the store was written with: one of those that the program gives, also as
    /// sources of mappings, or the one that the store carries.
    ///
    /// - Throws: `MigrationError` with `unknownSourceModel`.
    func sourceModel(
        _ metadata: MetadataList, _ connection: Connection
    ) throws -> ManagedObjectModel {
        let hashes = metadata.ownVersionHashes
        func isSource(_ model: ManagedObjectModel) -> Bool {
            guard let hashes else { return false }
            return model.entityVersionHashesByName.filter { hashes[$0.key] != nil }
                .mapValues { Data($0) } == model.updating(hashes)
        }
        let given = (description.migration.knownModels + [model]).filter(isSource)
        // An earlier version may have entities more, or differ outside of the configuration.
        let exact = given.filter {
            $0.isConfiguration(
                description.configuration,
                compatibleWithVersionHashes: hashes!.mapValues { Array($0) })
        }
        if exact.count > 1, let carried = try? carriedModel(connection),
            let same = exact.first(where: { $0.versionChecksum == carried.versionChecksum })
        {
            return same
        }
        if let exact = exact.first { return exact }
        let similar = given.first { $0.versionChecksum != model.versionChecksum }
        let carried =
            similar == nil ? try carriedModel(connection) : try? carriedModel(connection)
        // Core Data's own hashes follow a rule that is not known here.
        if let carried, hashes == nil || isSource(carried) { return carried }
        if let similar { return similar }
        throw MigrationError(.unknownSourceModel(entities: metadata.versionHashes.keys.sorted()))
    }

    private func carriedModel(_ connection: Connection) throws -> ManagedObjectModel? {
        try ModelCacheTable.read(on: connection, url: file).map {
            try ManagedObjectModel(
                cached: $0, into: ModelDraft(of: file, classes: [], transformers: []))
        }
    }
}

extension ManagedObjectModel {
    /// Whether the entities with these names are the same in both models.
    func isSame(as other: ManagedObjectModel, holding names: Set<String>) -> Bool {
        entityVersionHashesByName.filter { names.contains($0.key) }
            == other.entityVersionHashesByName.filter { names.contains($0.key) }
    }
}
