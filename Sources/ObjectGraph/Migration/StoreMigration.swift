import Foundation

/// Brings a store to the program's model before it is opened, and runs the program's migrations
/// (spec §9.1).
///
/// It runs one task after another. Each begins with a decision that follows from the store alone, so
/// that a migration that was interrupted goes on where it stopped.
struct StoreMigration {
    private let store: MigratedStore
    private var model: ManagedObjectModel { store.model }
    private var options: MigrationOptions { store.description.migration }

    /// - Returns: Nil if the store is never migrated: it is in memory or only read, or the program
    ///   does not want it.
    /// - Throws: `MigrationError` if migrations of the program have unreadable or equal versions.
    init?(
        _ description: PersistentStoreDescription, to model: ManagedObjectModel,
        _ debug: DebugOptions
    ) throws(MigrationError) {
        try description.migration.checkMigrations()
        guard description.migration.isAutomatic, !description.isReadOnly,
            let file = description.file
        else { return nil }
        store = MigratedStore(description: description, file: file, model: model, debug: debug)
    }

    /// - Parameter opened: The store, or the error that kept it from being opened.
    func isNeeded(for opened: Result<SQLiteStore, any Error>) -> Bool {
        switch opened {
        case .failure(let error as StoreError): error.isOfOtherModel
        case .failure: false
        case .success(let store):
            !options.waitingMigrations(store.metadataState.list).isEmpty
                || options.stages != nil && store.metadataState.list.stage != nil
        }
    }

    /// Migrates the store.
    ///
    /// - Throws: `MigrationError`; `StoreError` if the file cannot be read or written.
    func run() throws {
        try store.naming {
            var refused: MigrationPlace?
            while let (task, remainingCount) = try nextTask() {
                try options.progress?.requireUncancelled()
                options.progress?.begin(remaining: remainingCount)
                switch task {
                case .step(let step): try step.run(of: store)
                case .code(let code):
                    do {
                        try code.run(on: store)
                    } catch let error as StoreError
                        where error.isOfOtherModel && refused != code.place
                    {
                        // Another process has migrated the store since the task was decided.
                        refused = code.place
                    }
                }
                options.progress?.endTask()
            }
            options.progress?.end()
        }
    }

    /// Removes what a migration has left whose process was ended.
    static func removeLeftovers(_ description: PersistentStoreDescription) {
        guard let file = description.file, !description.isReadOnly else { return }
        MigrationFolder.removeLeftovers(of: file)
    }

    /// The next task, and how many are left with it, about; nil if the store is ready.
    ///
    /// - Throws: `MigrationError` before any wait for others if there is no way.
    private func nextTask() throws -> (task: MigrationTask, remainingCount: Int)? {
        try store.reading { metadata, connection in
            let source = try store.sourceModel(metadata, connection)
            let waiting = options.waitingMigrations(metadata)
            if let stages = options.stages {
                if !isReached(source, metadata) || metadata.stage != nil {
                    let stages = try StagedMigration(stages, to: model, for: store.description)
                    if let next = try stages.nextTask(from: source, metadata.stage) {
                        return (next.task, next.remainingCount + waiting.count)
                    }
                }
            } else if !isReached(source, metadata) {
                let route = try MigrationRoute(
                    from: source, to: model, over: options.sourceModels,
                    mappings: options.mappingModels,
                    configuration: store.description.configuration)
                return (.step(route.steps[0]), route.steps.count + waiting.count)
            }
            return waiting.first.map { (.code($0.code(on: model)), waiting.count) }
        }
    }

    /// Whether the store has the program's model.
    private func isReached(_ source: ManagedObjectModel, _ metadata: MetadataList) -> Bool {
        let names = model.entityNames(inConfiguration: store.description.configuration) ?? []
        let wanted = model.entityVersionHashesByName.filter { names.contains($0.key) }
        let held = source.entityVersionHashesByName.filter {
            metadata.versionHashes[$0.key] != nil
        }
        return held == wanted
    }
}

extension StoreError {
    fileprivate var isOfOtherModel: Bool {
        if case .incompatibleModel = reason { true } else { false }
    }
}
