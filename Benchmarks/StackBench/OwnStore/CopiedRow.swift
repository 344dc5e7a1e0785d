import ObjectGraph

/// A row as values, so that it can be inserted by any context.
struct CopiedRow: Sendable {
    var id: ManagedObjectID
    var values: [String: AttributeValue]
    /// The other ends by relationship.
    var links: [String: [ManagedObjectID]]

    /// Reads the first rows of exactly this entity.
    ///
    /// - Parameter relationships: those whose links are copied.
    static func read(
        _ entity: String, limit: Int, _ relationships: [RelationshipDescription],
        attributes: [String], in context: ManagedObjectContext
    ) throws -> [CopiedRow] {
        var request = FetchRequest(entityName: entity)
        request.includesSubentities = false
        request.fetchLimit = limit
        let toOne = relationships.filter { !$0.isToMany }.map(\.name)
        var dictionaries = request
        dictionaries.propertiesToFetch =
            [FetchedProperty(stringLiteral: idKey)]
            + (attributes + toOne).map { FetchedProperty(stringLiteral: $0) }
        var rows = try context.fetchDictionaries(dictionaries).compactMap { values -> CopiedRow? in
            guard case .objectID(let id)? = values[idKey] else { return nil }
            let links = toOne.compactMap { name in
                if case .objectID(let other)? = values[name] { (name, [other]) } else { nil }
            }
            return CopiedRow(
                id: id, values: values.filter { attributes.contains($0.key) && !$0.value.isNull },
                links: Dictionary(uniqueKeysWithValues: links))
        }
        for relationship in relationships where relationship.isToMany {
            for place in rows.indices {
                let others = try context.object(with: rows[place].id).objectIDs(
                    forRelationshipNamed: relationship.name)
                if !others.isEmpty { rows[place].links[relationship.name] = others }
            }
        }
        return rows
    }

    private static let idKey = "objectID"

    /// Inserts the row, without links.
    func insert(in context: ManagedObjectContext) throws -> ManagedObject {
        let object = try context.insertObject(entityName: id.entityName)
        for (name, value) in values { try object.setValue(value, forKey: name) }
        return object
    }
}

extension ManagedObject {
    /// Adds objects at the other end of a relationship to those that are there.
    func link(_ objects: [ManagedObject], by name: String, isToMany: Bool) throws {
        guard isToMany else { return try setValue(objects.first, forKey: name) }
        let before = relatedObjects(try value(forKey: name))
        try setValue(before + objects.filter { !before.contains($0) }, forKey: name)
    }
}

extension ManagedObjectModel {
    /// The relationships of an entity, inherited ones too, in the order of their names.
    func relationships(of entity: String) -> [RelationshipDescription] {
        (relationshipsByName(ofEntity: entity) ?? [:]).values.sorted { $0.name < $1.name }
    }

    func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        relationship.inverse.flatMap {
            relationshipsByName(ofEntity: relationship.destination)?[$0]
        }
    }

    /// The relationships that a clone of an object can share with it: those at whose other end
    /// there may be several objects.
    func sharedRelationships(of entity: String) -> [RelationshipDescription] {
        relationships(of: entity).filter { inverse(of: $0)?.isToMany ?? true }
    }

    /// The relationships that say all links of the model once: of two ends, the to-one end, or else
    /// the one whose name comes first.
    func ownedRelationships(of entity: String) -> [RelationshipDescription] {
        relationships(of: entity).filter { relationship in
            guard let inverse = inverse(of: relationship) else { return true }
            guard relationship.isToMany == inverse.isToMany else { return !relationship.isToMany }
            return (relationship.name, entity) <= (inverse.name, relationship.destination)
        }
    }
}
