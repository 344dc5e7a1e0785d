import Foundation

/// A store while it is migrated: its file, and the models that its rows may have.
struct MigratedStore {
    let description: PersistentStoreDescription
    let file: URL
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

    /// The model that the store was written with: one of those that the program gives, or the one
    /// that the store carries.
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
        if let given = description.migration.sourceModels.first(where: isSource) { return given }
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
