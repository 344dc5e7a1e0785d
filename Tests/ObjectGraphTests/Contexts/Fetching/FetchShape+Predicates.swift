@testable import ObjectGraph

extension FetchShape {
    /// The selected objects.
    static let predicates: [FetchShape] = [
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
    static let relationships: [FetchShape] = [
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
