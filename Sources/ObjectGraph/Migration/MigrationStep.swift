/// One change of a store from one model to the next.
struct MigrationStep {
    /// The model that the store was written with.
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
}
