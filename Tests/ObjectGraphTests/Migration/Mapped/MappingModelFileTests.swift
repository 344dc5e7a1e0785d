import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Mapping models of files (§9.3)` {
    private let fixture = MigrationFixture()
    private let files = ModelFolder()

    private var before: [EntityDescription] {
        [
            fixture.entity(
                "Book", [AttributeDescription("name", .string)],
                [.toMany("pages", "Page", inverse: "book", isOrdered: true)]),
            fixture.entity(
                "Page",
                [
                    AttributeDescription("title", .string),
                    AttributeDescription("number", .integer64),
                ],
                [.toOne("book", "Book", inverse: "pages")]),
            fixture.entity("Note", [AttributeDescription("text", .string)]),
        ]
    }

    private var after: [EntityDescription] {
        [
            fixture.entity(
                "Book", [AttributeDescription("name", .string)],
                [.toMany("leaves", "Leaf", inverse: "volume")]),
            fixture.entity(
                "Leaf",
                [
                    AttributeDescription("heading", .string),
                    AttributeDescription("colour", .string),
                    AttributeDescription("size", .integer64),
                ], [.toOne("volume", "Book", inverse: "leaves")]),
            fixture.entity(
                "Shelf", [AttributeDescription("label", .string, defaultValue: "new")]),
        ]
    }

    /// The size is the number, ten times.
    private struct Numbering: EntityMigrationPolicy {
        func createDestinationInstances(
            for source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            let number = try source.value(forKey: "number") as? Int64 ?? 0
            try manager.insert().setValue(number * 10, forKey: "size")
        }
    }

    private func write(policy: String?, size: ArchivedPart? = nil) throws -> URL {
        let pages = MappingText.function(
            "manager", "destinationInstancesForEntityMappingNamed:sourceInstances:",
            [MappingText.constant("PageToLeaf"), MappingText.path("pages")])
        let document = MappingText.document(
            MappingText.model("z2 z3 z4")
                + MappingText.entity(
                    "z2", number: 0, from: "Book", to: "Book", attributes: "z5",
                    relationships: "z6")
                + MappingText.entity(
                    "z3", number: 1, from: "Page", to: "Leaf", policy: policy,
                    attributes: "z7 z8 z9", relationships: "z10")
                + MappingText.entity("z4", number: 2, from: nil, to: "Shelf")
                + MappingText.attribute("z5", "name")
                + MappingText.relationship("z6", "leaves", expression: pages)
                + MappingText.attribute("z7", "heading", expression: MappingText.path("title"))
                + MappingText.attribute("z8", "colour", expression: MappingText.constant("red"))
                + MappingText.attribute("z9", "size", expression: size)
                + MappingText.relationship(
                    "z10", "volume", keyPath: "$source.book", mapping: "BookToBook"))
        return try files.write(document, to: "Later.xcmappingmodel/xcmapping.xml")
            .deletingLastPathComponent()
    }

    private var function: ArchivedPart {
        MappingText.function("entityPolicy", "sizeOf:", [MappingText.path("number")])
    }

    private func mapping(
        _ url: URL, _ policies: [String: any EntityMigrationPolicy] = [:]
    ) throws -> MappingModel {
        try MappingModel(
            contentsOf: url, from: ManagedObjectModel(entities: before),
            to: ManagedObjectModel(entities: after), policies: policies)
    }

    @Test(arguments: ["Numbering", "App.Numbering"])
    func `a store is migrated by its file and the policies of the program (§9.3.32)`(
        _ name: String
    ) throws {
        try fixture.open(before) { context in
            let book = try context.insertObject(entityName: "Book")
            try book.setValue("Solaris", forKey: "name")
            for (number, title) in ["one", "two"].enumerated() {
                let page = try context.insertObject(entityName: "Page")
                try page.setValue(title, forKey: "title")
                try page.setValue(number + 1, forKey: "number")
                try page.setValue(book, forKey: "book")
            }
            _ = try context.insertObject(entityName: "Note")
            try context.save()
        }
        let mapping = try mapping(
            write(policy: "App.Numbering", size: function), [name: Numbering()])
        #expect(mapping.entityMappings.map(\.name) == ["BookToBook", "PageToLeaf", "Shelf"])
        try fixture.open(after, { $0.migration.mappingModels = [mapping] }) { _ in }
        #expect(
            try fixture.sql(
                "SELECT l.ZHEADING, l.ZCOLOUR, l.ZSIZE, b.ZNAME FROM ZLEAF l JOIN ZBOOK b ON b.Z_PK = l.ZVOLUME ORDER BY 1"
            ) == ["one red 10 Solaris", "two red 20 Solaris"])
        #expect(try fixture.sql("SELECT count(*) FROM ZSHELF") == ["0"])
    }

    @Test func `a class without a policy is an error (§9.3.32)`() throws {
        let error = #expect(throws: ModelFileError.self) {
            try mapping(write(policy: "App.Numbering"), ["Other": Numbering()])
        }
        #expect(error?.reason == .unknownPolicy("App.Numbering") && error?.line == 6)
        #expect(error?.file?.lastPathComponent == "xcmapping.xml")
    }

    @Test func `a function needs a policy (§9.3.32)`() throws {
        let error = #expect(throws: ModelFileError.self) {
            try mapping(write(policy: nil, size: function))
        }
        #expect(error?.reason == .noPolicy(property: "size"))
    }

    @Test func `a file that does not fit the models is an error (§9.3.33)`() throws {
        let url = try write(policy: nil)
        let error = #expect(throws: MigrationError.self) {
            try MappingModel(
                contentsOf: url, from: ManagedObjectModel(entities: after),
                to: ManagedObjectModel(entities: after))
        }
        #expect(error?.reason == .invalidMapping("PageToLeaf", .unknownEntity("Page")))
        let missing = #expect(throws: ModelFileError.self) {
            try mapping(files.temporary.url("No.xcmappingmodel"))
        }
        #expect(missing?.reason == .missing)
    }
}
