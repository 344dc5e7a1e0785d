import Foundation
import Synchronization
import Testing

@testable import ObjectGraph

@Suite struct `Statements of requests asked for again` {
    let cache = TranslationCache()

    /// Whether the request had to be translated.
    func translates(
        _ request: FetchRequest, layout: StoreLayout = QueryFixture.layout
    ) throws -> Bool {
        let count = Atomic(0)
        let entity = layout.model.entity(named: request.entityName)!
        func translate() throws(FetchError) -> FetchTranslation {
            try FetchTranslation(
                request, entity: entity, layout: layout, selection: .columns("t0.Z_PK"))
        }
        let translation = try cache.translation(of: request, entity: entity) {
            () throws(FetchError) in
            count.add(1, ordering: .relaxed)
            return try translate()
        }
        let expected = try translate()
        #expect(translation.sql == expected.sql)
        #expect(translation.bindings == expected.bindings)
        return count.load(ordering: .relaxed) == 1
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

    @Test func `another entity or order is another statement`() throws {
        #expect(try translates(flights(limit: 20)))
        #expect(try translates(FetchRequest(entityName: "Flight")))
        #expect(
            try translates(
                FetchRequest(entityName: "Flight", sortKeys: [.descending("tail")])))
        var places = FetchRequest(entityName: "Place")
        #expect(try translates(places))
        places.includesSubentities = false
        #expect(try translates(places))
    }

    @Test func `the same rows in batches or as faults are the same statement`() throws {
        var request = flights(limit: 20)
        #expect(try translates(request))
        request.fetchBatchSize = 5
        request.returnsObjectsAsFaults = false
        #expect(try !translates(request))
    }

    @Test func `another page is the same statement, but not one without a limit or an offset`()
        throws
    {
        var page = flights(limit: 20)
        #expect(try translates(page))
        page.fetchLimit = 30
        #expect(try !translates(page))
        page.fetchOffset = 30
        #expect(try translates(page))
        page.fetchOffset = 60
        #expect(try !translates(page))
        page.fetchLimit = 0
        #expect(try translates(page))
    }

    func flights(where format: String) throws -> FetchRequest {
        var request = flights(limit: 20)
        request.predicate = try ObjectPredicate(format)
        return request
    }

    @Test(arguments: [
        (first: "distance > 40", second: "distance > -70000"),
        (first: "tail == 'N1'", second: "tail == ''"),
        (
            first: "seats <= 3 AND NOT (tail == 'N1' OR distance != 4)",
            second: "seats <= 9 AND NOT (tail == 'é' OR distance != 9)"
        ),
        (first: "delay > 4.5", second: "delay > -0.25"),
        (first: "isLate == YES", second: "isLate == NO"),
        (first: "isLate != NO AND delay <= 1.5", second: "isLate != YES AND delay <= 0.5"),
        (first: "tail BEGINSWITH 'N'", second: "tail BEGINSWITH 'Zü'"),
        (first: "tail BEGINSWITH[cn] 'n'", second: "tail BEGINSWITH[cn] 'E\u{301}'"),
        (
            first: "seats > 3 AND tail BEGINSWITH 'N' AND delay > 2.5",
            second: "seats > 4 AND tail BEGINSWITH 'D-' AND delay > 1.5"
        ),
    ])
    func `with other numbers and strings it is the same statement`(
        first: String, second: String
    ) throws {
        #expect(try translates(flights(where: first)))
        #expect(try !translates(flights(where: second)))
        // The table holds several entities, so the entity is bound before all constants.
        var field = FetchRequest(entityName: "Field", predicate: try ObjectPredicate("runways > 1"))
        #expect(try translates(field))
        field.predicate = try ObjectPredicate("runways > 2")
        #expect(try !translates(field))
    }

    @Test func `with other dates it is the same statement`() throws {
        func departing(after seconds: Double) throws -> FetchRequest {
            var request = flights(limit: 20)
            request.predicate = try ObjectPredicate(
                "departure >= %@", Date(timeIntervalSinceReferenceDate: seconds))
            return request
        }
        #expect(try translates(departing(after: 4)))
        #expect(try !translates(departing(after: -70_000.5)))
        #expect(try translates(departing(after: .infinity)))
    }

    @Test func `with another prefix that a folded index serves it is the same statement`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Contact", attributes: [AttributeDescription("name", .string)],
                indexes: [
                    FetchIndexDescription(
                        "name",
                        elements: [.init("name", folding: .caseAndDiacriticInsensitive)])
                ])
        ])
        let layout = StoreLayout(model, storeIdentifier: "S")
        func names(_ prefix: String) throws -> FetchRequest {
            FetchRequest(
                entityName: "Contact",
                predicate: try ObjectPredicate("name BEGINSWITH[cd] %@", prefix))
        }
        #expect(try translates(names("Ma"), layout: layout))
        #expect(try !translates(names("ÉT"), layout: layout))
        #expect(try translates(names(""), layout: layout))
    }

    @Test(arguments: [
        (first: "distance > 40", second: "distance >= 40"),
        (first: "distance > 40", second: "seats > 40"),
        (first: "distance > 40", second: "distance > 40.5"),
        (first: "distance > 40", second: "distance > 40 AND seats > 3"),
        (first: "tail == 'N1'", second: "tail == nil"),
        (first: "tail == 'N1'", second: "tail ==[c] 'N1'"),
        (first: "tail == 'N'", second: "tail BEGINSWITH 'N'"),
        (first: "tail BEGINSWITH 'N'", second: "tail BEGINSWITH[c] 'N'"),
        (first: "seats > 3 AND distance > 40", second: "seats > 3 OR distance > 40"),
    ])
    func `another comparison is another statement`(first: String, second: String) throws {
        #expect(try translates(flights(where: first)))
        #expect(try translates(flights(where: second)))
    }

    @Test(arguments: [
        "tail BEGINSWITH ''", "NOT tail BEGINSWITH 'N'", "tail BEGINSWITH[c] 'N'",
        "tail ENDSWITH 'N'", "tail ==[c] 'N1'", "delay > 4", "isLate == 1", "airline.name == 'A'",
        "crew.@count > 0", "ANY crew.name == 'A'", "distance IN {1, 2}", "40 < distance",
        "distance == nil", "TRUEPREDICATE",
    ])
    func `nothing else is kept, since its SQL may depend on its constants`(format: String) throws {
        #expect(try translates(flights(where: format)))
        #expect(try translates(flights(where: format)))
    }

    @Test func `nor are many constants, or an order with some of its own`() throws {
        var request = FetchRequest(entityName: "Flight")
        request.predicate = .or(try (0..<17).map { try ObjectPredicate("distance == \($0)") })
        #expect(try translates(request))
        #expect(try translates(request))
        request = try flights(where: "distance > 1")
        request.sortKeys = [
            SortKey(.function("add:to:", [.keyPath("distance"), .constant(.integer(1))]))
        ]
        #expect(try translates(request))
        #expect(try translates(request))
    }

    @Test func `of many requests those asked for first are forgotten`() throws {
        let requests = ["distance", "seats"].flatMap { name in
            (0...8).map {
                FetchRequest(
                    entityName: "Flight",
                    sortKeys: Array(repeating: .ascending(name), count: $0 + 1))
            }
        }
        for request in requests[...16] { #expect(try translates(request)) }
        #expect(try !translates(requests[16]))
        #expect(try !translates(requests[1]))
        #expect(try translates(requests[0]))
    }
}
