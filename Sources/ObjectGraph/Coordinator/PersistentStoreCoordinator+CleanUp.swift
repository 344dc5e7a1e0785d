// The rest of migrations with `MigrationOptions.defersCleanUp` (spec §9.6).
extension PersistentStoreCoordinator {
    /// Drops all columns and tables that migrations have left in the open stores.
    ///
    /// The stores can be used meanwhile; writers wait for one column or table at a time. Cost: a
    /// pass over the table for each column.
    /// - Throws: `StoreError` if a store cannot be written. What is left then can be dropped later.
    public func finishDeferredLightweightMigration() throws {
        while try finishDeferredLightweightMigrationTask() {}
    }

    /// Drops one of these columns or tables, in one transaction.
    ///
    /// `StoreMetadata.hasDeferredCleanUp` says whether a store has any. Stores that are open for
    /// reading only are left out.
    /// - Returns: Whether more are left.
    /// - Throws: `StoreError` if a store cannot be written.
    @discardableResult
    public func finishDeferredLightweightMigrationTask() throws -> Bool {
        let stores = records.compactMap { $0.store as? SQLiteStore }.filter {
            !$0.isReadOnly && $0.metadataState.list.hasDeferredCleanUp
        }
        guard let first = stores.first else { return false }
        return try underLockPolicy { try first.cleanUp() } || stores.count > 1
    }
}
