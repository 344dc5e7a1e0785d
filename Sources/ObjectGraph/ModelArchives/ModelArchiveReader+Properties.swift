import Foundation

extension ModelArchiveReader {
    mutating func readProperty(
        _ name: String, _ object: ModelArchive.Object, into entity: inout EntityDescription
    ) throws(KeyedArchiveError) {
        reportUnknown(object, entity.name, name)
        switch object.className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription",
            "NSCompositeAttributeDescription":
            elementCount = 0
            if let attribute = try attribute(name, object, of: entity.name) {
                entity.attributes.append(attribute)
            }
        case "NSRelationshipDescription":
            guard try !flag("NSIsTransient", object) else {
                draft.warn(.transientRelationship, entity.name, name)
                return
            }
            entity.relationships.append(try relationship(name, object, of: entity.name))
        case "NSFetchedPropertyDescription":
            if let property = try fetchedProperty(name, object, of: entity.name) {
                entity.fetchedProperties.append(property)
            }
        default:
            throw try archive.damaged(
                "a \(object.className) in place of a property", at: object.index)
        }
    }

    private mutating func flag(
        _ field: String, _ object: ModelArchive.Object
    ) throws(KeyedArchiveError) -> Bool {
        try archive.value(field, of: object) ?? false
    }

    // MARK: - Attributes

    /// Flags of attributes in `NSFlagsKey`.
    enum Flags {
        static let allowsExternalStorage = 4
        static let isPreserved = 16
    }

    /// The attribute, or the element of a composite attribute; nil if it is composite and the
    /// archive does not show its elements.
    private mutating func attribute(
        _ name: String, _ object: ModelArchive.Object, of entity: String
    ) throws(KeyedArchiveError) -> AttributeDescription? {
        var number: Int = try archive.value("NSAttributeType", of: object) ?? 0
        if object.className == "NSCompositeAttributeDescription" {
            number = AttributeType.composite.rawValue
        }
        guard let type = AttributeType(rawValue: number) else {
            throw try archive.damaged("the unknown type \(number)", at: object.index)
        }
        let flags: Int = try archive.value("NSFlagsKey", of: object) ?? 0
        if try flag("NSAllowsCloudEncryption", object) {
            draft.warn(.encryptedAttribute, entity, name)
        }
        var derivation: String?
        if object.className == "NSDerivedAttributeDescription" {
            derivation = try self.derivation(of: object)
            if derivation == nil { draft.warn(.lostDerivation, entity, name) }
        }
        var elements: [AttributeDescription] = []
        if type == .composite {
            guard object.fields[Self.elementsField] != nil else {
                draft.warn(.lostElements, entity, name)
                return nil
            }
            elements = try self.elements(of: object, in: entity)
        }
        var attribute = AttributeDescription(
            name, type, isOptional: try flag("NSIsOptional", object),
            isTransient: try flag("NSIsTransient", object), derivation: derivation,
            elements: elements, allowsExternalStorage: flags & Flags.allowsExternalStorage != 0,
            preservesValueInHistoryOnDeletion: flags & Flags.isPreserved != 0,
            renamingIdentifier: try renamingIdentifier(of: object, name),
            userInfo: try userInfo(of: object, entity, name),
            versionHashModifier: try archive.value("NSVersionHashModifier", of: object))
        if type == .transformable {
            attribute.transformer = draft.transformer(
                named: try archive.nonemptyText("NSValueTransformerName", of: object), entity, name)
        }
        attribute.defaultValue = try defaultValue(of: object, attribute, entity)
        attribute.validationRules = try rules(of: object, attribute, entity)
        return attribute
    }

    private mutating func elements(
        of object: ModelArchive.Object, in entity: String
    ) throws(KeyedArchiveError) -> [AttributeDescription] {
        var elements: [AttributeDescription] = []
        for index in try archive.elements(Self.elementsField, of: object) {
            elementCount += 1
            // A damaged archive may have an attribute within itself.
            guard elementCount < Entity.maximumPropertyCount else {
                throw try archive.damaged("too many elements of an attribute", at: object.index)
            }
            let element = try archive.object(at: index)
            let name: String = try archive.required(
                archive.value("NSPropertyName", of: element), "NSPropertyName", of: element)
            if let attribute = try attribute(name, element, of: entity) {
                elements.append(attribute)
            }
        }
        return elements
    }

    /// A field of this engine: no document says how Core Data archives the elements of a composite
    /// attribute.
    static let elementsField = "OGElements"

    private mutating func defaultValue(
        of object: ModelArchive.Object, _ attribute: AttributeDescription, _ entity: String
    ) throws(KeyedArchiveError) -> AttributeValue? {
        guard let index = object.fields["NSDefaultValue"] else { return nil }
        guard let value = try value(at: index, of: attribute), value.isStorable else {
            let kind = (try? archive.object(at: index).className).map { "of class \($0)" }
            draft.warn(.unreadableDefault(kind ?? "in the archive"), entity, attribute.name)
            return nil
        }
        // `nil` alone would be the literal for the value null.
        return value.isNull ? Optional.none : value
    }

    /// The value of an attribute; nil if it is of another type.
    private mutating func value(
        at index: Int, of attribute: AttributeDescription
    ) throws(KeyedArchiveError) -> AttributeValue? {
        if attribute.type == .decimal || attribute.type == .undefined,
            let decimal = try archive.decimal(at: index)
        {
            return .decimal(decimal)
        }
        guard let value = try archive.knownValue(at: index) else { return nil }
        guard attribute.type == .transformable else {
            // Any other number than 0 is true.
            if attribute.type == .boolean, let number = Double(propertyList: value) {
                return .boolean(number != 0)
            }
            return AttributeValue(value)?.converted(to: attribute.type)
        }
        let transformer = attribute.effectiveTransformer ?? .propertyList
        if let value = transformer.attributeValue(of: value) { return value }
        guard case .data(let data) = value else { return nil }
        return (try? transformer.value(from: data)).map { .transformable($0) }
    }

    /// The conditions that apply to values of the attribute.
    private mutating func rules(
        of object: ModelArchive.Object, _ attribute: AttributeDescription, _ entity: String
    ) throws(KeyedArchiveError) -> [ValidationRule] {
        let predicates = try archive.elements("NSValidationPredicates", of: object)
        let warnings = try archive.elements("NSValidationWarnings", of: object)
        guard predicates.count == warnings.count else {
            throw try archive.damaged(
                "unequal counts of conditions and warnings", at: object.index)
        }
        var rules: [ValidationRule] = []
        for (predicate, warning) in zip(predicates, warnings) {
            let number = try archive.value(at: warning)
            let message: ValidationRule.Warning =
                if case .string(let text) = number {
                    .message(text)
                } else {
                    .code(
                        try archive.required(
                            Int(propertyList: number), "code of a condition", of: object))
                }
            let rule = try self.predicate(at: predicate).map { ValidationRule($0, message) }
            if let rule, (try? rule.compile(attribute.type)) != nil {
                rules.append(rule)
            } else {
                let format = rule?.predicateFormat ?? "of an unknown form"
                draft.warn(
                    .unsupported("the condition \(format); it is left out"), entity, attribute.name)
            }
        }
        return rules
    }

    // MARK: - Relationships

    private mutating func relationship(
        _ name: String, _ object: ModelArchive.Object, of entity: String
    ) throws(KeyedArchiveError) -> RelationshipDescription {
        let destination: String?
        if let target = try archive.object("NSDestinationEntity", of: object) {
            destination = try nameOfEntity(target)
        } else {
            destination = try archive.value("_NSDestinationEntityName", of: object)
        }
        // The inverse itself may be a proxy, which has no name.
        var inverse = try archive.nonemptyText("_NSInverseRelationshipName", of: object)
        if inverse == nil, let target = try archive.object("NSInverseRelationship", of: object) {
            inverse = try archive.value("NSPropertyName", of: described(target))
        }
        let maxCount = try count("NSMaxCount", of: object)
        let rule = try archive.value("NSDeleteRule", of: object) ?? DeleteRule.nullify.rawValue
        guard let deleteRule = DeleteRule(rawValue: rule) else {
            throw try archive.damaged("the unknown delete rule \(rule)", at: object.index)
        }
        return RelationshipDescription(
            name: name,
            destination: try archive.required(destination, "NSDestinationEntity", of: object),
            inverse: inverse, minCount: try count("NSMinCount", of: object),
            // Models made in code may have -1 in place of 0, which means no limit.
            maxCount: maxCount == -1 ? 0 : maxCount, isOptional: try flag("NSIsOptional", object),
            deleteRule: deleteRule, isOrdered: try flag("NSIsOrdered", object),
            renamingIdentifier: try renamingIdentifier(of: object, name),
            userInfo: try userInfo(of: object, entity, name),
            versionHashModifier: try archive.value("NSVersionHashModifier", of: object))
    }

    private mutating func count(
        _ field: String, of object: ModelArchive.Object
    ) throws(KeyedArchiveError) -> Int {
        try archive.value(field, of: object) ?? 0
    }

    // MARK: - Indexes

    /// Reads the fetch indexes and the two older forms.
    mutating func readIndexes(
        of object: ModelArchive.Object, indexed: [String], columnless: Set<String>,
        into entity: inout EntityDescription
    ) throws(KeyedArchiveError) {
        for index in try archive.elements("NSFetchIndexDescriptions", of: object) {
            if let index = try fetchIndex(archive.object(at: index), of: entity.name, columnless) {
                ModelDraft.appendNamed(index, to: &entity)
            }
        }
        for name in indexed where !columnless.contains(name) {
            ModelDraft.append(FetchIndexDescription(name, on: name), to: &entity)
        }
        for index in try archive.elements("NSCompoundIndexes", of: object) {
            let names = try names(at: index)
            let elements = names.map { FetchIndexDescription.Element($0) }
                .filter { !columnless.contains($0.property) }
            guard !elements.isEmpty else { continue }
            ModelDraft.append(
                FetchIndexDescription(names.joined(separator: "_"), elements: elements),
                to: &entity)
        }
        draft.takeFullTextIndexes(of: &entity, columnless)
    }

    /// The index; nil if the engine cannot make it.
    private mutating func fetchIndex(
        _ object: ModelArchive.Object, of entity: String, _ columnless: Set<String>
    ) throws(KeyedArchiveError) -> FetchIndexDescription? {
        let name: String = try archive.required(
            archive.value("NSIndexName", of: object), "NSIndexName", of: object)
        reportUnknown(object, entity)
        var elements: [FetchIndexDescription.Element] = []
        var kinds: Set<Int> = []
        for index in try archive.elements("NSIndexElements", of: object) {
            let element = try archive.object(at: index)
            reportUnknown(element, entity)
            guard element.fields["NSIndexedProperty"] == nil else {
                draft.warn(.expressionIndex(name), entity)
                return nil
            }
            elements.append(try self.element(element))
            kinds.insert(try archive.value("NSFetchIndexElementType", of: element) ?? 0)
        }
        var format: String?
        if let index = object.fields["NSPartialIndexPredicate"] {
            format = try predicate(at: index)?.predicateFormat
            guard let format, (try? ObjectPredicate(readOnce: format)) != nil else {
                let feature = "the condition of the index '\(name)', which is left out"
                draft.warn(.unsupported(feature), entity)
                return nil
            }
        }
        elements = draft.usable(elements, entity, columnless)
        guard !elements.isEmpty else { return nil }
        return FetchIndexDescription(
            name, elements: elements, kind: kinds == [1] ? .rTree : .binary,
            partialIndexPredicate: format)
    }

    private mutating func element(
        _ object: ModelArchive.Object
    ) throws(KeyedArchiveError) -> FetchIndexDescription.Element {
        let folding = try archive.value(Self.foldingField, of: object) ?? 0
        guard let folding = FetchIndexDescription.Folding(rawValue: folding) else {
            throw try archive.damaged("the unknown folding \(folding)", at: object.index)
        }
        return FetchIndexDescription.Element(
            try archive.required(
                archive.value("NSPropertyName", of: object), "NSPropertyName", of: object),
            isAscending: try archive.value("NSAscending", of: object) ?? true, folding: folding)
    }

    /// A field of this engine: Core Data has no indexes with a folding.
    static let foldingField = "OGFolding"
}
