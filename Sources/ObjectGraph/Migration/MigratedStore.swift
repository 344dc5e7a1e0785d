import Foundation

/// A store while it is migrated: its file, and the models that its rows may have.
struct MigratedStore {
    var description: PersistentStoreDescription
    var file: URL
    let debug: DebugOptions

    /// Reads the file as the last commit left it.
    func reading<Result>(
        _ body: (MetadataList, Connection) throws -> Result
    ) throws -> Result {
        try Connection.reading(
            file.path, rollsBack: !description.isReadOnly, timeout: description.timeout
        ) { connection in
            let (_, metadata) = try SQLiteStore.readMetadata(on: connection, url: file)
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
            guard error.isBusy else { throw StoreError(error, url: file) }
            throw MigrationError(.storeInUse, url: file)
        } catch var error as MigrationError {
            error.url = error.url ?? file
            throw error
        } catch var error as StoreError {
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
                .mapValues { Data($0) } == hashes
        }
        let options = description.migration
        let given = options.sourceModels + options.mappingModels.map(\.source)
        if let source = given.first(where: isSource) { return source }
        if let cache = try SQLiteStore.modelCache(on: connection, url: file) {
            let carried = try ManagedObjectModel(
                cached: cache, into: ModelDraft(of: file, classes: [], transformers: []))
            // Core Data's own hashes follow a rule that is not known here.
            if hashes == nil || isSource(carried) { return carried }
        }
        throw MigrationError(.unknownSourceModel(entities: metadata.versionHashes.keys.sorted()))
    }
}

extension ManagedObjectModel {
    /// Whether the entities with these names are the same in both models.
    func isSame(as other: ManagedObjectModel, holding names: Set<String>) -> Bool {
        entityVersionHashesByName.filter { names.contains($0.key) }
            == other.entityVersionHashesByName.filter { names.contains($0.key) }
    }
}
