extension ModelAssembly {
    /// A digest of everything that decides the form of an entity's rows. See spec §1.8 for what
    /// counts.
    ///
    /// - Parameter countsTransients: Whether transient attributes count, as they did in earlier
    ///   versions of the engine.
    func versionHash(of index: Int, countsTransients: Bool = false) -> [UInt8] {
        let (description, superentity, _) = ordered[index]
        var digest = Digest()
        digest.update(description.name)
        digest.update(description.isAbstract)
        digest.update(description.versionHashModifier ?? "")
        if let superentity {
            digest.update(
                versionHash(of: superentity, countsTransients: countsTransients)
                    .map(String.init).joined(separator: ","))
        }
        digest.update(description.attributes.filter { countsTransients || !$0.isTransient })
        for relationship in description.relationships.sorted(by: { $0.name < $1.name }) {
            digest.update(relationship.name)
            digest.update(relationship.isOptional)
            digest.update(relationship.destination)
            digest.update(relationship.inverse ?? "")
            digest.update(relationship.minCount)
            digest.update(relationship.maxCount)
            digest.update(relationship.isOrdered)
            digest.update(relationship.versionHashModifier ?? "")
        }
        for constraint in description.uniquenessConstraints {
            digest.update(constraint.joined(separator: ","))
        }
        return digest.finalize()
    }
}

extension Digest {
    fileprivate mutating func update(_ attributes: [AttributeDescription]) {
        for attribute in attributes.sorted(by: { $0.name < $1.name }) {
            update(attribute.name)
            update(attribute.isOptional)
            update(attribute.isTransient)
            update(attribute.type.rawValue)
            update(attribute.versionHashModifier ?? "")
            // Texts that mean the same have the same hash.
            if let derivation = attribute.derivation.flatMap(Derivation.init) {
                update("\(derivation)")
            }
            if attribute.type == .composite {
                update(attribute.elements.count)
                update(attribute.elements)
            }
        }
    }
}
