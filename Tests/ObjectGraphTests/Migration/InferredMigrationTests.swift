import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// What each change of a model does to the rows: the SQL, and the content before and after.
@Suite struct `Inferred migrations` {
    private static let fixture = MigrationFixture()

    /// A change of the entity `Page` and, beside it, `Book`.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let before: [EntityDescription]
        let after: [EntityDescription]
        let sql: [String]
        let content: [String: String]
    }

    private static func page(
        _ attributes: [AttributeDescription], _ relationships: [RelationshipDescription] = [],
        was formerName: String? = nil, unique: [[String]] = []
    ) -> EntityDescription {
        fixture.entity("Page", was: formerName, attributes, relationships, unique: unique)
    }

    private static let title = AttributeDescription("title", .string)

    static let cases: [Case] = [
        Case(
            testDescription: "an optional attribute is added", before: [page([title])],
            after: [page([title, AttributeDescription("note", .string)])],
            sql: ["ALTER TABLE ZPAGE ADD COLUMN ZNOTE VARCHAR"],
            content: ["Page 1": "", "Page 1.title": "one"]),
        Case(
            testDescription: "a mandatory attribute is added", before: [page([title])],
            after: [
                page([
                    title,
                    AttributeDescription(
                        "note", .string, isOptional: false, defaultValue: "it's"),
                ])
            ],
            sql: [
                "ALTER TABLE ZPAGE ADD COLUMN ZNOTE VARCHAR",
                "UPDATE ZPAGE SET ZNOTE = IFNULL(ZNOTE, 'it''s')",
            ],
            content: ["Page 1": "", "Page 1.title": "one", "Page 1.note": "it's"]),
        Case(
            testDescription: "an attribute is removed",
            before: [page([title, AttributeDescription("number", .integer64)])],
            after: [page([title])],
            sql: [
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_0",
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR)",
                "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM Z_OLD_0",
                "DROP TABLE Z_OLD_0",
            ],
            content: ["Page 1": "", "Page 1.title": "one"]),
        Case(
            testDescription: "an attribute is renamed", before: [page([title])],
            after: [page([AttributeDescription("name", .string, renamingIdentifier: "title")])],
            sql: [
                "ALTER TABLE ZPAGE RENAME COLUMN ZTITLE TO Z_OLD_0",
                "ALTER TABLE ZPAGE RENAME COLUMN Z_OLD_0 TO ZNAME",
            ],
            content: ["Page 1": "", "Page 1.name": "one"]),
        Case(
            testDescription: "an attribute becomes mandatory", before: [page([title])],
            after: [
                page([
                    AttributeDescription("title", .string, isOptional: false, defaultValue: "none")
                ])
            ],
            sql: ["UPDATE ZPAGE SET ZTITLE = IFNULL(ZTITLE, 'none') WHERE ZTITLE IS NULL"],
            content: ["Page 1": "", "Page 1.title": "one"]),
        Case(
            testDescription: "an entity is renamed", before: [page([title])],
            after: [fixture.entity("Sheet", was: "Page", [title])],
            sql: [
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_0", "ALTER TABLE Z_OLD_0 RENAME TO ZSHEET",
            ],
            content: ["Sheet 1": "", "Sheet 1.title": "one"]),
        Case(
            testDescription: "an entity is added", before: [page([title])],
            after: [fixture.entity("Book", [title]), page([title])],
            sql: [
                "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR)"
            ],
            content: ["Page 1": "", "Page 1.title": "one"]),
        Case(
            testDescription: "an entity is removed",
            before: [fixture.entity("Book", [title]), page([title])], after: [page([title])],
            sql: ["DROP TABLE ZBOOK"], content: ["Page 1": "", "Page 1.title": "one"]),
        Case(
            testDescription: "a uniqueness constraint is added", before: [page([title])],
            after: [page([title], unique: [["title"]])],
            sql: ["CREATE UNIQUE INDEX Z_Page_UNIQUE_title ON ZPAGE (ZTITLE COLLATE BINARY ASC)"],
            content: ["Page 1": "", "Page 1.title": "one"]),
        Case(
            testDescription: "a parent is added", before: [page([title])],
            after: [
                fixture.entity("Item", [title]), fixture.entity("Page", parent: "Item"),
            ],
            sql: [
                "ALTER TABLE ZPAGE RENAME TO Z_OLD_0", "ALTER TABLE Z_OLD_0 RENAME TO ZITEM",
                "CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)",
            ],
            content: ["Page 1": "", "Page 1.title": "one"]),
    ]

    @Test(arguments: cases)
    func `a change is SQL in the store's own file (§9.2.1)`(_ change: Case) throws {
        let fixture = MigrationFixture()
        try fixture.make(change.before, [("Page", ["title": "one"])])
        #expect(try fixture.statements(change.after) == change.sql)
        #expect(try fixture.content(change.after) == change.content)
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `identifiers, versions and the store's UUID remain (§9.2.2)`() throws {
        let fixture = MigrationFixture()
        let item = fixture.entity("Item", [Self.title])
        let page = Self.page([Self.title])
        try fixture.make([item, page], [("Page", ["title": "one"]), ("Page", ["title": "two"])])
        let uris = try fixture.open([item, page]) { context in
            for object in try context.fetch(
                FetchRequest(entityName: "Page"), as: ManagedObject.self)
            {
                try object.setValue("changed", forKey: "title")
            }
            try context.save()
            return try context.fetchObjectIDs(FetchRequest(entityName: "Page"))
                .map(\.uriRepresentation)
        }
        // The entity before it in the order of names is gone, and others come.
        let later = [
            fixture.entity("Note", [Self.title]), fixture.entity("Leaf", [Self.title]),
            Self.page([Self.title, AttributeDescription("note", .string)]),
        ]
        try fixture.open(later) { context in
            for uri in uris {
                let id = try #require(
                    context.coordinator.managedObjectID(forURIRepresentation: uri))
                #expect(
                    try context.existingObject(with: id).value(forKey: "title") as? String
                        == "changed")
            }
            // New rows get keys and entity numbers of their own.
            for name in ["Leaf", "Note", "Page"] {
                _ = try context.insertObject(entityName: name)
            }
            try context.save()
        }
        #expect(
            try fixture.sql("SELECT Z_ENT, Z_OPT FROM ZPAGE ORDER BY Z_PK")
                == ["2 2", "2 2", "2 1"])
        #expect(
            try fixture.sql("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY ORDER BY 1")
                == ["2 Page", "3 Leaf", "4 Note"])
    }

    @Test func `two properties can exchange their names (§9.2.3)`() throws {
        let fixture = MigrationFixture()
        let other = AttributeDescription("subtitle", .string)
        try fixture.make(
            [Self.page([Self.title, other])], [("Page", ["title": "a", "subtitle": "b"])])
        // Names alone do not change the version hash.
        let exchanged = Self.page([
            AttributeDescription("title", .string, renamingIdentifier: "subtitle"),
            AttributeDescription("subtitle", .string, renamingIdentifier: "title"),
            AttributeDescription("note", .string),
        ])
        #expect(
            try fixture.content([exchanged])
                == ["Page 1": "", "Page 1.title": "b", "Page 1.subtitle": "a"])
    }

    @Test func `a name that identifies nothing does not lose the values (§9.2.3)`() throws {
        let fixture = MigrationFixture()
        try fixture.make([Self.page([Self.title])], [("Page", ["title": "a"])])
        let renamed = Self.page([
            AttributeDescription("title", .string, renamingIdentifier: "heading")
        ])
        #expect(try fixture.content([renamed])["Page 1.title"] == "a")
    }

    @Test func `elements of a composite keep their values under another name (§9.2.8)`() throws {
        let fixture = MigrationFixture()
        func page(_ name: String, was formerName: String? = nil, _ elements: String...)
            -> EntityDescription
        {
            Self.page([
                AttributeDescription(
                    name, .composite,
                    elements: elements.map { AttributeDescription($0, .double) },
                    renamingIdentifier: formerName)
            ])
        }
        try fixture.open([page("place", "x", "y")]) { context in
            let object = try context.insertObject(entityName: "Page")
            try object.setValue(["x": 1.5, "y": 2.5], forKey: "place")
            try context.save()
        }
        let place = try fixture.open([page("location", was: "place", "y", "z")]) { context in
            let found = try context.fetch(
                FetchRequest(entityName: "Page"), as: ManagedObject.self)
            return "\(try found[0].value(forKey: "location") ?? "nil")"
        }
        #expect(place.contains("2.5") && !place.contains("1.5"))
    }

    // MARK: - Relationships

    /// Books with pages: the ends of `Book.pages` and `Page.book` or `Page.books`.
    private static func library(
        pages isOrdered: Bool? = nil, books isToMany: Bool = false, booksAreOrdered: Bool = false
    ) -> [EntityDescription] {
        let inverse = isToMany ? "books" : "book"
        return [
            fixture.entity(
                "Book", [],
                [
                    RelationshipDescription(
                        name: "pages", destination: "Page", inverse: inverse,
                        maxCount: isOrdered == nil ? 1 : 0, isOrdered: isOrdered ?? false)
                ]),
            page(
                [title],
                [
                    RelationshipDescription(
                        name: inverse, destination: "Book", inverse: "pages",
                        maxCount: isToMany ? 0 : 1, isOrdered: booksAreOrdered,
                        renamingIdentifier: isToMany ? "book" : "books")
                ]),
        ]
    }

    private static let changesOfRelationships:
        [(before: [EntityDescription], after: [EntityDescription], pages: String?, book: String?)] =
            [
                // One book of pages 2, 1, 3 in this order.
                (library(pages: true), library(pages: false), "1 2 3 ", "Book 1"),
                (library(pages: true), library(pages: true, books: true), "2 1 3 ", "1 "),
                (library(pages: true), library(pages: false, books: true), "1 2 3 ", "1 "),
                (library(pages: true), library(), "Page 2", nil),
                (library(pages: false), library(pages: true), "1 2 3 ", "Book 1"),
                (library(pages: true, books: true), library(pages: true), "2 1 3 ", "Book 1"),
                (
                    library(pages: true, books: true), library(pages: false, books: true), "1 2 3 ",
                    "1 "
                ),
                (library(pages: false, books: true), library(pages: false), "1 2 3 ", "Book 1"),
                (library(pages: false, books: true), library(), "Page 1", "Book 1"),
            ]

    @Test(arguments: changesOfRelationships.indices)
    func `the pairs of a relationship survive a change of its form (§9.2.4)`(_ index: Int) throws {
        let change = Self.changesOfRelationships[index]
        let fixture = MigrationFixture()
        try fixture.open(change.before) { context in
            let pages = try (1...3).map { number in
                let page = try context.insertObject(entityName: "Page")
                try page.setValue("\(number)", forKey: "title")
                try context.save()
                return page
            }
            let book = try context.insertObject(entityName: "Book")
            try book.setValue([pages[1], pages[0], pages[2]], forKey: "pages")
            try context.save()
        }
        let content = try fixture.content(change.after)
        #expect(content["Book 1.pages"] == change.pages)
        let key = content.keys.first { $0.hasPrefix("Page 1.book") }
        #expect(key.flatMap { content[$0] } == change.book)
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `pairs with removed objects go (§9.2.5)`() throws {
        let fixture = MigrationFixture()
        func model(_ children: String...) -> [EntityDescription] {
            [
                fixture.entity("Item", [Self.title]),
                fixture.entity(
                    "Owner", [],
                    [
                        .toMany("items", "Item"), .toOne("favourite", "Item"),
                    ]),
            ] + children.map { fixture.entity($0, parent: "Item") }
        }
        try fixture.open(model("Book", "Page")) { context in
            let objects = try ["Book", "Page", "Owner"].map { name in
                let object = try context.insertObject(entityName: name)
                try context.save()
                return object
            }
            try objects[2].setValue([objects[0], objects[1]], forKey: "items")
            try objects[2].setValue(objects[0], forKey: "favourite")
            try context.save()
        }
        #expect(
            try fixture.content(model("Page"))
                == ["Owner 1": "", "Page 2": "", "Owner 1.items": "2 "])
    }

    // MARK: - Indexes and derived attributes

    @Test func `indexes of all kinds are filled, and derived values computed (§9.2.6)`() throws {
        let fixture = MigrationFixture()
        func model(isNew: Bool) -> [EntityDescription] {
            let count = AttributeDescription("pageCount", .integer64, derivation: "pages.@count")
            let upper = AttributeDescription("upper", .string, derivation: "uppercase:(title)")
            let size = AttributeDescription(
                "size", .float, isOptional: false, defaultValue: .double(2))
            return [
                fixture.entity(
                    "Book", isNew ? [count] : [], [.toMany("pages", "Page", inverse: "book")]),
                fixture.entity(
                    "Page", isNew ? [Self.title, size, upper] : [Self.title, size],
                    [.toOne("book", "Book", inverse: "pages")],
                    indexes: isNew
                        ? [
                            .fullText("byText", on: "title"),
                            FetchIndexDescription(
                                "bySize", elements: [.init("size")], kind: .rTree),
                            FetchIndexDescription("byTitle", on: "title"),
                        ] : []),
            ]
        }
        try fixture.open(model(isNew: false)) { context in
            let book = try context.insertObject(entityName: "Book")
            for title in ["quick fox", "lazy dog"] {
                let page = try context.insertObject(entityName: "Page")
                try page.setValue(title, forKey: "title")
                try page.setValue(book, forKey: "book")
            }
            try context.save()
        }
        try fixture.open(model(isNew: true)) { context in
            let found = try context.fetch(
                FetchRequest(
                    entityName: "Page", predicate: try ObjectPredicate("byText SEARCH 'dog'")),
                as: ManagedObject.self)
            #expect(try found.map { try $0.value(forKey: "upper") as? String } == ["LAZY DOG"])
            let book = try #require(
                try context.fetch(FetchRequest(entityName: "Book"), as: ManagedObject.self).first)
            #expect(try book.value(forKey: "pageCount") as? Int64 == 2)
            context.delete(found[0])
            try context.save()
            context.refresh(book, mergeChanges: false)
            #expect(try book.value(forKey: "pageCount") as? Int64 == 1)
        }
        #expect(try fixture.sql("SELECT count(*) FROM Z_RT_Page_bySize") == ["1"])
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }
}
