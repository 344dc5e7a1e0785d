import Foundation
import Testing

@testable import ObjectGraph

/// A predicate of Flight, and the SQL after `FROM ZFLIGHT t0` in both dialects.
struct DialectShape: Sendable, CustomTestStringConvertible {
    let format: String
    let sqlite: String
    let postgreSQL: String
    /// In PostgreSQL.
    let bindings: [SQLBinding]
    var testDescription: String { format }

    init(
        _ format: String, sqlite: String, postgreSQL: String, _ bindings: SQLBinding...
    ) {
        self.format = format
        self.sqlite = sqlite
        self.postgreSQL = postgreSQL
        self.bindings = bindings
    }
}

private func translate(
    _ request: FetchRequest, _ layout: StoreLayout = QueryFixture.postgreSQL,
    _ selection: FetchTranslation.Selection = .columns("t0.Z_PK")
) throws -> FetchTranslation {
    try FetchTranslation(
        request, entity: QueryFixture.entity(request.entityName), layout: layout,
        selection: selection)
}

private func flights(
    _ format: String, _ arguments: (any PredicateArgument)?...
) throws -> FetchRequest {
    try FetchRequest(
        entityName: "Flight", predicate: ObjectPredicate(format, arguments: arguments))
}

@Suite struct `SQL of two dialects` {
    @Test(arguments: [
        DialectShape("FALSEPREDICATE", sqlite: " WHERE 0", postgreSQL: " WHERE FALSE"),
        DialectShape(
            "tail == 'x' AND distance > 40", sqlite: " WHERE t0.ZTAIL = ? AND t0.ZDISTANCE > ?",
            postgreSQL: " WHERE t0.ZTAIL = $1 AND t0.ZDISTANCE > $2", .text("x"), .integer(40)),
        DialectShape(
            "tail == nil OR NOT isLate == YES",
            sqlite: " WHERE t0.ZTAIL IS NULL OR NOT (t0.ZISLATE = ?)",
            postgreSQL: " WHERE t0.ZTAIL IS NULL OR NOT (t0.ZISLATE = $1)", .integer(1)),
        DialectShape(
            "price == 2", sqlite: " WHERE t0.ZPRICE = ?", postgreSQL: " WHERE t0.ZPRICE = $1",
            .real(2)),
        DialectShape(
            "distance <= 5.5", sqlite: " WHERE t0.ZDISTANCE <= ?",
            postgreSQL: " WHERE t0.ZDISTANCE <= $1", .real(5.5)),
        DialectShape(
            "distance < 1e300", sqlite: " WHERE t0.ZDISTANCE < ?",
            postgreSQL: " WHERE t0.ZDISTANCE < $1", .real(.infinity)),
        DialectShape(
            "distance < delay", sqlite: " WHERE t0.ZDISTANCE < t0.ZDELAY",
            postgreSQL: " WHERE t0.ZDISTANCE < t0.ZDELAY"),
        DialectShape(
            "distance BETWEEN {1, 9}", sqlite: " WHERE t0.ZDISTANCE BETWEEN ? AND ?",
            postgreSQL: " WHERE t0.ZDISTANCE BETWEEN $1 AND $2", .integer(1), .integer(9)),
        DialectShape(
            "5 BETWEEN {distance, delay}", sqlite: " WHERE ? BETWEEN t0.ZDISTANCE AND t0.ZDELAY",
            postgreSQL: " WHERE ($1 >= t0.ZDISTANCE AND $2 <= t0.ZDELAY)", .integer(5), .real(5)),
        DialectShape(
            "'a' < 'b'", sqlite: " WHERE ? < ?", postgreSQL: " WHERE $1 COLLATE \"C\" < $2",
            .text("a"), .text("b")),
        DialectShape(
            "'a' < tail", sqlite: " WHERE ? < t0.ZTAIL", postgreSQL: " WHERE $1 < t0.ZTAIL",
            .text("a")),
        DialectShape(
            "noindex:(tail) == 'x'", sqlite: " WHERE +t0.ZTAIL = ?",
            postgreSQL: " WHERE t0.ZTAIL = $1", .text("x")),
    ])
    func `comparisons, with constants that fit`(shape: DialectShape) throws { try check(shape) }

    @Test(arguments: [
        DialectShape(
            "distance IN {1, 2}", sqlite: " WHERE t0.ZDISTANCE IN (?,?)",
            postgreSQL: " WHERE t0.ZDISTANCE = ANY($1)", .array(.integers([1, 2]))),
        DialectShape(
            "distance IN {1, 2.5, nil}",
            sqlite: " WHERE (t0.ZDISTANCE IS NULL OR t0.ZDISTANCE IN (?,?))",
            postgreSQL: " WHERE (t0.ZDISTANCE IS NULL OR t0.ZDISTANCE = ANY($1))",
            .array(.integers([1]))),
        DialectShape(
            "distance IN {2.5}", sqlite: " WHERE t0.ZDISTANCE IN (?)", postgreSQL: " WHERE FALSE"),
        DialectShape("distance IN {}", sqlite: " WHERE 0", postgreSQL: " WHERE FALSE"),
        DialectShape(
            "delay IN {1, 2.5}", sqlite: " WHERE t0.ZDELAY IN (?,?)",
            postgreSQL: " WHERE t0.ZDELAY = ANY($1)", .array(.reals([1, 2.5]))),
        DialectShape(
            "tail IN {'a', 'a\\u0000'}", sqlite: " WHERE t0.ZTAIL IN (?,?)",
            postgreSQL: " WHERE t0.ZTAIL = ANY($1)", .array(.texts(["a"]))),
        DialectShape(
            "entity.name IN {'Flight'}",
            sqlite: " WHERE CASE t0.Z_ENT WHEN 2 THEN 'Flight' END IN (?)",
            postgreSQL:
                " WHERE (CASE t0.Z_ENT WHEN 2 THEN 'Flight' END COLLATE \"C\") = ANY($1)",
            .array(.texts(["Flight"]))),
    ])
    func `lists are one array`(shape: DialectShape) throws { try check(shape) }

    @Test(arguments: [
        DialectShape(
            "tail BEGINSWITH 'N1'", sqlite: " WHERE (t0.ZTAIL >= ? AND t0.ZTAIL < ?)",
            postgreSQL: " WHERE (t0.ZTAIL >= $1 AND t0.ZTAIL < $2)", .text("N1"), .text("N2")),
        DialectShape(
            "NOT tail BEGINSWITH 'N'", sqlite: " WHERE NOT (OGBeginsWith(t0.ZTAIL, ?, 0))",
            postgreSQL: " WHERE NOT (COALESCE(starts_with(t0.ZTAIL, $1), FALSE))", .text("N")),
        DialectShape(
            "tail BEGINSWITH ''", sqlite: " WHERE OGBeginsWith(t0.ZTAIL, ?, 0)",
            postgreSQL: " WHERE FALSE"),
        DialectShape(
            "tail CONTAINS 'x'", sqlite: " WHERE OGContains(t0.ZTAIL, ?, 0)",
            postgreSQL: " WHERE strpos(t0.ZTAIL, $1) > 0", .text("x")),
        DialectShape(
            "NOT tail CONTAINS 'x'", sqlite: " WHERE NOT (OGContains(t0.ZTAIL, ?, 0))",
            postgreSQL: " WHERE NOT (COALESCE(strpos(t0.ZTAIL, $1) > 0, FALSE))", .text("x")),
        DialectShape(
            "tail ENDSWITH 'x'", sqlite: " WHERE OGEndsWith(t0.ZTAIL, ?, 0)",
            postgreSQL: " WHERE right(t0.ZTAIL, length($1)) = $2", .text("x"), .text("x")),
        DialectShape(
            "'xyz' CONTAINS tail", sqlite: " WHERE OGContains(?, t0.ZTAIL, 0)",
            postgreSQL: " WHERE (t0.ZTAIL <> '' AND strpos($1, t0.ZTAIL) > 0)", .text("xyz")),
        DialectShape(
            #"tail LIKE 'a*?\\*%_'"#, sqlite: " WHERE OGLike(t0.ZTAIL, ?, 0)",
            postgreSQL: " WHERE t0.ZTAIL LIKE $1", .text(#"a%_*\%\_"#)),
    ])
    func `texts without options`(shape: DialectShape) throws { try check(shape) }

    @Test(arguments: [
        DialectShape(
            "distance * 2 + 1 > 5", sqlite: " WHERE ((t0.ZDISTANCE * ?) + ?) > ?",
            postgreSQL: " WHERE ((t0.ZDISTANCE * $1) + $2) > $3", .integer(2), .integer(1),
            .integer(5)),
        DialectShape(
            "distance / 2 == seats / distance",
            sqlite: " WHERE (t0.ZDISTANCE / ?) = (t0.ZSEATS / t0.ZDISTANCE)",
            postgreSQL: " WHERE (t0.ZDISTANCE / $1) = (t0.ZSEATS / NULLIF(t0.ZDISTANCE, 0))",
            .integer(2)),
        DialectShape(
            "price / 2 == 1.5", sqlite: " WHERE ((t0.ZPRICE + 0.0) / ?) = ?",
            postgreSQL: " WHERE (t0.ZPRICE / $1) = $2", .integer(2), .real(1.5)),
        DialectShape(
            "delay * price > 1", sqlite: " WHERE (t0.ZDELAY * (t0.ZPRICE + 0.0)) > ?",
            postgreSQL: " WHERE NULLIF((t0.ZDELAY * t0.ZPRICE), 'NaN') > $1", .real(1)),
        DialectShape(
            "modulus:by:(distance, 3) == 1", sqlite: " WHERE (t0.ZDISTANCE % ?) = ?",
            postgreSQL: " WHERE (t0.ZDISTANCE % $1) = $2", .integer(3), .integer(1)),
        DialectShape(
            "modulus:by:(delay, 3) == 1", sqlite: " WHERE (t0.ZDELAY % ?) = ?",
            postgreSQL:
                " WHERE CAST((CAST(trunc(t0.ZDELAY) AS bigint) % $1) AS double precision) = $2",
            .integer(3), .real(1)),
        DialectShape(
            "distance & 1 == 0 AND distance ^ 1 == 1",
            sqlite: " WHERE (t0.ZDISTANCE & ?) = ? AND OGExclusiveOr(t0.ZDISTANCE, ?) = ?",
            postgreSQL: " WHERE (t0.ZDISTANCE & $1) = $2 AND (t0.ZDISTANCE # $3) = $4", .integer(1),
            .integer(0), .integer(1), .integer(1)),
        DialectShape(
            "distance << 3 == 8", sqlite: " WHERE (t0.ZDISTANCE << ?) = ?",
            postgreSQL: " WHERE (t0.ZDISTANCE << 3) = $1", .integer(8)),
        DialectShape(
            "abs:(delay) > 1 AND length:(tail) == 2",
            sqlite: " WHERE OGAbsolute(t0.ZDELAY) > ? AND OGLength(t0.ZTAIL) = ?",
            postgreSQL: " WHERE abs(t0.ZDELAY) > $1 AND CAST(length(t0.ZTAIL) AS bigint) = $2",
            .real(1), .integer(2)),
        DialectShape(
            "sqrt:(distance) > 2 AND floor:(delay) == 1",
            sqlite: " WHERE OGSquareRoot(t0.ZDISTANCE) > ? AND OGFloor(t0.ZDELAY) = ?",
            postgreSQL:
                " WHERE sqrt(CAST(t0.ZDISTANCE AS double precision)) > $1 AND floor(t0.ZDELAY) = $2",
            .real(2), .real(1)),
        DialectShape(
            "CAST(distance, 'NSString') < '1'", sqlite: " WHERE OGText(t0.ZDISTANCE) < ?",
            postgreSQL: " WHERE (CAST(t0.ZDISTANCE AS text) COLLATE \"C\") < $1", .text("1")),
        DialectShape(
            "TERNARY(distance > 1, seats, nil) == 2",
            sqlite: " WHERE CASE WHEN t0.ZDISTANCE > ? THEN t0.ZSEATS ELSE ? END = ?",
            postgreSQL: " WHERE CASE WHEN t0.ZDISTANCE > $1 THEN t0.ZSEATS ELSE NULL END = $2",
            .integer(1), .integer(2)),
        DialectShape(
            "max:({distance, seats, 5}) > 4",
            sqlite: " WHERE MAX(t0.ZDISTANCE, t0.ZSEATS, ?) > ?",
            postgreSQL:
                " WHERE CASE WHEN t0.ZDISTANCE IS NOT NULL AND t0.ZSEATS IS NOT NULL THEN GREATEST(t0.ZDISTANCE, t0.ZSEATS, $1) END > $2",
            .integer(5), .integer(4)),
        DialectShape(
            "sum:({distance, seats}) > 4",
            sqlite: " WHERE (0.0 + t0.ZDISTANCE + t0.ZSEATS) > ?",
            postgreSQL: " WHERE (0::double precision + t0.ZDISTANCE + t0.ZSEATS) > $1", .real(4)),
    ])
    func `computations, exact or failing`(shape: DialectShape) throws { try check(shape) }

    @Test(arguments: [
        DialectShape(
            "airline.name == 'x' OR distance > 1",
            sqlite:
                " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE t1.ZNAME = ? OR t0.ZDISTANCE > ?",
            postgreSQL:
                " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE t1.ZNAME = $1 OR t0.ZDISTANCE > $2",
            .text("x"), .integer(1)),
        DialectShape(
            "ALL crew.name == 'x'",
            sqlite:
                " WHERE NOT EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW WHERE t1.Z_2FLIGHTS = t0.Z_PK AND (t2.ZNAME = ?) IS NOT TRUE)",
            postgreSQL:
                " WHERE NOT EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW WHERE t1.Z_2FLIGHTS = t0.Z_PK AND (t2.ZNAME = $1) IS NOT TRUE)",
            .text("x")),
        DialectShape(
            "airline.flights.@sum.distance > 5",
            sqlite:
                " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE (SELECT total(t2.ZDISTANCE) FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK) > ?",
            postgreSQL:
                " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE (SELECT COALESCE(SUM(CAST(t2.ZDISTANCE AS double precision)), 0) FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK) > $1",
            .real(5)),
        DialectShape(
            "airline.flights.@avg.delay > 5",
            sqlite:
                " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE (SELECT AVG(t2.ZDELAY) FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK) > ?",
            postgreSQL:
                " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE (SELECT NULLIF(AVG(t2.ZDELAY), 'NaN') FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK) > $1",
            .real(5)),
        DialectShape(
            "crew.@count > 1",
            sqlite:
                " WHERE (SELECT COUNT(*) FROM Z_2CREW t1 WHERE t1.Z_2FLIGHTS = t0.Z_PK) > ?",
            postgreSQL:
                " WHERE (SELECT COUNT(*) FROM Z_2CREW t1 WHERE t1.Z_2FLIGHTS = t0.Z_PK) > $1",
            .integer(1)),
    ])
    func `joins and SELECTs within`(shape: DialectShape) throws { try check(shape) }

    private func check(_ shape: DialectShape) throws {
        let request = try flights(shape.format)
        #expect(
            try translate(request, QueryFixture.layout).sql
                == "SELECT t0.Z_PK FROM ZFLIGHT t0" + shape.sqlite)
        let translation = try translate(request)
        #expect(translation.sql == "SELECT t0.Z_PK FROM ZFLIGHT t0" + shape.postgreSQL)
        #expect(translation.bindings == shape.bindings)
    }

    /// SQLite has functions of the engine for these, or converts values.
    @Test(arguments: [
        "tail ==[c] 'x'", "tail CONTAINS[cd] 'x'", "tail IN[c] {'x'}", "tail BEGINSWITH[d] 'x'",
        "tail MATCHES 'x.*'", "tail LIKE airline.name", "lowercase:(tail) == 'x'",
        "canonical:(tail) == 'x'", "ln:(delay) > 1", "delay ** 2 > 1", "distance << seats > 1",
        "distance << 64 > 1", "CAST(delay, 'NSString') == '1.0'", "CAST(tail, 'NSNumber') == 1",
        "origin.altitude < delay", "max:({origin.altitude, delay}) > 1",
        "TERNARY(isLate == YES, distance, delay) + 1 > 1", "tail == 'a\\u0000'",
        "price > 9007199254740993", "nil + 1 > 2", "TERNARY(isLate == YES, nil, nil) > 1",
        "min:(airline.flights.payload) == CAST('AQI=', 'NSData')",
    ])
    func `other meanings are left to the evaluator in memory`(format: String) throws {
        let request = try flights(format)
        #expect(throws: Never.self) { try translate(request, QueryFixture.layout) }
        let error = try #require(throws: FetchError.self) { try translate(request) }
        guard case .inMemoryOnly = error else {
            Issue.record(error)
            return
        }
    }

    @Test func `equal rows are in the order of their keys, and nulls come first`() throws {
        var request = FetchRequest(
            entityName: "Flight", sortKeys: [.ascending("airline.name"), .descending("distance")])
        request.fetchLimit = 20
        request.fetchOffset = 40
        let translation = try translate(request)
        #expect(
            translation.sql
                == "SELECT t0.Z_PK FROM ZFLIGHT t0 LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK ORDER BY t1.ZNAME NULLS FIRST, t0.ZDISTANCE DESC NULLS LAST, t0.Z_PK LIMIT $1 OFFSET $2"
        )
        #expect(translation.bindings == [.integer(20), .integer(40)])
        #expect(
            try translate(request, QueryFixture.postgreSQL, .count).sql
                == "SELECT COUNT(*) FROM (SELECT 1 FROM ZFLIGHT t0 LIMIT $1 OFFSET $2) AS results")
        request.sortKeys = []
        request.fetchLimit = 0
        #expect(
            try translate(request).sql
                == "SELECT t0.Z_PK FROM ZFLIGHT t0 ORDER BY t0.Z_PK OFFSET $1")
        request.fetchOffset = 0
        #expect(try translate(request).sql == "SELECT t0.Z_PK FROM ZFLIGHT t0")
        request.sortKeys = [SortKey("tail", comparison: .localizedStandard)]
        #expect(throws: FetchError.self) { try translate(request) }
    }

    @Test func `parameters are numbered through the SELECTs of a statement`() throws {
        let airlines = FetchRequest(
            entityName: "Airline", predicate: try ObjectPredicate("name == 'x'"))
        let translation = try translate(
            flights("distance > 1 AND airline IN %@ AND seats < 2", airlines))
        #expect(
            translation.sql
                == "SELECT t0.Z_PK FROM ZFLIGHT t0 WHERE t0.ZDISTANCE > $1 AND t0.ZAIRLINE IN (SELECT t0.Z_PK FROM ZAIRLINE t0 WHERE t0.ZNAME = $2) AND t0.ZSEATS < $3"
        )
        #expect(translation.bindings == [.integer(1), .text("x"), .integer(2)])
    }

    @Test func `fetched values of another type are left to the evaluator`() throws {
        var fetched = FetchRequest(entityName: "Flight")
        fetched.propertiesToFetch = ["delay"]
        #expect(throws: FetchError.inMemoryOnly(feature: "IN with fetched numbers of another type"))
        { try translate(flights("distance IN %@", fetched)) }
        fetched.propertiesToFetch = ["seats"]
        #expect(
            try translate(flights("distance IN %@", fetched)).sql.hasSuffix(
                " WHERE t0.ZDISTANCE IN (SELECT t0.ZSEATS FROM ZFLIGHT t0 WHERE t0.ZSEATS IS NOT NULL)"
            ))
    }

    /// A NaN would equal itself and be greater than all numbers.
    @Test func `NaN is NULL`() throws {
        let translation = try translate(flights("delay > %@", Double.nan))
        #expect(translation.sql.hasSuffix(" WHERE t0.ZDELAY > NULL::double precision"))
        #expect(translation.bindings == [])
    }

    @Test func `a batch update`() throws {
        func update(
            _ values: [String: ObjectExpression], _ format: String
        ) throws -> BatchUpdateTranslation {
            try BatchUpdateTranslation(
                BatchUpdateRequest(
                    entityName: "Flight", predicate: ObjectPredicate(format),
                    propertiesToUpdate: values), entity: QueryFixture.entity("Flight"),
                layout: QueryFixture.postgreSQL)
        }
        let plain = try update(
            [
                "distance": .function("multiply:by:", [.keyPath("delay"), .constant(2)]),
                "seats": .function("add:to:", [.keyPath("seats"), .constant(1)]),
                "tail": .constant(.null),
            ], "distance > 3")
        #expect(
            plain.sql
                == "UPDATE ZFLIGHT AS t0 SET Z_OPT = COALESCE(Z_OPT, 0) + 1, ZDISTANCE = CAST(trunc((t0.ZDELAY * $1)) AS bigint), ZSEATS = (t0.ZSEATS + $2), ZTAIL = NULL WHERE t0.ZDISTANCE > $3"
        )
        #expect(plain.bindings == [.integer(2), .integer(1), .integer(3)])
        #expect(
            try update(["seats": .constant(1)], "airline.name == 'x'").sql
                == "UPDATE ZFLIGHT AS t0 SET Z_OPT = COALESCE(Z_OPT, 0) + 1, ZSEATS = $1 WHERE t0.Z_PK IN (SELECT Z_PK FROM (SELECT t0.Z_PK, t0.Z_ENT FROM ZFLIGHT t0 JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE t1.ZNAME = $2) AS results)"
        )
    }
}

@Suite struct `Dictionaries in PostgreSQL` {
    private func sql(_ request: FetchRequest) throws -> String {
        try translate(request, QueryFixture.postgreSQL, .dictionaries).sql
    }

    @Test func `groups, aggregates and a condition on groups`() throws {
        var request = FetchRequest(
            entityName: "Flight", predicate: try ObjectPredicate("distance > 0"),
            sortKeys: [.descending("total")])
        request.propertiesToFetch = [
            "airline.name",
            FetchedProperty(
                name: "total", expression: .function("sum:", [.keyPath("distance")])),
            FetchedProperty(name: "number", expression: .function("count:", [.evaluatedObject])),
            FetchedProperty(name: "least", expression: .function("min:", [.keyPath("tail")])),
        ]
        request.propertiesToGroupBy = ["airline.name"]
        request.havingPredicate = try ObjectPredicate("$number > 1")
        #expect(
            try sql(request)
                == "SELECT t1.ZNAME, CAST(COALESCE(SUM(CAST(t0.ZDISTANCE AS double precision)), 0) AS bigint), COUNT(t0.Z_PK), MIN(t0.ZTAIL) FROM ZFLIGHT t0 LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE t0.ZDISTANCE > $1 GROUP BY t1.ZNAME HAVING COUNT(t0.Z_PK) > $2 ORDER BY 2 DESC NULLS LAST, MIN(t0.Z_PK)"
        )
    }

    @Test func `an object is grouped with its entity`() throws {
        var request = FetchRequest(entityName: "Flight")
        request.propertiesToFetch = [
            "origin",
            FetchedProperty(name: "number", expression: .function("count:", [.evaluatedObject])),
        ]
        request.propertiesToGroupBy = ["origin"]
        #expect(
            try sql(request)
                == "SELECT t0.ZORIGIN, t0.Z4_ORIGIN, COUNT(t0.Z_PK) FROM ZFLIGHT t0 GROUP BY t0.ZORIGIN, t0.Z4_ORIGIN"
        )
    }

    @Test func `distinct results are ordered by what is fetched`() throws {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.descending("tail")])
        request.returnsDistinctResults = true
        request.propertiesToFetch = ["origin", "tail"]
        request.fetchLimit = 3
        #expect(
            try sql(request)
                == "SELECT DISTINCT t0.ZORIGIN, t0.Z4_ORIGIN, t0.ZTAIL FROM ZFLIGHT t0 ORDER BY 3 DESC NULLS LAST, 1, 2, 3 LIMIT $1"
        )
        request.sortKeys = [.ascending("distance")]
        #expect(throws: FetchError.self) { try sql(request) }
    }

    @Test func `columns have the types that are read`() throws {
        var request = FetchRequest(entityName: "Flight")
        request.propertiesToFetch = [
            FetchedProperty(
                name: "twice",
                expression: .function("multiply:by:", [.keyPath("distance"), .constant(2)]),
                resultType: .double)
        ]
        #expect(
            try sql(request)
                == "SELECT CAST((t0.ZDISTANCE * $1) AS double precision) FROM ZFLIGHT t0")
        request.propertiesToFetch = [
            FetchedProperty(
                name: "either",
                expression: .conditional(
                    try ObjectPredicate("isLate == YES"), .keyPath("distance"), .keyPath("delay")))
        ]
        #expect(throws: FetchError.self) { try sql(request) }
    }
}
