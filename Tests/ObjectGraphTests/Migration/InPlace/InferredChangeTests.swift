import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// The SQL of each kind of change, and what becomes of a row.
@Suite struct `Statements of inferred migrations` {
    private typealias Change = ChangeOfModel
    private static let (page, book) = (Change.page, Change.book)
    private static let fixture = ChangeOfModel.fixture

    static let relationships: [ChangeOfModel] = [
        Change(
            testDescription: "a to-one relationship is added",
            before: [Change.page(), Change.book()], after: Change.library(pages: true),
            sql: [
                "ALTER TABLE ZPAGE ADD COLUMN ZBOOK INTEGER",
                "CREATE INDEX ZPAGE_ZBOOK_INDEX ON ZPAGE (ZBOOK)",
            ]),
        Change(
            testDescription: "a to-one relationship is removed",
            before: Change.library(pages: true), after: [Change.page(), Change.book()],
            sql: ["?"]),
        Change(
            testDescription: "a to-one relationship is renamed",
            before: Change.library(pages: true),
            after: [
                Change.page([], [
                    RelationshipDescription(
                        name: "volume", destination: "Book", inverse: "pages", maxCount: 1,
                        renamingIdentifier: "book")
                ]), Change.book([.toMany("pages", "Page", inverse: "volume")]),
            ], sql: ["?"]),
        Change(
            testDescription: "a relationship between many is added",
            before: [Change.page(), Change.book()],
            after: Change.library(pages: true, books: true), sql: ["?"]),
        Change(
            testDescription: "a relationship between many is removed",
            before: Change.library(pages: true, books: true),
            after: [Change.page(), Change.book()], sql: ["?"]),
        Change(
            testDescription: "to-one becomes to-many", before: Change.library(pages: true),
            after: Change.library(pages: true, books: true), sql: ["?"]),
        Change(
            testDescription: "to-many becomes to-one",
            before: Change.library(pages: true, books: true), after: Change.library(pages: true),
            sql: ["?"]),
        Change(
            testDescription: "one-to-many becomes one-to-one",
            before: Change.library(pages: true), after: Change.library(pages: false), sql: ["?"]),
        Change(
            testDescription: "unordered becomes ordered", before: Change.library(pages: true),
            after: Change.library(pages: true, isOrdered: true), sql: ["?"]),
        Change(
            testDescription: "ordered becomes unordered",
            before: Change.library(pages: true, isOrdered: true),
            after: Change.library(pages: true), sql: ["?"]),
        Change(
            testDescription: "unordered becomes ordered between many",
            before: Change.library(pages: true, books: true),
            after: Change.library(pages: true, books: true, isOrdered: true), sql: ["?"]),
    ]

    private static let note = AttributeDescription("note", .string)

    private static func item(_ attributes: [AttributeDescription]) -> EntityDescription {
        fixture.entity("Item", [Change.title] + attributes)
    }

    private static func leaf(_ attributes: [AttributeDescription]) -> EntityDescription {
        fixture.entity("Page", parent: "Item", attributes)
    }

    static let hierarchies: [ChangeOfModel] = [
        Change(
            testDescription: "an attribute moves up", before: [item([]), leaf([note])],
            after: [item([note]), leaf([])], sql: ["?"]),
        Change(
            testDescription: "an attribute moves down", before: [item([note]), leaf([])],
            after: [item([]), leaf([note])], sql: ["?"]),
        Change(
            testDescription: "an entity leaves its hierarchy", before: [item([]), leaf([note])],
            after: [item([]), fixture.entity("Page", [Change.title, note])], sql: ["?"]),
        Change(
            testDescription: "a parent is removed", before: [item([]), leaf([note])],
            after: [fixture.entity("Page", [Change.title, note])], sql: ["?"]),
        Change(
            testDescription: "a child is added", before: [Change.page()],
            after: [Change.page(), fixture.entity("Cover", parent: "Page", [note])], sql: ["?"]),
        Change(
            testDescription: "an entity becomes abstract", before: [item([]), leaf([])],
            after: {
                var abstract = item([])
                abstract.isAbstract = true
                return [abstract, leaf([])]
            }(), sql: ["?"]),
    ]

    private static func text(_ name: String, _ derivation: String? = nil) -> AttributeDescription {
        AttributeDescription(name, .string, derivation: derivation)
    }

    private static func place(_ elements: String...) -> AttributeDescription {
        AttributeDescription(
            "place", .composite, elements: elements.map { AttributeDescription($0, .double) })
    }

    private static func data(isExternal: Bool) -> AttributeDescription {
        AttributeDescription("data", .binaryData, allowsExternalStorage: isExternal)
    }

    static let attributes: [ChangeOfModel] = [
        Change(
            testDescription: "an attribute becomes optional",
            before: [
                Change.page([
                    AttributeDescription("note", .string, isOptional: false, defaultValue: "-")
                ])
            ],
            after: [Change.page([note])], sql: [],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.note": "-"]),
        Change(
            testDescription: "a transient attribute is stored",
            before: [
                Change.page([AttributeDescription("note", .string, isTransient: true)])
            ],
            after: [Change.page([note])], sql: ["?"]),
        Change(
            testDescription: "a stored attribute becomes transient",
            before: [Change.page([note])],
            after: [
                Change.page([AttributeDescription("note", .string, isTransient: true)])
            ], sql: ["?"]),
        Change(
            testDescription: "a derived attribute is added", before: [Change.page()],
            after: [Change.page([text("upper", "uppercase:(title)")])], sql: ["?"],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.upper": "ONE"]),
        Change(
            testDescription: "a derivation changes",
            before: [Change.page([text("form", "uppercase:(title)")])],
            after: [Change.page([text("form", "title")])], sql: ["?"],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.form": "one"]),
        Change(
            testDescription: "a derived attribute becomes one that is set",
            before: [Change.page([text("upper", "uppercase:(title)")])],
            after: [Change.page([text("upper")])], sql: ["?"],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.upper": "ONE"]),
        Change(
            testDescription: "a composite gets an element", before: [Change.page([place("x")])],
            after: [Change.page([place("x", "y")])], sql: ["?"]),
        Change(
            testDescription: "a composite loses an element",
            before: [Change.page([place("x", "y")])], after: [Change.page([place("x")])],
            sql: ["?"]),
        Change(
            testDescription: "data may go out", before: [Change.page([data(isExternal: false)])],
            after: {
                var page = Change.page([data(isExternal: true)])
                page.versionHashModifier = "2"
                return [page]
            }(), sql: ["?"]),
        Change(
            testDescription: "data stay in their rows",
            before: [Change.page([data(isExternal: true)])],
            after: {
                var page = Change.page([data(isExternal: false)])
                page.versionHashModifier = "2"
                return [page]
            }(), sql: ["?"]),
    ]

    private static let byText = FetchIndexDescription.fullText("byText", on: "title")
    private static let byTitle = FetchIndexDescription("byTitle", on: "title")
    private static let bySize = FetchIndexDescription(
        "bySize", elements: [.init("size")], kind: .rTree)
    private static let size = AttributeDescription(
        "size", .float, isOptional: false, defaultValue: .double(2))
    private static let sized = ["Page 1": "", "Page 1.title": "one", "Page 1.size": "2.0"]

    // Indexes do not count for the version hash, so another change goes with theirs.
    static let indexes: [ChangeOfModel] = [
        Change(
            testDescription: "a constraint is removed",
            before: [Change.page(unique: [["title"]])], after: [Change.page()], sql: ["?"]),
        Change(
            testDescription: "an index is added", before: [Change.page()],
            after: [Change.page(indexes: [byTitle], modifier: "2")], sql: ["?"]),
        Change(
            testDescription: "an index is removed", before: [Change.page(indexes: [byTitle])],
            after: [Change.page(modifier: "2")], sql: ["?"]),
        Change(
            testDescription: "an R*Tree is added", before: [Change.page([size])],
            after: [Change.page([size], indexes: [bySize], modifier: "2")], sql: ["?"],
            content: sized),
        Change(
            testDescription: "an R*Tree is removed",
            before: [Change.page([size], indexes: [bySize])],
            after: [Change.page([size], modifier: "2")], sql: ["?"], content: sized),
        Change(
            testDescription: "a full-text index is added", before: [Change.page()],
            after: [Change.page(indexes: [byText], modifier: "2")], sql: ["?"]),
        Change(
            testDescription: "a full-text index is removed",
            before: [Change.page(indexes: [byText])], after: [Change.page(modifier: "2")],
            sql: ["?"]),
        Change(
            testDescription: "a full-text index of a subentity is kept over a copy of its table",
            before: [
                fixture.entity("Item", [Change.title, note]),
                fixture.entity("Page", parent: "Item", indexes: [byText]),
            ],
            after: [
                fixture.entity("Item", [Change.title]),
                fixture.entity("Page", parent: "Item", indexes: [byText]),
            ], sql: ["?"]),
        Change(
            testDescription: "a modifier of the version hash alone", before: [Change.page()],
            after: [Change.page(modifier: "2")], sql: []),
    ]

    @Test(arguments: relationships + hierarchies + attributes + indexes)
    func `a kind of change has its SQL (§9.2.19)`(_ change: ChangeOfModel) throws {
        let fixture = MigrationFixture()
        try fixture.make(change.before, change.objects)
        #expect(try fixture.statements(change.after) == change.sql)
        #expect(try fixture.content(change.after) == change.content)
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
        // The file has what a new one has.
        let new = MigrationFixture()
        try new.make(change.after)
        let schema = "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"
        #expect(try fixture.sql(schema) == new.sql(schema))
    }

    @Test func `what does not change the form of rows needs no migration (§9.2.24)`() throws {
        let fixture = MigrationFixture()
        try fixture.make(
            [ChangeOfModel.page([Self.size], [.toOne("book", "Book")]), ChangeOfModel.book()],
            [("Page", ["title": "one"])])
        var size = Self.size
        size.defaultValue = .double(3)
        size.validationRules = [
            ValidationRule("SELF > 0", .code(1620)),
        ]
        let later = [
            ChangeOfModel.page(
                [size], [.toOne("book", "Book", deleteRule: .cascade)], indexes: [Self.byTitle]),
            ChangeOfModel.book(),
        ]
        #expect(try fixture.statements(later) == [])
        let sizes = try fixture.open(later, { $0.migration.isAutomatic = false }) {
            try $0.content()["Page 1.size"]
        }
        #expect(sizes == "2.0")
    }
}
