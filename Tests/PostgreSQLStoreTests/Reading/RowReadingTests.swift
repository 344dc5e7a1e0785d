#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Rows in PostgreSQL (§11.8)` {
    let schema = TestSchema()
    let coordinator: PersistentStoreCoordinator

    init() throws { coordinator = try schema.coordinator(makeLibraryModel()) }

    private func fetch(_ entityName: String) throws -> [RowReference] {
        try coordinator.postgreSQL.fetchRows(
            FetchRequest(entityName: entityName),
            entity: coordinator.model.entity(named: entityName)!, ReadOptions()
        ).map { $0 }.sorted { $0.key < $1.key }
    }

    @Test func `every attribute type comes back as it was (§11.8.10)`() throws {
        let values: [[String: AttributeValue]] = [
            [
                "integer16": .integer(-32768), "integer32": .integer(-2_147_483_648),
                "integer64": .integer(.min), "decimal": .decimal(Decimal(string: "-0.1")!),
                "double": .double(-.greatestFiniteMagnitude), "float": .double(1.5),
                "string": .string(""), "boolean": .boolean(false), "date": .date(.distantPast),
                "data": .data(Data()),
                "uuid": .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000000")!),
                "uri": .uri(URL(string: "a:b")!),
            ],
            [
                "integer16": .integer(32767), "integer32": .integer(2_147_483_647),
                "integer64": .integer(.max),
                "decimal": .decimal(Decimal(string: "123456789012345")!),
                "double": .double(.leastNonzeroMagnitude), "float": .double(-0.0),
                "string": .string("Ünïcode \u{10FFFF} e\u{301} '\"\\ \n\t"),
                "boolean": .boolean(true), "date": .date(.distantFuture),
                "data": .data(Data((0...255).map { UInt8($0) } + Data(count: 1 << 20))),
                "uuid": .uuid(UUID()), "uri": .uri(URL(string: "https://example.org/ä")!),
            ],
            ["double": .double(.infinity), "float": .double(-.infinity)],
        ]
        let entity = coordinator.model.entity(named: "Specimen")!
        let context = coordinator.context()
        let ids = try context.performAndWait {
            let specimens = values.map { values in
                let specimen = Specimen(context: context)
                for (key, value) in values {
                    specimen.setAttribute(value, at: entity.property(named: key)!.index)
                }
                return specimen
            }
            try context.save()
            return specimens.map(\.objectID)
        }
        for (id, values) in zip(ids, values) {
            let row = try #require(
                try coordinator.postgreSQL.row(id.reference, entity: entity, ReadOptions()))
            for property in entity.properties {
                let stored = try row.value(of: property, in: entity.layout)
                #expect(stored == values[property.name] ?? .null, "\(property.name)")
            }
        }
    }

    @Test func `a row is read as its own entity (§11.8.11)`() throws {
        try schema.run(
            """
            INSERT INTO zpublication (z_pk, z_ent, z_opt, ztitle, zpagecount, zissue) VALUES
            (1, 3, 1, 'a book', 300, NULL), (2, 4, 7, 'a magazine', NULL, 5)
            """)
        let rows = try fetch("Publication").map { ($0.key, $0.version, $0.entityIndex) }
        #expect(rows.map(\.0) == [1, 2])
        #expect(rows.map(\.1) == [1, 7])
        #expect(
            rows.map(\.2)
                == ["Book", "Magazine"].map { coordinator.model.entity(named: $0)!.index })
        #expect(try fetch("Magazine").map(\.key) == [2])
        let book = coordinator.model.entity(named: "Book")!
        let store = coordinator.postgreSQL
        #expect(try store.row(1, entity: book, ReadOptions())?.key == 1)
        #expect(try store.row(2, entity: book, ReadOptions()) == nil)
        #expect(Set(try store.rows([2, 3, 1, 1], entity: book).map(\.key)) == [1, 2])
        let request = FetchRequest(entityName: "Publication", sortKeys: [.descending("title")])
        let keys = try store.fetchKeys(
            request, entity: coordinator.model.entity(named: "Publication")!, progress: nil)
        #expect(keys.map(\.key) == [2, 1])
    }

    @Test(arguments: [
        "z_ent = NULL", "z_ent = 1", "z_ent = 99", "z_ent = -3", "z_pk = -1",
        "z_pk = -9223372036854775808",
    ])
    func `damaged keys and entity numbers are errors (§11.8.12)`(_ change: String) throws {
        try schema.run(
            """
            INSERT INTO zpublication (z_pk, z_ent, z_opt, ztitle) VALUES (1, 3, 1, 'a book');
            ALTER TABLE zpublication ALTER z_ent DROP NOT NULL;
            UPDATE zpublication SET \(change)
            """)
        let reason = storeError { _ = try fetch("Publication") }
        guard case .damagedValue = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
    }

    @Test func `a column whose type was changed meanwhile is an error (§11.8.12)`() throws {
        try schema.run(
            """
            INSERT INTO zauthor (z_pk, z_ent, z_opt, zname, zbirthyear) VALUES (1, 1, 1, 'x', 5);
            ALTER TABLE zauthor ALTER zbirthyear TYPE integer
            """)
        let reason = storeError { _ = try fetch("Author") }
        guard case .damagedValue = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
    }

    @Test(.onDirectServer) func `a fetch is one round trip, and so is a row (§11.8.13)`() throws {
        try schema.run(
            """
            INSERT INTO zauthor (z_pk, z_ent, z_opt, zname)
            SELECT n, 1, 1, 'author ' || n FROM generate_series(1, 1000) n
            """)
        let store = coordinator.postgreSQL
        let author = coordinator.model.entity(named: "Author")!
        func roundTrips(_ body: () throws -> Void) throws -> Int {
            store.resetStatistics()
            try body()
            return store.statistics.roundTrips
        }
        #expect(try roundTrips { _ = try fetch("Author") } == 1)
        #expect(store.statistics.rowsRead == 1000)
        #expect(
            try roundTrips {
                _ = try store.row(5, entity: author, ReadOptions(keepsSnapshot: true))
            } == 1)
        #expect(try roundTrips { _ = try store.rows(Array(1...900), entity: author) } == 1)
        #expect(store.statistics.rowsRead == 900)
        #expect(
            try roundTrips {
                _ = try store.count(FetchRequest(entityName: "Author"), entity: author)
            } == 1)
    }

    @Test func `a cancelled fetch ends on the server (§11.8.14)`() throws {
        try schema.run(
            """
            INSERT INTO zauthor (z_pk, z_ent, z_opt, zname)
            SELECT n, 1, 1, 'author' FROM generate_series(1, 3000) n;
            CREATE FUNCTION slow(bigint) RETURNS bigint LANGUAGE sql VOLATILE
            AS 'SELECT $1 FROM (SELECT pg_sleep(0.1)) s';
            ALTER TABLE zauthor RENAME TO authors;
            CREATE VIEW zauthor AS
            SELECT slow(z_pk) AS z_pk, z_ent, z_opt, zname, zbirthyear FROM authors
            """)
        let progress = FetchProgress()
        let store = coordinator.postgreSQL
        let author = coordinator.model.entity(named: "Author")!
        // A thread of its own: blocked tasks could keep the one that cancels from running.
        Thread.detachNewThread {
            usleep(50_000)
            progress.cancel()
        }
        let error = storeError {
            _ = try store.fetchRows(
                FetchRequest(entityName: "Author"), entity: author, ReadOptions(progress: progress))
        }
        #expect(error == .cancelled)
        // The link that was cancelled goes on.
        #expect(try self.fetch("Topic").count == 0)
    }
}
#endif
