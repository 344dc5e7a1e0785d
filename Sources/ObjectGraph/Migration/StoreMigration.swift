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

    /// The error for a store that is not migrated, with what differs between the models.
    static func refusal(
        of error: StoreError, _ description: PersistentStoreDescription,
        to model: ManagedObjectModel, _ debug: DebugOptions
    ) -> StoreError {
        guard case .incompatibleModel(let entities) = error.reason, let file = description.file
        else { return error }
        debug.noteMigration(
            "no migration, because \(description.isReadOnly ? "the store is opened for reading only" : "migration.isAutomatic is off")"
        )
        let store = MigratedStore(description: description, file: file, model: model, debug: debug)
        var error = error
        // What cannot be read again is left out.
        let differences = try? store.reading { metadata, connection in
            guard let source = try? store.sourceModel(metadata, connection) else {
                return [ModelDifference](from: metadata.versionHashes, to: model)
                    .filter { entities.contains($0.entity) }
            }
            return [ModelDifference](from: source, to: model)
        }
        error.differences = differences ?? []
        return error
    }

    /// Migrates the store.
    ///
    /// - Throws: `MigrationError`; `StoreError` if the file cannot be read or written.
    func run() throws {
        do {
            try store.naming(runTasks)
        } catch {
            store.debug.noteMigration("failed: \(error)")
            throw error
        }
    }

    private func runTasks() throws {
        var backup = MigrationBackup(of: store)
        var refused: MigrationPlace?
        while let (task, remainingCount) = try nextTask() {
            try options.progress?.requireUncancelled()
            options.progress?.begin(remaining: remainingCount)
            try backup?.make()
            backup = nil
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

    /// Removes what a migration has left whose process was ended.
    static func removeLeftovers(_ description: PersistentStoreDescription) {
        guard let file = description.file, !description.isReadOnly else { return }
        MigrationFolder.removeLeftovers(of: file)
    }

    /// The next task, and how many are left with it, about; nil if the store is ready.
    ///
    /// - Throws: `MigrationError` before any wait for others if there is no way.
    private func nextTask() throws -> (task: MigrationTask, remainingCount: Int)? {
        let next = try store.reading { metadata, connection in
            let source = try sourceModel(metadata, connection)
            do throws(MigrationError) {
                return try nextTask(from: source, metadata)
            } catch {
                var error = error
                error.differences = [ModelDifference](from: source, to: model)
                throw error
            }
        }
        if let next { store.debug.note(next.task) }
        return next
    }

    private func nextTask(
        from source: ManagedObjectModel, _ metadata: MetadataList
    ) throws(MigrationError) -> (task: MigrationTask, remainingCount: Int)? {
        let waiting = options.waitingMigrations(metadata)
        if let stages = options.stages {
            if !isReached(source, metadata) || metadata.stage != nil {
                guard options.infersMappings else { throw MigrationError(.noMapping) }
                let stages = try StagedMigration(stages, to: model, for: store.description)
                if let next = try stages.nextTask(from: source, metadata.stage) {
                    return (next.task, next.remainingCount + waiting.count)
                }
            }
        } else if !isReached(source, metadata) {
            let route = try MigrationRoute(
                from: source, to: model, over: options.sourceModels,
                mappings: options.mappingModels, infersMappings: options.infersMappings,
                configuration: store.description.configuration)
            return (.step(route.steps[0]), route.steps.count + waiting.count)
        }
        return waiting.first.map { (.code($0.code(on: model)), waiting.count) }
    }

    /// The model that the store was written with.
    ///
    /// - Throws: `MigrationError` with `unknownSourceModel`, which lists the entities that differ.
    private func sourceModel(
        _ metadata: MetadataList, _ connection: Connection
    ) throws -> ManagedObjectModel {
        store.noteSearch(metadata)
        do {
            let source = try store.sourceModel(metadata, connection)
            store.noteFound(source)
            return source
        } catch var error as MigrationError {
            error.differences = [ModelDifference](from: metadata.versionHashes, to: model)
                .filter { $0.kind != .added || names.contains($0.entity) }
            error.reason = .unknownSourceModel(entities: error.differences.map(\.entity))
            throw error
        }
    }

    /// The entities that the program's store holds.
    private var names: Set<String> {
        model.entityNames(inConfiguration: store.description.configuration) ?? []
    }

    /// Whether the store has the program's model.
    private func isReached(_ source: ManagedObjectModel, _ metadata: MetadataList) -> Bool {
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
