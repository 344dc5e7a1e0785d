import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

// The columns of the fixture's rows, in the order of the properties.
private let authorRow = "t0.ZBIRTHYEAR, t0.ZNAME, t0.Z_OPT, t0.Z_PK"
private let topicRow = "t0.ZNAME, t0.Z_OPT, t0.Z_PK"
private let publicationValues =
    "t0.ZAUTHOR, t0.ZRATING, t0.ZLOANCOUNT, t0.ZYEAR, t0.ZTITLE"
private let bookRow = "t0.ZPAGECOUNT, \(publicationValues), t0.Z_OPT, t0.Z_PK"
private let magazineRow = "t0.ZISSUE, \(publicationValues), t0.Z_OPT, t0.Z_PK"
private let anyPublicationRow =
    "t0.ZISSUE, t0.ZPAGECOUNT, \(publicationValues), t0.Z_ENT, t0.Z_OPT, t0.Z_PK"

/// A request and its statements, each followed by an arrow and its bindings.
struct FetchShape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let resultType: FetchResultType
    let entity: String
    let statements: [String]
    let change: @Sendable (inout FetchRequest) throws -> Void

    init(
        _ name: String, _ resultType: FetchResultType, of entity: String, _ statements: [String],
        _ change: @escaping @Sendable (inout FetchRequest) throws -> Void = { _ in }
    ) {
        testDescription = name
        self.resultType = resultType
        self.entity = entity
        self.statements = statements
        self.change = change
    }
}

@Suite struct `Statements of fetches (§3.6, §3.7)` {
    private static let fixture = Result { try FetchFixture() }

    // Serialized: the tests share the fixture, whose recorder gets every statement.
    @Test(.serialized, arguments: FetchShape.all)
    func `a request runs these (§3.7.1, §3.7.2, §3.7.5, §3.7.10, §3.7.12)`(
        shape: FetchShape
    ) throws {
        let fixture = try Self.fixture.get()
        let context = fixture.context()
        try context.performAndWait {
            var request = FetchRequest(entityName: shape.entity)
            try shape.change(&request)
            let statements = try fixture.recorder.statements {
                switch shape.resultType {
                case .managedObject: _ = Array(try context.fetch(request, as: ManagedObject.self))
                case .managedObjectID: _ = try context.fetchObjectIDs(request)
                case .dictionary: _ = try context.fetchDictionaries(request)
                case .count: _ = try context.count(for: request)
                }
            }
            #expect(statements == shape.statements)
        }
    }

    @Test func `requests of one shape share a statement, whatever they compare with`() throws {
        let fixture = try FetchFixture()
        let context = fixture.context()
        let store = fixture.coordinator.records[0].store
        let before = store.statistics
        try context.performAndWait {
            for number in 0..<1_000 {
                let request = FetchRequest(
                    entityName: "Author",
                    predicate: try ObjectPredicate(
                        "birthYear > %d AND name BEGINSWITH %@", number, "Author \(number)"))
                _ = try context.fetchObjectIDs(request)
            }
        }
        #expect(store.statistics.statementsRun - before.statementsRun == 1_000)
        #expect(store.statistics.statementsPrepared - before.statementsPrepared == 1)
    }

    @Test func `the explanation tells the statement that is run first`() throws {
        let fixture = try FetchFixture()
        let context = fixture.context()
        try context.performAndWait {
            for shape in FetchShape.all {
                var request = FetchRequest(entityName: shape.entity)
                try shape.change(&request)
                let explanation = try context.explain(request, resultType: shape.resultType)[0]
                let values = explanation.bindings.map {
                    ObjectExpression.constant($0).predicateFormat
                }
                #expect(
                    explanation.sql == shape.statements[0].components(separatedBy: " ← ")[0],
                    "\(shape.testDescription)")
                #expect(
                    values.joined(separator: ", ").replacing("\"", with: "'")
                        == shape.statements[0].components(separatedBy: " ← ").dropFirst().joined(),
                    "\(shape.testDescription)")
            }
        }
    }
}

extension FetchShape {
    static let all = results + predicates + relationships

    /// The kind of result, its order and its page.
    private static let results = [
        FetchShape(
            "all objects", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0"
            ]),
        FetchShape(
            "in an order", .managedObject, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZNAME"
            ]
        ) {
            $0.sortKeys = [.ascending("name")]
        },
        FetchShape(
            "in a descending order", .managedObject, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZNAME DESC"
            ]
        ) {
            $0.sortKeys = [.descending("name")]
        },
        FetchShape(
            "by two keys", .managedObject, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR DESC, t0.ZNAME"
            ]
        ) {
            $0.sortKeys = [.descending("birthYear"), .ascending("name")]
        },
        FetchShape(
            "by letters", .managedObject, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZNAME COLLATE OGCaseInsensitive"
            ]
        ) {
            $0.sortKeys = [SortKey("name", comparison: .caseInsensitive)]
        },
        FetchShape(
            "as people sort", .managedObject, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZNAME COLLATE OGLocalizedStandard DESC"
            ]
        ) {
            $0.sortKeys = [SortKey("name", ascending: false, comparison: .localizedStandard)]
        },
        FetchShape(
            "the first ones", .managedObject, of: "Author",
            [
                "SELECT OGRow(\(authorRow)) FROM ZAUTHOR t0 LIMIT ? ← 3"
            ]
        ) {
            $0.fetchLimit = 3
        },
        FetchShape(
            "all but the first", .managedObject, of: "Author",
            [
                "SELECT OGRow(\(authorRow)) FROM ZAUTHOR t0 LIMIT -1 OFFSET ? ← 18"
            ]
        ) {
            $0.fetchOffset = 18
        },
        FetchShape(
            "a page", .managedObject, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR LIMIT ? OFFSET ? ← 2, 4"
            ]
        ) {
            $0.sortKeys = [.ascending("birthYear")]
            ($0.fetchOffset, $0.fetchLimit) = (4, 2)
        },
        FetchShape(
            "without values", .managedObject, of: "Author",
            [
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR t0"
            ]
        ) {
            $0.includesPropertyValues = false
        },
        FetchShape(
            "the first without values", .managedObject, of: "Author",
            [
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR t0 ORDER BY t0.ZNAME LIMIT ? ← 1"
            ]
        ) {
            $0.includesPropertyValues = false
            $0.sortKeys = [.ascending("name")]
            $0.fetchLimit = 1
        },
        FetchShape(
            "realised", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0"
            ]
        ) {
            $0.returnsObjectsAsFaults = false
        },
        FetchShape(
            "refreshed", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0"
            ]
        ) {
            $0.shouldRefreshRefetchedObjects = true
        },
        FetchShape(
            "identifiers", .managedObjectID, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0"
            ]),
        FetchShape(
            "identifiers in an order", .managedObjectID, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZNAME"
            ]
        ) {
            $0.sortKeys = [.ascending("name")]
        },
        FetchShape(
            "identifiers without values", .managedObjectID, of: "Author",
            [
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR t0"
            ]
        ) {
            $0.includesPropertyValues = false
        },
        FetchShape(
            "how many", .count, of: "Author",
            [
                "SELECT COUNT(*) FROM ZAUTHOR t0"
            ]),
        FetchShape(
            "how many at most", .count, of: "Author",
            [
                "SELECT COUNT(*) FROM (SELECT 1 FROM ZAUTHOR t0 LIMIT ?) ← 5"
            ]
        ) {
            $0.fetchLimit = 5
        },
        FetchShape(
            "how many after an offset", .count, of: "Author",
            [
                "SELECT COUNT(*) FROM (SELECT 1 FROM ZAUTHOR t0 LIMIT -1 OFFSET ?) ← 5"
            ]
        ) {
            $0.fetchOffset = 5
        },
        FetchShape(
            "how many that match, whatever the order", .count, of: "Author",
            [
                "SELECT COUNT(*) FROM ZAUTHOR t0 WHERE t0.ZBIRTHYEAR > ? ← 1910"
            ]
        ) {
            $0.predicate = try ObjectPredicate("birthYear > 1910")
            $0.sortKeys = [.ascending("name")]
        },
        FetchShape(
            "how many across a relationship", .count, of: "Book",
            [
                "SELECT COUNT(*) FROM ZPUBLICATION t0 JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK WHERE t0.Z_ENT = ? AND t1.ZBIRTHYEAR = ? ← 3, 1910"
            ]
        ) {
            $0.predicate = try ObjectPredicate("author.birthYear == 1910")
        },
        FetchShape(
            "dictionaries of all attributes", .dictionary, of: "Author",
            [
                "SELECT t0.ZNAME, t0.ZBIRTHYEAR FROM ZAUTHOR t0"
            ]),
        FetchShape(
            "dictionaries of some", .dictionary, of: "Author",
            [
                "SELECT t0.ZNAME FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR"
            ]
        ) {
            $0.propertiesToFetch = ["name"]
            $0.sortKeys = [.ascending("birthYear")]
        },
        FetchShape(
            "distinct dictionaries", .dictionary, of: "Book",
            [
                "SELECT DISTINCT t0.ZYEAR FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ← 3"
            ]
        ) {
            $0.propertiesToFetch = ["year"]
            $0.returnsDistinctResults = true
        },
        FetchShape(
            "a page of dictionaries", .dictionary, of: "Author",
            [
                "SELECT t0.ZNAME FROM ZAUTHOR t0 LIMIT ? OFFSET ? ← 2, 1"
            ]
        ) {
            $0.propertiesToFetch = ["name"]
            ($0.fetchOffset, $0.fetchLimit) = (1, 2)
        },
        FetchShape(
            "dictionaries across a relationship", .dictionary, of: "Book",
            [
                "SELECT t0.ZTITLE, t1.ZNAME FROM ZPUBLICATION t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK WHERE t0.Z_ENT = ? ← 3"
            ]
        ) {
            $0.propertiesToFetch = ["title", "author.name"]
        },
        FetchShape(
            "dictionaries with identifiers", .dictionary, of: "Author",
            [
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR t0"
            ]
        ) {
            $0.propertiesToFetch = [FetchedProperty(name: "id", expression: .evaluatedObject)]
        },
        FetchShape(
            "dictionaries with a destination", .dictionary, of: "Book",
            [
                "SELECT t0.ZAUTHOR FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ← 3"
            ]
        ) {
            $0.propertiesToFetch = ["author"]
        },
        FetchShape(
            "totals", .dictionary, of: "Book",
            [
                "SELECT COUNT(t0.Z_PK), total(t0.ZLOANCOUNT) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ← 3"
            ]
        ) {
            $0.propertiesToFetch = [
                .init(name: "n", expression: .function("count:", [.evaluatedObject])),
                .init(name: "loans", expression: .function("sum:", [.keyPath("loanCount")])),
            ]
        },
        FetchShape(
            "extremes", .dictionary, of: "Book",
            [
                "SELECT MIN(t0.ZYEAR), MAX(t0.ZYEAR), AVG(t0.ZRATING) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ← 3"
            ]
        ) {
            $0.propertiesToFetch = [
                .init(name: "first", expression: .function("min:", [.keyPath("year")])),
                .init(name: "last", expression: .function("max:", [.keyPath("year")])),
                .init(name: "mean", expression: .function("average:", [.keyPath("rating")])),
            ]
        },
        FetchShape(
            "groups", .dictionary, of: "Book",
            [
                "SELECT t0.ZYEAR, COUNT(t0.Z_PK) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? GROUP BY t0.ZYEAR ← 3"
            ]
        ) {
            $0.propertiesToFetch = [
                "year", .init(name: "n", expression: .function("count:", [.evaluatedObject])),
            ]
            $0.propertiesToGroupBy = ["year"]
        },
        FetchShape(
            "groups in the order of a total", .dictionary, of: "Book",
            [
                "SELECT t0.ZYEAR, COUNT(t0.Z_PK) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? GROUP BY t0.ZYEAR ORDER BY COUNT(t0.Z_PK) DESC ← 3"
            ]
        ) {
            $0.propertiesToFetch = [
                "year", .init(name: "n", expression: .function("count:", [.evaluatedObject])),
            ]
            $0.propertiesToGroupBy = ["year"]
            $0.sortKeys = [.descending("n")]
        },
        FetchShape(
            "groups that match", .dictionary, of: "Book",
            [
                "SELECT t0.ZYEAR, COUNT(t0.Z_PK) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? GROUP BY t0.ZYEAR HAVING COUNT(t0.Z_PK) > ? ← 3, 1"
            ]
        ) {
            $0.propertiesToFetch = [
                "year", .init(name: "n", expression: .function("count:", [.evaluatedObject])),
            ]
            $0.propertiesToGroupBy = ["year"]
            $0.havingPredicate = try ObjectPredicate("$n > 1")
        },
        FetchShape(
            "groups across a relationship", .dictionary, of: "Book",
            [
                "SELECT t1.ZNAME, COUNT(t0.Z_PK) FROM ZPUBLICATION t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK WHERE t0.Z_ENT = ? GROUP BY t1.ZNAME ← 3"
            ]
        ) {
            $0.propertiesToFetch = [
                "author.name",
                .init(name: "n", expression: .function("count:", [.evaluatedObject])),
            ]
            $0.propertiesToGroupBy = ["author.name"]
        },
        FetchShape(
            "a family", .managedObject, of: "Publication",
            [
                "SELECT OGRows(\(anyPublicationRow)) FROM ZPUBLICATION t0"
            ]),
        FetchShape(
            "exactly an abstract entity", .managedObject, of: "Publication",
            [
                "SELECT OGRows(t0.ZAUTHOR, t0.ZRATING, t0.ZLOANCOUNT, t0.ZYEAR, t0.ZTITLE, t0.Z_OPT, t0.Z_PK) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ← 2"
            ]
        ) {
            $0.includesSubentities = false
        },
        FetchShape(
            "a subentity", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ← 3"
            ]),
        FetchShape(
            "exactly a subentity", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ← 3"
            ]
        ) {
            $0.includesSubentities = false
        },
        FetchShape(
            "how many of a subentity", .count, of: "Magazine",
            [
                "SELECT COUNT(*) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ← 4"
            ]),
    ]

    /// The selected objects.
    private static let predicates = [
        FetchShape(
            "equal", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.ZNAME = ? ← 'Author 1'"
            ]
        ) {
            $0.predicate = try ObjectPredicate("name == 'Author 1'")
        },
        FetchShape(
            "unequal", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.ZBIRTHYEAR <> ? ← 1901"
            ]
        ) {
            $0.predicate = try ObjectPredicate("birthYear != 1901")
        },
        FetchShape(
            "nothing", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? AND t0.ZAUTHOR IS NULL ← 3"
            ]
        ) {
            $0.predicate = try ObjectPredicate("author == nil")
        },
        FetchShape(
            "something", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? AND t0.ZYEAR IS NOT NULL ← 3"
            ]
        ) {
            $0.predicate = try ObjectPredicate("year != nil")
        },
        FetchShape(
            "between", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.ZBIRTHYEAR BETWEEN ? AND ? ← 1903, 1905"
            ]
        ) {
            $0.predicate = try ObjectPredicate("birthYear BETWEEN {1903, 1905}")
        },
        FetchShape(
            "one of a few", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.ZBIRTHYEAR IN (?,?) ← 1903, 1905"
            ]
        ) {
            $0.predicate = try ObjectPredicate("birthYear IN {1903, 1905}")
        },
        FetchShape(
            "one of none", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE 0"
            ]
        ) {
            $0.predicate = try ObjectPredicate("birthYear IN {}")
        },
        FetchShape(
            "a prefix", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE (t0.ZNAME >= ? AND t0.ZNAME < ?) ← 'Auth', 'Auti'"
            ]
        ) {
            $0.predicate = try ObjectPredicate("name BEGINSWITH 'Auth'")
        },
        FetchShape(
            "a part", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE OGContains(t0.ZNAME, ?, 0) ← 'hor 1'"
            ]
        ) {
            $0.predicate = try ObjectPredicate("name CONTAINS 'hor 1'")
        },
        FetchShape(
            "a pattern", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE OGLike(t0.ZNAME, ?, 0) ← 'A*1?'"
            ]
        ) {
            $0.predicate = try ObjectPredicate("name LIKE 'A*1?'")
        },
        FetchShape(
            "all of several", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? AND t0.ZYEAR > ? AND (t0.ZTITLE >= ? AND t0.ZTITLE < ?) AND t0.ZRATING < ? ← 3, 1955, 'T', 'U', 4.0"
            ]
        ) {
            $0.predicate = try ObjectPredicate(
                "year > 1955 AND title BEGINSWITH 'T' AND rating < 4")
        },
        FetchShape(
            "one of several", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? AND (t0.ZYEAR = ? OR t0.ZTITLE = ?) ← 3, 1955, 'x'"
            ]
        ) {
            $0.predicate = try ObjectPredicate("year == 1955 OR title == 'x'")
        },
        FetchShape(
            "not so", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE NOT (t0.ZBIRTHYEAR > ?) ← 1902"
            ]
        ) {
            $0.predicate = try ObjectPredicate("NOT birthYear > 1902")
        },
        FetchShape(
            "whatever", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0"
            ]
        ) {
            $0.predicate = .value(true)
        },
        FetchShape(
            "never", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE 0"
            ]
        ) {
            $0.predicate = .value(false)
        },
        FetchShape(
            "a destination's value", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK WHERE t0.Z_ENT = ? AND t1.ZNAME = ? ← 3, 'Author 1'"
            ]
        ) {
            $0.predicate = try ObjectPredicate("author.name == 'Author 1'")
        },
        FetchShape(
            "a destination's value, and its order", .managedObject, of: "Book",
            [
                "SELECT \(bookRow) FROM ZPUBLICATION t0 JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK WHERE t0.Z_ENT = ? AND t1.ZNAME > ? ORDER BY t1.ZBIRTHYEAR ← 3, 'B'"
            ]
        ) {
            $0.predicate = try ObjectPredicate("author.name > 'B'")
            $0.sortKeys = [.ascending("author.birthYear")]
        },
        FetchShape(
            "in the order of a destination's value", .managedObject, of: "Book",
            [
                "SELECT \(bookRow) FROM ZPUBLICATION t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK WHERE t0.Z_ENT = ? ORDER BY t1.ZNAME, t0.ZTITLE ← 3"
            ]
        ) {
            $0.sortKeys = [.ascending("author.name"), .ascending("title")]
        },
        FetchShape(
            "some member", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE EXISTS (SELECT 1 FROM ZPUBLICATION t1 WHERE t1.ZAUTHOR = t0.Z_PK AND t1.ZYEAR = ?) ← 1955"
            ]
        ) {
            $0.predicate = try ObjectPredicate("ANY publications.year == 1955")
        },
        FetchShape(
            "every member", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE NOT EXISTS (SELECT 1 FROM ZPUBLICATION t1 WHERE t1.ZAUTHOR = t0.Z_PK AND (t1.ZYEAR = ?) IS NOT TRUE) ← 1955"
            ]
        ) {
            $0.predicate = try ObjectPredicate("ALL publications.year == 1955")
        },
        FetchShape(
            "no member", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE NOT (EXISTS (SELECT 1 FROM ZPUBLICATION t1 WHERE t1.ZAUTHOR = t0.Z_PK AND t1.ZYEAR = ?)) ← 1955"
            ]
        ) {
            $0.predicate = try ObjectPredicate("NONE publications.year == 1955")
        },
        FetchShape(
            "some member by a join table", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? AND EXISTS (SELECT 1 FROM Z_2TOPICS t1 JOIN ZTOPIC t2 ON t2.Z_PK = t1.Z_6TOPICS WHERE t1.Z_2PUBLICATIONS = t0.Z_PK AND t2.ZNAME = ?) ← 3, 'art'"
            ]
        ) {
            $0.predicate = try ObjectPredicate("ANY topics.name == 'art'")
        },
    ]

    /// Prefetching and batches.
    private static let relationships = [
        FetchShape(
            "by the number of members", .managedObject, of: "Author",
            [
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE (SELECT COUNT(*) FROM ZPUBLICATION t1 WHERE t1.ZAUTHOR = t0.Z_PK) > ? ← 2"
            ]
        ) {
            $0.predicate = try ObjectPredicate("publications.@count > 2")
        },
        FetchShape(
            "prefetching one", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? AND t0.ZTITLE = ? ← 3, 'Title 0.0'",
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← '[1]'",
            ]
        ) {
            $0.predicate = try ObjectPredicate("title == 'Title 0.0'")
            $0.relationshipKeyPathsForPrefetching = ["author"]
        },
        FetchShape(
            "prefetching many", .managedObject, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR LIMIT ? ← 1",
                "SELECT \(anyPublicationRow), t0.ZAUTHOR FROM ZPUBLICATION t0 WHERE t0.ZAUTHOR IN (SELECT value FROM json_each(?)) ← '[1]'",
            ]
        ) {
            $0.fetchLimit = 1
            $0.sortKeys = [.ascending("birthYear")]
            $0.relationshipKeyPathsForPrefetching = ["publications"]
        },
        FetchShape(
            "prefetching by a join table", .managedObject, of: "Book",
            [
                "SELECT OGRows(\(bookRow)) FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? AND t0.ZTITLE = ? ← 3, 'Title 0.0'",
                "SELECT \(topicRow), t1.Z_2PUBLICATIONS FROM Z_2TOPICS t1 JOIN ZTOPIC t0 ON t0.Z_PK = t1.Z_6TOPICS WHERE t1.Z_2PUBLICATIONS IN (SELECT value FROM json_each(?)) ← '[1]'",
            ]
        ) {
            $0.predicate = try ObjectPredicate("title == 'Title 0.0'")
            $0.relationshipKeyPathsForPrefetching = ["topics"]
        },
        FetchShape(
            "prefetching in two steps", .managedObject, of: "Author",
            [
                "SELECT \(authorRow) FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR LIMIT ? ← 1",
                "SELECT \(anyPublicationRow), t0.ZAUTHOR FROM ZPUBLICATION t0 WHERE t0.ZAUTHOR IN (SELECT value FROM json_each(?)) ← '[1]'",
                "SELECT \(topicRow), t1.Z_2PUBLICATIONS FROM Z_2TOPICS t1 JOIN ZTOPIC t0 ON t0.Z_PK = t1.Z_6TOPICS WHERE t1.Z_2PUBLICATIONS IN (SELECT value FROM json_each(?)) ← '[1,2,3]'",
            ]
        ) {
            $0.fetchLimit = 1
            $0.sortKeys = [.ascending("birthYear")]
            $0.relationshipKeyPathsForPrefetching = ["publications.topics"]
        },
        FetchShape(
            "in batches", .managedObject, of: "Author",
            [
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR LIMIT ? ← 3",
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← '[1,2]'",
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← '[3]'",
            ]
        ) {
            $0.fetchLimit = 3
            $0.sortKeys = [.ascending("birthYear")]
            $0.fetchBatchSize = 2
        },
        FetchShape(
            "in batches that prefetch", .managedObject, of: "Magazine",
            [
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZPUBLICATION t0 WHERE t0.Z_ENT = ? ORDER BY t0.ZYEAR LIMIT ? ← 4, 2",
                "SELECT OGRows(\(magazineRow)) FROM ZPUBLICATION t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← '[3]'",
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← '[1]'",
                "SELECT OGRows(\(magazineRow)) FROM ZPUBLICATION t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← '[6]'",
                "SELECT OGRows(\(authorRow)) FROM ZAUTHOR t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← '[2]'",
            ]
        ) {
            $0.fetchLimit = 2
            $0.sortKeys = [.ascending("year")]
            $0.fetchBatchSize = 1
            $0.relationshipKeyPathsForPrefetching = ["author"]
        },
        FetchShape(
            "in batches without values", .managedObject, of: "Author",
            [
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR t0 LIMIT ? ← 3"
            ]
        ) {
            $0.fetchLimit = 3
            $0.fetchBatchSize = 2
            $0.includesPropertyValues = false
        },
    ]

}
