@testable import ObjectGraph

extension FetchShape {
    /// The kind of result, its order and its page.
    static let results: [FetchShape] = [
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
}
