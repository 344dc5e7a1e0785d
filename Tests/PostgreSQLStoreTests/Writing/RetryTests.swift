#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Transactions that the server gives up` {
    private static let uniqueTag = EntityDescription(
        name: "Tag", attributes: [AttributeDescription("title", .string)],
        uniquenessConstraints: [["title"]])

    let fixture: WritingFixture
    let store: PostgreSQLStore
    let coordinator: PersistentStoreCoordinator
    let entity: Entity

    init() throws {
        fixture = try WritingFixture(
            EntityDescription(name: "Work", attributes: [AttributeDescription("title", .string)]))
        coordinator = try fixture.coordinator()
        store = coordinator.postgreSQL
        entity = fixture.model.entity(named: "Work")!
        try store.save(
            SavePlan(rows: (1...2).map { .make(.insert, entity, key: $0, text: "a") }),
            from: ChangeOrigin(), beforeCommit: nil)
    }

    private func plan() -> SavePlan {
        SavePlan(rows: (1...2).map { .make(.update, entity, key: $0, previous: 1, text: "b") })
    }

    /// Makes the next updates fail so many times.
    private func fail(_ count: Int, state: String) throws {
        try fixture.schema.link().execute(
            """
            CREATE SEQUENCE attempts;
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('attempts') <= \(count) THEN RAISE EXCEPTION USING ERRCODE = '\(state)'; END IF;
            RETURN NEW; END $$;
            CREATE TRIGGER fail BEFORE UPDATE ON zwork FOR EACH STATEMENT EXECUTE FUNCTION fail()
            """)
    }

    @Test(arguments: ["40001", "40P01"])
    func `a serialization failure or deadlock is tried again (§11.8.32)`(state: String) throws {
        try fail(3, state: state)
        try store.save(plan(), from: ChangeOrigin(), beforeCommit: nil)
        #expect(try fixture.schema.texts("SELECT last_value FROM attempts") == ["4"])
        #expect(try fixture.schema.texts("SELECT DISTINCT ztitle FROM zwork") == ["b"])
    }

    @Test func `one that persists is an error, and nothing is written`() throws {
        try fail(1000, state: "40001")
        let error = #expect(throws: PostgreSQLError.self) {
            try store.save(plan(), from: ChangeOrigin(), beforeCommit: nil)
        }
        #expect(error?.kind == .serializationFailure)
        #expect(try fixture.schema.texts("SELECT DISTINCT ztitle FROM zwork") == ["a"])
    }

    @Test func `a real deadlock is settled by another attempt`() throws {
        let other = try fixture.schema.link()
        // The save notices the deadlock first.
        try other.execute(
            "SET deadlock_timeout = '1min'; BEGIN; UPDATE zwork SET ztitle = 'c' WHERE z_pk = 2")
        let (store, plan) = (store, plan())
        let finished = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var result: Result<Void, any Error>?
        Thread.detachNewThread {
            result = Result {
                try store.save(plan, from: ChangeOrigin(), beforeCommit: nil)
            }
            finished.signal()
        }
        try fixture.schema.waitForWaiter(in: "zwork")
        try other.execute("UPDATE zwork SET ztitle = 'c' WHERE z_pk = 1; COMMIT")
        finished.wait()
        try result?.get()
        #expect(
            try fixture.schema.texts("SELECT ztitle || z_opt FROM zwork ORDER BY z_pk") == [
                "b2", "b2",
            ])
    }

    @Test func `rows are locked in the order of their keys before any is written (§11.8.32)`()
        throws
    {
        let (first, second) = (try fixture.schema.link(), try fixture.schema.link())
        try first.execute("BEGIN; SELECT 1 FROM zwork WHERE z_pk = 1 FOR UPDATE")
        // Deletions are written last.
        let plan = SavePlan(rows: [
            .make(.update, entity, key: 2, previous: 1, text: "b"),
            .make(.delete, entity, key: 1, previous: 1),
        ])
        let (store, finished) = (store, DispatchSemaphore(value: 0))
        nonisolated(unsafe) var result: Result<Void, any Error>?
        Thread.detachNewThread {
            result = Result { try store.save(plan, from: ChangeOrigin(), beforeCommit: nil) }
            finished.signal()
        }
        try fixture.schema.waitForWaiter(in: "zwork")
        try second.execute(
            "BEGIN; SELECT 1 FROM zwork WHERE z_pk = 2 FOR UPDATE NOWAIT; ROLLBACK")
        try first.execute("COMMIT")
        finished.wait()
        try result?.get()
        #expect(try fixture.schema.texts("SELECT ztitle FROM zwork") == ["b"])
    }

    @Test
    func `a batch insert with a constraint is tried again, and its source is read once (§11.8.32)`()
        throws
    {
        let fixture = try WritingFixture(Self.uniqueTag)
        let store = try fixture.coordinator().postgreSQL
        try fixture.schema.link().execute(
            """
            CREATE SEQUENCE attempts;
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('attempts') <= 3 THEN RAISE EXCEPTION USING ERRCODE = '40P01'; END IF;
            RETURN NEW; END $$;
            CREATE TRIGGER fail AFTER INSERT ON ztag FOR EACH STATEMENT EXECUTE FUNCTION fail()
            """)
        let sourceReads = Counter()
        let request = BatchInsertRequest(entityName: "Tag") { row in
            let number = sourceReads.next()
            try row.set(.string("tag \(number % 2000)"), forKey: "title")
            return number > 3000
        }
        let outcome = try store.execute(
            request, entity: fixture.model.entity(named: "Tag")!, collisions: .update,
            resultType: .objectIDs, from: ChangeOrigin())
        #expect(sourceReads.value == 3002)
        #expect(try fixture.schema.texts("SELECT count(*) FROM ztag") == ["2000"])
        #expect(outcome.inserted.count == 2000)
    }

    @Test func `a batch insert that fails while its source is read is not read on (§11.8.32)`()
        throws
    {
        let fixture = try WritingFixture(Self.uniqueTag)
        let store = try fixture.coordinator().postgreSQL
        let sourceReads = Counter()
        let request = BatchInsertRequest(entityName: "Tag") { row in
            let number = sourceReads.next()
            // As if the keys of the next block could not be reserved.
            if number == 3 { throw PostgreSQLError(.deadlock, "deadlock detected") }
            try row.set(.string("tag \(number)"), forKey: "title")
            return number > 5
        }
        let error = #expect(throws: PostgreSQLError.self) {
            try store.execute(
                request, entity: fixture.model.entity(named: "Tag")!, collisions: .update,
                resultType: .count, from: ChangeOrigin())
        }
        #expect(error?.kind == .deadlock && sourceReads.value == 4)
        #expect(try fixture.schema.texts("SELECT count(*) FROM ztag") == ["0"])
    }

    @Test func `what may not run twice is not tried again (§11.8.32)`() throws {
        try fail(1, state: "40001")
        let sourceReads = Counter()
        let request = BatchInsertRequest(entityName: "Work") { row in
            try row.set(.string("x"), forKey: "title")
            return sourceReads.next() > 3
        }
        try fixture.schema.link().execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON zwork FOR EACH STATEMENT EXECUTE FUNCTION fail()"
        )
        let error = #expect(throws: PostgreSQLError.self) {
            try store.execute(
                request, entity: entity, collisions: .fail, resultType: .count,
                from: ChangeOrigin())
        }
        #expect(error?.kind == .serializationFailure)
        #expect(try fixture.schema.texts("SELECT count(*) FROM zwork") == ["2"])
    }
}
#endif
