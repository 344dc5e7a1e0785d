#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onDirectServer) struct `Generations in PostgreSQL (§11.8)` {
    let schema = TestSchema()
    let coordinator: PersistentStoreCoordinator

    init() throws {
        coordinator = try schema.coordinator(makeLibraryModel())
        try insert("Homer")
    }

    private func insert(_ name: String) throws {
        let context = coordinator.context()
        try context.performAndWait {
            Author(context: context).name = name
            try context.save()
        }
    }

    private func names(_ context: ManagedObjectContext, _ format: String = "TRUEPREDICATE") throws
        -> [String]
    {
        let request = FetchRequest(
            entityName: "Author", predicate: try ObjectPredicate(format),
            sortKeys: [.ascending("name")])
        return try context.performAndWait {
            try context.fetch(request, as: Author.self).map(\.name)
        }
    }

    private func pinned() throws -> ManagedObjectContext {
        let context = coordinator.context()
        try context.performAndWait { try context.setQueryGeneration(from: .current) }
        _ = try names(context)
        return context
    }

    @Test func `a pinned context reads its state, whatever others write (§11.8.22)`() throws {
        let first = try pinned()
        try insert("Lem")
        try schema.run("UPDATE zauthor SET zname = 'Homeros' WHERE zname = 'Homer'")
        // It has read nothing yet.
        let context = coordinator.context()
        let token = first.performAndWait { first.queryGenerationToken }
        try context.performAndWait { try context.setQueryGeneration(from: token) }
        #expect(try names(context) == ["Homer"])
        #expect(try names(context, "name MATCHES 'H.*'") == ["Homer"])
        #expect(try names(coordinator.context()) == ["Homeros", "Lem"])
    }

    @Test func `a generation reads on several connections, each in one round trip (§11.8.22)`()
        async throws
    {
        let store = coordinator.postgreSQL
        let pinned = try #require(try store.pinned() as? PostgreSQLStore)
        try insert("Lem")
        let entity = coordinator.model.entity(named: "Author")!
        let request = FetchRequest(entityName: "Author")
        store.resetStatistics()
        #expect(try pinned.count(request, entity: entity) == 1)
        #expect(store.statistics.roundTrips == 1)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { try pinned.count(request, entity: entity) }
            }
            for try await count in group { #expect(count == 1) }
        }
    }

    @Test func `a read that fails does not end a generation (§11.8.22)`() throws {
        let pinned = try #require(try coordinator.postgreSQL.pinned())
        try insert("Lem")
        let entity = coordinator.model.entity(named: "Author")!
        let progress = FetchProgress()
        progress.cancel()
        #expect(
            storeError {
                _ = try pinned.fetchRows(
                    FetchRequest(entityName: "Author"), entity: entity,
                    ReadOptions(progress: progress))
            } == .cancelled)
        #expect(try pinned.count(FetchRequest(entityName: "Author"), entity: entity) == 1)
    }

    @Test func `there are so many generations, and each ends with its last user (§11.8.23)`() throws
    {
        let store = coordinator.postgreSQL
        var pinned: [any PersistentStore] = []
        let limit = LinkPool.maximumPinnedCount
        let reason = storeError {
            for _ in 0...limit { pinned.append(try #require(try store.pinned())) }
        }
        #expect(reason == .tooManyGenerations(limit: limit))
        #expect(pinned.count == limit)
        pinned.removeLast()
        pinned.append(try #require(try store.pinned()))
        pinned = []
        #expect(
            try schema.texts(
                """
                SELECT pid::text FROM pg_stat_activity
                WHERE state = 'idle in transaction' AND query LIKE '%\(schema.name)%'
                """
            ).isEmpty)
    }

    @Test func `any number of generations can follow each other (§11.8.23)`() throws {
        // More than a connection keeps prepared statements.
        for _ in 0..<600 { _ = try pinned() }
        #expect(try names(coordinator.context()) == ["Homer"])
    }

    @Test func `the server ends a generation that nobody reads (§11.8.23)`() throws {
        let generation = try Generation(
            coordinator.postgreSQL.pool, url: nil, idleLimit: .milliseconds(20))
        let process = try generation.link.use { $0.processID }
        while try !schema.texts("SELECT 1 FROM pg_stat_activity WHERE pid = \(process)").isEmpty {}
        #expect(storeError { _ = try generation.beginning() } == .generationUnavailable)
    }

    @Test(arguments: [(Duration.seconds(3600), 0), (.zero, 1)])
    func `reading a generation tells the server now and then that it is used (§11.8.23)`(
        _ idleLimit: Duration, _ count: Int
    ) throws {
        let pool = coordinator.postgreSQL.pool
        let generation = try Generation(pool, url: nil, idleLimit: idleLimit)
        pool.resetStatistics()
        _ = try generation.beginning()
        #expect(pool.statistics.roundTripCount == count)
    }

    @Test func `a generation whose connection is lost cannot be read any more (§11.8.23)`() throws {
        let pinned = try #require(try coordinator.postgreSQL.pinned() as? PostgreSQLStore)
        let generation = try #require(pinned.generation)
        let process = try generation.link.use { $0.processID }
        // Waits until the process has ended.
        #expect(
            try schema.texts("SELECT pg_terminate_backend(\(process), 60000)::text") == ["true"])
        let entity = coordinator.model.entity(named: "Author")!
        #expect(
            storeError {
                _ = try pinned.count(FetchRequest(entityName: "Author"), entity: entity)
            } == .generationUnavailable)
    }
}
#endif
