// Stores of one's own (spec §11.6).
extension PersistentStoreCoordinator {
    /// Registers a type of stores, for descriptions with this type.
    ///
    /// `makeStore` is called each time a coordinator opens such a store, with the description and the
    /// model. Registering a type again replaces it; open stores stay as they are. The engine's own
    /// types cannot be registered: the program stops.
    ///
    ///     PersistentStoreCoordinator.registerStoreType("Dictionary") { _, _ in
    ///         .incremental(DictionaryStore())
    ///     }
    ///     try coordinator.addPersistentStore(PersistentStoreDescription(type: "Dictionary"))
    public static func registerStoreType(
        _ type: PersistentStoreDescription.StoreType,
        makeStore:
            @escaping @Sendable (
                PersistentStoreDescription, ManagedObjectModel
            ) throws -> CustomStore
    ) {
        StoreTypes.register(type, makeStore)
    }
}
