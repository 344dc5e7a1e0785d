extension MigrationStep {
    /// - Throws: `MigrationError`; `SQLiteError`, `StoreError` if the file cannot be read or written.
    func run(of store: MigratedStore) throws {
        if mapping == nil {
            try InPlaceMigration(self, of: store).run()
        } else {
            var migration = MappedMigration(self, of: store)
            let progress = store.description.migration.progress
            migration.report = { part in
                try progress?.requireUncancelled()
                progress?.note(part)
            }
            try migration.run()
        }
    }
}
