import Foundation

/// How a store that was written with another model is brought to the program's when it is opened
/// (spec §9.1). Stores that are opened for reading only are never migrated.
public struct MigrationOptions: Sendable {
    /// Whether such a store is migrated; otherwise it is refused.
    public var isAutomatic = true

    /// Whether a mapping is inferred from the two models if there is none between them; otherwise
    /// such a store is refused.
    public var infersMappings = true

    /// Earlier models, the oldest first.
    ///
    /// They say what stores hold that do not carry their model, and they are the intermediate
    /// versions of a store that cannot come to the program's model directly: it goes over later
    /// ones in this list, never back (spec §9.7).
    public var sourceModels: [ManagedObjectModel] = []

    /// Mappings made by hand. One of them is used where its models are those of the store and of the
    /// program, even if the mapping could be inferred (spec §9.3).
    public var mappingModels: [MappingModel] = []

    /// The stages that lead old stores to the program's model; nil lets the engine find the steps.
    /// With stages, mapping models are not used (spec §9.5).
    public var stages: StagedMigrationManager?

    /// Changes of data that run once in each store, by their versions, after it has the program's
    /// model and before it is opened (spec §9.8).
    ///
    /// A new store counts as if they had run. Stores that are opened for reading only do not get
    /// them.
    public var migrations: [Migration] = []

    /// Whether a migration in the store's own file leaves removed columns and tables in it, so that
    /// it copies fewer rows. They are dropped later, by
    /// `PersistentStoreCoordinator.finishDeferredLightweightMigration()` (spec §9.6).
    public var defersCleanUp = false

    /// The file that gets a copy of the store before the first step, with its external data; nil
    /// means none.
    ///
    /// Earlier content of the file is replaced in one transaction. A migration of several steps that
    /// is interrupted and goes on keeps the copy that it has made. Costs the copying of the whole
    /// store. `PersistentStoreCoordinator.replacePersistentStore` restores it.
    public var backup: URL?

    /// Follows the migration, and can cancel it.
    public var progress: MigrationProgress?

    public init() {}
}

extension MigrationOptions {
    /// Stores with another model are refused.
    static var off: MigrationOptions {
        var options = MigrationOptions()
        options.isAutomatic = false
        return options
    }

    /// The models that the program gives.
    var knownModels: [ManagedObjectModel] {
        let custom = stages?.stages.compactMap { $0 as? CustomMigrationStage } ?? []
        return sourceModels + mappingModels.flatMap { [$0.source, $0.destination] }
            + custom.flatMap { [$0.source.model, $0.destination.model] }
    }
}
