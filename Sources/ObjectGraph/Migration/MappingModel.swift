/// How the rows of one model become the rows of another: a mapping for each entity of either model
/// (spec §9.2).
public struct MappingModel: Sendable, Hashable {
    /// The mappings of the destination's entities in the order of their numbers, then those of the
    /// entities that are removed.
    public let entityMappings: [EntityMapping]

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
}

/// What becomes of the rows of one entity.
public struct EntityMapping: Sendable, Hashable {
    /// Core Data's types of mappings.
    public enum Kind: Int, Sendable, Hashable {
        /// The entity is new.
        case add = 2
        /// The entity and its rows are removed.
        case remove = 3
        /// The rows stay as they are.
        case copy = 4
        /// The rows change, or the name of the entity.
        case transform = 5
    }

    public let kind: Kind

    /// The entity in the model of the rows; nil for one that is added.
    public let source: String?

    /// The entity in the new model; nil for one that is removed.
    public let destination: String?

    /// The destination's properties, inherited ones included, in the order of declaration.
    public let propertyMappings: [PropertyMapping]

    /// The names of the source's properties whose values are lost, in the order of declaration.
    public let removedProperties: [String]
}

/// The origin of a property's values.
public struct PropertyMapping: Sendable, Hashable {
    public let name: String

    /// The property of the source that has the values; nil for one that is added, which gets its
    /// default value.
    public let source: String?
}
