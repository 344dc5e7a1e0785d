/// How a store that was written with another model is brought to the program's when it is opened
/// (spec §9.1). Stores that are opened for reading only are never migrated.
public struct MigrationOptions: Sendable {
    /// Whether such a store is migrated; otherwise it is refused.
    public var isAutomatic = true

    /// Earlier models, for migrating stores that do not carry theirs.
    public var sourceModels: [ManagedObjectModel] = []

    /// Mappings made by hand. One of them is used where its models are those of the store and of the
    /// program, even if the mapping could be inferred (spec §9.3).
    public var mappingModels: [MappingModel] = []

    public init() {}
}
