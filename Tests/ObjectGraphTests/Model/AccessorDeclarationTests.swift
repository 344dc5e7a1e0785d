import Foundation
import Testing

@testable import ObjectGraph

/// Accessors that declare all that a description has.
@Suite struct `Declarations of accessors (§1.2.11)` {
    private struct Spot: CompositeValue {
        var row = 0
        var note: String?
        var inner: Inner?

        static let elements: [CompositeElement<Spot>] = [
            CompositeElement(
                "row", \.row, .integer16, default: 2, preservesValueInHistoryOnDeletion: true,
                validationRules: [ValidationRule("SELF < 9", .code(1))], codingKey: "r",
                renamingIdentifier: "line", userInfo: ["a": "b"], versionHashModifier: "2"),
            CompositeElement("note", \.note),
            CompositeElement(
                "inner", \.inner, codingKey: "i", renamingIdentifier: "core", userInfo: ["c": "d"],
                versionHashModifier: "3"),
        ]
    }

    private struct Inner: CompositeValue {
        var data: Data?

        static let elements: [CompositeElement<Inner>] = [
            CompositeElement("data", \.data, allowsExternalStorage: true)
        ]
    }

    private final class Whole: ManagedObject {
        static let text: Attribute<String> = Attribute(
            "text", default: "x", isOptional: true, isUnique: true,
            indexes: [
                .ascending, .descending, .caseInsensitive, .diacriticInsensitive,
                .caseAndDiacriticInsensitive, .fullText,
            ], preservesValueInHistoryOnDeletion: true,
            validationRules: [ValidationRule("length > 1", .code(2))], codingKey: "t",
            renamingIdentifier: "title", userInfo: ["e": "f"], versionHashModifier: "4")
        static let size: Attribute<Int?> = Attribute("size", isOptional: false, isUnique: true)
        static let image: Attribute<Data?> = Attribute("image", allowsExternalStorage: true)
        static let list: Transformable<[String]> = Transformable(
            "list", default: ["a"], isOptional: false, preservesValueInHistoryOnDeletion: true,
            codingKey: "l", renamingIdentifier: "names", userInfo: ["g": "h"],
            versionHashModifier: "5")
        static let shown: Transformable<[String]> = Transformable("shown", isTransient: true)
        static let spot: Composite<Spot> = Composite(
            "spot", codingKey: "s", renamingIdentifier: "place", userInfo: ["i": "j"],
            versionHashModifier: "6")
        // Both name the other, which their types allow.
        static let parent: ToOne<Whole> = ToOne(
            "parent", inverse: parts, codingKey: "p", renamingIdentifier: "owner",
            userInfo: ["k": "l"], versionHashModifier: "7")
        static let parts: ToMany<Whole> = ToMany(
            "parts", inverse: parent, isOptional: false, minCount: 1, maxCount: 9,
            renamingIdentifier: "members", userInfo: ["m": "n"], versionHashModifier: "8")
        static let rows: OrderedToMany<Whole> = OrderedToMany(
            "rows", inverse: rows, minCount: 0, maxCount: 5, renamingIdentifier: "lines",
            userInfo: ["o": "p"], versionHashModifier: "9")
        override class var managedProperties: [any ManagedProperty] {
            [text, size, image, list, shown, spot, parent, parts, rows]
        }
    }

    private static var byHand: EntityDescription {
        func keyed(_ attribute: AttributeDescription, _ key: String) -> AttributeDescription {
            var attribute = attribute
            attribute.codingKey = key
            return attribute
        }
        var parent = RelationshipDescription(
            name: "parent", destination: "Whole", inverse: "parts", maxCount: 1,
            renamingIdentifier: "owner", userInfo: ["k": "l"], versionHashModifier: "7")
        parent.codingKey = "p"
        return EntityDescription(
            name: "Whole", managedObjectClass: Whole.self,
            attributes: [
                keyed(
                    AttributeDescription(
                        "text", .string, defaultValue: "x",
                        preservesValueInHistoryOnDeletion: true,
                        validationRules: [ValidationRule("length > 1", .code(2))],
                        renamingIdentifier: "title", userInfo: ["e": "f"],
                        versionHashModifier: "4"), "t"),
                AttributeDescription("size", .integer64, isOptional: false),
                AttributeDescription("image", .binaryData, allowsExternalStorage: true),
                keyed(
                    AttributeDescription(
                        "list", .transformable, isOptional: false,
                        defaultValue: ValueTransformer.propertyList.attributeValue(of: ["a"]),
                        preservesValueInHistoryOnDeletion: true, renamingIdentifier: "names",
                        userInfo: ["g": "h"], versionHashModifier: "5"), "l"),
                AttributeDescription("shown", .transformable, isTransient: true),
                keyed(
                    AttributeDescription(
                        "spot", .composite,
                        elements: [
                            keyed(
                                AttributeDescription(
                                    "row", .integer16, isOptional: false, defaultValue: 2,
                                    preservesValueInHistoryOnDeletion: true,
                                    validationRules: [ValidationRule("SELF < 9", .code(1))],
                                    renamingIdentifier: "line", userInfo: ["a": "b"],
                                    versionHashModifier: "2"), "r"),
                            AttributeDescription("note", .string),
                            keyed(
                                AttributeDescription(
                                    "inner", .composite,
                                    elements: [
                                        AttributeDescription(
                                            "data", .binaryData, allowsExternalStorage: true)
                                    ], renamingIdentifier: "core", userInfo: ["c": "d"],
                                    versionHashModifier: "3"), "i"),
                        ], renamingIdentifier: "place", userInfo: ["i": "j"],
                        versionHashModifier: "6"), "s"),
            ],
            relationships: [
                parent,
                RelationshipDescription(
                    name: "parts", destination: "Whole", inverse: "parent", minCount: 1,
                    maxCount: 9, isOptional: false, renamingIdentifier: "members",
                    userInfo: ["m": "n"], versionHashModifier: "8"),
                RelationshipDescription(
                    name: "rows", destination: "Whole", inverse: "rows", maxCount: 5,
                    isOrdered: true, renamingIdentifier: "lines", userInfo: ["o": "p"],
                    versionHashModifier: "9"),
            ],
            uniquenessConstraints: [["size", "text"], ["text"], ["size"]],
            indexes: [
                FetchIndexDescription("both", on: "size", "text"),
                FetchIndexDescription("byText", on: "text"),
                index("byTextDescending", .init("text", isAscending: false)),
                index("byTextCaseInsensitive", .init("text", folding: .caseInsensitive)),
                index("byTextDiacriticInsensitive", .init("text", folding: .diacriticInsensitive)),
                index("byTextFolded", .init("text", folding: .caseAndDiacriticInsensitive)),
                .fullText("byTextWords", on: "text"),
            ], renamingIdentifier: "Old", userInfo: ["q": "r"], versionHashModifier: "10")
    }

    private static func index(
        _ name: String, _ element: FetchIndexDescription.Element
    ) -> FetchIndexDescription {
        FetchIndexDescription(name, elements: [element])
    }

    @Test func `a class declares what a description by hand has`() throws {
        let declared = EntityDescription(
            Whole.self, uniquenessConstraints: [["size", "text"], ["text"]],
            indexes: [FetchIndexDescription("both", on: "size", "text")],
            renamingIdentifier: "Old", userInfo: ["q": "r"], versionHashModifier: "10")
        let expected = Self.byHand
        #expect(declared.attributes == expected.attributes)
        #expect(declared.relationships == expected.relationships)
        #expect(declared.uniquenessConstraints == expected.uniquenessConstraints)
        #expect(declared.indexes == expected.indexes)
        #expect(declared.renamingIdentifier == expected.renamingIdentifier)
        #expect(declared.userInfo == expected.userInfo)
        #expect(declared.versionHashModifier == expected.versionHashModifier)
    }

    private final class Unique: ManagedObject {
        static let name: Attribute<String> = Attribute(
            "name", isUnique: true, indexes: [.fullText])
        override class var managedProperties: [any ManagedProperty] { [name] }
    }

    @Test func `a unique attribute is unique, and words are found`() throws {
        let store = try StoreFixture(ManagedObjectModel(entities: [EntityDescription(Unique.self)]))
        try store.run { context in
            Unique(context: context)[Unique.name] = "quick brown fox"
            try context.save()
            let found = try Unique.all(in: context, where: ObjectPredicate("name SEARCH 'bro*'"))
            #expect(found.count == 1)
            Unique(context: context)[Unique.name] = "quick brown fox"
            #expect(throws: SaveError.self) { try context.save() }
        }
    }
}
