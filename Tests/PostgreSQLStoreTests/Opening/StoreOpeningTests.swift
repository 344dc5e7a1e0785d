#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Opening stores in PostgreSQL (§11.8)` {
    let schema = TestSchema()
    let library: ManagedObjectModel

    init() throws { library = try makeLibraryModel() }

    @Test func `a missing schema is made with the tables of the model (§11.8.1)`() throws {
        try schema.store(library).close()
        let tables = try schema.texts(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(schema.name)' ORDER BY 1")
        #expect(
            tables == [
                "z_2topics", "z_metadata", "z_modelcache", "z_primarykey", "zauthor",
                "zpublication", "zspecimen",
                "ztopic",
            ])
    }

    /// SQL would count bytes in place of characters.
    @Test func `a database with another encoding is refused`() throws {
        let server = try #require(TestServer.url)
        let link = try Link(LinkSettings(server, schema: schema.name))
        try link.execute(
            "CREATE DATABASE \(schema.name) ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        defer { try? link.execute("DROP DATABASE \(schema.name) WITH (FORCE)") }
        var parts = try #require(
            URLComponents(url: server, resolvingAgainstBaseURL: false))
        parts.path = "/\(schema.name)"
        let url = try #require(parts.url)
        let reason = storeError {
            _ = try PostgreSQLStore(.postgreSQL(url), model: library, debug: DebugOptions())
        }
        #expect(
            reason
                == .unsupported("a database with the encoding SQL_ASCII, not ENCODING 'UTF8'"))
    }

    @Test func `several open a new store at once, and one makes it (§11.8.2)`() async throws {
        let (schema, library) = (schema, library)
        let identifiers = try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let store = try schema.store(library)
                    try store.close()
                    return store.identifier
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(identifiers.count == 1)
    }

    @Test func `the identifier and the program's metadata last (§11.8.3)`() throws {
        let coordinator = try schema.coordinator(library)
        let handle = coordinator.persistentStores[0]
        try coordinator.setMetadata(["answer": .integer(42)], for: handle)
        let context = coordinator.context()
        try context.performAndWait { try context.save() }
        try coordinator.removePersistentStore(handle)

        let again = try schema.coordinator(library)
        let metadata = try again.metadata(for: again.persistentStores[0])
        #expect(metadata.identifier == handle.identifier)
        #expect(metadata.type == .postgreSQL)
        #expect(metadata.values == ["answer": .integer(42)])
        #expect(metadata.versionHashes == library.entityVersionHashesByName)
        try again.removePersistentStore(again.persistentStores[0])
    }

    @Test func `a store of another model is refused, and stays as it is (§11.8.4)`() throws {
        try schema.store(library).close()
        let other = try ManagedObjectModel(entities: [
            EntityDescription(name: "Author", attributes: [AttributeDescription("age", .integer16)])
        ])
        let reason = storeError { _ = try schema.store(other) }
        guard case .incompatibleModel(let entities) = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
        #expect(entities.contains("Author"))
        try schema.store(library).close()
    }

    @Test(
        arguments: [
            (
                "ALTER TABLE zauthor DROP COLUMN zname",
                .missingColumn(
                    "zname", table: "zauthor", entity: "Author", property: "name")
            ),
            (
                "ALTER TABLE zauthor ALTER zbirthyear TYPE integer",
                .incompatibleSchema(
                    "the column zauthor.zbirthyear has the type int4 instead of int8")
            ),
            (
                "ALTER TABLE zauthor ALTER zname TYPE text COLLATE \"default\"",
                .incompatibleSchema(
                    "the column zauthor.zname has the type text default instead of text C")
            ),
            (
                "DROP TABLE ztopic CASCADE",
                .missingTable("ztopic", entity: "Topic", property: nil)
            ),
            (
                "DROP TABLE z_2topics",
                .missingTable("z_2topics", entity: "Publication", property: "topics")
            ),
            ("DROP TABLE z_primarykey", .incompatibleSchema("no table z_primarykey")),
            (
                "DELETE FROM z_metadata",
                .incompatibleSchema("z_metadata has no row with an identifier")
            ),
            ("DELETE FROM z_primarykey WHERE z_name = 'Book'", .missingEntity("Book")),
            (
                "DROP TABLE z_metadata",
                .incompatibleSchema("it has a table zauthor, but no table z_metadata")
            ),
        ] as [(String, StoreError.Reason)])
    func `tables that are not as the model needs them are errors (§11.8.5)`(
        _ change: String, _ reason: StoreError.Reason
    ) throws {
        try schema.store(library).close()
        try schema.run(change)
        #expect(storeError { _ = try schema.store(library) } == reason)
    }

    @Test func `tables of other programs stay beside the store's (§11.8.5)`() throws {
        try schema.run(
            """
            CREATE SCHEMA \(schema.name); CREATE TABLE \(schema.name).other (a int);
            INSERT INTO \(schema.name).other VALUES (1)
            """)
        try schema.store(library).close()
        #expect(try schema.texts("SELECT a::text FROM other") == ["1"])
    }

    @Test func `a store for reading makes and writes nothing (§11.8.6)`() throws {
        let reason = storeError { _ = try schema.store(library) { $0.isReadOnly = true } }
        #expect(reason == .incompatibleSchema("no table z_metadata"))
        #expect(
            try schema.texts(
                "SELECT nspname::text FROM pg_namespace WHERE nspname = '\(schema.name)'"
            ).isEmpty)

        try schema.store(library).close()
        let coordinator = try schema.coordinator(library) { $0.isReadOnly = true }
        let context = coordinator.context()
        context.performAndWait {
            Author(context: context).name = "Homer"
            #expect(storeError { try context.save() } == .readOnly)
        }
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
    }

    @Test func `a configuration's entities have tables, and others none (§11.8.7)`() throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(name: "A", attributes: [AttributeDescription("x", .string)]),
                EntityDescription(name: "B", attributes: [AttributeDescription("y", .string)]),
            ], configurations: ["second": ["B"]])
        try schema.store(model) { $0.configuration = "second" }.close()
        let tables = try schema.texts(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(schema.name)' ORDER BY 1")
        #expect(tables == ["z_metadata", "z_modelcache", "z_primarykey", "zb"])

        // Another entity gives this one another number in the model, but not in the store.
        let larger = try ManagedObjectModel(
            entities: [
                EntityDescription(name: "A", attributes: [AttributeDescription("x", .string)]),
                EntityDescription(name: "AA"),
                EntityDescription(name: "B", attributes: [AttributeDescription("y", .string)]),
            ], configurations: ["second": ["B"]])
        let store = try schema.store(larger) { $0.configuration = "second" }
        #expect(store.layout.number(of: larger.entity(named: "B")!) == 2)
        try store.close()
    }

    @Test func `derived attributes, other indexes and migrations are refused (§11.8.8)`() throws {
        let derived = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "A",
                attributes: [
                    AttributeDescription("x", .string),
                    AttributeDescription("y", .string, derivation: "lowercase:(x)"),
                ])
        ])
        let coordinator = PersistentStoreCoordinator(model: derived)
        #expect(
            storeError { try coordinator.addPersistentStore(schema.description) }
                == .cannotDerive(entity: "A", attribute: "y"))

        let indexed = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "A", attributes: [AttributeDescription("x", .string)],
                indexes: [.fullText("words", on: "x")])
        ])
        #expect(
            storeError { _ = try schema.store(indexed) }
                == .unsupported("the full-text or R-tree index A.words"))
        #expect(
            try schema.texts(
                "SELECT nspname::text FROM pg_namespace WHERE nspname = '\(schema.name)'"
            ).isEmpty)
    }

    @Test func `a store is destroyed, and tables of others are not (§11.8.27)`() throws {
        try schema.store(library) { $0.tracksHistory = true }.close()
        try schema.run("CREATE TABLE other (a int); CREATE TABLE zebra (z_pk bigint)")
        try PersistentStoreCoordinator.destroyPersistentStore(schema.description)
        let tables = try schema.texts(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(schema.name)' ORDER BY 1")
        #expect(tables == ["other", "zebra"])
        try schema.store(library).close()
    }

    @Test func `a store that others build on is not destroyed (§11.8.27)`() throws {
        try schema.store(library).close()
        try schema.run("CREATE VIEW names AS SELECT zname FROM zauthor")
        let error = try postgreSQLError {
            try PersistentStoreCoordinator.destroyPersistentStore(schema.description)
        }
        #expect(error.kind == .dependentObjects)
        #expect(error.description.contains("view names depends on table zauthor"))
        try schema.store(library).close()
    }

    @Test func `tables and views of others with the columns of rows are not destroyed (§11.8.27)`()
        throws
    {
        try schema.store(library).close()
        try schema.run(
            """
            CREATE TABLE mine (z_pk bigint, z_ent bigint, z_opt bigint);
            CREATE TABLE z_9mine (a bigint);
            CREATE VIEW old AS SELECT 1 AS z_pk, 2 AS z_ent, 3 AS z_opt
            """)
        try PersistentStoreCoordinator.destroyPersistentStore(schema.description)
        let names = try schema.texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = '\(schema.name)'::regnamespace ORDER BY 1
            """)
        #expect(names == ["mine", "old", "z_9mine"])
    }

    @Test(arguments: [
        ("ALTER TABLE ztopic DROP CONSTRAINT ztopic_pkey", "ztopic has no unique index on (z_pk)"),
        (
            "DROP INDEX z_topic_unique_name", "ztopic has no unique index on (zname)"
        ),
        (
            // It has the column, but not in its key.
            """
            DROP INDEX z_topic_unique_name; CREATE UNIQUE INDEX ON ztopic (z_ent, z_opt) INCLUDE (zname);
            DELETE FROM ztopic
            """, "ztopic has no unique index on (zname)"
        ),
    ])
    func `a table without a unique index of the store is refused (§11.8.5)`(
        _ script: String, _ message: String
    ) throws {
        try schema.store(library).close()
        try schema.run(script)
        let error = #expect(throws: StoreError.self) { try schema.store(library) }
        #expect(error?.description.contains(message) == true)
        #expect(error?.description.contains("CREATE UNIQUE INDEX ON ztopic") == true)
    }

    @Test(.onDirectServer)
    func `a store has no history and no generations of a foreign table (§11.8.23)`() throws {
        try schema.store(library).close()
        try schema.run(
            """
            CREATE FOREIGN DATA WRAPPER \(schema.name);
            CREATE SERVER \(schema.name) FOREIGN DATA WRAPPER \(schema.name);
            ALTER TABLE ztopic RENAME TO old;
            CREATE FOREIGN TABLE ztopic (
            z_pk bigint, z_ent bigint, z_opt bigint, zname text COLLATE "C") SERVER \(schema.name)
            """)
        defer { try? schema.run("DROP FOREIGN DATA WRAPPER \(schema.name) CASCADE") }
        let store = try schema.store(library)
        #expect(
            storeError { _ = try store.pinned() }
                == .unsupported("a generation of the foreign table ztopic"))
        #expect(
            storeError { _ = try schema.store(library) { $0.tracksHistory = true } }
                == .unsupported("a history of the foreign table ztopic"))
    }

    @Test func `a role without USAGE on the schema is told so (§11.8.9)`() throws {
        try schema.store(library).close()
        let role = "r" + schema.name
        try schema.run("CREATE ROLE \(role) LOGIN")
        defer { try? schema.run("DROP ROLE \(role)") }
        var parts = try #require(
            TestServer.url.flatMap { URLComponents(string: $0.absoluteString) })
        parts.queryItems = parts.queryItems?.map {
            $0.name == "user" ? URLQueryItem(name: "user", value: role) : $0
        }
        let description = PersistentStoreDescription.postgreSQL(
            try #require(parts.url), schema: schema.name)
        let error = try postgreSQLError {
            _ = try PostgreSQLStore(description, model: library, debug: DebugOptions())
        }
        #expect(error.kind == .permissionDenied)
        #expect(error.description.contains("the role \(role) has no USAGE on the schema"))
    }

    @Test func `a standby is read, and refused for writing (§11.8.9)`() throws {
        let server = try OwnServer()
        func store(_ server: OwnServer, isReadOnly: Bool) throws -> PostgreSQLStore {
            var description = PersistentStoreDescription.postgreSQL(server.url, schema: "library")
            description.isReadOnly = isReadOnly
            return try PostgreSQLStore(description, model: library, debug: DebugOptions())
        }
        try store(server, isReadOnly: false).close()
        let standby = try server.standby()
        try store(standby, isReadOnly: true).close()
        let error = try postgreSQLError { _ = try store(standby, isReadOnly: false) }
        #expect(error.kind == .readOnly)
        #expect(error.description.contains("the server is a standby"))
    }

    @Test func `no error and no description shows the password (§11.8.9)`() throws {
        let url = URL(string: "postgresql://ann:hush%21@localhost:1/books?sslmode=disable")!
        let description = PersistentStoreDescription.postgreSQL(url, schema: "mine")
        #expect(description.url?.absoluteString == "postgresql://ann@localhost:1/books#mine")
        var texts = ["\(description)", String(reflecting: description)]
        let coordinator = PersistentStoreCoordinator(model: library)
        do {
            try coordinator.addPersistentStore(description)
            Issue.record("nothing listens on this port")
        } catch { texts += ["\(error)", String(reflecting: error)] }
        var dump = ""
        Swift.dump(description, to: &dump)
        for text in texts + [dump] { #expect(!text.contains("hush")) }
    }
}
#endif
