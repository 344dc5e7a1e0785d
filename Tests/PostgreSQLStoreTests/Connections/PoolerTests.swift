#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

// All tests of the store also run through PgBouncer: TEST_POOLED=transaction, or session.
@Suite(.onPooler) struct `Through PgBouncer (§11.8.48)` {
    let schema = TestSchema()

    private func description(
        _ url: URL, schema: String
    ) -> PersistentStoreDescription {
        var description = PersistentStoreDescription.postgreSQL(url, schema: schema)
        description.timeout = .seconds(20)
        return description
    }

    private func coordinator(
        _ url: URL, schema: String
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        try coordinator.addPersistentStore(description(url, schema: schema))
        return coordinator
    }

    @Test(arguments: ["transaction", "session"])
    func `a store that does not know of the pooler is refused, since the pooler ignores its schema`(
        _ pool: String
    ) throws {
        var parts = try #require(
            TestServer.poolerURL.flatMap { URLComponents(string: $0.absoluteString) })
        parts.path = "/" + pool
        let url = try #require(parts.url)
        let error = try postgreSQLError { _ = try coordinator(url, schema: schema.name) }
        #expect(error.kind == .settingsIgnored)
        #expect(error.description.contains("pooling=transaction"))
    }

    @Test(arguments: ["transaction", "session"])
    func `two tenants that share sessions each see their own rows`(_ pool: String) throws {
        let url = try #require(TestServer.pooledURL(pool))
        let others = TestSchema()
        let stores = try [schema, others].map { try coordinator(url, schema: $0.name) }
        for number in 0..<20 {
            for (tenant, store) in stores.enumerated() {
                let context = store.context()
                try context.performAndWait {
                    Author(context: context).name = "tenant \(tenant), \(number)"
                    try context.save()
                }
            }
        }
        for (tenant, store) in stores.enumerated() {
            let context = store.context()
            let names = try context.performAndWait {
                try context.fetch(FetchRequest(entityName: "Author"), as: Author.self).map(\.name)
            }
            #expect(names.count == 20)
            #expect(names.allSatisfy { $0.hasPrefix("tenant \(tenant),") })
        }
    }

    @Test func `generations are refused by name`() throws {
        let store = try coordinator(
            #require(TestServer.pooledURL("transaction")), schema: schema.name
        ).postgreSQL
        #expect(
            storeError { _ = try store.pinned() }
                == .unsupported("a generation through a pooler that shares sessions"))
    }

    @Test func `remote changes come past the pooler, or are refused by name`() async throws {
        let pooled = try #require(TestServer.pooledURL("transaction"))
        var parts = try #require(URLComponents(string: pooled.absoluteString))
        parts.queryItems?.removeAll { $0.name == "direct" }
        var without = description(try #require(parts.url), schema: schema.name)
        without.postsRemoteChanges = true
        let reason = storeError {
            _ = try PostgreSQLStore(without, model: makeLibraryModel(), debug: DebugOptions())
        }
        guard case .unsupported(let text)? = reason else {
            Issue.record("\(reason as Any)"); return
        }
        #expect(text.contains("direct="))

        var with = description(pooled, schema: schema.name)
        with.postsRemoteChanges = true
        let listening = try PostgreSQLStore(
            with, model: makeLibraryModel(), debug: DebugOptions())
        let (events, continuation) = AsyncStream.makeStream(of: Void.self)
        let observation = listening.observeCommits { _ in continuation.yield() }
        let writer = try coordinator(pooled, schema: schema.name).context()
        try writer.performAndWait {
            Author(context: writer).name = "Homer"
            try writer.save()
        }
        for await _ in events { break }
        observation.cancel()
        try listening.close()
    }

    @Test(arguments: [
        "pooling=statement", "direct=", "pooling=transaction&options=-c%20statement_timeout%3D1",
    ])
    func `a parameter that has no effect is refused`(_ parameter: String) throws {
        let url = try #require(URL(string: "postgresql:///books?\(parameter)"))
        #expect(try postgreSQLError { _ = try LinkSettings(url) }.kind == .invalidURL)
    }
}
#endif
