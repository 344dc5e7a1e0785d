import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Mapping model files (§9.3)` {
    private func read(_ objects: String) throws -> MappingFile {
        try MappingFile(Data(MappingText.document(objects).utf8), of: URL(filePath: "/m.xml"))
    }

    @Test func `it is the entity mappings in their order, with names (§9.3.30)`() throws {
        let file = try read(
            MappingText.model("z2 z3 z4")
                + MappingText.entity("z3", number: 1, from: "Page", to: "Leaf", policy: "App.Split")
                + MappingText.entity("z2", number: 2, from: nil, to: "Shelf")
                + MappingText.entity("z4", number: 0, from: "Book", to: "Book", name: "books"))
        #expect(file.entities.map(\.name) == ["books", "PageToLeaf", "Shelf"])
        #expect(file.entities.map(\.source) == ["Book", "Page", nil])
        #expect(file.entities.map(\.policy) == [nil, "App.Split", nil])
    }

    @Test func `left-overs of the editor are ignored (§9.3.31)`() throws {
        let file = try read(
            MappingText.model("z2")
                + MappingText.entity("z2", from: "A", to: "B", attributes: "z5 z6")
                + MappingText.entity("z3", from: "C", to: "D")
                + MappingText.attribute("z5", "a") + MappingText.attribute("z6", nil)
                + MappingText.attribute("z7", "c"))
        #expect(file.entities.map(\.name) == ["AToB"])
        #expect(file.entities[0].attributes.map(\.name) == ["a"])
    }

    static let expressions: [(ArchivedPart, MappingFile.Value)] = [
        (MappingText.constant("red"), .expression(.constant("red"))),
        (MappingText.constant(true), .expression(.constant(true))),
        (MappingText.constant(""), .expression(.constant(""))),
        (MappingText.path("name"), .expression(.variable("source.name"))),
        (MappingText.path("book.title"), .expression(.variable("source.book.title"))),
        (
            MappingText.function(
                "manager", "destinationInstancesForEntityMappingNamed:sourceInstances:",
                [MappingText.constant("PageToLeaf"), MappingText.path("pages")]),
            .objects(.variable("source.pages"), mapping: "PageToLeaf")
        ),
        (
            MappingText.function(
                "manager", "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
                [MappingText.constant("pages"), MappingText.path("pages")]),
            .objects(.variable("source.pages"), mapping: nil)
        ),
        (
            MappingText.function("entityPolicy", "priceOf:", [MappingText.path("price")]), .policy
        ),
    ]

    @Test(arguments: expressions.indices)
    func `an expression is a constant, a key path or a function (§9.3.32)`(_ index: Int) throws {
        let (part, value) = Self.expressions[index]
        let file = try read(
            MappingText.model("z2")
                + MappingText.entity("z2", from: "A", to: "B", relationships: "z5")
                + MappingText.relationship("z5", "pages", expression: part))
        #expect(file.entities[0].relationships.map(\.value) == [value])
    }

    @Test func `without an expression, names and a key path decide (§9.3.32)`() throws {
        let file = try read(
            MappingText.model("z2")
                + MappingText.entity(
                    "z2", from: "A", to: "B", attributes: "z5", relationships: "z6 z7")
                + MappingText.attribute("z5", "a") + MappingText.relationship("z6", "r")
                + MappingText.relationship(
                    "z7", "s", keyPath: "$source.countries.@distinctUnionOfSets.moods",
                    mapping: "MoodToMood"))
        #expect(file.entities[0].attributes.map(\.value) == [.automatic])
        #expect(
            file.entities[0].relationships.map(\.value) == [
                .automatic,
                .objects(
                    .variable("source.countries.@distinctUnionOfSets.moods"),
                    mapping: "MoodToMood"),
            ])
    }

    // MARK: - Damage

    static let damage: [(objects: String, line: Int?, reason: ModelFileError.Reason)] = [
        ("", 3, .notAModel("it has 0 mapping models in place of one")),
        (
            MappingText.model("") + MappingText.model("", id: "z2"), 3,
            .notAModel("it has 2 mapping models in place of one")
        ),
        (
            MappingText.model("") + MappingText.attribute("z1", "a"), 5,
            .duplicate("z1", element: "object")
        ),
        (
            MappingText.model("z9"), 4,
            .unacceptableValue(
                "z9", attribute: "idrefs",
                expected: "the identifiers of objects of type XDDEVENTITYMAPPING")
        ),
        (
            MappingText.model("z2") + MappingText.attribute("z2", "a"), 4,
            .unacceptableValue(
                "z2", attribute: "idrefs",
                expected: "the identifiers of objects of type XDDEVENTITYMAPPING")
        ),
        (#"<object type="X"/>"#, 4, .missingAttribute("id", element: "object")),
    ]

    @Test(arguments: damage.indices)
    func `a damaged file is an error with its line (§9.3.33)`(_ index: Int) throws {
        let (objects, line, reason) = Self.damage[index]
        let error = #expect(throws: ModelFileError.self) { try read(objects) }
        #expect(error?.reason == reason && error?.line == line, "\(String(describing: error))")
        #expect(error?.file?.path == "/m.xml")
    }

    @Test func `an expression that cannot be read is an error (§9.3.33)`() throws {
        func reading(_ text: String) throws -> ModelFileError? {
            #expect(throws: ModelFileError.self) {
                try read(
                    MappingText.model("z2")
                        + MappingText.entity("z2", from: "A", to: "B", attributes: "z5")
                        + MappingText.object(
                            "XDDEVATTRIBUTEMAPPING", "z5",
                            [("name", "a"), ("valueexpressiondata", text)]))
            }
        }
        #expect(try reading("é")?.code == 259)
        #expect(
            try reading("AAAA")?.reason
                == .malformed("the expression of 'a' is no keyed archive, or a damaged one"))
        let foreign = MappingText.function("manager", "format:", []).archived()
        guard
            case .unacceptableValue(_, "valueexpressiondata", _)? = try reading(
                foreign.base64EncodedString())?.reason
        else {
            Issue.record("\(String(describing: try reading(foreign.base64EncodedString())))")
            return
        }
    }

    @Test(arguments: [
        #"<!DOCTYPE database [<!ENTITY a "b">]>"#,
        #"<!DOCTYPE database SYSTEM "file:///etc/passwd" [<!ENTITY a SYSTEM "file:///etc/passwd">]>"#,
        #"<!DOCTYPE other SYSTEM "file:///x.dtd">"#,
    ])
    func `a document type of its own is refused (§9.3.33)`(_ declaration: String) throws {
        let text = MappingText.document(MappingText.model(""), type: declaration)
        let error = #expect(throws: ModelFileError.self) {
            try MappingFile(Data(text.utf8), of: URL(filePath: "/m.xml"))
        }
        #expect(error?.reason == .documentType)
    }

    @Test func `a file of more levels than the limit is refused (§1.13.10)`() {
        let levels = String(repeating: "<object>", count: 100_000)
        let ends = String(repeating: "</object>", count: 100_000)
        let text = MappingText.document(levels + ends)
        let error = #expect(throws: ModelFileError.self) {
            try MappingFile(Data(text.utf8), of: URL(filePath: "/m.xml"))
        }
        #expect(error?.reason == .tooDeep(limit: ModelElement.maximumDepth))
    }

    @Test func `mutations of a file never stop the program (§9.3.33)`() throws {
        let text = MappingText.document(
            MappingText.model("z2")
                + MappingText.entity("z2", from: "A", to: "B", attributes: "z5")
                + MappingText.attribute("z5", "a", expression: MappingText.path("name")))
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<300 {
            var data = Data(text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                data[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            // Every other error would be one of the program.
            do throws(ModelFileError) {
                _ = try MappingFile(data, of: URL(filePath: "/m.xml"))
            } catch {
                #expect(error.file != nil, "TEST_SEED=\(generator.seed): \(error)")
            }
        }
    }
}
