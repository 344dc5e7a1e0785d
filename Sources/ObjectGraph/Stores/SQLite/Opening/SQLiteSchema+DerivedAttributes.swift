// Derived attributes of the store's entities (spec §1.4).
extension SQLiteSchema {
    /// The derived attributes, each with the entity that declares it.
    ///
    /// - Throws: `StoreError` if the store does not hold the entity at the other end of a
    ///   derivation's relationship.
    func derivedAttributes() throws(StoreError) -> [(attribute: Property, entity: Entity)] {
        let stored = Set(entities.map(\.index))
        var found: [(attribute: Property, entity: Entity)] = []
        for entity in entities {
            for attribute in entity.properties where attribute.declaringEntityIndex == entity.index
            {
                guard let derivation = attribute.derivation else { continue }
                let relationship = derivation.relationship.flatMap { entity.property(named: $0) }
                guard
                    relationship.map({ stored.contains($0.relationship!.destinationIndex) }) ?? true
                else {
                    throw StoreError(.cannotDerive(entity: entity.name, attribute: attribute.name))
                }
                found.append((attribute, entity))
            }
        }
        return found
    }

    /// A derived attribute for which the file has no triggers; nil if it has them for all.
    func unmaintainedDerivation(
        _ layout: StoreLayout, on connection: Connection
    ) throws -> String? {
        guard model.hasDerivedAttributes else { return nil }
        let statement = try connection.statement(
            "SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
        defer { statement.reset() }
        var triggers: [String] = []
        while try statement.step() { triggers.append(statement.value(at: 0).string) }
        // Each trigger ends with a call that names the table and the attribute.
        return try derivedAttributes().first { attribute, entity in
            !triggers.contains {
                $0.contains("'\(layout.table(of: entity))'") && $0.contains("'\(attribute.name)'")
            }
        }.map { "\($0.entity.name).\($0.attribute.name)" }
    }
}
