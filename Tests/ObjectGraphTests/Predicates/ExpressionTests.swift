import Foundation
import Testing

@testable import ObjectGraph

/// A predicate of Flight, and the keys of the flights for which it holds in both evaluators.
struct Finding: Sendable, CustomTestStringConvertible {
    let format: String
    let keys: [Int64]
    var testDescription: String { format }

    init(_ format: String, _ keys: Int64...) {
        self.format = format
        self.keys = keys
    }
}

/// Three flights: 1 of United with Ann and Bob, 2 of United with Bob, 3 without airline and crew.
struct FlightsFixture {
    let rows: [FixtureRow]
    let database: FixtureDatabase

    init() throws {
        let flights = [
            FixtureRow(
                "Flight", 1,
                [
                    "distance": 5, "delay": 2.5, "tail": "Straße 1", "isLate": true, "seats": 2,
                    "departure": .date(Date(timeIntervalSinceReferenceDate: 100)),
                    "price": .decimal(Decimal(string: "2.5")!),
                ]),
            FixtureRow("Flight", 2, ["distance": -7, "delay": 0, "tail": "ÉTÉ", "isLate": false]),
            FixtureRow("Flight", 3, ["distance": 0]),
        ]
        let united = FixtureRow("Airline", 1, ["name": "United"])
        let (ann, bob) = (
            FixtureRow("Person", 1, ["name": "Ann"]), FixtureRow("Person", 2, ["name": "Bob"])
        )
        let home = FixtureRow("Heliport", 1, ["code": "JFK", "altitude": 3])
        flights[0].connect("airline", to: united)
        flights[1].connect("airline", to: united)
        flights[0].connect("crew", to: ann)
        flights[0].connect("crew", to: bob)
        flights[1].connect("crew", to: bob)
        ann.connect("home", to: home)
        rows = flights
        database = try FixtureDatabase(flights + [united, ann, bob, home])
    }

    func check(_ finding: Finding) throws {
        let predicate = try ObjectPredicate(finding.format)
        let compiled = try CompiledPredicate(
            predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
        #expect(rows.filter(compiled.matches).map(\.key) == finding.keys, "in memory")
        let request = FetchRequest(entityName: "Flight", predicate: predicate)
        #expect(try database.keys(request).sorted() == finding.keys, "in SQL")
    }
}

@Suite struct `Expressions (§7.5)` {
    @Test(arguments: [
        Finding("distance + 2 == 7", 1),
        Finding("distance - 2 == -2", 3),
        Finding("distance * distance == 49", 2),
        Finding("modulus:by:(distance, 3) == -1", 2),
        Finding("modulus:by:(distance, 0) == nil", 1, 2, 3),
        Finding("distance ** 2 == 25", 1),
        Finding("abs:(distance) == 7", 2),
        Finding("sqrt:(distance + 4) == 3", 1),
        Finding("sqrt:(distance) == nil", 2),
        Finding("log:(distance + 5) == 1", 1),
        Finding("ln:(exp:(delay)) == 2.5", 1),
        Finding("floor:(delay) == 2", 1),
        Finding("ceiling:(delay) == 3", 1),
        Finding("trunc:(0 - delay) == -2", 1),
        Finding("distance & 1 == 1", 1, 2),
        Finding("distance | 2 == 7", 1),
        Finding("distance ^ 1 == 4", 1),
        Finding("~distance == 6", 2),
        Finding("distance << 1 == 10", 1),
        Finding("distance >> 1 == -4", 2),
        Finding("distance << 64 == 0", 1, 2, 3),
        Finding("lowercase:(tail) == 'été'", 2),
        Finding("uppercase:(tail) == 'STRASSE 1'", 1),
        Finding("canonical:(tail) == 'ete'", 2),
        Finding("length:(tail) == 8", 1),
        Finding("TERNARY(isLate == YES, delay, distance) == -7", 2),
        Finding("TERNARY(isLate == YES, delay, nil) == 2.5", 1),
        Finding("TERNARY(delay > 1, 1, 2) == 2", 2, 3),
        Finding("CAST(distance, 'NSString') == '-7'", 2),
        Finding("CAST(delay, 'NSString') == '2.5'", 1),
        Finding("CAST(CAST(distance, 'NSString'), 'NSNumber') > 1", 1),
        Finding("CAST(tail, 'NSNumber') == nil", 1, 2, 3),
        Finding("CAST(departure, 'NSNumber') == 100", 1),
        Finding("CAST(distance, 'NSDate') == CAST(5, 'NSDate')", 1),
        Finding("departure + 50 == CAST(150, 'NSDate')", 1),
        Finding("now() > departure", 1),
        Finding("CAST({1}[5], 'NSString') == nil", 1, 2, 3),
        Finding("CAST({1}[5], 'NSString') BEGINSWITH '1'"),
        Finding("noindex:(tail) == 'ÉTÉ'", 2),
        Finding("abs:(nil) == nil", 1, 2, 3), Finding("distance + nil == nil", 1, 2, 3),
        Finding("length:({'a'}[1]) == nil", 1, 2, 3),
        Finding("{1, 5, 7}[1] == distance", 1),
        Finding("{1, 5}[LAST] == distance", 1),
        Finding("{1, 5}[SIZE] == seats", 1),
        Finding("{5}[3] == delay", 3),
        Finding("max:({distance, seats, 3}) == 5", 1),
        Finding("min:({distance, -7}) == -7", 1, 2, 3),
        Finding("sum:({distance, delay}) == 7.5", 1),
        Finding("average:({distance, 3}) == 4", 1),
        Finding("price * 2 == distance", 1),
        Finding("FUNCTION(distance, 'abs:') == 7", 2),
    ])
    func `functions have the same value in both evaluators (§7.5.1, §7.5.2, §7.5.3)`(
        finding: Finding
    ) throws { try FlightsFixture().check(finding) }

    @Test(arguments: [
        Finding("7 / 2 == 3", 1, 2, 3), Finding("distance / 2 == 2", 1),
        Finding("distance / 2 == -3", 2), Finding("distance / seats == 2", 1),
        Finding("(distance / 2) * 2 != distance", 1, 2), Finding("distance / 0 == nil", 1, 2, 3),
        Finding("distance / 2.0 == 2.5", 1), Finding("7 / 2.0 == 3.5", 1, 2, 3),
        Finding("(distance + 0.0) / 2 == 2.5", 1), Finding("delay / 2 == 1.25", 1),
        Finding("(price * 2) / 2 == 2.5", 1), Finding("departure / 3 > 33", 1),
        Finding("(departure - 95) / 2 == 2.5", 1),
        Finding("CAST(distance, 'NSDate') / 2 == 2.5", 1),
        Finding("min:({5, 5.0}) / 2 == 2.5", 1, 2, 3), Finding("max:({5, 5.0}) / 2 == 2", 1, 2, 3),
        Finding("crew.@count / 2 == 1", 1), Finding("isLate / 2 == 0", 1, 2),
        Finding("(0 - 9223372036854775807 - 1) / (0 - 1) > 9.2e18", 1, 2, 3),
        Finding("(0 - 9223372036854775807 - 1) / 0 == nil", 1, 2, 3),
    ])
    func `a division of integers has no fraction, others have (§7.5.4)`(
        finding: Finding
    ) throws { try FlightsFixture().check(finding) }

    /// SQLite stores whole decimals and dates as integers. Only integers are exact near the
    /// greatest integer.
    @Test(arguments: [
        "price / 2 == 2.5", "(price + distance) / 4 == 2.5", "abs:(price) / 2 == 2.5",
        "max:({price, 1}) / 2 == 2.5", "TERNARY(distance == 5, price, 0) / 2 == 2.5",
        "origin.altitude ^ onesComplement:(price - origin.altitude) == 0",
        "price - origin.altitude + origin.altitude == 0",
        "departure - origin.altitude + origin.altitude == 0",
        "abs:(price) - origin.altitude + origin.altitude == 0",
        "max:({price, 1}) - origin.altitude + origin.altitude == 0",
        "{1, price}[1] - origin.altitude + origin.altitude == 0",
        "TERNARY(price == 5, price, 0) - origin.altitude + origin.altitude == 0",
        "airline.flights.@max.price - origin.altitude + origin.altitude == 0",
        "CAST(price, 'NSNumber') - origin.altitude + origin.altitude == 0",
        "CAST(distance, 'NSDate') - origin.altitude + origin.altitude == 0",
        "distance - origin.altitude + origin.altitude == 5",
        "CAST(price, 'NSString') == '5.0'", "CAST(distance, 'NSString') == '5'",
        "CAST(CAST(departure, 'NSNumber'), 'NSString') == '100.0'",
        "CAST(max:({price, 1}), 'NSString') == '5.0'", "length:(CAST(price, 'NSString')) == 3",
    ])
    func `whole decimals and dates are real numbers in computations (§7.5.4)`(
        format: String
    ) throws {
        let flight = FixtureRow(
            "Flight", 1,
            [
                "price": .decimal(5), "distance": 5,
                "departure": .date(Date(timeIntervalSinceReferenceDate: 100)),
            ])
        let (place, airline) = (
            FixtureRow("Heliport", 2, ["altitude": .integer(.max)]), FixtureRow("Airline", 3)
        )
        flight.connect("origin", to: place)
        flight.connect("airline", to: airline)
        let predicate = try ObjectPredicate(format)
        let compiled = try CompiledPredicate(
            predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
        #expect(compiled.matches(flight), "in memory")
        let request = FetchRequest(entityName: "Flight", predicate: predicate)
        #expect(try FixtureDatabase([flight, place, airline]).keys(request) == [1], "in SQL")
    }

    @Test(arguments: [
        Finding("tail BEGINSWITH ''"), Finding("tail ENDSWITH ''"), Finding("tail CONTAINS ''"),
        Finding("tail BEGINSWITH[cd] ''"), Finding("tail CONTAINS[c] ''"), Finding("'' IN tail"),
        Finding("tail IN ''"), Finding("tail CONTAINS[d] '\u{301}'"),
        Finding("NOT (tail BEGINSWITH '')", 1, 2, 3), Finding("NOT (tail CONTAINS '')", 1, 2, 3),
        Finding("tail LIKE ''"),
        Finding("tail LIKE '*'", 1, 2), Finding("ANY crew.name CONTAINS ''"),
    ])
    func `nothing begins with, ends with or contains the empty text (§7.3.2)`(
        finding: Finding
    ) throws { try FlightsFixture().check(finding) }

    @Test(arguments: [
        Finding("sum(airline.flights.distance) == -2", 1, 2),
        Finding("max(distance, seats) == 5", 1),
        Finding("sum:(1, 1) == 2", 1, 2, 3), Finding("length(tail) == 8", 1),
        Finding("abs(distance) == 7", 2),
        Finding("tail.length == 8", 1), Finding("airline.name.length == 6", 1, 2),
        Finding("ANY crew.name.length > 3"), Finding("'abc'.length == 3", 1, 2, 3),
        Finding("{1, 2} == {1, 2}", 1, 2, 3), Finding("{1, 2} == {2, 1}"),
        Finding("{1, 2} != {1, 2, 3}", 1, 2, 3), Finding("{} == {}", 1, 2, 3),
        Finding("{distance, 'x'} == {5, 'x'}", 1), Finding("{'A'} ==[c] {'a'}", 1, 2, 3),
        Finding("{5, -7, 0}[1 + 1] == distance", 3), Finding("{0, 1, 9}[seats] == 9", 1),
        Finding("{'a', 'b'}[isLate] == 'b'", 1), Finding("{1, 2}[distance] == nil", 1, 2),
        Finding("{1, 2}[{0}[5]] == nil", 1, 2, 3),
        Finding("{10, 20}[1.0] == 20", 1, 2, 3), Finding("{10, 20}[0.5] == nil", 1, 2, 3),
    ])
    func `what Foundation's formats may say (§7.5.1, §7.5.2)`(finding: Finding) throws {
        try FlightsFixture().check(finding)
    }

    @Test(arguments: [
        Finding("distance == '5'", 1), Finding("distance IN {'5', '0'}", 1, 3),
        Finding("distance < '0'", 2),
        Finding("delay == '2.5'", 1), Finding("abs:(distance) == '7'", 2),
        Finding("price == '2.50'", 1), Finding("isLate == '1'", 1),
        Finding("'5' == distance", 1), Finding("CAST(distance, 'NSString') == 5", 1),
        Finding("CAST(distance, 'NSString') IN {5, -7}", 1, 2), Finding("tail == 5"),
        Finding("distance BETWEEN {'0', '9'}", 1, 3), Finding("'1' == 1", 1, 2, 3),
    ])
    func `a text is read as a number, and a whole number as text (§7.3)`(
        finding: Finding
    ) throws { try FlightsFixture().check(finding) }

    @Test(arguments: [
        Finding("distance < nil"), Finding("distance >= nil"), Finding("nil < distance"),
        Finding("NOT (distance < nil)", 1, 2, 3), Finding("distance BETWEEN {nil, 5}"),
        Finding("ANY crew.home.altitude > nil"), Finding("tail <[c] nil"),
    ])
    func `nothing is less or greater than a nil that is given (§7.4.6)`(
        finding: Finding
    ) throws { try FlightsFixture().check(finding) }

    @Test func `objects are asked for their identity and entity (§7.6.2)`() throws {
        let fixture = try FlightsFixture()
        func check(_ format: String, _ arguments: any PredicateArgument..., is keys: [Int64]) throws
        {
            let predicate = try ObjectPredicate(format, arguments: arguments)
            let compiled = try CompiledPredicate(
                predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
            #expect(fixture.rows.filter(compiled.matches).map(\.key) == keys, "\(format) in memory")
            let request = FetchRequest(entityName: "Flight", predicate: predicate)
            #expect(try fixture.database.keys(request).sorted() == keys, "\(format) in SQL")
        }
        let (flight, ann) = (QueryFixture.objectID("Flight", 2), QueryFixture.objectID("Person", 1))
        let description = QueryFixture.entity("Flight").description
        try check("objectID == %@", flight, is: [2])
        try check("SELF.objectID IN %@", [flight], is: [2])
        try check("objectID != %@", flight, is: [1, 3])
        try check("airline.objectID == nil", is: [3])
        try check("ANY crew.objectID == %@", ann, is: [1])
        try check("SUBQUERY(crew, $p, $p.objectID == %@).@count == 1", ann, is: [1])
        try check("entity == %@", description, is: [1, 2, 3])
        try check("entity.name == 'Airport'", is: [])
        try check("airline.entity.name == 'Airline'", is: [1, 2])
        try check("airline.entity.name == nil", is: [3])
        try check("ANY crew.home.entity.name == 'Heliport'", is: [1])
        try check("ANY crew.home.entity.name BEGINSWITH 'Heli'", is: [1])
        try check("SELF isKindOfClass: %@", "Flight", is: [1, 2, 3])
        try check("SELF isKindOfClass: 'Person'", is: [])
        try check("SUBQUERY(crew, $p, $p.home isKindOfClass: 'Place').@count == 1", is: [1])
        try check("SUBQUERY(crew, $p, $p.home isKindOfClass: 'Airport').@count == 1", is: [])
        try check("origin isKindOfClass: 'Place'", is: [])
    }

    @Test(arguments: [
        Finding("SUBQUERY(crew, $p, $p.name == 'Ann').@count == 1", 1),
        Finding("SUBQUERY(crew, $p, $p.name > 'A').@count >= 2", 1),
        Finding("SUBQUERY(crew, $p, $p.name == 'Zoe').@count == 0", 1, 2, 3),
        Finding("SUBQUERY(crew, $p, $p.home.code == 'JFK').@count > 0", 1),
        Finding("SUBQUERY(airline.flights, $f, $f.distance < distance).@count == 1", 1),
        Finding("SUBQUERY(airline.flights, $f, $f != SELF).@count == 1", 1, 2),
        Finding(
            "SUBQUERY(crew, $p, SUBQUERY($p.flights, $f, $f.distance < 0).@count > 0).@count > 0",
            1, 2),
        Finding("ANY SUBQUERY(crew, $p, $p.home == nil).name == 'Bob'", 1, 2),
        Finding("ALL SUBQUERY(crew, $p, $p.home == nil).name == 'Bob'", 1, 2, 3),
        Finding("count:(SUBQUERY(crew, $p, $p.name == 'Bob')) == 1", 1, 2),
        Finding("SUBQUERY(airline.flights, $f, ANY $f.crew.name == 'Ann').@count == 1", 1, 2),
    ])
    func `a subquery keeps what its predicate holds for (§7.5.1)`(finding: Finding) throws {
        try FlightsFixture().check(finding)
    }

    @Test func `statistics in memory only (§7.5.2, §7.5.3)`() throws {
        let fixture = try FlightsFixture()
        for format in [
            "median:({distance, 1, 2}) == 2", "mode:({distance, 5, 1}) == 5",
            "stddev:({distance, 7}) == 1", "random() < 1 AND distance == 5",
            "random:(1) == 0 AND distance == 5", "count:({distance, 1}) == 2 AND distance == 5",
            "median:(airline.flights.distance) == -1 AND distance == 5",
        ] {
            let compiled = try CompiledPredicate(
                ObjectPredicate(format), entity: QueryFixture.entity("Flight"),
                model: QueryFixture.model)
            #expect(fixture.rows.filter(compiled.matches).map(\.key) == [1], "\(format)")
        }
    }
}

@Suite struct `Collections in predicates (§7.3)` {
    @Test(arguments: [
        Finding("distance BETWEEN {-7, 0}", 2, 3),
        Finding("distance BETWEEN {seats, 5}", 1),
        Finding("distance IN {0, 5}", 1, 3),
        Finding("distance IN {seats + 3, 0}", 1, 3),
        Finding("distance IN {delay * 2}", 1),
        Finding("'Ann' IN crew.name", 1),
        Finding("tail IN 'Straße 10'", 1),
        Finding("{-7, 0} CONTAINS distance", 2, 3),
        Finding("distance IN {0} UNION {5}", 1, 3),
        Finding("distance IN {0, 5} INTERSECT {5, 7}", 1),
        Finding("distance IN {0, 5} MINUS {5}", 3),
        Finding("'Ann' IN crew.name UNION airline.flights.tail", 1),
        Finding("'Bob' IN crew.name MINUS {'Bob'}"),
    ])
    func `BETWEEN and IN (§7.3.1)`(finding: Finding) throws {
        try FlightsFixture().check(finding)
    }

    @Test(arguments: [
        Finding("tail CONTAINS 'ra'", 1), Finding("tail CONTAINS[cd] 'te'", 2),
        Finding("crew.name CONTAINS 'Ann'", 1), Finding("'Straße 10' CONTAINS tail", 1),
    ])
    func `CONTAINS on strings and collections (§7.3.2)`(finding: Finding) throws {
        try FlightsFixture().check(finding)
    }

    @Test(arguments: [
        Finding("ANY crew.name == 'Ann'", 1),
        Finding("SOME crew.name BEGINSWITH[c] 'b'", 1, 2),
        Finding("NONE crew.name == 'Ann'", 2, 3),
        Finding("'Ann' == ANY crew.name"),
        Finding("ANY crew.home == nil", 1, 2),
        Finding("ANY {5, -7} == distance", 1, 2),
        Finding("ALL {0, 5} >= distance", 2, 3),
        Finding("ANY airline.flights.distance < distance", 1),
    ])
    func `ANY, SOME and NONE (§7.1.5)`(finding: Finding) throws {
        if finding.format.hasPrefix("'") {
            #expect(throws: PredicateFormatError.self) { try ObjectPredicate(finding.format) }
        } else {
            try FlightsFixture().check(finding)
        }
    }

    /// An extension: Core Data's SQL stores reject it.
    @Test(arguments: [
        Finding("ALL crew.name == 'Bob'", 2, 3), Finding("ALL crew.home == nil", 2, 3),
        Finding("NOT (ALL crew.name == 'Bob')", 1),
    ])
    func `ALL works in SQL as well (§7.7.2)`(finding: Finding) throws {
        try FlightsFixture().check(finding)
    }

    @Test(arguments: [
        Finding("crew.@count == 2", 1), Finding("crew.@count < 1", 3),
        Finding("crew[SIZE] == 2", 1),
        Finding("airline.flights.@sum.distance == -2", 1, 2),
        Finding("airline.flights.@sum.distance == 0", 3),
        Finding("airline.flights.@avg.distance == -1", 1, 2),
        Finding("airline.flights.@avg.distance == nil", 3),
        Finding("airline.flights.@min.distance == distance", 2),
        Finding("crew.@max.name == 'Bob'", 1, 2),
        Finding("crew.@min.home.altitude == 3", 1),
        Finding("sum:(airline.flights.distance) < 0", 1, 2),
        Finding("max:(crew.name) == 'Bob'", 1, 2),
        Finding("count:(crew) == 1", 2),
        Finding("count:(crew.home.code) == 1", 1),
        Finding("SUBQUERY(airline.flights, $f, $f.distance > 0).@sum.delay == 2.5", 1, 2),
    ])
    func `collection operators (§7.3.5)`(finding: Finding) throws {
        try FlightsFixture().check(finding)
    }

    @Test(arguments: [
        "ANY crew.@unionOfObjects.name == 'Ann'", "'Ann' IN crew.@distinctUnionOfObjects.name",
    ])
    func `unions of values in memory only (§7.3.5)`(format: String) throws {
        let compiled = try CompiledPredicate(
            ObjectPredicate(format), entity: QueryFixture.entity("Flight"),
            model: QueryFixture.model)
        #expect(try FlightsFixture().rows.filter(compiled.matches).map(\.key) == [1])
    }

    @Test(arguments: [
        Finding("tail ==[c] 'STRASSE 1'", 1), Finding("tail ==[cd] 'ete'", 2),
        Finding("tail >[c] 'STRASSE 0'", 1, 2), Finding("tail ==[n] 'ÉTÉ'", 2),
        Finding("tail ==[cdn] 'ete'"), Finding("tail ==[l] 'ÉTÉ'", 2),
        Finding("tail IN[cd] {'ete', 'x'}", 2), Finding("tail LIKE[c] 'stra*'", 1),
        Finding("tail MATCHES[d] 'ET.'", 2), Finding("tail BETWEEN[c] {'s', 't'}", 1),
    ])
    func `options of string comparisons (§7.3.4)`(finding: Finding) throws {
        try FlightsFixture().check(finding)
    }
}
