import Measuring
import ObjectGraph
import RunRecords

extension WorkerContext {
    /// Opens the job's store without a stack, and creates it if needed.
    func openCoordinator(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            model: model, lockPolicy: configuration.coordinatorLockPolicy)
        var description = PersistentStoreDescription.sqlite(at: storeURL)
        description.pragmas = configuration.pragmas
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    /// Measures work on the queue of a context, and counts the statements of its coordinator.
    func measure<Result: Sendable>(
        in objects: ManagedObjectContext, rowCount: Int, _ work: @Sendable () throws -> Result
    ) throws -> (sample: Sample, result: Result) {
        objects.coordinator.resetCounters()
        var result: Result?
        var sample = try measure(nil, rowCount: rowCount) {
            result = try objects.performAndWait(work)
        }
        sample.counters = [
            Metric.statements.name: objects.coordinator.counters.statements
        ]
        guard let result else { preconditionFailure("Work is done at least once.") }
        return (sample, result)
    }
}

extension PersistentStoreCoordinator {
    /// Closes all stores, so that their files can be read.
    func removePersistentStores() throws {
        for store in persistentStores { try removePersistentStore(store) }
    }
}
