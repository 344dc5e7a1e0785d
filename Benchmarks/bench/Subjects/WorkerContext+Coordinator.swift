import ObjectGraph

extension WorkerContext {
    /// Opens the job's store without a stack, and creates it if needed.
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
    /// Closes all stores, so that their files can be read.
    func removePersistentStores() throws {
        for store in persistentStores { try removePersistentStore(store) }
    }
}
