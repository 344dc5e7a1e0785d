/// A consistent set of entities, for use by a coordinator.
///
/// A model is checked when it is created and never changes. One instance may serve any number of
/// coordinators on any thread. Source: spec §1.
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
    package let entities: [Entity]

    /// Named sets of entity names, for stores that hold part of the model (spec §1.10).
    public let configurations: [String: Set<String>]

    /// Names for people. Comparisons ignore them.
    public let versionIdentifiers: Set<String>
    let templates: [String: any RequestTemplate]

    /// The omissions when the model was read from a file.
    let fileWarnings: [ModelWarning]
    let hasOrderedRelationships: Bool
    let hasDerivedAttributes: Bool

    /// The entities whose deleted objects stay members of a to-many relationship, because it has no
    /// inverse or the inverse's delete rule is no action. By index, including their descendants.
    let lastingMembers: Set<Int>
    private let entityIndexes: [String: Int]
    private let entityIndexesByClass: [ObjectIdentifier: [Int]]

    /// Checks the descriptions and lays out rows, tables and columns.
    ///
    /// The entities may be in any order. They must include all destinations and superentities that
    /// they name. `configurations` maps each configuration to the names of its entities.
    ///
    /// - Throws: `ModelError` with the entity and the property that contradict the rest of the
    ///   model.
    public convenience init(
        entities: [EntityDescription], configurations: [String: Set<String>] = [:],
        versionIdentifiers: Set<String> = []
    ) throws(ModelError) {
        try self.init(entities, configurations, versionIdentifiers, templates: [:])
    }

    init(
        _ descriptions: [EntityDescription], _ configurations: [String: Set<String>],
        _ versionIdentifiers: Set<String>, templates: [String: any RequestTemplate],
        fileWarnings: [ModelWarning] = []
    ) throws(ModelError) {
        let entities = try ModelAssembly(descriptions).entities()
        self.entities = entities
        self.configurations = configurations
        self.versionIdentifiers = versionIdentifiers
        self.templates = templates
        self.fileWarnings = fileWarnings
        hasOrderedRelationships = entities.contains { !$0.orderedIndexes.isEmpty }
        hasDerivedAttributes = entities.contains { !$0.derived.isEmpty }
        lastingMembers = entities.flatMap(\.toManyRelationships).reduce(into: []) {
            indexes, relationship in
            let destination = entities[relationship.destinationIndex]
            let inverse = relationship.inverseIndex.map { destination.properties[$0] }
            if inverse?.relationship?.deleteRule ?? .noAction == .noAction {
                indexes.formUnion(destination.familyIndexes)
            }
        }
        entityIndexes = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.index) })
        entityIndexesByClass = entities.reduce(into: [:]) { indexes, entity in
            guard let type = entity.description.managedObjectClass else { return }
            indexes[ObjectIdentifier(type), default: []].append(entity.index)
        }
        for (configuration, names) in configurations {
            if let unknown = names.first(where: { entityIndexes[$0] == nil }) {
                throw ModelError(
                    unknown, nil, .unknownConfigurationEntity(configuration: configuration))
            }
        }
        for (name, template) in templates where entityIndexes[template.entityName] == nil {
            throw ModelError(template.entityName, nil, .unknownTemplateEntity(template: name))
        }
    }

    /// The descriptions of the entities by name.
    public var entitiesByName: [String: EntityDescription] {
        entityIndexes.mapValues { entities[$0].description }
    }

    package func entity(named name: String) -> Entity? { entityIndexes[name].map { entities[$0] } }

    /// The entities whose objects are of exactly this class.
    func entities(ofClass type: AnyClass) -> [Entity] {
        entityIndexesByClass[ObjectIdentifier(type), default: []].map { entities[$0] }
    }

    /// The entity whose objects are of exactly this class; nil if there is none, or several.
    func onlyEntity(ofClass type: AnyClass) -> Entity? {
        guard let indexes = entityIndexesByClass[ObjectIdentifier(type)], indexes.count == 1 else {
            return nil
        }
        return entities[indexes[0]]
    }

    /// The entity at the other end of a relationship.
    package func destination(of relationship: Relationship) -> Entity {
        entities[relationship.destinationIndex]
    }

    /// The inverse of a relationship; nil without one.
    package func inverse(of relationship: Relationship) -> Property? {
        relationship.inverseIndex.map {
            entities[relationship.destinationIndex].properties[$0]
        }
    }

    /// Whether a to-many relationship leads from the hierarchy of a root entity to that of one of
    /// `roots`.
    func hasToManyRelationship(fromRoot rootIndex: Int, toRoots roots: Set<Int>) -> Bool {
        entities[entities[rootIndex].familyIndexes].contains { entity in
            entity.toManyRelationships.contains {
                roots.contains(entities[$0.destinationIndex].rootIndex)
            }
        }
    }

    /// The root entities. Each has a table.
    package var rootEntities: [Entity] { entities.filter { $0.rootIndex == $0.index } }
}

/// A named request of a model.
protocol RequestTemplate: Sendable {
    var entityName: String { get }
}
