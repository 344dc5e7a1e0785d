/// The elements of a model file, each with the attributes and children that it may have.
///
/// Attributes for the editor and for generated code are known and have no effect. So has everything
/// in `elements`, the editor's diagram.
enum ModelVocabulary {
    struct Entry {
        let attributes: Set<String>
        var children: Set<String> = []
    }

    static let entries: [String: Entry] = [
        "model": Entry(
            attributes: [
                "userDefinedModelVersionIdentifier", "type", "documentVersion",
                "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
                "name", "macOSVersion", "iOSVersion", "usedWithSwiftData", "usedWithCloudKit",
            ],
            children: ["entity", "configuration", "fetchRequest", "composite", "elements"]),
        "entity": Entry(
            attributes: [
                "name", "representedClassName", "parentEntity", "isAbstract", "elementID",
                "versionHashModifier", "syncable", "codeGenerationType",
                "coreSpotlightDisplayNameExpression",
            ],
            children: [
                "attribute", "relationship", "fetchedProperty", "fetchIndex", "compoundIndexes",
                "uniquenessConstraints", "userInfo",
            ]),
        "attribute": Entry(
            attributes: property.union([
                "attributeType", "indexed", "defaultValueString", "defaultDateTimeInterval",
                "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
                "regularExpressionString", "valueTransformerName", "customClassName",
                "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "allowsCloudEncryption",
                "derived", "derivationExpression", "composite", "usesScalarValueType",
            ]),
            children: ["userInfo"]),
        "relationship": Entry(
            attributes: property.union([
                "destinationEntity", "inverseName", "inverseEntity", "toMany", "minCount",
                "maxCount", "ordered", "deletionRule", "deleteRule", "indexed",
            ]),
            children: ["userInfo"]),
        "fetchedProperty": Entry(attributes: property, children: ["fetchRequest", "userInfo"]),
        "fetchRequest": Entry(
            attributes: [
                "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "resultType",
                "includeSubentities", "includePropertyValues", "includePendingChanges",
                "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults",
            ]),
        "fetchIndex": Entry(
            attributes: ["name", "partialIndexPredicate"], children: ["fetchIndexElement"]),
        "fetchIndexElement": Entry(
            attributes: ["property", "type", "order", "expression", "expressionType"]),
        "compoundIndexes": Entry(attributes: [], children: ["compoundIndex"]),
        "compoundIndex": Entry(attributes: [], children: ["index"]),
        "index": Entry(attributes: ["value"]),
        "uniquenessConstraints": Entry(attributes: [], children: ["uniquenessConstraint"]),
        "uniquenessConstraint": Entry(attributes: [], children: ["constraint"]),
        "constraint": Entry(attributes: ["value"]),
        "userInfo": Entry(attributes: [], children: ["entry"]),
        "entry": Entry(attributes: ["key", "value"]),
        "configuration": Entry(
            attributes: ["name", "usedWithCloudKit"], children: ["memberEntity"]),
        "memberEntity": Entry(attributes: ["name"]),
        "composite": Entry(attributes: ["name"], children: ["attribute"]),
    ]

    private static let property: Set<String> = [
        "name", "optional", "transient", "elementID", "versionHashModifier", "syncable",
        "storedInTruthFile", "spotlightIndexingEnabled",
    ]
}
