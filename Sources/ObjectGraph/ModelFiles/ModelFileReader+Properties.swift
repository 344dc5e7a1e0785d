import Foundation

extension ModelFileReader {
    mutating func attribute(
        _ element: ModelElement, of entity: String
    ) throws(ModelFileError) -> AttributeDescription {
        let name = try element.text("name")
        let typeName = element["attributeType"]
        guard let type = AttributeType(modelFileName: typeName) else {
            throw element.unacceptable(typeName ?? "", "attributeType", "a type of attributes")
        }
        try reportUnsupported(element, entity, name)
        var elements: [AttributeDescription] = []
        if type == .composite { elements = try self.elements(of: element, in: entity) }
        return AttributeDescription(
            name, type, isOptional: try element.flag("optional"),
            defaultValue: defaultValue(element, type, entity, name),
            isTransient: try element.flag("transient"),
            derivation: try derivation(element, entity, name),
            elements: elements,
            transformer: type == .transformable
                ? draft.transformer(
                    named: element.nonemptyText("valueTransformerName"), entity, name,
                    line: element.line) : nil,
            allowsExternalStorage: try element.flag("allowsExternalBinaryDataStorage"),
            preservesValueInHistoryOnDeletion: try element.flag("preserveAfterDeletion"),
            validationRules: try bounds(element, type).map(\.rule),
            renamingIdentifier: element.renamingIdentifier, userInfo: try element.userInfo(),
            versionHashModifier: element["versionHashModifier"])
    }

    /// An expression without the flag means nothing.
    private mutating func derivation(
        _ element: ModelElement, _ entity: String, _ name: String
    ) throws(ModelFileError) -> String? {
        guard try element.flag("derived") else { return nil }
        let text = element.nonemptyText("derivationExpression")
        if text == nil { draft.warn(.lostDerivation, entity, name, line: element.line) }
        return text
    }

    private mutating func reportUnsupported(
        _ element: ModelElement, _ entity: String, _ name: String
    ) throws(ModelFileError) {
        for (attribute, feature) in Self.unsupported where try element.flag(attribute) {
            draft.warn(feature, entity, name, line: element.line)
        }
    }

    /// Flags of attributes, and what becomes of them.
    private static let unsupported: [(String, ModelWarning.Reason)] = [
        ("allowsCloudEncryption", .encryptedAttribute)
    ]

    private mutating func defaultValue(
        _ element: ModelElement, _ type: AttributeType, _ entity: String, _ name: String
    ) -> AttributeValue? {
        let attribute = type == .date ? "defaultDateTimeInterval" : "defaultValueString"
        guard let text = element[attribute] else { return nil }
        let value = AttributeValue(modelFileText: text, type)
        if value == nil { draft.warn(.unreadableDefault(text), entity, name, line: element.line) }
        return value
    }

    /// The bounds of numbers and dates, the bounds of the length of strings, and the pattern.
    private func bounds(
        _ element: ModelElement, _ type: AttributeType
    ) throws(ModelFileError) -> [ModelBound] {
        var bounds: [ModelBound] = []
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            let least = try value("minValueString", element, type)
            let greatest = try value("maxValueString", element, type)
            bounds = [least.map { .minimum($0) }, greatest.map { .maximum($0) }].compactMap(\.self)
        case .date:
            let least = try value("minDateTimeInterval", element, type)
            let greatest = try value("maxDateTimeInterval", element, type)
            bounds = [least.map { .minimum($0) }, greatest.map { .maximum($0) }].compactMap(\.self)
        case .string:
            let least = try element.count("minValueString")
            let greatest = try element.count("maxValueString")
            bounds = [
                least.map { .minimumLength($0) }, greatest.map { .maximumLength($0) },
                element.nonemptyText("regularExpressionString").map { .pattern($0) },
            ].compactMap(\.self)
        default: break
        }
        return bounds
    }

    private func value(
        _ attribute: String, _ element: ModelElement, _ type: AttributeType
    ) throws(ModelFileError) -> AttributeValue? {
        guard let text = element[attribute] else { return nil }
        guard let value = AttributeValue(modelFileText: text, type) else {
            throw element.unacceptable(text, attribute, "a value of type \(type)")
        }
        return value
    }

    // MARK: - Relationships

    static let deleteRules: [String: DeleteRule] = [
        "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
    ]

    /// The relationship; nil if it is transient, since the engine stores all relationships.
    mutating func relationship(
        _ element: ModelElement, of entity: String
    ) throws(ModelFileError) -> RelationshipDescription? {
        let name = try element.text("name")
        guard try !element.flag("transient") else {
            draft.warn(.transientRelationship, entity, name, line: element.line)
            return nil
        }
        let isToMany = try element.flag("toMany")
        let maxCount = try element.count("maxCount") ?? (isToMany ? 0 : 1)
        if isToMany != (maxCount != 1) {
            let feature = "toMany contradicts the maxCount \(maxCount); maxCount decides"
            draft.warn(.unsupported(feature), entity, name, line: element.line)
        }
        // One file in a thousand has the second spelling.
        let ruleAttribute = element["deletionRule"] == nil ? "deleteRule" : "deletionRule"
        return RelationshipDescription(
            name: name, destination: try element.text("destinationEntity"),
            inverse: element.nonemptyText("inverseName"),
            minCount: try element.count("minCount") ?? 0, maxCount: maxCount,
            isOptional: try element.flag("optional"),
            deleteRule: try element.choice(ruleAttribute, Self.deleteRules, default: .nullify),
            isOrdered: try element.flag("ordered"), renamingIdentifier: element.renamingIdentifier,
            userInfo: try element.userInfo(), versionHashModifier: element["versionHashModifier"])
    }

    // MARK: - Requests

    mutating func fetchedProperty(
        _ element: ModelElement, of entity: String
    ) throws(ModelFileError) -> FetchedPropertyDescription {
        let name = try element.text("name")
        guard let request = element.children(named: "fetchRequest").first else {
            throw ModelFileError(
                .missingElement("fetchRequest", element: element.name), line: element.line)
        }
        return FetchedPropertyDescription(
            name, try self.request(request, entity, name), userInfo: try element.userInfo())
    }

    mutating func request(
        _ element: ModelElement, _ entity: String? = nil, _ property: String? = nil
    ) throws(ModelFileError) -> FetchRequest {
        var request = FetchRequest(entityName: try element.text("entity"))
        if let format = element.nonemptyText("predicateString") {
            request.predicate = try Self.predicate(format, element)
        }
        request.fetchLimit = try element.count("fetchLimit") ?? 0
        request.fetchBatchSize = try element.count("fetchBatchSize") ?? 0
        request.includesSubentities = try element.flag("includeSubentities", default: true)
        request.includesPropertyValues = try element.flag("includePropertyValues", default: true)
        request.returnsObjectsAsFaults = try element.flag("returnObjectsAsFaults", default: true)
        request.returnsDistinctResults = try element.flag("returnDistinctResults")
        // Both spellings occur.
        let includesPendingChanges = try element.flag("includePendingChanges", default: true)
        request.includesPendingChanges =
            try element.flag("includesPendingChanges", default: true) && includesPendingChanges
        if try element.count("resultType") ?? 0 != FetchResultType.managedObject.rawValue {
            draft.warn(.resultType, entity, property, line: element.line)
        }
        return request
    }

    static func predicate(
        _ format: String, _ element: ModelElement
    ) throws(ModelFileError) -> ObjectPredicate {
        do throws(PredicateFormatError) {
            return try ObjectPredicate(readOnce: format)
        } catch { throw ModelFileError(.predicate(error), line: element.line) }
    }
}
