import Foundation
import Testing

@testable import ObjectGraph

/// A predicate of Flight, and the SQL after `FROM ZFLIGHT t0` with its bindings.
struct Shape: Sendable, CustomTestStringConvertible {
    let format: String
    let sql: String
    let bindings: [SQLBinding]
    var testDescription: String { format }

    init(_ format: String, _ sql: String, _ bindings: SQLBinding...) {
        self.format = format
        self.sql = sql
        self.bindings = bindings
    }
}

/// An entity, and its condition in a fetch without a predicate.
struct Restriction: Sendable {
    let entity: String
    let includesSubentities: Bool
    let sql: String
    let numbers: [Int64]

    init(_ entity: String, _ includesSubentities: Bool, _ sql: String, _ numbers: Int64...) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.sql = sql
        self.numbers = numbers
    }
}

private func translate(
    _ request: FetchRequest, _ selection: FetchTranslation.Selection = .columns("t0.Z_PK")
) throws -> FetchTranslation {
    try FetchTranslation(
        request, entity: QueryFixture.entity(request.entityName), layout: QueryFixture.layout,
        selection: selection)
}

private func translate(
    entity: String = "Flight", _ format: String, _ arguments: (any PredicateArgument)?...
) throws -> FetchTranslation {
    try translate(
        FetchRequest(
            entityName: entity, predicate: ObjectPredicate(format, arguments: arguments)))
}

@Suite struct `SQL of predicates (§7.6)` {
    @Test(arguments: [
        Shape("TRUEPREDICATE", ""),
        Shape("FALSEPREDICATE", " WHERE 0"),
        Shape("tail == 'x'", " WHERE t0.ZTAIL = ?", .text("x")),
        Shape("tail != 'x'", " WHERE t0.ZTAIL <> ?", .text("x")),
        Shape("'x' == tail", " WHERE ? = t0.ZTAIL", .text("x")),
        Shape("tail == nil", " WHERE t0.ZTAIL IS NULL"),
        Shape("nil != tail", " WHERE t0.ZTAIL IS NOT NULL"),
        Shape("distance > 40", " WHERE t0.ZDISTANCE > ?", .integer(40)),
        Shape("distance <= 5.5", " WHERE t0.ZDISTANCE <= ?", .real(5.5)),
        Shape("distance < 5.0", " WHERE t0.ZDISTANCE < ?", .integer(5)),
        Shape("delay >= 3", " WHERE t0.ZDELAY >= ?", .real(3)),
        Shape("isLate == YES", " WHERE t0.ZISLATE = ?", .integer(1)),
        Shape("isLate == 0", " WHERE t0.ZISLATE = ?", .integer(0)),
        Shape("departure < CAST(2.5, 'NSDate')", " WHERE t0.ZDEPARTURE < ?", .real(2.5)),
        Shape("price == 1.5", " WHERE t0.ZPRICE = ?", .real(1.5)),
        Shape("payload == CAST('AQI=', 'NSData')", " WHERE t0.ZPAYLOAD = ?", .blob(Data([1, 2]))),
        Shape(
            "id == CAST('00000000-0000-0000-0000-0000000000FF', 'NSUUID')", " WHERE t0.ZID = ?",
            .blob(Data(repeating: 0, count: 15) + [255])),
        Shape("link == 'https://a.b'", " WHERE t0.ZLINK = ?", .text("https://a.b")),
        Shape(
            "distance BETWEEN {1, 9}", " WHERE t0.ZDISTANCE BETWEEN ? AND ?", .integer(1),
            .integer(9)),
        Shape("distance IN {1, 2}", " WHERE t0.ZDISTANCE IN (?,?)", .integer(1), .integer(2)),
        Shape("distance IN {}", " WHERE 0"),
        Shape(
            "distance IN {1, nil}", " WHERE (t0.ZDISTANCE IS NULL OR t0.ZDISTANCE IN (?))",
            .integer(1)),
        Shape("tail IN[c] {'Ab'}", " WHERE OGFold(t0.ZTAIL, 1) IN (?)", .text("ab")),
        Shape(
            "distance > 1 AND tail == 'x'", " WHERE t0.ZDISTANCE > ? AND t0.ZTAIL = ?", .integer(1),
            .text("x")),
        Shape(
            "tail == 'x' AND distance > 1", " WHERE t0.ZTAIL = ? AND t0.ZDISTANCE > ?", .text("x"),
            .integer(1)),
        Shape(
            "(distance > 1 OR tail == 'x') AND delay < 0",
            " WHERE (t0.ZDISTANCE > ? OR t0.ZTAIL = ?) AND t0.ZDELAY < ?", .integer(1), .text("x"),
            .real(0)),
        Shape("NOT (distance > 1)", " WHERE NOT (t0.ZDISTANCE > ?)", .integer(1)),
        Shape(
            "distance * 2 + 1 > delay",
            " WHERE ((t0.ZDISTANCE * ?) + ?) > t0.ZDELAY", .integer(2), .integer(1)),
        Shape(
            "distance / 2 == 1.5", " WHERE (t0.ZDISTANCE / ?) = ?", .integer(2), .real(1.5)),
        Shape(
            "price / 2 == 1.5", " WHERE ((t0.ZPRICE + 0.0) / ?) = ?", .integer(2), .real(1.5)),
        Shape(
            "TERNARY(price > 1, price, 0) + 1 == 2",
            " WHERE (CASE WHEN t0.ZPRICE > ? THEN (t0.ZPRICE + 0.0) ELSE ? END + ?) = ?",
            .integer(1), .integer(0), .integer(1), .integer(2)),
        Shape(
            "abs:(delay) > 1 AND length:(tail) == 2",
            " WHERE OGAbsolute(t0.ZDELAY) > ? AND OGLength(t0.ZTAIL) = ?", .integer(1), .integer(2)),
        Shape("lowercase:(tail) == 'x'", " WHERE OGLowercase(t0.ZTAIL) = ?", .text("x")),
        Shape("canonical:(tail) == 'x'", " WHERE OGFold(t0.ZTAIL, 3) = ?", .text("x")),
    ])
    func `values have exactly this SQL (§7.6.1, §7.6.3, §7.6.4, §7.6.5, §7.8.2)`(
        shape: Shape
    ) throws { try check(shape) }

    @Test(arguments: [
        Shape(
            "tail BEGINSWITH 'N1'", " WHERE (t0.ZTAIL >= ? AND t0.ZTAIL < ?)", .text("N1"),
            .text("N2")),
        Shape("tail BEGINSWITH ''", " WHERE OGBeginsWith(t0.ZTAIL, ?, 0)", .text("")),
        Shape(
            "tail BEGINSWITH '\u{10FFFF}'", " WHERE t0.ZTAIL >= ?", .text("\u{10FFFF}")),
        Shape(
            "tail BEGINSWITH '\u{D7FF}'", " WHERE (t0.ZTAIL >= ? AND t0.ZTAIL < ?)",
            .text("\u{D7FF}"), .text("\u{E000}")),
        Shape(
            "tail BEGINSWITH 'a\u{10FFFF}'", " WHERE (t0.ZTAIL >= ? AND t0.ZTAIL < ?)",
            .text("a\u{10FFFF}"), .text("b")),
        Shape("NOT tail BEGINSWITH 'N'", " WHERE NOT (OGBeginsWith(t0.ZTAIL, ?, 0))", .text("N")),
        Shape("tail BEGINSWITH[c] 'N'", " WHERE OGBeginsWith(t0.ZTAIL, ?, 1)", .text("N")),
        Shape(
            "tail BEGINSWITH[n] 'N'", " WHERE (t0.ZTAIL >= ? AND t0.ZTAIL < ?)", .text("N"),
            .text("O")),
        Shape("tail CONTAINS 'x'", " WHERE OGContains(t0.ZTAIL, ?, 0)", .text("x")),
        Shape("tail CONTAINS[cd] 'x'", " WHERE OGContains(t0.ZTAIL, ?, 3)", .text("x")),
        Shape("tail ENDSWITH 'x'", " WHERE OGEndsWith(t0.ZTAIL, ?, 0)", .text("x")),
        Shape("tail LIKE 'x*'", " WHERE OGLike(t0.ZTAIL, ?, 0)", .text("x*")),
        Shape("tail MATCHES 'x.*'", " WHERE OGMatches(t0.ZTAIL, ?, 0)", .text("x.*")),
        Shape("tail ==[c] 'x'", " WHERE OGCompare(t0.ZTAIL, ?, 1) = 0", .text("x")),
        Shape("tail <[d] 'x'", " WHERE OGCompare(t0.ZTAIL, ?, 2) < 0", .text("x")),
        Shape("'xyz' CONTAINS tail", " WHERE OGContains(?, t0.ZTAIL, 0)", .text("xyz")),
        Shape("tail IN 'xyz'", " WHERE OGContains(?, t0.ZTAIL, 0)", .text("xyz")),
    ])
    func `strings have exactly this SQL (§7.6.10, §7.6.11, §7.6.12, §7.6.13)`(
        shape: Shape
    ) throws { try check(shape) }

    @Test(arguments: [
        Shape("airline == nil", " WHERE t0.ZAIRLINE IS NULL"),
        Shape(
            "airline.name == 'x'",
            " JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE t1.ZNAME = ?", .text("x")),
        Shape(
            "airline.name == 'x' OR distance > 1",
            " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE t1.ZNAME = ? OR t0.ZDISTANCE > ?",
            .text("x"), .integer(1)),
        Shape(
            "NOT airline.name == 'x'",
            " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE NOT (t1.ZNAME = ?)",
            .text("x")),
        Shape(
            "airline.name == nil",
            " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE t1.ZNAME IS NULL"),
        Shape(
            "(airline.name == 'x' OR airline.name == 'y') AND airline.name > 'a'",
            " JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE (t1.ZNAME = ? OR t1.ZNAME = ?) AND t1.ZNAME > ?",
            .text("x"), .text("y"), .text("a")),
        Shape(
            "crew.@count > 1",
            " WHERE (SELECT COUNT(*) FROM Z_2CREW t1 WHERE t1.Z_2FLIGHTS = t0.Z_PK) > ?",
            .integer(1)),
        Shape(
            "airline.flights.@count == 0",
            " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE NOT (EXISTS (SELECT 1 FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK))"
        ),
        Shape(
            "crew.@count > 0",
            " WHERE EXISTS (SELECT 1 FROM Z_2CREW t1 WHERE t1.Z_2FLIGHTS = t0.Z_PK)"),
        Shape(
            "SUBQUERY(crew, $p, $p.name == 'x' OR $p == $p).@count > 1",
            " WHERE (SELECT COUNT(*) FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW WHERE t1.Z_2FLIGHTS = t0.Z_PK AND (t2.ZNAME = ? OR t1.Z_3CREW = t1.Z_3CREW)) > ?",
            .text("x"), .integer(1)),
        Shape(
            "SUBQUERY(crew, $p, $p.home.code == tail).@count != 0",
            " WHERE EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW JOIN ZPLACE t3 ON t2.ZHOME = t3.Z_PK WHERE t1.Z_2FLIGHTS = t0.Z_PK AND t3.ZCODE = t0.ZTAIL)"
        ),
        Shape(
            "SUBQUERY(crew, $p, SUBQUERY($p.flights, $f, $f.delay > distance).@count > 0).@count > 0",
            " WHERE EXISTS (SELECT 1 FROM Z_2CREW t1 WHERE t1.Z_2FLIGHTS = t0.Z_PK AND EXISTS (SELECT 1 FROM Z_2CREW t2 JOIN ZFLIGHT t3 ON t3.Z_PK = t2.Z_2FLIGHTS WHERE t2.Z_3CREW = t1.Z_3CREW AND t3.ZDELAY > t0.ZDISTANCE))"
        ),
        Shape(
            "ANY SUBQUERY(airline.flights, $f, $f.distance > 1).delay < 2",
            " JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE EXISTS (SELECT 1 FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK AND t2.ZDISTANCE > ? AND t2.ZDELAY < ?)",
            .integer(1), .real(2)),
        Shape(
            "airline.flights.@sum.distance > 5",
            " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE (SELECT total(t2.ZDISTANCE) FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK) > ?",
            .integer(5)),
        Shape(
            "SUBQUERY(airline.flights, $f, $f.price == 5).@count / 2 == 1",
            " LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE ((SELECT COUNT(*) FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK AND t2.ZPRICE = ?) / ?) = ?",
            .integer(5), .integer(2), .integer(1)),
        Shape(
            "max:(crew.name) == 'x'",
            " WHERE (SELECT MAX(t2.ZNAME) FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW WHERE t1.Z_2FLIGHTS = t0.Z_PK) = ?",
            .text("x")),
        Shape(
            "distance & 1 == 0 AND distance ^ 1 == 1",
            " WHERE (t0.ZDISTANCE & ?) = ? AND OGExclusiveOr(t0.ZDISTANCE, ?) = ?", .integer(1),
            .integer(0), .integer(1), .integer(1)),
        Shape(
            "TERNARY(distance > 1, delay, 0) == 2",
            " WHERE CASE WHEN t0.ZDISTANCE > ? THEN t0.ZDELAY ELSE ? END = ?", .integer(1),
            .integer(0), .integer(2)),
        Shape(
            "distance IN {delay, 1, seats}",
            " WHERE t0.ZDISTANCE IN (?) OR t0.ZDISTANCE = t0.ZDELAY OR t0.ZDISTANCE = t0.ZSEATS",
            .integer(1)),
        Shape(
            "tail IN {'a'} UNION crew.name",
            " WHERE t0.ZTAIL IN (?) OR EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW WHERE t1.Z_2FLIGHTS = t0.Z_PK AND t2.ZNAME = t0.ZTAIL)",
            .text("a")),
        Shape("CAST(distance, 'NSString') == '1'", " WHERE OGText(t0.ZDISTANCE) = ?", .text("1")),
        Shape(
            "CAST(departure, 'NSNumber') > 1", " WHERE t0.ZDEPARTURE > ?", .integer(1)),
        Shape("noindex:(tail) == 'x'", " WHERE +t0.ZTAIL = ?", .text("x")),
        Shape(
            "max:({distance, 5}) > 4", " WHERE MAX(t0.ZDISTANCE, ?) > ?", .integer(5), .integer(4)),
        Shape(
            "ANY {1, 2} == distance", " WHERE ? = t0.ZDISTANCE OR ? = t0.ZDISTANCE", .integer(1),
            .integer(2)),
        Shape(
            "ANY crew.name == 'x'",
            " WHERE EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW WHERE t1.Z_2FLIGHTS = t0.Z_PK AND t2.ZNAME = ?)",
            .text("x")),
        Shape(
            "NONE crew.name == 'x'",
            " WHERE NOT (EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW WHERE t1.Z_2FLIGHTS = t0.Z_PK AND t2.ZNAME = ?))",
            .text("x")),
        Shape(
            "ALL crew.name == 'x'",
            " WHERE NOT EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW WHERE t1.Z_2FLIGHTS = t0.Z_PK AND (t2.ZNAME = ?) IS NOT TRUE)",
            .text("x")),
        Shape(
            "ANY airline.flights.delay > distance",
            " JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE EXISTS (SELECT 1 FROM ZFLIGHT t2 WHERE t2.ZAIRLINE = t1.Z_PK AND t2.ZDELAY > t0.ZDISTANCE)"
        ),
        Shape(
            "ANY crew.home.code == 'x'",
            " WHERE EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZPERSON t2 ON t2.Z_PK = t1.Z_3CREW JOIN ZPLACE t3 ON t2.ZHOME = t3.Z_PK WHERE t1.Z_2FLIGHTS = t0.Z_PK AND t3.ZCODE = ?)",
            .text("x")),
    ])
    func `objects have exactly this SQL (§7.6.6, §7.6.7, §7.6.8, §7.6.9, §7.6.19, §7.6.20)`(
        shape: Shape
    ) throws { try check(shape) }

    private func check(_ shape: Shape) throws {
        let translation = try translate(entity: "Flight", shape.format)
        #expect(translation.sql == "SELECT t0.Z_PK FROM ZFLIGHT t0" + shape.sql)
        #expect(translation.bindings == shape.bindings)
    }

    @Test func `a fetch on the right of IN is a SELECT within (§7.5.5)`() throws {
        var request = FetchRequest(
            entityName: "Airline", predicate: try ObjectPredicate("name == 'x'"))
        #expect(
            try translate("airline IN %@ AND distance > 1", request).sql.hasSuffix(
                " WHERE t0.ZAIRLINE IN (SELECT t0.Z_PK FROM ZAIRLINE t0 WHERE t0.ZNAME = ?) AND t0.ZDISTANCE > ?"
            ))
        #expect(
            try translate("distance > FETCH(%@, nil, YES)", request).sql.hasSuffix(
                " WHERE t0.ZDISTANCE > (SELECT COUNT(*) FROM ZAIRLINE t0 WHERE t0.ZNAME = ?)"))
        request.propertiesToFetch = ["name"]
        request.predicate = nil
        #expect(
            try translate("NOT tail IN %@", request).sql.hasSuffix(
                " WHERE NOT (t0.ZTAIL IN (SELECT t0.ZNAME FROM ZAIRLINE t0 WHERE t0.ZNAME IS NOT NULL))"
            ))
        #expect(
            try translate("tail IN[c] %@", request).sql.hasSuffix(
                " WHERE OGFold(t0.ZTAIL, 1) IN (WITH fetched(value) AS (SELECT t0.ZNAME FROM ZAIRLINE t0 WHERE t0.ZNAME IS NOT NULL) SELECT OGFold(value, 1) FROM fetched)"
            ))
        var flights = FetchRequest(entityName: "Flight")
        flights.propertiesToFetch = ["origin"]
        #expect(
            try translate("origin IN %@", flights).sql.hasSuffix(
                " WHERE t0.ZORIGIN IN (SELECT t0.ZORIGIN FROM ZFLIGHT t0 WHERE t0.ZORIGIN IS NOT NULL)"
            ))
    }

    @Test func `objects are compared by foreign key or primary key, without a join (§7.6.2)`()
        throws
    {
        let airline = QueryFixture.objectID("Airline", 7)
        let flight = QueryFixture.objectID("Flight", 8)
        let person = QueryFixture.objectID("Person", 9)
        let place = QueryFixture.objectID("Field", 10)
        #expect(try translate("airline == %@", airline).sql.hasSuffix(" WHERE t0.ZAIRLINE = ?"))
        #expect(try translate("airline == %@", airline).bindings == [.integer(7)])
        #expect(try translate("SELF == %@", flight).sql.hasSuffix(" WHERE t0.Z_PK = ?"))
        #expect(try translate("SELF IN %@", [flight]).sql.hasSuffix(" WHERE t0.Z_PK IN (?)"))
        #expect(try translate("origin == %@", place).sql.hasSuffix(" WHERE t0.ZORIGIN = ?"))
        let members =
            " WHERE EXISTS (SELECT 1 FROM Z_2CREW t1 WHERE t1.Z_2FLIGHTS = t0.Z_PK AND t1.Z_3CREW = ?)"
        #expect(try translate("ANY crew == %@", person).sql.hasSuffix(members))
        #expect(try translate("crew CONTAINS %@", person).sql.hasSuffix(members))
        #expect(try translate("%@ IN crew", person).sql.hasSuffix(members))
        #expect(
            try translate(entity: "Person", "ANY flights.airline == %@", airline).sql
                == "SELECT t0.Z_PK FROM ZPERSON t0 WHERE EXISTS (SELECT 1 FROM Z_2CREW t1 JOIN ZFLIGHT t2 ON t2.Z_PK = t1.Z_2FLIGHTS WHERE t1.Z_3CREW = t0.Z_PK AND t2.ZAIRLINE = ?)"
        )
        #expect(
            try translate(entity: "Airline", "ANY flights == %@", flight).sql
                == "SELECT t0.Z_PK FROM ZAIRLINE t0 WHERE EXISTS (SELECT 1 FROM ZFLIGHT t1 WHERE t1.ZAIRLINE = t0.Z_PK AND t1.Z_PK = ?)"
        )
    }

    @Test(arguments: [
        Restriction("Place", true, ""),
        Restriction("Place", false, " WHERE t0.Z_ENT = ?", 4),
        Restriction("Airport", true, " WHERE t0.Z_ENT BETWEEN ? AND ?", 5, 6),
        Restriction("Airport", false, " WHERE t0.Z_ENT = ?", 5),
        Restriction("Heliport", true, " WHERE t0.Z_ENT = ?", 7),
        Restriction("Airline", false, ""),
    ])
    func `the entity is named only where its table holds others (§7.6.18)`(restriction: Restriction)
        throws
    {
        var request = FetchRequest(entityName: restriction.entity)
        request.includesSubentities = restriction.includesSubentities
        let translation = try translate(request)
        let entity = QueryFixture.entity(restriction.entity)
        let table = QueryFixture.layout.table(of: entity)
        #expect(translation.sql == "SELECT t0.Z_PK FROM \(table) t0\(restriction.sql)")
        #expect(translation.bindings == restriction.numbers.map { SQLBinding.integer($0) })
    }

    @Test func `an alternative keeps its parentheses beside the entity`() throws {
        #expect(
            try translate(entity: "Heliport", "code == 'x' OR altitude > 1").sql
                == "SELECT t0.Z_PK FROM ZPLACE t0 WHERE t0.Z_ENT = ? AND (t0.ZCODE = ? OR t0.ZALTITUDE > ?)"
        )
    }

    @Test func `order, limit and offset (§7.6.14, §7.6.15)`() throws {
        var request = FetchRequest(
            entityName: "Flight",
            sortKeys: [
                SortKey("airline.name", comparison: .caseInsensitive), .descending("distance"),
                SortKey("tail", ascending: false, comparison: .localizedStandard),
            ])
        request.fetchLimit = 20
        request.fetchOffset = 40
        let translation = try translate(request)
        #expect(
            translation.sql
                == "SELECT t0.Z_PK FROM ZFLIGHT t0 LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK ORDER BY t1.ZNAME COLLATE OGCaseInsensitive, t0.ZDISTANCE DESC, t0.ZTAIL COLLATE OGLocalizedStandard DESC LIMIT ? OFFSET ?"
        )
        #expect(translation.bindings == [.integer(20), .integer(40)])
        request.sortKeys = []
        request.fetchLimit = 0
        #expect(
            try translate(request).sql == "SELECT t0.Z_PK FROM ZFLIGHT t0 LIMIT -1 OFFSET ?")
    }

    @Test func `a count ignores the order and keeps the limit`() throws {
        var request = FetchRequest(
            entityName: "Flight", predicate: try ObjectPredicate("distance > 1"),
            sortKeys: [.ascending("airline.name")])
        #expect(
            try translate(request, .count).sql
                == "SELECT COUNT(*) FROM ZFLIGHT t0 WHERE t0.ZDISTANCE > ?")
        request.fetchLimit = 5
        #expect(
            try translate(request, .count).sql
                == "SELECT COUNT(*) FROM (SELECT 1 FROM ZFLIGHT t0 WHERE t0.ZDISTANCE > ? LIMIT ?)")
    }

    @Test func `a long list travels in one parameter`() throws {
        let keys = Array(1...501)
        let integers = try translate("distance IN %@", keys)
        #expect(
            integers.sql.hasSuffix(" WHERE t0.ZDISTANCE IN (SELECT value FROM json_each(?))"))
        let json = "[" + keys.map(String.init).joined(separator: ",") + "]"
        #expect(integers.bindings == [.text(json)])
        let doubles = try translate("delay IN %@", keys)
        #expect(doubles.sql.hasSuffix("IN (SELECT OGReal(value) FROM json_each(?))"))
        let identifiers = try translate("id IN %@", keys.map { _ in UUID() })
        #expect(identifiers.sql.hasSuffix("IN (SELECT OGBlob(value) FROM json_each(?))"))
    }
}
