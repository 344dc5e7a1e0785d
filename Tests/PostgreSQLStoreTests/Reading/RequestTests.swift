#if PostgreSQL
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Requests in PostgreSQL (§11.8)` {
    let schema = TestSchema()
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext

    /// Authors `Ann 0` … with three books each; every fourth is called `Åsa`.
    init() throws {
        coordinator = try schema.coordinator(makeLibraryModel())
        let context = coordinator.context()
        self.context = context
        try context.performAndWait {
            let topic = Topic(context: context)
            topic.name = "Odd"
            for number in 0..<20 {
                let author = Author(context: context)
                author.name = "\(number.isMultiple(of: 4) ? "Åsa" : "Ann") \(number)"
                author.birthYear = number < 10 ? 1900 + number : nil
                for place in 0..<3 {
                    let book = Book(context: context)
                    book.title = "Book \(number).\(place)"
                    book.loanCount = number * place
                    book.rating = Double(place) / 2
                    book.author = author
                    if !place.isMultiple(of: 2) { book.topics = [topic] }
                }
            }
            try context.save()
        }
    }

    private func names(_ format: String) throws -> [String] {
        let request = FetchRequest(
            entityName: "Author", predicate: try ObjectPredicate(format),
            sortKeys: [.ascending("birthYear"), .descending("name")])
        return try context.performAndWait {
            try context.fetch(request, as: Author.self).map(\.name)
        }
    }

    @Test func `SQL sorts with nulls first, and texts by their bytes (§11.8.18)`() throws {
        let names = try names("birthYear == nil OR birthYear > 1907")
        #expect(
            names == [
                "Åsa 16", "Åsa 12", "Ann 19", "Ann 18", "Ann 17", "Ann 15", "Ann 14", "Ann 13",
                "Ann 11", "Ann 10", "Åsa 8", "Ann 9",
            ])
    }

    @Test func `dictionaries have groups, aggregates and objects (§11.8.18)`() throws {
        var request = FetchRequest(entityName: "Book", sortKeys: [.descending("total")])
        request.propertiesToFetch = [
            "author.name",
            FetchedProperty(name: "total", expression: .function("sum:", [.keyPath("loanCount")])),
            FetchedProperty(name: "mean", expression: .function("average:", [.keyPath("rating")])),
            FetchedProperty(name: "count", expression: .function("count:", [.evaluatedObject])),
            FetchedProperty(name: "last", expression: .function("max:", [.keyPath("title")])),
        ]
        request.propertiesToGroupBy = ["author.name"]
        request.havingPredicate = try ObjectPredicate("$total > 54")
        let found = try context.performAndWait { [request] in
            try context.fetchDictionaries(request)
        }
        #expect(
            found == [
                [
                    "author.name": "Ann 19", "total": 57, "mean": .double(0.5), "count": 3,
                    "last": "Book 19.2",
                ]
            ])

        var objects = FetchRequest(
            entityName: "Book", predicate: try ObjectPredicate("title == 'Book 3.1'"))
        objects.propertiesToFetch = [
            FetchedProperty(name: "book", expression: .evaluatedObject, resultType: .objectID),
            "author", "rating",
        ]
        let rows = try context.performAndWait { [objects] in
            try context.fetchDictionaries(objects)
        }
        guard case .objectID(let book)? = rows.first?["book"],
            case .objectID(let author)? = rows.first?["author"]
        else {
            Issue.record("\(rows)")
            return
        }
        #expect(book.entityName == "Book")
        #expect(author.entityName == "Author")
        #expect(rows.first?["rating"] == .double(0.5))
    }

    @Test(arguments: [
        "name CONTAINS[cd] 'asa'", "name LIKE[c] 'a?? 1*'", "name MATCHES '.*[02468]'",
        "name ==[c] 'åsa 4'", "ANY publications.title ENDSWITH[c] 'OK 7.1'",
        "birthYear > 1903 AND name BEGINSWITH[d] 'Asa'",
        "SUBQUERY(publications, $p, $p.title MATCHES '.*[.]1').@count == 1",
    ])
    func `what SQL cannot say is evaluated in memory (§11.8.19)`(_ format: String) throws {
        let found = try names(format)
        #expect(!found.isEmpty)
        #expect(found.count < 21)
        let predicate = try ObjectPredicate(format)
        let all = try context.performAndWait {
            try Array(Author.all(in: context)).filter(predicate).map(\.name)
        }
        #expect(Set(found) == Set(all))
    }

    @Test(.onDirectServer)
    func `terms that SQL can state select the rows to be evaluated (§11.8.19)`() throws {
        let store = coordinator.postgreSQL
        store.resetStatistics()
        #expect(try names("birthYear > 1905 AND name MATCHES '.*'").count == 4)
        #expect(store.statistics.rowsRead == 4)
        store.resetStatistics()
        #expect(try names("name MATCHES '.*'").count == 20)
        #expect(store.statistics.rowsRead == 20)
    }

    @Test func `a value that the server cannot compute is evaluated in memory (§11.8.19)`() throws {
        try schema.run("UPDATE zpublication SET zloancount = 9223372036854775807 WHERE z_pk = 1")
        let request = FetchRequest(
            entityName: "Book", predicate: try ObjectPredicate("loanCount + 1 == 2"))
        let store = coordinator.postgreSQL
        let entity = coordinator.model.entity(named: "Book")!
        #expect(try store.count(request, entity: entity) == 1)
    }

    /// No double holds 2⁵³ + 1, and PostgreSQL would compare it as 2⁵³.
    @Test(arguments: [
        ("loanCount == rating", 0), ("loanCount > rating", 60), ("rating >= loanCount", 0),
        ("loanCount == 9007199254740992.0", 0), ("loanCount IN {9007199254740992.0}", 0),
    ])
    func `numbers are compared exactly (§11.8.19)`(_ format: String, _ count: Int) throws {
        try schema.run(
            "UPDATE zpublication SET zloancount = 9007199254740993, zrating = 9007199254740992")
        let request = FetchRequest(entityName: "Book", predicate: try ObjectPredicate(format))
        let entity = coordinator.model.entity(named: "Book")!
        #expect(try coordinator.postgreSQL.count(request, entity: entity) == count)
    }

    @Test func `a sum of opposite infinities is nil (§11.8.18)`() throws {
        try schema.run(
            """
            UPDATE zpublication SET zrating =
            CASE right(ztitle, 1) WHEN '0' THEN float8 'infinity' WHEN '1' THEN '-infinity' ELSE 0 END
            """)
        var request = FetchRequest(entityName: "Book")
        request.propertiesToFetch = [
            "author.name",
            FetchedProperty(name: "total", expression: .function("sum:", [.keyPath("rating")])),
            FetchedProperty(name: "mean", expression: .function("average:", [.keyPath("rating")])),
        ]
        request.propertiesToGroupBy = ["author.name"]
        request.havingPredicate = try ObjectPredicate("$total == nil AND $mean == nil")
        let fresh = coordinator.context()
        let found = try fresh.performAndWait { [request] in try fresh.fetchDictionaries(request) }
        #expect(found.count == 20)
    }

    @Test(.onDirectServer) func `an evaluation sees one state (§11.8.19)`() throws {
        let store = coordinator.postgreSQL
        store.resetStatistics()
        let entity = coordinator.model.entity(named: "Author")!
        let request = FetchRequest(
            entityName: "Author",
            predicate: try ObjectPredicate("ANY publications.topics.name MATCHES 'O.*'"))
        #expect(throws: FetchError.self) { _ = try store.count(request, entity: entity) }
        let single = FetchRequest(
            entityName: "Book", predicate: try ObjectPredicate("ANY topics.name MATCHES 'O.*'"))
        #expect(
            try store.count(single, entity: coordinator.model.entity(named: "Book")!) == 20)
        let statements = store.statistics.statementsRun
        #expect(statements == 5, "begin, books, topics, pairs, rollback")
    }

    @Test func `counts, limits and offsets (§11.8.18)`() throws {
        var request = FetchRequest(entityName: "Author", sortKeys: [.ascending("birthYear")])
        request.fetchOffset = 8
        request.fetchLimit = 5
        try context.performAndWait { [request] in
            #expect(try context.count(for: request) == 5)
            let pages = try stride(from: 0, to: 20, by: 5).flatMap { offset in
                var page = request
                page.fetchOffset = offset
                return try context.fetch(page, as: Author.self).map(\.name)
            }
            // Equal keys have an order too, so that pages neither overlap nor leave gaps.
            #expect(Set(pages).count == 20)
        }
    }

    @Test func `batches read identities once, and rows by the batch (§11.8.18)`() throws {
        var request = FetchRequest(entityName: "Author", sortKeys: [.ascending("name")])
        request.fetchBatchSize = 5
        let fresh = coordinator.context()
        try fresh.performAndWait { [request] in
            coordinator.postgreSQL.resetStatistics()
            let authors = try fresh.fetch(request, as: Author.self)
            #expect(authors.count == 20)
            for author in authors { _ = author.name }
            #expect(coordinator.postgreSQL.statistics.roundTrips == 5)
        }
    }

    @Test func `an explanation has the server's plan (§11.8.20)`() throws {
        let plain = FetchRequest(
            entityName: "Author", predicate: try ObjectPredicate("birthYear > 1905"))
        let folded = FetchRequest(
            entityName: "Author",
            predicate: try ObjectPredicate("birthYear > 1905 AND name MATCHES '.*'"))
        try context.performAndWait {
            let explanation = try #require(try context.explain(plain).first)
            #expect(explanation.sql.hasPrefix("SELECT "))
            #expect(explanation.bindings == [.integer(1905)])
            #expect(explanation.plan.contains { $0.contains("Scan") })
            let evaluated = try #require(try context.explain(folded).first)
            #expect(evaluated.bindings == [.integer(1905)])
            #expect(evaluated.warnings.first == .evaluatedInMemory)
        }
    }

    @Test(arguments: [("title", false), ("year", true)], ["", "title == 'x'"])
    func `a warning tells of an index that is missing, not of a table that is small (§11.8.20)`(
        _ attribute: (key: String, isSlow: Bool), _ format: String
    ) throws {
        let request = FetchRequest(
            entityName: "Publication",
            predicate: format.isEmpty ? nil : try ObjectPredicate(format),
            sortKeys: [.ascending(attribute.key)])
        let explanation = try context.performAndWait { try context.explain(request).first }
        let warnings = try #require(explanation).warnings
        #expect(warnings.count == (attribute.isSlow ? 1 : 0), "\(explanation!)")
        for warning in warnings {
            guard case .unindexedSort(let step) = warning else {
                Issue.record("\(warning)"); return
            }
            #expect(step.hasPrefix("Sort  ("))
        }
    }

    @Test(.onDirectServer) func `statements are observed (§11.8.21)`() throws {
        let observed = ObservedStatements()
        let coordinator = try schema.coordinator(coordinator.model) {
            $0.statementObserver = { sql, _ in observed.add(sql) }
        }
        let context = coordinator.context()
        try context.performAndWait {
            _ = try context.fetch(FetchRequest(entityName: "Topic"), as: Topic.self)
        }
        #expect(observed.all.last?.contains("FROM ZTOPIC t0") == true)
    }
}

private final class ObservedStatements: Sendable {
    private let statements = Mutex<[String]>([])
    var all: [String] { statements.withLock { $0 } }
    func add(_ sql: String) { statements.withLock { $0.append(sql) } }
}
#endif
