import Foundation

// Comparing models: version hashes, configurations, merging (spec §1.1, §1.8).
extension ManagedObjectModel {
    /// A digest of 32 bytes for each entity, by name. It is equal in models whose rows have the
    /// same form (spec §1.8).
    public var entityVersionHashesByName: [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
    }

    /// The digest of all version hashes, as base64 text.
    public var versionChecksum: String { checksum(of: \.versionHash) }

    private func checksum(of hash: (Entity) -> [UInt8]) -> String {
        var digest = Digest()
        for entity in entities {
            digest.update(entity.name)
            digest.update(hash(entity).map(String.init).joined(separator: ","))
        }
        return Data(digest.finalize()).base64EncodedString()
    }

    /// Whether the text is the model's checksum, or was when transient attributes counted.
    func hasVersionChecksum(_ text: String) -> Bool {
        text == versionChecksum || text == checksum(of: \.formerVersionHash)
    }

    /// Version hashes of a store by the present rule, as far as the model has the entities: earlier
    /// versions of the engine counted transient attributes.
    package func updating(_ hashes: [String: Data]) -> [String: Data] {
        var updated = hashes
        for entity in entities where updated[entity.name] == Data(entity.formerVersionHash) {
            updated[entity.name] = Data(entity.versionHash)
        }
        return updated
    }

    /// The names of the entities of a configuration; with nil, of all entities.
    ///
    /// - Returns: nil if there is no such configuration.
    public func entityNames(inConfiguration name: String?) -> Set<String>? {
        guard let name, name != Self.defaultConfiguration else {
            return Set(entities.map(\.name))
        }
        return configurations[name]
    }

    /// The name of the configuration with all entities. It means the same as nil.
    public static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

    /// Whether a store with these version hashes has exactly the entities of the configuration,
    /// with equal hashes.
    public func isConfiguration(
        _ name: String?, compatibleWithVersionHashes hashes: [String: [UInt8]]
    ) -> Bool {
        guard let names = entityNames(inConfiguration: name) else { return false }
        return entityVersionHashesByName.filter { names.contains($0.key) }
            == updating(hashes.mapValues { Data($0) }).mapValues { Array($0) }
    }

    /// Merges the entities and configurations of several models.
    ///
    /// - Throws: `ModelError` with `differsFromNamesake` if two models describe an entity
    ///   differently.
    public static func merging(
        _ models: [ManagedObjectModel]
    ) throws(ModelError) -> ManagedObjectModel {
        var descriptions: [String: EntityDescription] = [:]
        var configurations: [String: Set<String>] = [:]
        var templates: [String: any RequestTemplate] = [:]
        for model in models {
            for entity in model.entities {
                if let known = descriptions[entity.name], !known.isEqual(to: entity.description) {
                    throw ModelError(entity.name, nil, .differsFromNamesake)
                }
                descriptions[entity.name] = entity.description
            }
            configurations.merge(model.configurations) { $0.union($1) }
            templates.merge(model.templates) { first, _ in first }
        }
        return try ManagedObjectModel(
            Array(descriptions.values), configurations,
            models.reduce(into: []) { $0.formUnion($1.versionIdentifiers) }, templates: templates,
            fileWarnings: models.flatMap(\.fileWarnings))
    }

    /// Merges those entities that a store with these version hashes has.
    ///
    /// - Returns: nil if the models lack an entity with one of these hashes.
    public static func merging(
        _ models: [ManagedObjectModel], forVersionHashes hashes: [String: [UInt8]]
    ) -> ManagedObjectModel? {
        var descriptions: [String: EntityDescription] = [:]
        for entity in models.flatMap(\.entities) {
            guard let hash = hashes[entity.name],
                hash == entity.versionHash || hash == entity.formerVersionHash
            else { continue }
            descriptions[entity.name] = entity.description
        }
        guard descriptions.count == hashes.count else { return nil }
        return try? ManagedObjectModel(entities: Array(descriptions.values))
    }
}

extension EntityDescription {
    fileprivate func isEqual(to other: EntityDescription) -> Bool {
        name == other.name && managedObjectClass == other.managedObjectClass
            && superentity == other.superentity && isAbstract == other.isAbstract
            && attributes == other.attributes && relationships == other.relationships
            && uniquenessConstraints == other.uniquenessConstraints && indexes == other.indexes
            && versionHashModifier == other.versionHashModifier
    }
}
