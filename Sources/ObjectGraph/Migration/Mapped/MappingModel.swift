/// How the rows of one model become the rows of another: a list of entity mappings (spec §9.2,
/// §9.3).
///
/// A mapping that is inferred needs no objects and migrates a store in its own file. A mapping made
/// by hand passes every object on, to expressions, closures and policies, and makes a new file.
public struct MappingModel: Sendable {
    /// The model of the rows.
    public let source: ManagedObjectModel

    /// The model that the rows shall have.
    public let destination: ManagedObjectModel

    /// The mappings, in the order in which they run. An inferred mapping has those of the
    /// destination's entities in the order of their numbers, then those of removed entities.
    public let entityMappings: [EntityMapping]

    /// A mapping made by hand. Objects of entities that no entity mapping names are dropped.
    ///
    /// - Parameters:
    ///   - source: The model of the rows.
    ///   - destination: The model that the rows shall have.
    ///   - entityMappings: The mappings, in the order in which they run.
    /// - Throws: `MigrationError` with `invalidMapping` if an entity mapping has the name of another
    ///   one, names an entity or a property that its model lacks, or has an expression that cannot
    ///   be evaluated.
    public init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        _ entityMappings: [EntityMapping]
    ) throws(MigrationError) {
        self.source = source
        self.destination = destination
        var names: Set<String> = []
        var resolved: [EntityMapping] = []
        for mapping in entityMappings {
            guard names.insert(mapping.name).inserted else {
                throw MigrationError(.invalidMapping(mapping.name, .duplicateName))
            }
            resolved.append(try mapping.resolved(from: source, to: destination))
        }
        self.entityMappings = resolved
        _ = try MappingPlan.all(self)
    }

    init(
        inferred entityMappings: [EntityMapping], from source: ManagedObjectModel,
        to destination: ManagedObjectModel
    ) {
        self.source = source
        self.destination = destination
        self.entityMappings = entityMappings
    }

    /// The mapping that follows from names and renaming identifiers.
    ///
    /// - Parameters:
    ///   - source: The model of the rows.
    ///   - destination: The model that the rows shall have.
    /// - Throws: `MigrationError` with `notInferable` if a change leaves open what becomes of the
    ///   rows. It lists all such changes.
    public static func inferred(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MigrationError) -> MappingModel {
        try ModelCorrespondence(from: source, to: destination).mappingModel
    }

    /// The mapping that follows from names and renaming identifiers, except for what cannot be
    /// inferred or shall be different.
    ///
    /// An entity mapping replaces the inferred one of its destination. It runs after all inferred
    /// ones.
    ///
    /// - Parameters:
    ///   - source: The model of the rows.
    ///   - destination: The model that the rows shall have.
    ///   - replacements: The entity mappings made by hand.
    /// - Throws: `MigrationError` with `notInferable` for a change of another entity that leaves open
    ///   what becomes of the rows; with `invalidMapping` as the initializer.
    public static func inferred(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        replacing replacements: [EntityMapping]
    ) throws(MigrationError) -> MappingModel {
        let made = Set(replacements.compactMap(\.destination))
        let used = Set(replacements.compactMap(\.source))
        let correspondence = try ModelCorrespondence(
            from: source, to: destination, excusing: made)
        let inferred = correspondence.mappingModel.entityMappings.filter { mapping in
            mapping.destination.map { !made.contains($0) } ?? !used.contains(mapping.source!)
        }
        return try MappingModel(from: source, to: destination, inferred + replacements)
    }
}
