import Foundation

/// How a store that was written with another model is brought to the program's when it is opened
/// (spec §9.1). Stores that are opened for reading only are never migrated.
public struct MigrationOptions: Sendable {
    /// Whether such a store is migrated; otherwise it is refused.
    public var isAutomatic = true

    /// Whether a mapping is inferred from the two models if there is none between them; otherwise
    /// such a store is refused.
    public var infersMappings = true

    /// Earlier models, for migrating stores that do not carry theirs.
    public var sourceModels: [ManagedObjectModel] = []

    /// The file that gets a copy of the store before the first step, with its external data; nil
    /// means none.
    ///
    /// Earlier content of the file is replaced in one transaction. A migration of several steps that
    /// is interrupted and goes on keeps the copy that it has made. Costs the copying of the whole
    /// store. `PersistentStoreCoordinator.replacePersistentStore` restores it.
    public var backup: URL?

    /// Mappings made by hand. One of them is used where its models are those of the store and of the
    /// program, even if the mapping could be inferred (spec §9.3).
    public var mappingModels: [MappingModel] = []

    public init() {}
}
