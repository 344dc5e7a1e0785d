import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Differences between models (§9.1)` {
    private func lines(
        _ before: [EntityDescription], _ after: [EntityDescription]
    ) throws -> [String] {
        [ModelDifference](
            from: try ManagedObjectModel(entities: before),
            to: try ManagedObjectModel(entities: after)
        ).map(\.description)
    }

    @Test func `each says which part differs, and in what (§9.1.10)`() throws {
        let before = [
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription("title", .string),
                    AttributeDescription("size", .integer16),
                    AttributeDescription("note", .string),
                ], relationships: [.toMany("pages", "Page", inverse: "book")]),
            EntityDescription(
                name: "Page", attributes: [AttributeDescription("number", .integer64)],
                relationships: [.toOne("book", "Book", inverse: "pages")]),
            EntityDescription(name: "Shelf", attributes: [AttributeDescription("name", .string)]),
        ]
        let after = [
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription(
                        "name", .string, isOptional: false, renamingIdentifier: "title"),
                    AttributeDescription("size", .integer64),
                    AttributeDescription("price", .decimal),
                ], relationships: [.toMany("pages", "Leaf", inverse: "book", isOrdered: true)],
                uniquenessConstraints: [["name"]]),
            EntityDescription(
                name: "Leaf", attributes: [AttributeDescription("number", .integer64)],
                relationships: [.toOne("book", "Book", inverse: "pages")],
                renamingIdentifier: "Page"),
            EntityDescription(name: "Author", attributes: [AttributeDescription("name", .string)]),
        ]
        #expect(
            try lines(before, after) == [
                "'Author' is new", "'Book': uniqueness constraints none → name",
                "'Book.name': was 'title', optional → mandatory",
                "'Book.size': type integer16 → integer64", "'Book.price' is new",
                "'Book.pages': unordered → ordered", "'Book.note' is removed",
                "'Leaf': was 'Page'", "'Shelf' is removed",
            ])
        #expect(try lines(after, after) == [])
    }

    @Test func `hierarchies, derivations, elements and other kinds (§9.1.10)`() throws {
        func model(
            _ parent: String?, _ derivation: String?, _ element: String, isRelationship: Bool
        ) -> [EntityDescription] {
            [
                EntityDescription(
                    name: "Item", attributes: [AttributeDescription("name", .string)]),
                EntityDescription(
                    name: "Thing", attributes: [AttributeDescription("label", .string)]),
                EntityDescription(
                    name: "Tool", superentity: parent,
                    attributes: [
                        AttributeDescription("form", .string, derivation: derivation),
                        AttributeDescription("text", .string),
                        AttributeDescription(
                            "place", .composite, elements: [AttributeDescription(element, .double)]),
                    ] + (isRelationship ? [] : [AttributeDescription("user", .string)]),
                    relationships: isRelationship ? [.toOne("user", "Thing")] : []),
            ]
        }
        #expect(
            try lines(
                model("Item", "uppercase:(text)", "x", isRelationship: false),
                model("Thing", nil, "y", isRelationship: true)) == [
                    "'Tool': parent Item → Thing",
                    "'Tool.form': derivation uppercase:(text) → none",
                    "'Tool.place': elements x (double, optional, stored, none, none, none) → y (double, optional, stored, none, none, none)",
                    "'Tool.user': another kind of property",
                ])
    }

    @Test func `of version hashes, entities alone are known (§9.1.10)`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "A", attributes: [AttributeDescription("a", .string)]),
            EntityDescription(name: "B", attributes: [AttributeDescription("a", .string)]),
            EntityDescription(name: "C", attributes: [AttributeDescription("a", .string)]),
        ])
        var hashes = model.entityVersionHashesByName.mapValues { Data($0) }
        hashes["A"] = Data(repeating: 1, count: 32)
        hashes["B"] = nil
        hashes["D"] = Data(repeating: 1, count: 32)
        #expect(
            [ModelDifference](from: hashes, to: model).map(\.description)
                == ["'A' has another form", "'B' is new", "'D' is removed"])
    }

    @Test func `a long list is cut (§9.1.10)`() throws {
        let many = (1...40).map { number in
            EntityDescription(
                name: "E\(number)", attributes: [AttributeDescription("a", .string)])
        }
        let sentence = [ModelDifference](
            from: try ManagedObjectModel(entities: [many[0]]),
            to: try ManagedObjectModel(entities: many)
        ).sentence
        #expect(sentence.hasPrefix(" What differs: 'E10' is new; "))
        #expect(sentence.hasSuffix("; and 9 more."))
    }
}
