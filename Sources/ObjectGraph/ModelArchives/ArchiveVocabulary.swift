/// The fields of archived objects that are read, or that say nothing new. Any other is reported: an
/// archive of a later version may say in it what this engine would lose.
enum ArchiveVocabulary {
    private static let property: Set<String> = [
        "NSPropertyName", "NSEntity", "NSIsOptional", "NSIsTransient", "NSIsIndexed",
        "NSIsReadOnly", "NSIsOrdered", "NSRenamingIdentifier", "NSVersionHashModifier",
        "NSUserInfo", "NSValidationPredicates", "NSValidationWarnings", "_P",
    ]

    private static let attribute = property.union([
        "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue",
        "NSValueTransformerName", "NSFlagsKey", "NSAllowsCloudEncryption",
    ])

    private static let fields: [String: Set<String>] = [
        "NSManagedObjectModel": [
            "NSEntities", "NSVersionIdentifiers", "NSFetchRequestTemplates", "NSConfigurations",
            "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
        ],
        "NSEntityDescription": [
            "NSEntityName", "NSManagedObjectModel", "NSProperties", "NSSuperentity",
            "NSSubentities", "NSClassNameForEntity", "NSIsAbstract", "NSRenamingIdentifier",
            "NSVersionHashModifier", "NSUserInfo", "NSUniqueTuples", "NSCompoundIndexes",
            "NSFetchIndexDescriptions",
        ],
        "NSAttributeDescription": attribute,
        "NSDerivedAttributeDescription": attribute.union([
            "NSDerivationExpression", "NSFilteringPredicate",
        ]),
        "NSCompositeAttributeDescription": attribute.union([ModelArchiveReader.elementsField]),
        "NSRelationshipDescription": property.union([
            "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship",
            "_NSInverseRelationshipName", "NSMinCount", "NSMaxCount", "NSDeleteRule",
        ]),
        "NSFetchedPropertyDescription": property.union([
            "NSFetchRequest", "_NSFetchRequestEntityName",
        ]),
        "NSFetchIndexDescription": [
            "NSIndexName", "NSEntity", "NSIndexElements", "NSPartialIndexPredicate",
        ],
        "NSFetchIndexElementDescription": [
            "NSPropertyName", "NSAscending", "NSFetchIndexElementType", "NSFetchIndexDescription",
            "NSIndexedProperty", ModelArchiveReader.foldingField,
        ],
    ]

    /// The fields of an object that are not known, in order; none for an object of another class.
    static func unknownFields(of object: ModelArchive.Object) -> [String] {
        guard let known = fields[object.className] else { return [] }
        return object.fields.keys.filter { !known.contains($0) && $0 != "$class" }.sorted()
    }
}
