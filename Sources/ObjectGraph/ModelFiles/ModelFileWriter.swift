extension ManagedObjectModel {
    /// The model as the text of the file `contents` in a folder `.xcdatamodel`.
    ///
    /// `init(contentsOf:)` reads it as an equal model. The text has the names and the order of
    /// Xcode's; entities are sorted by name.
    ///
    /// - Throws: `ModelFileError.Reason.inexpressible` for what model files have no form for:
    ///   foldings of indexes, defaults that are data, other validation rules than bounds and
    ///   patterns, blocks in predicates, sort keys of templates, attributes of type `objectID`,
    ///   several version identifiers.
    public func xcdatamodelContents() throws(ModelFileError) -> String {
        let root = try ModelFileWriter(model: self).root()
        return "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n" + root.text()
    }
}

/// Writes a model as elements.
struct ModelFileWriter {
    let model: ManagedObjectModel
    private let composites: CompositeTypes

    init(model: ManagedObjectModel) {
        self.model = model
        composites = CompositeTypes(model)
    }

    func root() throws(ModelFileError) -> PrintedElement {
        guard model.versionIdentifiers.count <= 1 else {
            throw ModelFileError(.inexpressible("several version identifiers"))
        }
        var element = try PrintedElement(
            "model",
            [
                ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
                ("minimumToolsVersion", "Automatic"), ("sourceLanguage", "Swift"),
                ("userDefinedModelVersionIdentifier", model.versionIdentifiers.first),
            ])
        for entity in model.entities.map(\.description).sorted(by: { $0.name < $1.name }) {
            element.children.append(try self.entity(entity))
        }
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            var configuration = try PrintedElement("configuration", [("name", name)])
            for member in members.sorted() {
                configuration.children.append(
                    try PrintedElement("memberEntity", [("name", member)]))
            }
            element.children.append(configuration)
        }
        for (name, request) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
            element.children.append(
                try fetchRequest(named: name, request, "the template '\(name)'"))
        }
        for type in composites.types {
            var composite = try PrintedElement("composite", [("name", type.name)])
            for attribute in type.elements {
                composite.children.append(
                    try self.attribute(attribute, "\(type.name).\(attribute.name)"))
            }
            element.children.append(composite)
        }
        return element
    }

    // MARK: - Entities

    private func entity(
        _ entity: EntityDescription
    ) throws(ModelFileError) -> PrintedElement {
        let className =
            entity.managedObjectClassName ?? entity.managedObjectClass.map { "\($0)" }
        var element = try PrintedElement(
            "entity",
            [
                ("name", entity.name), ("representedClassName", className),
                ("parentEntity", entity.superentity), ("isAbstract", entity.isAbstract.yes),
                ("elementID", entity.renamingIdentifier),
                ("versionHashModifier", entity.versionHashModifier), ("syncable", "YES"),
            ])
        for attribute in entity.attributes {
            element.children.append(
                try self.attribute(attribute, "\(entity.name).\(attribute.name)"))
        }
        for relationship in entity.relationships {
            element.children.append(try self.relationship(relationship))
        }
        for property in entity.fetchedProperties {
            element.children.append(
                try fetchedProperty(property, "\(entity.name).\(property.name)"))
        }
        for index in entity.indexes where index.kind != .fullText {
            element.children.append(try fetchIndex(index, of: entity.name))
        }
        try element.append(uniquenessConstraints(entity.uniquenessConstraints))
        try element.append(userInfo(entity.userInfoOfFiles))
        return element
    }

    private func uniquenessConstraints(
        _ constraints: [[String]]
    ) throws(ModelFileError) -> PrintedElement {
        var list = try PrintedElement("uniquenessConstraints", [])
        for constraint in constraints {
            var element = try PrintedElement("uniquenessConstraint", [])
            for name in constraint {
                element.children.append(try PrintedElement("constraint", [("value", name)]))
            }
            list.children.append(element)
        }
        return list
    }

    private func userInfo(_ info: [String: String]) throws(ModelFileError) -> PrintedElement {
        var list = try PrintedElement("userInfo", [])
        for (key, value) in info.sorted(by: { $0.key < $1.key }) {
            list.children.append(try PrintedElement("entry", [("key", key), ("value", value)]))
        }
        return list
    }

    private func fetchIndex(
        _ index: FetchIndexDescription, of entity: String
    ) throws(ModelFileError) -> PrintedElement {
        let predicate = try index.partialIndexPredicate.map { format throws(ModelFileError) in
            do throws(PredicateFormatError) {
                return try ObjectPredicate(readOnce: format).predicateFormat
            } catch { throw ModelFileError(.predicate(error)) }
        }
        var element = try PrintedElement(
            "fetchIndex", [("name", index.name), ("partialIndexPredicate", predicate)])
        for part in index.elements {
            guard part.folding == .none else {
                throw ModelFileError(
                    .inexpressible("the folding of the index '\(index.name)' of \(entity)"))
            }
            element.children.append(
                try PrintedElement(
                    "fetchIndexElement",
                    [
                        ("property", part.property),
                        ("type", index.kind == .rTree ? "RTree" : "Binary"),
                        ("order", part.isAscending ? "ascending" : "descending"),
                    ]))
        }
        return element
    }

    // MARK: - Properties

    /// - Parameter place: The entity and the attribute, for an error.
    private func attribute(
        _ attribute: AttributeDescription, _ place: String
    ) throws(ModelFileError) -> PrintedElement {
        let type = attribute.type
        guard type == .undefined || type.modelFileName != nil else {
            throw ModelFileError(.inexpressible("the type \(type) of \(place)"))
        }
        // `nil` alone would be the literal for the value null.
        let value = attribute.convertedDefault.flatMap { $0.isNull ? Optional.none : $0 }
        let text = type == .undefined ? nil : value?.modelFileText
        guard (value == nil) == (text == nil) else {
            throw ModelFileError(.inexpressible("the default value of \(place)"))
        }
        var element = try PrintedElement(
            "attribute",
            [
                ("name", attribute.name), ("optional", attribute.isOptional.yes),
                ("transient", attribute.isTransient.yes), ("attributeType", type.modelFileName),
                ("composite", composites.name(of: attribute)),
                ("derived", (attribute.derivation != nil).yes),
                ("derivationExpression", attribute.derivation),
            ] + bounds(of: attribute, place) + [
                (type == .date ? "defaultDateTimeInterval" : "defaultValueString", text),
                ("valueTransformerName", attribute.transformer?.name),
                ("allowsExternalBinaryDataStorage", attribute.allowsExternalStorage.yes),
                ("preserveAfterDeletion", attribute.preservesValueInHistoryOnDeletion.yes),
                ("elementID", attribute.renamingIdentifier),
                ("versionHashModifier", attribute.versionHashModifier),
            ])
        try element.append(userInfo(attribute.userInfo))
        return element
    }

    private func bounds(
        of attribute: AttributeDescription, _ place: String
    ) throws(ModelFileError) -> [(String, String?)] {
        var bounds: [String: String] = [:]
        for rule in attribute.validationRules {
            guard let (name, text) = ModelBound(rule)?.attribute,
                bounds.updateValue(text, forKey: name) == nil
            else {
                throw ModelFileError(
                    .inexpressible("the rule '\(rule.predicateFormat)' of \(place)"))
            }
        }
        return bounds.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
    }

    private func relationship(
        _ relationship: RelationshipDescription
    ) throws(ModelFileError) -> PrintedElement {
        let (isToMany, minCount) = (relationship.isToMany, relationship.minCount)
        var element = try PrintedElement(
            "relationship",
            [
                ("name", relationship.name), ("optional", relationship.isOptional.yes),
                ("toMany", isToMany.yes), ("minCount", minCount == 0 ? nil : "\(minCount)"),
                ("maxCount", relationship.maxCount == 0 ? nil : "\(relationship.maxCount)"),
                (
                    "deletionRule",
                    ModelFileReader.deleteRules.first { $0.value == relationship.deleteRule }?.key
                ), ("ordered", relationship.isOrdered.yes),
                ("destinationEntity", relationship.destination),
                ("inverseName", relationship.inverse),
                ("inverseEntity", entity(declaringInverseOf: relationship)),
                ("elementID", relationship.renamingIdentifier),
                ("versionHashModifier", relationship.versionHashModifier),
            ])
        try element.append(userInfo(relationship.userInfo))
        return element
    }

    private func entity(declaringInverseOf relationship: RelationshipDescription) -> String? {
        let destination = model.entity(named: relationship.destination)
        let inverse = relationship.inverse.flatMap { destination?.property(named: $0) }
        return inverse.map { model.entities[$0.declaringEntityIndex].name }
    }

    // MARK: - Requests

    private func fetchedProperty(
        _ property: FetchedPropertyDescription, _ place: String
    ) throws(ModelFileError) -> PrintedElement {
        var element = try PrintedElement(
            "fetchedProperty", [("name", property.name), ("optional", "YES"), ("syncable", "YES")])
        element.children.append(
            try fetchRequest(named: "fetchedPropertyFetchRequest", property.request, place))
        try element.append(userInfo(property.userInfo))
        return element
    }

    private func fetchRequest(
        named name: String, _ request: FetchRequest, _ place: String
    ) throws(ModelFileError) -> PrintedElement {
        var expressible = FetchRequest(
            entityName: request.entityName, predicate: request.predicate)
        expressible.fetchLimit = request.fetchLimit
        expressible.fetchBatchSize = request.fetchBatchSize
        expressible.includesSubentities = request.includesSubentities
        expressible.includesPropertyValues = request.includesPropertyValues
        expressible.includesPendingChanges = request.includesPendingChanges
        expressible.returnsObjectsAsFaults = request.returnsObjectsAsFaults
        expressible.returnsDistinctResults = request.returnsDistinctResults
        let format = request.predicate?.predicateFormat
        // Blocks and object identifiers print for people only.
        let parsed = format.flatMap { try? ObjectPredicate(readOnce: $0) }
        guard request == expressible, parsed?.predicateFormat == format else {
            throw ModelFileError(.inexpressible("all of the request of \(place)"))
        }
        func number(_ value: Int) -> String? { value == 0 ? nil : "\(value)" }
        return try PrintedElement(
            "fetchRequest",
            [
                ("name", name), ("entity", request.entityName), ("predicateString", format),
                ("fetchLimit", number(request.fetchLimit)),
                ("fetchBatchSize", number(request.fetchBatchSize)),
                ("includeSubentities", request.includesSubentities.no),
                ("includePropertyValues", request.includesPropertyValues.no),
                ("includesPendingChanges", request.includesPendingChanges.no),
                ("returnObjectsAsFaults", request.returnsObjectsAsFaults.no),
                ("returnDistinctResults", request.returnsDistinctResults.yes),
            ])
    }
}

extension Bool {
    /// The value of an attribute that is written only if true.
    fileprivate var yes: String? { self ? "YES" : nil }

    /// The value of an attribute that is written only if false.
    fileprivate var no: String? { self ? nil : "NO" }
}

extension ModelBound {
    /// The name and the value of the attribute that expresses the bound.
    fileprivate var attribute: (name: String, text: String)? {
        switch self {
        case .minimum(.date(let date)):
            ("minDateTimeInterval", "\(date.timeIntervalSinceReferenceDate)")
        case .maximum(.date(let date)):
            ("maxDateTimeInterval", "\(date.timeIntervalSinceReferenceDate)")
        case .minimum(let value): value.modelFileText.map { ("minValueString", $0) }
        case .maximum(let value): value.modelFileText.map { ("maxValueString", $0) }
        case .minimumLength(let count): ("minValueString", "\(count)")
        case .maximumLength(let count): ("maxValueString", "\(count)")
        case .pattern(let text): ("regularExpressionString", text)
        }
    }
}
