import Foundation

/// Brings a store to the program's model before it is opened (spec §9.1).
///
/// It runs one step after another. Each begins with a decision that follows from the store alone, so
/// that a migration that was interrupted goes on where it stopped.
struct StoreMigration {
    private let store: MigratedStore
    private let model: ManagedObjectModel

    /// - Parameter error: Why the store could not be opened.
    /// - Returns: Nil if a migration is not the remedy, or is not asked for.
    init?(
        for error: StoreError, _ description: PersistentStoreDescription,
        to model: ManagedObjectModel, _ debug: DebugOptions
    ) {
        guard case .incompatibleModel = error.reason, description.migration.isAutomatic,
            !description.isReadOnly, let file = description.file
        else { return nil }
        store = MigratedStore(description: description, file: file, debug: debug)
        self.model = model
    }

    /// The error for a store that is not migrated, with what differs between the models.
    static func refusal(
        of error: StoreError, _ description: PersistentStoreDescription,
        to model: ManagedObjectModel, _ debug: DebugOptions
    ) -> StoreError {
        guard case .incompatibleModel = error.reason, let file = description.file else {
            return error
        }
        debug.noteMigration(
            "no migration, because \(description.isReadOnly ? "the store is opened for reading only" : "migration.isAutomatic is off")"
        )
        let store = MigratedStore(description: description, file: file, debug: debug)
        var error = error
        error.differences =
            (try? store.reading(store.sourceModel)).map { [ModelDifference](from: $0, to: model) }
            ?? []
        return error
    }

    /// Migrates the store.
    ///
    /// - Throws: `MigrationError`; `StoreError` if the file cannot be read or written.
    func run() throws {
        do {
            try store.naming {
                var hasBegun = false
                while let step = try nextStep() {
                    if !hasBegun { try MigrationBackup(of: store, to: model)?.make() }
                    hasBegun = true
                    try step.run(of: store)
                }
            }
        } catch {
            store.debug.noteMigration("failed: \(error)")
            throw error
        }
    }

    /// Removes what a migration has left whose process was ended.
    static func removeLeftovers(_ description: PersistentStoreDescription) {
        guard let file = description.file, !description.isReadOnly else { return }
        MigrationFolder.removeLeftovers(of: file)
    }

    /// The next step; nil if the store has the model.
    private func nextStep() throws -> MigrationStep? {
        guard let (source, held) = try store.reading(earlierModel) else { return nil }
        if let mapping = try mapping(from: source, holding: held) {
            return MigrationStep(source: mapping.source, destination: model, mapping: mapping)
        }
        do throws(MigrationError) {
            guard store.description.migration.infersMappings else {
                throw MigrationError(.noMapping)
            }
            // A change that cannot be inferred is refused before any wait for others.
            let correspondence = try ModelCorrespondence(from: source, to: model)
            store.debug.note(correspondence.mappingModel)
        } catch {
            var error = error
            error.differences = .init(from: source, to: model)
            throw error
        }
        return MigrationStep(source: source, destination: model)
    }

    /// The mapping made by hand from the store's model to the program's.
    ///
    /// - Parameter held: The entities that the store holds.
    private func mapping(
        from source: ManagedObjectModel, holding held: Set<String>
    ) throws -> MappingModel? {
        let mapping = store.description.migration.mappingModels.first {
            $0.source.isSame(as: source, holding: held)
                && $0.destination.isSame(as: model, holding: names)
        }
        // Code of the mapping expects the classes of the program's model.
        return try mapping.map { mapping throws(MigrationError) in
            try MappingModel(from: mapping.source, to: model, mapping.entityMappings)
        }
    }

    /// The entities that the program's store holds.
    private var names: Set<String> {
        model.entityNames(inConfiguration: store.description.configuration) ?? []
    }

    /// The model that the store has instead of the program's, and the entities that it holds; nil if
    /// it has the program's model.
    private func earlierModel(
        _ metadata: MetadataList, _ connection: Connection
    ) throws -> (ManagedObjectModel, Set<String>)? {
        store.noteSearch(metadata)
        let source: ManagedObjectModel
        do {
            source = try store.sourceModel(metadata, connection)
        } catch var error as MigrationError {
            error.differences = [ModelDifference](from: metadata.versionHashes, to: model)
                .filter { $0.kind != .added || names.contains($0.entity) }
            error.reason = .unknownSourceModel(entities: error.differences.map(\.entity))
            throw error
        }
        store.noteFound(source)
        let wanted = model.entityVersionHashesByName.filter { names.contains($0.key) }
        let held = source.entityVersionHashesByName.filter {
            metadata.versionHashes[$0.key] != nil
        }
        return held == wanted ? nil : (source, Set(metadata.versionHashes.keys))
    }
}
