#if PostgreSQL
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `A connection lost during a save` {
    private func makeFixture() throws -> WritingFixture {
        try WritingFixture(
            EntityDescription(
                name: "Thing", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("tags", "Tag", inverse: "things")]),
            EntityDescription(
                name: "Tag", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("things", "Thing", inverse: "tags")],
                uniquenessConstraints: [["name"]]))
    }

    private func contents(_ fixture: WritingFixture) throws -> [String] {
        try fixture.schema.texts(
            """
            SELECT string_agg(zname || z_opt, ' ' ORDER BY zname) FROM zthing UNION ALL \
            SELECT string_agg(zname || z_opt, ' ' ORDER BY zname) FROM ztag
            """)
    }

    /// Makes a store, and in a context changes that a save writes in both tables.
    private func prepare(_ context: ManagedObjectContext) throws {
        let things = try (0..<3).map { try context.insert("Thing", ["name": "thing\($0)-"]) }
        let tags = try (0..<2).map { try context.insert("Tag", ["name": "tag\($0)-"]) }
        try things[0].setValue(Set(tags), forKey: "tags")
        try context.save()
        try things[0].setValue("changed-", forKey: "name")
        try things[1].setValue(Set(tags), forKey: "tags")
        // The tags swap their names, which takes a second attempt.
        try tags[0].setValue("tag1-", forKey: "name")
        try tags[1].setValue("tag0-", forKey: "name")
        context.delete(things[2])
        try context.insert("Thing", ["name": "new-"])
    }

    private static let before = ["thing0-1 thing1-1 thing2-1", "tag0-1 tag1-1"]
    private static let after = ["changed-2 new-1 thing1-2", "tag0-2 tag1-2"]

    @Test(arguments: [true, false])
    func `at each round trip, the save is there or not, as it says (§11.8.33)`(isAnswerLost: Bool)
        throws
    {
        for number in 1... {
            let fixture = try makeFixture()
            let proxy = try FaultProxy(to: TestServer.url!)
            let context = try fixture.context(through: proxy.url(of: TestServer.url!))
            let isDone = try context.performAndWait {
                try prepare(context)
                proxy.arm(isAnswerLost ? .after(number) : .before(number))
                let result = Result { try context.save() }
                let hasHappened = proxy.hasHappened
                proxy.arm(nil)
                switch result {
                case .success: #expect(try contents(fixture) == Self.after, "\(number)")
                case .failure(let error):
                    #expect((error as? PostgreSQLError)?.kind == .connectionLost, "\(error)")
                    #expect(try contents(fixture) == Self.before, "\(number)")
                    try context.save()
                    #expect(try contents(fixture) == Self.after, "\(number)")
                }
                return !hasHappened
            }
            if isDone {
                #expect(number > 2)
                return
            }
        }
    }

    @Test func `an idle connection that the server has ended does not fail a save`() throws {
        let fixture = try makeFixture()
        let context = try fixture.context()
        try context.performAndWait {
            try prepare(context)
            let processID = try context.coordinator.postgreSQL.pool.read { $0.processID }
            _ = try fixture.schema.link().run(
                Command("SELECT pg_terminate_backend(\(processID), 10000)"))
            try context.save()
        }
        #expect(try contents(fixture) == Self.after)
    }

    @Test func `a session that ends before the commit leaves nothing`() throws {
        let fixture = try makeFixture()
        let coordinator = try fixture.coordinator()
        let store = coordinator.postgreSQL
        let entity = fixture.model.entity(named: "Thing")!
        let error = #expect(throws: PostgreSQLError.self) {
            try store.save(
                SavePlan(rows: [.make(.insert, entity, key: 1, text: "a")]), from: ChangeOrigin()
            ) {
                _ = try fixture.schema.link().run(
                    Command(
                        """
                        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity \
                        WHERE state = 'idle in transaction' AND pid IN (\
                        SELECT pid FROM pg_locks WHERE relation = 'zthing'::regclass)
                        """))
            }
        }
        #expect(error?.kind == .connectionLost, "\(String(describing: error))")
        #expect(try fixture.schema.texts("SELECT count(*) FROM zthing") == ["0"])
        try store.save(
            SavePlan(rows: [.make(.insert, entity, key: 1, text: "a")]), from: ChangeOrigin(),
            beforeCommit: nil)
    }

    @Test func `a server that crashes keeps what it has acknowledged (§11.8.34)`() throws {
        let server = try OwnServer(isDurable: true)
        let model = try makeFixture().model
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addPersistentStore(.postgreSQL(server.url, schema: "crash"))
        let context = coordinator.context()
        let settings = try LinkSettings(server.url, schema: "crash")
        for round in 1...3 {
            try context.performAndWait {
                try context.insert("Tag", ["name": "\(round)"])
                try context.save()
                try context.insert("Thing", ["name": "\(round)"])
            }
            try server.kill()
            try server.start()
            try context.performAndWait { try context.save() }
            let link = try Link(settings)
            #expect(try link.integer("SELECT count(*) FROM ztag") == Int64(round))
            #expect(try link.integer("SELECT count(*) FROM zthing") == Int64(round))
        }
    }
}
#endif
