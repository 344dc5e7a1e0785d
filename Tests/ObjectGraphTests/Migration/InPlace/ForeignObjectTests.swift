import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// What the app, or somebody with a tool, has made in a store's file.
@Suite struct `Migrations keep what others have made` {
    private let fixture = MigrationFixture()
    private static let title = AttributeDescription("title", .string)
    private static let note = AttributeDescription("note", .string)

    private func page(_ attributes: AttributeDescription...) -> [EntityDescription] {
        [fixture.entity("Page", attributes)]
    }

    /// Pages that are in turn copied, altered and only indexed.
    private func make(_ statements: String) throws {
        try fixture.make(
            page(Self.title, Self.note), [("Page", ["title": "one", "note": "first"])])
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        try connection.execute(statements)
        try connection.close()
    }

    private func expectRefusal(
        _ entities: [EntityDescription], _ kind: String, _ name: String, _ problem: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try fixture.files()
        let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
            try fixture.open(entities) { _ in }
        }
        #expect(
            error?.reason == .foreignObject(kind: kind, name: name, problem: problem),
            sourceLocation: sourceLocation)
        #expect(error?.code == 134110, sourceLocation: sourceLocation)
        #expect(try fixture.files() == before, sourceLocation: sourceLocation)
    }

    private static let parts = """
        CREATE INDEX "the titles" ON ZPAGE (ZTITLE);
        CREATE TABLE log (text);
        CREATE TRIGGER noteTitles AFTER UPDATE ON ZPAGE BEGIN INSERT INTO log VALUES (NEW.ZTITLE); END;
        CREATE TRIGGER noteLog AFTER INSERT ON log BEGIN UPDATE ZPAGE SET Z_OPT = Z_OPT WHERE 0; END;
        CREATE VIEW titles AS SELECT ZTITLE FROM ZPAGE;
        """

    static let changes: [(name: String, attributes: [AttributeDescription])] = [
        ("copied", [title]), ("altered", [title, note, AttributeDescription("size", .double)]),
        (
            "filled",
            [title, AttributeDescription("note", .string, isOptional: false, defaultValue: "-")]
        ),
    ]

    @Test(arguments: changes.indices)
    func `indexes, triggers and views that still work are kept (§9.2.21)`(_ index: Int) throws {
        try make(Self.parts)
        let query = """
            SELECT type, name, tbl_name, sql FROM sqlite_schema \
            WHERE name NOT LIKE 'Z%' AND name NOT LIKE 'sqlite%' ORDER BY name
            """
        let before = try fixture.sql(query)
        #expect(before.count == 5)
        let later = [fixture.entity("Page", Self.changes[index].attributes)]
        try fixture.open(later) { context in
            try context.insertObject(entityName: "Page").setValue("two", forKey: "title")
            try context.save()
        }
        #expect(try fixture.sql(query) == before)
        // The triggers did not run for the rows of the migration, and do for those of saves.
        #expect(try fixture.sql("SELECT count(*) FROM log") == ["0"])
        try fixture.open(later) { context in
            for page in try context.fetch(
                FetchRequest(entityName: "Page"), as: ManagedObject.self)
            {
                try page.setValue("three", forKey: "title")
            }
            try context.save()
        }
        #expect(try fixture.sql("SELECT * FROM log") == ["three", "three"])
        #expect(try fixture.sql("SELECT * FROM titles") == ["three", "three"])
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `one that would no longer work is refused by name (§9.2.21)`() throws {
        try make("CREATE INDEX notes ON ZPAGE (ZNOTE)")
        try expectRefusal(page(Self.title), "index", "notes", "no such column: ZNOTE")
    }

    @Test func `a trigger that names a lost column is refused (§9.2.21)`() throws {
        try make(
            "CREATE TABLE log (text); CREATE TRIGGER noteAll AFTER DELETE ON ZPAGE BEGIN INSERT INTO log VALUES (OLD.ZNOTE); END"
        )
        try expectRefusal(page(Self.title), "trigger", "noteAll", "no such column: OLD.ZNOTE")
    }

    @Test func `a trigger on another table is looked at too (§9.2.21)`() throws {
        try make(
            "CREATE TABLE log (text); CREATE TRIGGER fromLog AFTER INSERT ON log BEGIN UPDATE ZPAGE SET ZNOTE = NEW.text; END"
        )
        try expectRefusal(page(Self.title), "trigger", "fromLog", "no such column: ZNOTE")
    }

    @Test func `a view of a lost table is refused (§9.2.21)`() throws {
        try make("CREATE VIEW notes AS SELECT ZNOTE FROM ZPAGE")
        try expectRefusal(
            [fixture.entity("Sheet", was: "Page", [Self.title])], "view", "notes",
            "no such table: main.ZPAGE")
    }

    @Test func `one that did not work before stays as it is (§9.2.21)`() throws {
        try make(
            """
            CREATE VIEW odd AS SELECT onlyTheAppHasThis(ZNOTE) FROM ZPAGE;
            CREATE TRIGGER odder AFTER INSERT ON ZPAGE BEGIN SELECT onlyTheAppHasThis(NEW.ZNOTE); END;
            """)
        try fixture.open(page(Self.title)) { _ in }
        #expect(
            try fixture.sql(
                "SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY 1")
                == ["odd", "odder"])
    }

    @Test func `those of a removed entity go with its table (§9.2.21)`() throws {
        try fixture.make([
            fixture.entity("Book", [Self.title]), fixture.entity("Page", [Self.title]),
        ])
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        try connection.execute(
            "CREATE INDEX books ON ZBOOK (ZTITLE); CREATE TRIGGER b AFTER INSERT ON ZBOOK BEGIN SELECT 1; END"
        )
        try connection.close()
        try fixture.open(page(Self.title)) { _ in }
        #expect(
            try fixture.sql("SELECT name FROM sqlite_schema WHERE name IN ('books', 'b')") == [])
    }

    @Test func `columns that no model knows keep their values (§9.2.22)`() throws {
        try make(
            """
            ALTER TABLE ZPAGE ADD COLUMN ZCOLOUR VARCHAR; ALTER TABLE ZPAGE ADD COLUMN "odd name" BLOB;
            UPDATE ZPAGE SET ZCOLOUR = 'red', "odd name" = x'00FF'
            """)
        try fixture.open(page(Self.title)) { _ in }
        #expect(
            try fixture.sql("SELECT ZTITLE, ZCOLOUR, hex(\"odd name\") FROM ZPAGE")
                == ["one red 00FF"])
        // The model's own column takes the place of one with its name.
        try fixture.open(page(Self.title, AttributeDescription("colour", .string))) { _ in }
        #expect(
            try fixture.sql("SELECT ZTITLE, ZCOLOUR, hex(\"odd name\") FROM ZPAGE")
                == ["one NULL 00FF"])
    }

    @Test func `a constraint of the table ends with that of the model (§9.2.9)`() throws {
        func model(_ unique: [[String]], _ more: AttributeDescription...) -> [EntityDescription] {
            [fixture.entity("Page", [Self.title] + more, unique: unique)]
        }
        try fixture.make(model([["title"]]), [("Page", ["title": "one"])])
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        // As old versions of Core Data made it.
        try connection.execute(
            """
            DROP TABLE ZPAGE;
            CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, UNIQUE (ZTITLE));
            INSERT INTO ZPAGE VALUES (1, 1, 1, 'one');
            """)
        try connection.close()
        // A table that does not change keeps it.
        #expect(
            try fixture.statements(
                model([["title"]]) + [fixture.entity("Book", [Self.title])]) == [
                    "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR)"
                ])
        try fixture.open(model([], Self.note)) { context in
            try context.insertObject(entityName: "Page").setValue("one", forKey: "title")
            try context.save()
        }
        #expect(try fixture.sql("SELECT ZTITLE FROM ZPAGE") == ["one", "one"])
        #expect(
            try fixture.sql("SELECT sql FROM sqlite_schema WHERE name = 'ZPAGE'") == [
                "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZNOTE VARCHAR)"
            ])
    }
}
