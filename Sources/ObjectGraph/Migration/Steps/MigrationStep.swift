/// One change of a store from one model to the next.
struct MigrationStep {
    /// The model that the store was written with.
    let source: ManagedObjectModel
    let destination: ManagedObjectModel

    /// The mapping that was made by hand; nil for one that is inferred and runs in the store's own
    /// file.
    var mapping: MappingModel?

    /// The store's note of the custom stage to which the step belongs; nil if it belongs to none, or
    /// ends one.
    var stage: StageRecord?
}
