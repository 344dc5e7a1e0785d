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
            var hasBegun = false
            while let step = try nextStep() {
                if !hasBegun { try MigrationBackup(of: store, to: model)?.make() }
                hasBegun = true
                try InPlaceMigration(step, of: store).run()
            }
        } catch {
            let error = located(error)
            store.debug.noteMigration("failed: \(error)")
            throw error
        }
    }

    /// The error that names the store.
    private func located(_ error: any Error) -> any Error {
        switch error {
        case let error as SQLiteError:
            return error.isBusy
                ? MigrationError(.storeInUse, url: store.file) : StoreError(error, url: store.file)
        case var error as MigrationError:
            error.url = store.file
            return error
        case var error as StoreError:
            error.url = store.file
            return error
        default: return error
        }
    }

    /// The next step; nil if the store has the model.
    private func nextStep() throws -> MigrationStep? {
        guard let source = try store.reading(earlierModel) else { return nil }
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

    /// The model that the store has instead of the program's; nil if it has the program's.
    private func earlierModel(
        _ metadata: MetadataList, _ connection: Connection
    ) throws -> ManagedObjectModel? {
        store.noteSearch(metadata)
        let names = model.entityNames(inConfiguration: store.description.configuration) ?? []
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
        return held == wanted ? nil : source
    }
}
