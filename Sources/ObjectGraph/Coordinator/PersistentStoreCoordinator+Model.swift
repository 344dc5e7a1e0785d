import Foundation

extension PersistentStoreCoordinator {
    /// Reads the model that a store was made with from its file. Creates and changes no file.
    ///
    /// Stores of this engine and of Core Data since 2013 hold their model. Classes and transformers
    /// are found by name among those given, as in `ManagedObjectModel.init(contentsOf:)`. The cache
    /// of a store that Core Data migrated has no names of classes: then an entity gets the class
    /// with its own name. Source: spec §1.14.
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - classes: The classes of the entities, subclasses of `ManagedObject`.
    ///   - transformers: The transformers of transformable attributes.
    /// - Throws: `StoreError` if there is no file, or it is not a store. `ModelFileError` if the
    ///   store does not hold its model or the model is damaged, with the entity and the property.
    public static func model(
        ofStoreAt url: URL, classes: [AnyClass] = [], transformers: [ValueTransformer] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            cached: SQLiteStore.modelCache(at: url),
            into: ModelDraft(of: url, classes: classes, transformers: transformers))
    }
}
