extension EntityMapping {
    /// The mapping with a property mapping for each property of its destination.
    ///
    /// - Throws: `MigrationError` with `invalidMapping`.
    func resolved(
        from sourceModel: ManagedObjectModel, to model: ManagedObjectModel
    ) throws(MigrationError) -> EntityMapping {
        let source = try entity(source, in: sourceModel)
        guard let destination = try entity(destination, in: model) else { return self }
        let visible = destination.properties.filter { !$0.isHidden }
        for given in propertyMappings {
            guard let property = destination.property(named: given.name) else {
                throw invalid(.unknownProperty(given.name))
            }
            guard property.isMappable || given.value == nil || kind != .custom else {
                throw invalid(.unmappableProperty(given.name))
            }
        }
        let formers = source.map {
            ModelCorrespondence.properties(of: destination, model, in: $0, sourceModel)
        }
        let properties = visible.map { property in
            propertyMappings.first { $0.name == property.name }
                ?? PropertyMapping(
                    name: property.name,
                    source: formers?[property.index].flatMap {
                        property.takesValues(of: $0) ? $0.name : nil
                    })
        }
        let used = Set(properties.compactMap(\.source))
        return EntityMapping(
            name: name, kind: kind, source: self.source, destination: self.destination,
            propertyMappings: properties,
            removedProperties: source?.properties
                .filter { !$0.isHidden && !used.contains($0.name) }.map(\.name) ?? [],
            predicate: predicate, policy: policy, userInfo: userInfo)
    }

    private func entity(
        _ name: String?, in model: ManagedObjectModel
    ) throws(MigrationError) -> Entity? {
        guard let name else { return nil }
        guard let entity = model.entity(named: name) else {
            throw invalid(.unknownEntity(name))
        }
        return entity
    }

    private func invalid(_ problem: MappingProblem) -> MigrationError {
        MigrationError(.invalidMapping(name, problem))
    }
}

extension Property {
    /// Whether the property can have the values of one of another model as they are.
    fileprivate func takesValues(of former: Property) -> Bool {
        isMappable && !former.isTransient
            && (relationship == nil
                ? former.attributeType.map { attributeType?.holdsValues(of: $0) == true } ?? false
                : former.relationship != nil)
    }
}
