#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer, .timeLimit(.minutes(5)))
struct `Remote changes in PostgreSQL (§11.8)` {
    let schema = TestSchema()
    let listener: PersistentStoreCoordinator

    init() throws {
        listener = try schema.coordinator(makeLibraryModel()) { $0.postsRemoteChanges = true }
    }

    static func insert(_ name: String, _ coordinator: PersistentStoreCoordinator) throws {
        let context = coordinator.context()
        try context.performAndWait {
            Author(context: context).name = name
            try context.save()
        }
    }

    @Test func `a save of the coordinator and of another one is posted (§11.8.24)`() async throws {
        let writer = try schema.coordinator(listener.model)
        var changes = RemoteChanges(of: listener)
        try Self.insert("Homer", listener)
        try await changes.wait(untilAuthorCount: 1)
        try Self.insert("Lem", writer)
        let change = try await changes.wait(untilAuthorCount: 2)
        #expect(change.store == listener.persistentStores[0])
    }

    @Test func `a save of another process is posted (§11.8.24)`() async throws {
        var changes = RemoteChanges(of: listener)
        async let process = #expect(processExitsWith: .success) {
            [name = schema.name as String] in
            var description = PersistentStoreDescription.postgreSQL(TestServer.url!, schema: name)
            description.maximumReaderCount = 1
            let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
            try coordinator.addPersistentStore(description)
            try RemoteChangeTests.insert("Lem", coordinator)
        }
        try await changes.wait(untilAuthorCount: 1)
        _ = await process
    }

    @Test func `a listener whose connection is lost opens another one (§11.8.25)`() async throws {
        var changes = RemoteChanges(of: listener)
        try schema.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE query LIKE 'LISTEN%\(listener.postgreSQL.identifier.lowercased())%'
            """)
        try await changes.wait(untilAuthorCount: 0)
        try Self.insert("Lem", try schema.coordinator(listener.model))
        try await changes.wait(untilAuthorCount: 1)
    }

    @Test func `nothing is posted after the store was removed (§11.8.24)`() async throws {
        let store = listener.postgreSQL
        let observation = store.observeCommits { _ in Issue.record("posted") }
        try listener.removePersistentStore(listener.persistentStores[0])
        try Self.insert("Lem", try schema.coordinator(listener.model))
        withExtendedLifetime(observation) {}
    }
}

private typealias RemoteChangeTests = `Remote changes in PostgreSQL (§11.8)`

/// The remote changes of a coordinator from now on.
private struct RemoteChanges {
    private typealias Delivery = (change: RemoteChange, authorCount: Int?)

    private var deliveries: AsyncStream<Delivery>.Iterator
    private let observation: Observation

    init(of coordinator: PersistentStoreCoordinator) {
        let (stream, continuation) = AsyncStream<Delivery>.makeStream()
        deliveries = stream.makeAsyncIterator()
        observation = coordinator.observe { [weak coordinator] notification in
            guard case .remoteChange(let change) = notification, let coordinator else { return }
            let context = coordinator.context()
            let count = try? context.performAndWait { try Author.count(in: context) }
            continuation.yield((change, count))
        }
    }

    @discardableResult
    mutating func wait(untilAuthorCount count: Int) async throws -> RemoteChange {
        while let delivery = await deliveries.next() {
            if delivery.authorCount == count { return delivery.change }
        }
        throw CancellationError()
    }
}
#endif
