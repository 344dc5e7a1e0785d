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

    /// Migrates the store.
    ///
    /// - Throws: `MigrationError`; `StoreError` if the file cannot be read or written.
    func run() throws {
        do {
            while let step = try nextStep() {
                try step.run(of: store)
            }
        } catch let error as SQLiteError {
            guard error.isBusy else { throw StoreError(error, url: store.file) }
            throw MigrationError(.storeInUse, url: store.file)
        } catch var error as MigrationError {
            error.url = store.file
            throw error
        } catch var error as StoreError {
            error.url = store.file
            throw error
        }
    }

    /// The next step; nil if the store has the model.
    private func nextStep() throws -> MigrationStep? {
        guard let source = try store.reading(earlierModel) else { return nil }
        // A change that cannot be inferred is refused before any wait for others.
        _ = try ModelCorrespondence(from: source, to: model)
        return MigrationStep(source: source, destination: model)
    }

    /// The model that the store has instead of the program's; nil if it has the program's.
    private func earlierModel(
        _ metadata: MetadataList, _ connection: Connection
    ) throws -> ManagedObjectModel? {
        let source = try store.sourceModel(metadata, connection)
        let names = model.entityNames(inConfiguration: store.description.configuration) ?? []
        let wanted = model.entityVersionHashesByName.filter { names.contains($0.key) }
        let held = source.entityVersionHashesByName.filter {
            metadata.versionHashes[$0.key] != nil
        }
        return held == wanted ? nil : source
    }
}
