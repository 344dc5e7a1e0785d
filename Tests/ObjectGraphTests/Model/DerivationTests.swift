import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Derivations of a model (§1.4)` {
    @Test(
        arguments: [
            ("now()", "now()"), ("title", "title"), ("author.name", "author.name"),
            ("canonical:(title)", "canonical:(title)"),
            ("uppercase:(author.name)", "uppercase:(author.name)"),
            ("lowercase:(title)", "lowercase:(title)"), ("books.@count", "count:(books)"),
            ("count:(books)", "count:(books)"), ("books.price.@sum", "sum:(books.price)"),
            ("books.@sum.price", "sum:(books.price)"), ("sum:(books.price)", "sum:(books.price)"),
            ("books.@min.price", "min:(books.price)"), ("max:(books.price)", "max:(books.price)"),
        ])
    func `these are the forms (§1.4.1)`(_ text: String, _ canonical: String) {
        #expect(Derivation(text)?.description == canonical)
        #expect(Derivation(canonical) == Derivation(text))
    }

    @Test(
        arguments: [
            "", "title + 1", "a.b.c", "@count", "books.@avg.price", "books.@sum", "a..b",
            "books.@count.@sum", "canonical:(books.@count)", "uppercase:title", "now().x",
            "first ++ last", "@sum.books.price", "books.@canonical", "count:(books.price)",
            "canonical:()", "random:(title)",
        ])
    func `anything else is not one (§1.4.1)`(_ text: String) {
        #expect(Derivation(text) == nil)
    }

    /// A model of authors and books in which one attribute is derived.
    private static func model(
        _ entity: String, _ type: AttributeType, _ derivation: String,
        _ change: (inout AttributeDescription) -> Void = { _ in }
    ) throws -> ManagedObjectModel {
        var attribute = AttributeDescription("derived", type, derivation: derivation)
        change(&attribute)
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Author",
                attributes: [
                    AttributeDescription("name", .string), AttributeDescription("born", .date),
                    AttributeDescription("mood", .string, isTransient: true),
                ] + (entity == "Author" ? [attribute] : []),
                relationships: [.toMany("books", "Book", inverse: "author")]),
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription("title", .string), AttributeDescription("price", .double),
                    AttributeDescription("pages", .integer32),
                ] + (entity == "Book" ? [attribute] : []),
                relationships: [.toOne("author", "Author", inverse: "books")]),
        ])
    }

    struct Mistake: Sendable {
        let entity: String
        let type: AttributeType
        let text: String
        let reason: ModelError.Reason

        init(
            _ entity: String, _ type: AttributeType, _ text: String, _ reason: ModelError.Reason
        ) {
            (self.entity, self.type, self.text, self.reason) = (entity, type, text, reason)
        }
    }

    static let mistakes = [
        Mistake("Author", .string, "first ++ last", .invalidDerivation("first ++ last")),
        Mistake("Author", .string, "a.b.c", .invalidDerivation("a.b.c")),
        Mistake("Author", .string, "surname", .unknownDerivationKey("surname", entity: "Author")),
        Mistake("Author", .string, "mood", .unknownDerivationKey("mood", entity: "Author")),
        Mistake("Author", .string, "books.title", .unknownDerivationKey("books", entity: "Author")),
        Mistake(
            "Book", .integer64, "author.@count", .unknownDerivationKey("author", entity: "Book")),
        Mistake("Book", .string, "author.rank", .unknownDerivationKey("rank", entity: "Author")),
        Mistake("Book", .string, "author.books", .unknownDerivationKey("books", entity: "Author")),
        Mistake(
            "Author", .string, "books.@count", .derivationOfOtherType("books.@count", .integer64)),
        Mistake("Author", .integer64, "now()", .derivationOfOtherType("now()", .date)),
        Mistake("Author", .date, "name", .derivationOfOtherType("name", .string)),
        Mistake(
            "Author", .string, "canonical:(born)", .derivationOfOtherType("canonical:(born)", .date)
        ),
        Mistake(
            "Author", .double, "books.@sum.title",
            .derivationOfOtherType("books.@sum.title", .string)),
        Mistake(
            "Author", .integer64, "books.@sum.price",
            .derivationOfOtherType("books.@sum.price", .double)),
        Mistake(
            "Author", .string, "derived", .circularDerivation(["Author.derived", "Author.derived"])),
    ]

    @Test(arguments: mistakes.indices)
    func `a derivation that cannot be computed is an error of the model (§1.4.2)`(
        _ index: Int
    ) throws {
        let mistake = Self.mistakes[index]
        let error = #expect(throws: ModelError.self) {
            try Self.model(mistake.entity, mistake.type, mistake.text)
        }
        #expect(error == ModelError(mistake.entity, "derived", mistake.reason))
        #expect(error?.description.isEmpty == false)
    }

    @Test(arguments: [(true, false), (false, true)])
    func `nor may its data or its source be in files (§1.4.2)`(
        _ isSource: Bool, _ isTarget: Bool
    ) throws {
        #expect(throws: ModelError("Thing", "copy", .derivationOfExternalData("data"))) {
            try StoreFixture(
                AttributeDescription("data", .binaryData, allowsExternalStorage: isSource),
                AttributeDescription(
                    "copy", .binaryData, derivation: "data", allowsExternalStorage: isTarget))
        }
    }

    @Test func `neither transient nor unique (§1.4.2)`() throws {
        #expect(throws: ModelError("Author", "derived", .transientDerivation)) {
            try Self.model("Author", .string, "name") { $0.isTransient = true }
        }
        #expect(throws: ModelError("Thing", "copy", .derivedConstraint)) {
            try StoreFixture(
                AttributeDescription("name", .string),
                AttributeDescription("copy", .string, derivation: "name"),
                uniquenessConstraints: [["copy"]])
        }
        #expect(throws: ModelError("Thing", "size", .unsuitableForRTree("i"))) {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription(
                            "size", .integer32, isOptional: false, derivation: "a"),
                        AttributeDescription("a", .integer32),
                    ],
                    indexes: [FetchIndexDescription("i", elements: [.init("size")], kind: .rTree)])
            ])
        }
    }

    @Test func `a circle of derived attributes is found (§1.4.2)`() throws {
        let circle = ["Person.a", "Person.b", "Person.a"]
        #expect(throws: ModelError("Person", "a", .circularDerivation(circle))) {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Person",
                    attributes: [
                        AttributeDescription("a", .string, derivation: "parent.b"),
                        AttributeDescription("b", .string, derivation: "lowercase:(a)"),
                    ], relationships: [.toOne("parent", "Person")])
            ])
        }
    }

    final class Author: ManagedObject {
        override class var entityName: String { "Author" }
        override class var managedProperties: [any ManagedProperty] { [name, nameLength] }
        static let name = Attribute<String?>("name")
        static let nameLength = Attribute<String>("loud", derivation: "uppercase:(name)")
    }

    @Test func `an accessor declares it, and it is optional (§1.4.3)`() throws {
        let entity = EntityDescription(Author.self)
        #expect(
            entity.attributes[1]
                == AttributeDescription("loud", .string, derivation: "uppercase:(name)"))
        let store = try StoreFixture(ManagedObjectModel(entities: [entity]))
        try store.run { context in
            let author = Author(context: context)
            author[Author.name] = "Ada"
            #expect(author[Author.nameLength] == "")
            try context.save()
            context.refresh(author, mergeChanges: false)
            #expect(author[Author.nameLength] == "ADA")
        }
    }

    @Test func `version hashes have the meaning of a derivation (§1.4.4)`() throws {
        func hash(_ derivation: String) throws -> [UInt8]? {
            try Self.model("Author", .integer64, derivation).entityVersionHashesByName["Author"]
        }
        let plain = try Self.model("Author", .integer64, "books.@count") { $0.derivation = nil }
        #expect(try hash("books.@count") == hash("count:(books)"))
        #expect(try hash("books.@count") != hash("books.@sum.pages"))
        #expect(try hash("books.@count") != plain.entityVersionHashesByName["Author"])
    }
}
