import ObjectGraph

extension WorkerContext {
    /// The worker's store, opened by the engine alone; made if there is none.
    func openCoordinator(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            model: model, lockPolicy: configuration.coordinatorLockPolicy)
        var description = PersistentStoreDescription.sqlite(at: storeURL)
        description.pragmas = ["synchronous": job.synchronous]
        try coordinator.addPersistentStore(description)
        return coordinator
    }
}

extension PersistentStoreCoordinator {
    /// Closes all stores, so that their files can be read as they are.
    func removePersistentStores() throws {
        for store in persistentStores { try removePersistentStore(store) }
    }
}
