import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Stores of this engine from before to-many relationships without an inverse were columns, and
/// changes of their models.
@Suite struct `Join tables without an inverse (§8.4)` {
    private let fixture = MigrationFixture()

    private func entities(
        isOrdered: Bool = false, name: String = "pages", was: String? = nil,
        more: [AttributeDescription] = [], inverse: String? = nil, hasPages: Bool = true
    ) -> [EntityDescription] {
        let title = AttributeDescription("title", .string)
        var pages = RelationshipDescription.toMany(name, "Page", inverse: inverse)
        pages.isOrdered = isOrdered
        pages.renamingIdentifier = was
        return [
            fixture.entity("Book", [title], hasPages ? [pages] : []),
            fixture.entity(
                "Page", [title] + more,
                inverse.map { [.toOne($0, "Book", inverse: name)] } ?? []),
        ]
    }

    /// Two books and two pages, of which the first book has both.
    private func make(_ entities: [EntityDescription]) throws {
        try fixture.open(entities) { context in
            let pages = try ["one", "two"].map { try context.insert("Page", ["title": $0]) }
            let first = try context.insert("Book", ["title": "first"])
            try context.insert("Book", ["title": "second"])
            try first.setValue([pages[0], pages[1]], forKey: "pages")
            try context.save()
        }
    }

    /// Gives the store the form that it had before. Both books have the first page.
    private func makeFormer(isOrdered: Bool) throws {
        try make(entities(isOrdered: isOrdered))
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        let place = isOrdered ? ", Z_FOK_DESTINATION INTEGER" : ""
        try connection.execute(
            """
            DROP INDEX ZPAGE_Z1PAGES_INDEX;
            ALTER TABLE ZPAGE DROP COLUMN Z1PAGES;
            \(isOrdered ? "ALTER TABLE ZPAGE DROP COLUMN Z_FOK_1PAGES;" : "")
            CREATE TABLE Z_1PAGES (Z_1SOURCE INTEGER, Z_DESTINATION INTEGER\(place), PRIMARY KEY (Z_1SOURCE, Z_DESTINATION));
            INSERT INTO Z_1PAGES (Z_1SOURCE, Z_DESTINATION) VALUES (1, 1), (1, 2), (2, 1);
            CREATE INDEX Z_1PAGES_Z_DESTINATION_INDEX ON Z_1PAGES (Z_DESTINATION, Z_1SOURCE);
            """)
        try connection.close()
    }

    private func members(
        _ entities: [EntityDescription], _ key: String = "pages"
    ) throws -> [String: [String]] {
        try fixture.open(entities) { (context: ManagedObjectContext) -> [String: [String]] in
            var members: [String: [String]] = [:]
            for book in try context.all("Book") {
                let value = try book.value(forKey: key)
                let pages =
                    value as? [ManagedObject] ?? Array(value as? Set<ManagedObject> ?? [])
                var titles: [String] = []
                for page in pages {
                    titles.append(try page.value(forKey: "title") as? String ?? "")
                }
                members[try book.value(forKey: "title") as? String ?? ""] = titles.sorted()
            }
            return members
        }
    }

    @Test(arguments: [false, true])
    func `a store with a join table is opened and written (§8.4.3)`(isOrdered: Bool) throws {
        try makeFormer(isOrdered: isOrdered)
        let entities = entities(isOrdered: isOrdered)
        #expect(try members(entities) == ["first": ["one", "two"], "second": ["one"]])
        try fixture.open(entities) { context in
            for book in try context.all("Book") {
                let isFirst = try book.value(forKey: "title") as? String == "first"
                let pages = try context.all("Page", by: "title")
                try book.setValue(isFirst ? [] : pages, forKey: "pages")
            }
            try context.save()
        }
        #expect(try members(entities) == ["first": [], "second": ["one", "two"]])
    }

    @Test(arguments: [false, true])
    func `a migration keeps its join table, and so its pairs (§8.4.3)`(isOrdered: Bool) throws {
        try makeFormer(isOrdered: isOrdered)
        let changed = entities(
            isOrdered: isOrdered, name: "leaves", was: "pages",
            more: [AttributeDescription("size", .integer64)])
        #expect(try members(changed, "leaves") == ["first": ["one", "two"], "second": ["one"]])
        #expect(try fixture.sql("SELECT count(*) FROM Z_1LEAVES") == ["3"])
    }

    // MARK: - Migrations of columns

    private static let changes: [(String, isOrdered: Bool, hasIndex: Bool)] = [
        ("an attribute more", false, true), ("another name", false, true),
        ("an order", true, true), ("an inverse", false, false), ("without it", false, false),
    ]

    @Test(arguments: changes.indices, [false, true])
    func `a migration keeps the pairs of a column (§8.4.1)`(
        _ index: Int, rebuilds: Bool
    ) throws {
        try make(entities())
        let (change, isOrdered, hasIndex) = Self.changes[index]
        let name = change == "another name" ? "leaves" : "pages"
        // A removed column makes SQLite copy the table.
        var changed = entities(
            isOrdered: isOrdered, name: name, was: name == "leaves" ? "pages" : nil,
            more: change == "an attribute more" ? [AttributeDescription("size", .integer64)] : [],
            inverse: change == "an inverse" ? "book" : nil, hasPages: change != "without it")
        if rebuilds {
            changed[1].attributes[0] = AttributeDescription(
                "title", .string, isOptional: false, defaultValue: "none")
            changed[1].uniquenessConstraints = [["title"]]
        }
        if change != "without it" {
            #expect(try members(changed, name) == ["first": ["one", "two"], "second": []])
        } else {
            #expect(try fixture.open(changed) { try $0.all("Page").count } == 2)
        }
        let columns = try fixture.sql("SELECT name FROM pragma_table_info('ZPAGE')")
        #expect(columns.contains("Z1\(name.uppercased())") == hasIndex)
        #expect(columns.contains("Z_FOK_1PAGES") == isOrdered)
        let indexes = try fixture.sql(
            "SELECT name FROM sqlite_schema WHERE name LIKE 'ZPAGE_Z1%' ORDER BY 1")
        #expect(indexes == (hasIndex ? ["ZPAGE_Z1\(name.uppercased())_INDEX"] : []))
        #expect(try fixture.sql("SELECT name FROM sqlite_schema WHERE name LIKE 'Z_1%'").isEmpty)
    }

    @Test func `an inverse that goes leaves the pairs in a column (§8.4.1)`() throws {
        let before = entities(inverse: "book")
        try make(before)
        #expect(try members(entities()) == ["first": ["one", "two"], "second": []])
    }
}
