// Information about an entity that needs the whole model: inherited properties, descendants.
extension ManagedObjectModel {
    /// The attributes of an entity by name, including inherited ones; nil if there is no such
    /// entity.
    public func attributesByName(ofEntity name: String) -> [String: AttributeDescription]? {
        entity(named: name)?.description.attributesByName
    }

    /// The relationships of an entity by name, including inherited ones; nil if there is no such
    /// entity.
    public func relationshipsByName(
        ofEntity name: String
    ) -> [String: RelationshipDescription]? {
        entity(named: name)?.description.relationshipsByName
    }

    /// The fetched property of an entity or one of its ancestors; nil if there is none.
    func fetchedProperty(named name: String, of entity: Entity) -> FetchedPropertyDescription? {
        (entity.description.ancestors + [entity.description]).flatMap(\.fetchedProperties)
            .first { $0.name == name }
    }

    /// The names of the direct subentities, sorted; nil if there is no such entity.
    public func subentities(ofEntity name: String) -> [String]? {
        entity(named: name).map { entity in
            entities.filter { $0.superentityIndex == entity.index }.map(\.name)
        }
    }

    /// Whether an entity is another one or its descendant. False if the model lacks either.
    public func isEntity(_ name: String, kindOf other: String) -> Bool {
        guard let entity = entity(named: name), let other = self.entity(named: other) else {
            return false
        }
        return entity.isKind(of: other)
    }
}
