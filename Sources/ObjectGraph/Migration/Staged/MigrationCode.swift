import Foundation

/// Code of the program that changes the rows of a store during its migration (spec §9.5, §9.8).
struct MigrationCode {
    let place: MigrationPlace

    /// The model that the store has.
    let model: ManagedObjectModel
    let body: @Sendable (ManagedObjectContext) throws -> Void

    /// Whether the store notes that the code has run.
    let isDone: @Sendable (MetadataList) -> Bool

    /// Makes that note.
    let note: @Sendable (inout MetadataList) -> Void

    /// Runs the code and saves, in one transaction with the note.
    ///
    /// Nothing else can have the store open meanwhile. Does nothing if another process has run the
    /// code since it was decided.
    /// - Throws: `MigrationError` with `codeFailed`; `StoreError` if the store cannot be opened. The
    ///   store is as the last save of the code has left it.
    func run(on store: MigratedStore) throws {
        var description = store.exclusiveDescription
        description.postsRemoteChanges = false
        description.vacuumsWhenOpened = false
        description.analyzesWhenOpened = false
        let opened = try SQLiteStore(description, model: model, debug: store.debug)
        guard !isDone(opened.metadataState.list) else { return try opened.close() }
        let coordinator = PersistentStoreCoordinator(model: model, debug: store.debug)
        let handle = coordinator.adopt(opened, description)
        do {
            try run(on: opened, ManagedObjectContext(.privateQueue, coordinator: coordinator))
        } catch {
            try? coordinator.removePersistentStore(handle)
            throw MigrationError(.codeFailed(place, UnderlyingError(error)))
        }
        try coordinator.removePersistentStore(handle)
    }

    private func run(on store: SQLiteStore, _ context: ManagedObjectContext) throws {
        try context.performAndWait {
            try body(context)
            // Not before: a save by the code itself must not write the note.
            store.metadataState.change(note)
            try context.save()
        }
    }
}
