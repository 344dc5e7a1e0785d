/// A change of data that runs once in each store (spec §9.8).
///
///     description.migration.migrations = [
///         Migration(.appVersion("1.1")) { context in
///             for book in try Book.all(in: context) { book.title = book.title.capitalized }
///         }
///     ]
///
/// Migrations run in the order of their versions, after the store has the program's model and before
/// it is opened. The model need not have changed. To change an entity beyond what can be inferred,
/// let the model have both generations of it, make objects of the new one from those of the old one
/// (`ManagedObject.copyAttributes`), and remove the old one from the next model.
public struct Migration: Sendable {
    public let version: MigrationVersion
    let body: @Sendable (ManagedObjectContext) throws -> Void

    /// - Parameters:
    ///   - version: The version of the program that brings it; each has one migration at most.
    ///   - body: Changes objects in a context of its own, in whose queue it runs, while nothing else
    ///     has the store open. What it leaves unsaved is saved when it returns, in one transaction
    ///     with the note in the store that it has run. If it throws, that is discarded, the store is
    ///     not opened, and the migration runs again at the next opening.
    ///
    /// A body that saves by itself, to keep memory small, may run again from its beginning after a
    /// failure or a crash.
    public init(
        _ version: MigrationVersion,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) {
        self.version = version
        self.body = body
    }
}

extension MigrationOptions {
    /// - Throws: `MigrationError` with `unreadableVersion` or `duplicateMigration`.
    func checkMigrations() throws(MigrationError) {
        var known: Set<MigrationVersion> = []
        for migration in migrations {
            guard migration.version.isReadable else {
                throw MigrationError(.unreadableVersion(migration.version))
            }
            guard known.insert(migration.version).inserted else {
                throw MigrationError(.duplicateMigration(migration.version))
            }
        }
    }

    /// The migrations that have not run in a store, in their order.
    func waitingMigrations(_ metadata: MetadataList) -> [Migration] {
        let done = Set(metadata.migrations ?? [])
        return migrations.filter { !done.contains($0.version.description) }
            .sorted { $0.version < $1.version }
    }
}

extension Migration {
    func code(on model: ManagedObjectModel) -> MigrationCode {
        let name = version.description
        return MigrationCode(
            place: .migration(version), model: model, body: body,
            isDone: { $0.migrations?.contains(name) == true },
            note: { $0.migrations = ($0.migrations ?? []) + [name] })
    }
}
