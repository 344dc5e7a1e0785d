// Checks the expressions of derived attributes (spec §1.4).
extension ModelAssembly {
    /// An attribute, and the index of the entity that declares it.
    private typealias Source = (entity: Int, attribute: AttributeDescription)

    func checkDerivation(
        of attribute: AttributeDescription, in entity: Int
    ) throws(ModelError.Reason) {
        guard let text = attribute.derivation else { return }
        guard let derivation = Derivation(text) else { throw .invalidDerivation(text) }
        guard !attribute.isTransient else { throw .transientDerivation }
        let source = try source(of: derivation, in: entity)
        let (type, isAccepted) = accepted(derivation, source?.attribute.type, attribute.type)
        guard isAccepted else { throw .derivationOfOtherType(text, type) }
        guard ![attribute, source?.attribute].contains(where: { $0?.mayBeExternal ?? false }) else {
            throw .derivationOfExternalData(text)
        }
        try checkCycle(of: (entity, attribute))
    }

    /// The attribute from which another one is derived; nil for a count or a time.
    private func source(
        of derivation: Derivation, in entity: Int
    ) throws(ModelError.Reason) -> Source? {
        var holder = entity
        if let key = derivation.relationship {
            var isSummary = false
            if case .summary = derivation { isSummary = true }
            guard let relationship = declaration(of: key, in: entity)?.description,
                relationship.isToMany == isSummary
            else { throw .unknownDerivationKey(key, entity: ordered[entity].description.name) }
            guard let destination = indexes[relationship.destination] else {
                throw .unknownDestination(relationship.destination)
            }
            holder = destination
        }
        guard let key = derivation.attribute else { return nil }
        for ancestor in ancestries[holder] {
            let attributes = ordered[ancestor].description.attributes
            if let found = attributes.first(where: { $0.name == key && !$0.isTransient }) {
                return (ancestor, found)
            }
        }
        throw .unknownDerivationKey(key, entity: ordered[holder].description.name)
    }

    /// The type of the values, and whether the attribute can hold them.
    private func accepted(
        _ derivation: Derivation, _ source: AttributeType?, _ target: AttributeType
    ) -> (AttributeType, Bool) {
        switch derivation {
        case .now: return (.date, target == .date)
        case .value(_, _, nil):
            return (source!, source == target && target != .transformable)
        case .value: return (source!, source == .string && target == .string)
        case .summary(.count, _, _): return (.integer64, target.isNumber)
        case .summary(let summary, _, _):
            let isDate = source == .date && target == .date && summary != .sum
            let isNumber = source!.isNumber && target.isNumber
            return (source!, isDate || isNumber && (source!.isInteger || !target.isInteger))
        }
    }

    /// Attributes derived from one another must lead to one that is not derived.
    private func checkCycle(of start: Source) throws(ModelError.Reason) {
        var path = [name(start)]
        var next = start
        while let derivation = next.attribute.derivation.flatMap(Derivation.init) {
            // A mistake in another attribute is reported where it is.
            guard let source = try? source(of: derivation, in: next.entity) else { return }
            path.append(name(source))
            if path.last == path[0] { throw .circularDerivation(path) }
            // A cycle that does not include this attribute is reported for those that it includes.
            if path.dropLast().contains(name(source)) { return }
            next = source
        }
    }

    private func name(_ source: Source) -> String {
        "\(ordered[source.entity].description.name).\(source.attribute.name)"
    }
}

extension AttributeDescription {
    fileprivate var mayBeExternal: Bool { type == .binaryData && allowsExternalStorage }
}

extension AttributeType {
    var isInteger: Bool { integerRange != nil }

    fileprivate var isNumber: Bool {
        isInteger || [.decimal, .double, .float].contains(self)
    }
}
