/// The code of an entity mapping (spec §9.3). Every hook has a default implementation.
///
/// A migration goes over all mappings three times: it creates the new objects, relates them, and
/// validates them. Objects pass in chunks; the contexts are saved and reset after each chunk, so
/// keep no object from one call to the next. The manager's `userInfo` is for values that shall
/// last. Anything that a hook throws ends the migration, and leaves the store as it was.
public protocol EntityMigrationPolicy: Sendable {
    /// Called first, before anything is created.
    func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws

    /// Makes the new objects for an object of the source: none, one or several. The default makes
    /// one, with the values of the property mappings.
    ///
    /// Objects that are not made by `manager.insert` need `manager.associate`; without it, they are
    /// not related.
    func createDestinationInstances(
        for source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws

    /// Called after all objects of the mapping were created.
    func endInstanceCreation(for mapping: EntityMapping, manager: MigrationManager) throws

    /// Sets the relationships of an object that the mapping has made. The default sets those of the
    /// property mappings.
    func createRelationships(
        for destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws

    /// Called after all objects of the mapping were related.
    func endRelationshipCreation(for mapping: EntityMapping, manager: MigrationManager) throws

    /// Called before all new objects are validated by the model.
    func performCustomValidation(for mapping: EntityMapping, manager: MigrationManager) throws

    /// Called last, when all objects are valid.
    func end(_ mapping: EntityMapping, manager: MigrationManager) throws
}

extension EntityMigrationPolicy {
    public func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

    public func createDestinationInstances(
        for source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try manager.insert()
    }

    public func endInstanceCreation(
        for mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    public func createRelationships(
        for destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try manager.relate(destination)
    }

    public func endRelationshipCreation(
        for mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    public func performCustomValidation(
        for mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    public func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}

/// The policy of a mapping without code.
struct PlainPolicy: EntityMigrationPolicy {}

/// The policy of a mapping with a closure.
struct ClosurePolicy: EntityMigrationPolicy {
    let body: @Sendable (ManagedObject, MigrationManager) throws -> Void

    func createDestinationInstances(
        for source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try body(source, manager)
    }
}
