// Checks a model. Each error names the entity and the property (spec §1).
extension ModelAssembly {
    mutating func check() throws(ModelError) {
        for (index, (description, _, _)) in ordered.enumerated() {
            try checkNames(of: index)
            rules.append([])
            for attribute in description.attributes {
                try checkElements(of: attribute, in: description.name)
                for part in attribute.flattened {
                    do {
                        rules[index].append(try check(part))
                        try checkDerivation(of: part, in: index)
                    } catch {
                        throw ModelError(description.name, part.name, error)
                    }
                }
            }
            for property in description.fetchedProperties
            where indexes[property.template.entityName] == nil {
                throw ModelError(
                    description.name, property.name,
                    .unknownDestination(property.template.entityName))
            }
            for relationship in description.relationships {
                do { try check(relationship, of: index) } catch {
                    throw ModelError(description.name, relationship.name, error)
                }
            }
        }
        let namesOfIndexes = ordered.flatMap(\.description.namesOfIndexes)
        let counts = Dictionary(namesOfIndexes.map { ($0, 1) }, uniquingKeysWith: +)
        for index in ordered.indices {
            try checkConstraints(of: index)
            try checkIndexes(of: index, countsOfNames: counts)
        }
    }

    // MARK: - Names

    /// Whether the text can be a name. Names become part of SQL and of URIs without escaping.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first == "_" || first.properties.isAlphabetic
        else { return false }
        return text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    private func checkNames(of index: Int) throws(ModelError) {
        let entity = ordered[index].description.name
        var names: Set<String> = []
        for ancestor in ancestries[index] {
            let description = ordered[ancestor].description
            for name in description.namesOfProperties {
                guard Self.isName(name) else { throw ModelError(entity, name, .invalidName) }
                guard !Self.reservedNames.contains(name), !Self.isOfEngine(name) else {
                    throw ModelError(entity, name, .reservedName)
                }
                guard names.insert(name).inserted else {
                    throw ModelError(entity, name, .duplicateProperty)
                }
            }
        }
        let count = propertyCount(of: index)
        guard count <= Entity.maximumPropertyCount else {
            throw ModelError(entity, nil, .tooManyProperties(count))
        }
    }

    /// Members of `ManagedObject` that a property of the same name would hide (spec §1.1).
    private static let reservedNames: Set<String> = [
        "description", "hash", "objectID", "entity", "isDeleted", "isInserted", "isUpdated",
        "isFault", "hasChanges", "managedObjectContext", "faultingState",
        "hasPersistentChangedValues",
    ]

    /// Whether a table or column named after the text could be taken for one of the engine's own:
    /// of r-trees and full-text indexes, of folded texts, and those that a migration has left to be
    /// dropped.
    static func isOfEngine(_ name: String) -> Bool {
        guard name.first == "_" else { return false }
        return name.uppercased().prefixMatch(of: /_(RT|FT|F[0-9]+|OLD|DEFERRED)_/) != nil
    }

    // MARK: - Properties

    /// - Returns: The compiled rules; nil without any.
    private func check(
        _ attribute: AttributeDescription
    ) throws(ModelError.Reason) -> AttributeRules? {
        guard attribute.isTransient || !attribute.type.isTransientOnly else {
            throw .persistentType(attribute.type)
        }
        guard attribute.type == .transformable || attribute.transformer == nil else {
            throw .needlessTransformer
        }
        if let value = attribute.defaultValue {
            guard let converted = attribute.convertedDefault,
                attribute.isTransient || converted.isStorable
            else { throw .defaultOfOtherType(value, attribute.type) }
        }
        let hasRules = attribute.type == .transformable || !attribute.validationRules.isEmpty
        return hasRules ? try AttributeRules(attribute) : nil
    }

    private func check(
        _ relationship: RelationshipDescription, of index: Int
    ) throws(ModelError.Reason) {
        guard let destination = indexes[relationship.destination] else {
            throw .unknownDestination(relationship.destination)
        }
        let (least, most) = (relationship.minCount, relationship.maxCount)
        guard least >= 0, most >= 0, most == 0 || least <= most else {
            throw .invalidCount(minCount: least, maxCount: most)
        }
        guard relationship.isToMany || !relationship.isOrdered else { throw .orderedToOne }
        guard let inverse = relationship.inverse else { return }
        guard let other = declaration(of: inverse, in: destination) else {
            throw .unknownInverse(inverse)
        }
        guard other.description.inverse == relationship.name,
            leads(other.description, to: index)
        else { throw .inverseMismatch(inverse) }
    }

    // MARK: - Constraints and indexes

    private func checkConstraints(of index: Int) throws(ModelError) {
        let description = ordered[index].description
        guard !description.uniquenessConstraints.isEmpty else { return }
        func fail(_ property: String?, _ reason: ModelError.Reason) -> ModelError {
            ModelError(description.name, property, reason)
        }
        let attributes = persistentAttributes(of: index)
        let composites = ancestries[index].flatMap { ordered[$0].description.attributes }
            .filter { $0.type == .composite }.flatMap(\.flattenedNames)
        for constraint in description.uniquenessConstraints {
            guard !constraint.isEmpty else { throw fail(nil, .emptyConstraint) }
            for name in constraint {
                guard !composites.contains(name) else { throw fail(name, .compositeConstraint) }
                guard let attribute = attributes[name] else {
                    throw fail(nil, .unknownConstraintAttribute(name))
                }
                guard attribute.type != .transformable else {
                    throw fail(name, .transformableConstraint)
                }
                guard attribute.derivation == nil else { throw fail(name, .derivedConstraint) }
            }
        }
        // A uniqueness conflict deletes the loser, and the winner takes over the references to it.
        // If both ends of the relationship are to-one, the winner has room for one object only.
        for relationship in description.relationships where !relationship.isToMany {
            guard let inverse = inverse(of: relationship)?.description, !inverse.isToMany,
                !inverse.isOptional
            else { continue }
            throw fail(
                relationship.name,
                .mandatoryReferenceToConstrained("\(relationship.destination).\(inverse.name)"))
        }
    }

    private func checkIndexes(
        of index: Int, countsOfNames: [String: Int]
    ) throws(ModelError) {
        let description = ordered[index].description
        let attributes = persistentAttributes(of: index)
        let toOnes = Set(
            ancestries[index].flatMap { ordered[$0].description.relationships }
                .filter { !$0.isToMany }.map(\.name))
        let names = Set(ancestries[index].flatMap { ordered[$0].description.namesOfProperties })
        for fetchIndex in description.indexes {
            func fail(_ property: String?, _ reason: ModelError.Reason) -> ModelError {
                ModelError(description.name, property, reason)
            }
            guard Self.isName(fetchIndex.name) else {
                throw fail(nil, .invalidIndexName(fetchIndex.name))
            }
            guard countsOfNames["\(description.name)_\(fetchIndex.name)".uppercased()] == 1 else {
                throw fail(nil, .duplicateIndex(fetchIndex.name))
            }
            guard !fetchIndex.elements.isEmpty else {
                throw fail(nil, .emptyIndex(fetchIndex.name))
            }
            guard fetchIndex.kind != .fullText || fetchIndex.isPlainList else {
                throw fail(nil, .unsuitableForFullText(fetchIndex.name))
            }
            guard fetchIndex.kind != .fullText || !names.contains(fetchIndex.name) else {
                throw fail(nil, .ambiguousFullTextIndex(fetchIndex.name))
            }
            for element in fetchIndex.elements {
                let name = element.property
                guard attributes[name] != nil || toOnes.contains(name) else {
                    throw fail(nil, .unknownIndexProperty(name))
                }
                guard fetchIndex.kind != .rTree || attributes[name]?.fitsRTree == true else {
                    throw fail(name, .unsuitableForRTree(fetchIndex.name))
                }
                guard fetchIndex.kind != .fullText || attributes[name]?.type == .string else {
                    throw fail(name, .unsuitableForFullText(fetchIndex.name))
                }
                guard element.folding == .none || attributes[name]?.type == .string else {
                    throw fail(name, .unsuitableForFolding(fetchIndex.name))
                }
            }
        }
    }

    /// The attributes that have columns, elements of composite ones by key path.
    private func persistentAttributes(of index: Int) -> [String: AttributeDescription] {
        Dictionary(
            uniqueKeysWithValues: ancestries[index].flatMap { ordered[$0].description.attributes }
                .flatMap(\.flattened).filter { !$0.isTransient && $0.type != .composite }
                .map { ($0.name, $0) })
    }
}

extension EntityDescription {
    fileprivate var namesOfProperties: [String] {
        attributes.map(\.name) + relationships.map(\.name) + fetchedProperties.map(\.name)
    }

    /// The names of its indexes in upper case, because SQLite ignores case.
    fileprivate var namesOfIndexes: [String] { indexes.map { "\(name)_\($0.name)".uppercased() } }
}

extension FetchIndexDescription {
    /// Whether it names each property once and has neither foldings nor a condition.
    fileprivate var isPlainList: Bool {
        partialIndexPredicate == nil && elements.allSatisfy { $0.folding == .none }
            && Set(elements.map(\.property)).count == elements.count
    }
}

extension AttributeDescription {
    fileprivate var fitsRTree: Bool {
        !isOptional && derivation == nil && [.integer16, .integer32, .float].contains(type)
    }
}
