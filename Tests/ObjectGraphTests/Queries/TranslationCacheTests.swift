import Synchronization
import Testing

@testable import ObjectGraph

@Suite struct `Statements of requests asked for again` {
    let cache = TranslationCache()

    /// Whether the request had to be translated.
    func translates(_ request: FetchRequest) throws -> Bool {
        let count = Atomic(0)
        let translation = try cache.translation(of: request) { () throws(FetchError) in
            count.add(1, ordering: .relaxed)
            return try Self.translate(request)
        }
        let expected = try Self.translate(request)
        #expect(translation.sql == expected.sql)
        #expect(translation.bindings == expected.bindings)
        return count.load(ordering: .relaxed) == 1
    }

    static func translate(_ request: FetchRequest) throws(FetchError) -> FetchTranslation {
        try FetchTranslation(
            request, entity: QueryFixture.entity(request.entityName), model: QueryFixture.model,
            selection: .columns("t0.Z_PK"))
    }

    func flights(limit: Int) -> FetchRequest {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("tail")])
        request.fetchLimit = limit
        return request
    }

    @Test func `the same list is translated once`() throws {
        #expect(try translates(flights(limit: 20)))
        #expect(try !translates(flights(limit: 20)))
    }

    @Test func `another limit, entity or order is another statement`() throws {
        #expect(try translates(flights(limit: 20)))
        #expect(try translates(flights(limit: 21)))
        #expect(try translates(FetchRequest(entityName: "Flight")))
        #expect(
            try translates(
                FetchRequest(entityName: "Flight", sortKeys: [.descending("tail")])))
    }

    @Test func `a request with a predicate is not kept`() throws {
        var request = flights(limit: 20)
        request.predicate = try ObjectPredicate("distance > 40")
        #expect(try translates(request))
        #expect(try translates(request))
    }

    @Test func `of many requests those asked for first are forgotten`() throws {
        for limit in 1...17 { _ = try translates(flights(limit: limit)) }
        #expect(try !translates(flights(limit: 17)))
        #expect(try !translates(flights(limit: 2)))
        #expect(try translates(flights(limit: 1)))
    }
}
