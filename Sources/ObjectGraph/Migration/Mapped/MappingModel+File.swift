import Foundation

extension MappingModel {
    /// Reads a mapping model of Xcode's editor.
    ///
    /// A property without an expression takes the values of the property of the source with the same
    /// name, or its default value. A value that a function of the policy computes is left to the
    /// policy. Left-overs of the editor and the models in the file are ignored (spec §9.3).
    ///
    /// - Parameters:
    ///   - url: A folder `.xcmappingmodel`, or the file `xcmapping.xml` in it.
    ///   - source: The model of the rows.
    ///   - destination: The model that the rows shall have.
    ///   - policies: The code of mappings by the names of its classes in the file, with or without
    ///     the module.
    /// - Throws: `ModelFileError` with the file and the line if it cannot be read, or names a class
    ///   without a policy; `MigrationError` with `invalidMapping` if it does not fit the models.
    public init(
        contentsOf url: URL, from source: ManagedObjectModel, to destination: ManagedObjectModel,
        policies: [String: any EntityMigrationPolicy] = [:]
    ) throws {
        let file = try MappingFile(contentsOf: url)
        var mappings: [EntityMapping] = []
        for entity in file.entities {
            let former = entity.source.flatMap { source.entity(named: $0) }
            let policy = try entity.policy.map { name in
                guard let policy = policies[name] ?? policies[Self.className(name)] else {
                    throw ModelFileError(.unknownPolicy(name), file: file.file, line: entity.line)
                }
                return policy
            }
            let properties = try (entity.attributes + entity.relationships).map { property in
                if property.value == .policy, policy == nil {
                    throw ModelFileError(
                        .noPolicy(property: property.name), file: file.file, line: entity.line)
                }
                return PropertyMapping(property, of: former)
            }
            mappings.append(
                EntityMapping(
                    from: entity.source, to: entity.destination, name: entity.name,
                    properties: properties, policy: policy))
        }
        try self.init(from: source, to: destination, mappings)
    }

    /// The name without the module.
    private static func className(_ name: String) -> String {
        name.split(separator: ".").last.map(String.init) ?? name
    }
}

extension PropertyMapping {
    /// - Parameter former: The entity of the source.
    fileprivate init(_ property: MappingFile.Property, of former: Entity?) {
        switch property.value {
        case .automatic:
            let hasSame = former?.property(named: property.name) != nil
            self.init(name: property.name, source: hasSame ? property.name : nil)
        case .expression(let value): self.init(property.name, value)
        case .objects(let value, let mapping):
            self.init(property.name, value, through: mapping)
        case .policy: self.init(property.name, nil)
        }
    }
}
