/// A set of entities that fit together, ready for use by a coordinator.
///
/// A model is checked when it is made and immutable afterwards, so one instance may serve any number of coordinators on
/// any thread. Source: spec §1.
///
///     let model = try ManagedObjectModel(entities: [
///         EntityDescription(
///             name: "Author",
///             attributes: [AttributeDescription("name", .string, isOptional: false)],
///             relationships: [.toMany("books", "Book", inverse: "author", deleteRule: .cascade)]),
///         EntityDescription(
///             name: "Book",
///             attributes: [AttributeDescription("title", .string)],
///             relationships: [.toOne("author", "Author", inverse: "books")]),
///     ])
public final class ManagedObjectModel: Sendable {
    /// The resolved entities in the order of their numbers.
    let entities: [Entity]
    private let entityIndexes: [String: Int]
    private let entityIndexesByClass: [ObjectIdentifier: [Int]]

    /// Checks the descriptions against each other and lays out rows, tables and columns.
    ///
    /// - Parameter entities: At least the destinations and superentities that the others name; in any order.
    /// - Throws: `ModelError` naming the entity and the property that contradict the rest of the model.
    public init(entities descriptions: [EntityDescription]) throws(ModelError) {
        entities = try ModelAssembly(descriptions).entities()
        entityIndexes = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.index) })
        entityIndexesByClass = entities.reduce(into: [:]) { indexes, entity in
            guard let type = entity.description.managedObjectClass else { return }
            indexes[ObjectIdentifier(type), default: []].append(entity.index)
        }
    }

    /// The descriptions of the entities by name, as given.
    public var entitiesByName: [String: EntityDescription] {
        entityIndexes.mapValues { entities[$0].description }
    }

    /// A digest of 32 bytes for each entity by name: equal for models whose rows are alike (spec §1.8).
    public var entityVersionHashesByName: [String: [UInt8]] {
        entityIndexes.mapValues { entities[$0].versionHash }
    }

    func entity(named name: String) -> Entity? { entityIndexes[name].map { entities[$0] } }

    /// The entities whose objects are of exactly this class.
    func entities(ofClass type: AnyClass) -> [Entity] {
        entityIndexesByClass[ObjectIdentifier(type), default: []].map { entities[$0] }
    }

    /// The entity at the other end of a relationship.
    func destination(of relationship: Relationship) -> Entity {
        entities[relationship.destinationIndex]
    }

    /// The inverse of a relationship; nil without one.
    func inverse(of relationship: Relationship) -> Property? {
        relationship.inverseIndex.map {
            entities[relationship.destinationIndex].properties[$0]
        }
    }

    /// The root entities, each the owner of a table.
    var rootEntities: [Entity] { entities.filter { $0.rootIndex == $0.index } }
}
