// Attributes, relationships, fetched properties and indexes.
extension ModelArchiveWriter {
    /// The fields that all properties have.
    private mutating func fields(
        named name: String, in entity: String, _ flags: PropertyFlags,
        renamingIdentifier: String?, versionHashModifier: String?, userInfo: [String: String]
    ) -> [(String, Int)] {
        var (fields, flags) = (
            [
                ("NSPropertyName", archive.text(name)), ("NSEntity", reference(toEntity: entity)),
                ("NSRenamingIdentifier", archive.text(renamingIdentifier ?? name)),
            ], flags
        )
        for (flag, field) in Self.fieldsOfFlags where flags.contains(flag) {
            fields.append((field, boolean(true)))
        }
        if versionHashModifier == nil {
            flags.insert(.hasNoModifier)
        } else {
            fields.append(("NSVersionHashModifier", text(versionHashModifier)))
        }
        if userInfo.isEmpty {
            flags.insert(.hasNoUserInfo)
        } else {
            fields.append(("NSUserInfo", self.userInfo(userInfo)))
        }
        fields.append(("_P", integer(flags.rawValue)))
        return fields
    }

    /// The bits of `_P`, which repeats what other fields say.
    private struct PropertyFlags: OptionSet {
        let rawValue: Int
        static let always = Self(rawValue: 1)
        static let isOptional = Self(rawValue: 2)
        static let isReadOnly = Self(rawValue: 4)
        static let isTransient = Self(rawValue: 8)
        static let hasNoRules = Self(rawValue: 16 | 32)
        static let hasNoUserInfo = Self(rawValue: 64)
        static let hasNoModifier = Self(rawValue: 128)
        static let isOrdered = Self(rawValue: 1024)

        init(rawValue: Int) { self.rawValue = rawValue }

        init(_ flags: (Self, Bool)...) {
            self = flags.reduce(.always) { $1.1 ? $0.union($1.0) : $0 }
        }
    }

    private static let fieldsOfFlags: [(PropertyFlags, String)] = [
        (.isOptional, "NSIsOptional"), (.isTransient, "NSIsTransient"),
        (.isReadOnly, "NSIsReadOnly"), (.isOrdered, "NSIsOrdered"),
    ]

    // MARK: - Attributes

    /// The index of a reference to the attribute.
    mutating func node(of attribute: AttributeDescription, in entity: String) -> Int {
        let className =
            if attribute.type == .composite {
                "NSCompositeAttributeDescription"
            } else if attribute.derivation != nil {
                "NSDerivedAttributeDescription"
            } else {
                "NSAttributeDescription"
            }
        return archive.node(className, fields(of: attribute, in: entity))
    }

    private mutating func fields(
        of attribute: AttributeDescription, in entity: String
    ) -> [(String, Int)] {
        let rules = attribute.validationRules.compactMap { rule in
            (try? ObjectPredicate(readOnce: rule.predicateFormat)).flatMap { predicate($0) }
                .map { (predicate: $0, warning: warning(rule.warning)) }
        }
        var fields = fields(
            named: attribute.name, in: entity,
            PropertyFlags(
                (.isOptional, attribute.isOptional), (.isTransient, attribute.isTransient),
                (.isReadOnly, attribute.derivation != nil), (.hasNoRules, rules.isEmpty)),
            renamingIdentifier: attribute.renamingIdentifier,
            versionHashModifier: attribute.versionHashModifier, userInfo: attribute.userInfo)
        fields += [
            ("NSAttributeType", integer(attribute.type.rawValue)),
            ("NSAttributeValueClassName", text(attribute.type.valueClassName)),
            ("NSDefaultValue", attribute.convertedDefault.flatMap { value($0) } ?? archive.null()),
            ("NSValueTransformerName", text(attribute.transformer?.name)),
            (
                "NSFlagsKey",
                integer(
                    (attribute.allowsExternalStorage
                        ? ModelArchiveReader.Flags.allowsExternalStorage : 0)
                        | (attribute.preservesValueInHistoryOnDeletion
                            ? ModelArchiveReader.Flags.isPreserved : 0))
            ),
        ]
        if let derivation = attribute.derivation {
            fields += [
                ("NSDerivationExpression", self.derivation(derivation)),
                ("NSFilteringPredicate", archive.null()),
            ]
        }
        if attribute.type == .composite {
            let elements = attribute.elements.map { node(of: $0, in: entity) }
            fields.append((ModelArchiveReader.elementsField, archive.list(elements)))
        }
        if !rules.isEmpty {
            fields += [
                ("NSValidationPredicates", archive.list(rules.map(\.predicate))),
                ("NSValidationWarnings", archive.list(rules.map(\.warning))),
            ]
        }
        return fields
    }

    private mutating func warning(_ warning: ValidationRule.Warning) -> Int {
        switch warning {
        case .code(let code): archive.reference(to: integer(code))
        case .message(let text): archive.text(text)
        }
    }

    // MARK: - Relationships

    mutating func fields(
        of relationship: RelationshipDescription, in entity: String
    ) -> [(String, Int)] {
        fields(
            named: relationship.name, in: entity,
            PropertyFlags(
                (.isOptional, relationship.isOptional), (.isOrdered, relationship.isOrdered),
                (.hasNoRules, true)),
            renamingIdentifier: relationship.renamingIdentifier,
            versionHashModifier: relationship.versionHashModifier, userInfo: relationship.userInfo)
            + [
                ("NSDestinationEntity", reference(toEntity: relationship.destination)),
                ("_NSDestinationEntityName", archive.text(relationship.destination)),
                ("NSInverseRelationship", reference(toInverseOf: relationship)),
                ("_NSInverseRelationshipName", text(relationship.inverse)),
                ("NSMinCount", integer(relationship.minCount)),
                ("NSMaxCount", integer(relationship.maxCount)),
                ("NSDeleteRule", integer(relationship.deleteRule.rawValue)),
            ]
    }

    // MARK: - Fetched properties

    /// The fields; nil if no archive can hold the request.
    mutating func fields(
        of property: FetchedPropertyDescription, in entity: String
    ) -> [(String, Int)]? {
        guard let request = request(property.request) else { return nil }
        return fields(
            named: property.name, in: entity,
            PropertyFlags(
                (.isOptional, true), (.isTransient, true), (.isReadOnly, true), (.hasNoRules, true)),
            renamingIdentifier: nil, versionHashModifier: nil, userInfo: property.userInfo)
            + [
                ("NSFetchRequest", request),
                ("_NSFetchRequestEntityName", archive.text(property.request.entityName)),
            ]
    }

    // MARK: - Indexes

    /// The index of a reference to a fetch index; nil if no archive can hold its condition.
    mutating func fetchIndex(_ index: FetchIndexDescription, of entity: String) -> Int? {
        var condition = archive.null()
        if let format = index.partialIndexPredicate {
            guard
                let predicate = (try? ObjectPredicate(readOnce: format)).flatMap({ predicate($0) })
            else {
                return nil
            }
            condition = predicate
        }
        let place = archive.reserve()
        let elements = index.elements.map { element in
            var fields = [
                ("NSPropertyName", archive.text(element.property)),
                ("NSAscending", boolean(element.isAscending)),
                ("NSFetchIndexElementType", integer(index.kind.rawValue)),
                ("NSFetchIndexDescription", place.reference),
            ]
            if element.folding != .none {
                fields.append(
                    (ModelArchiveReader.foldingField, integer(element.folding.rawValue)))
            }
            return archive.node("NSFetchIndexElementDescription", fields)
        }
        archive.fill(
            place, "NSFetchIndexDescription",
            [
                ("NSIndexName", archive.text(index.name)),
                ("NSEntity", reference(toEntity: entity)),
                ("NSIndexElements", archive.list(elements)), ("NSPartialIndexPredicate", condition),
            ])
        return place.reference
    }
}

extension AttributeType {
    /// The class of the values in Core Data; nil for those that have none.
    fileprivate var valueClassName: String? {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binaryData: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .composite: "NSDictionary"
        case .undefined, .transformable, .objectID: nil
        }
    }
}
