import Foundation
import Testing

@testable import ObjectGraph

/// The results of a predicate for two flights: one with nil attributes and relationships, one with
/// values.
struct NullCase: Sendable, CustomTestStringConvertible {
    let format: String
    let inMemory: [Int64]
    let inSQL: [Int64]
    var testDescription: String { format }

    init(_ format: String, _ inMemory: [Int64], _ inSQL: [Int64]? = nil) {
        self.format = format
        self.inMemory = inMemory
        self.inSQL = inSQL ?? inMemory
    }
}

private let nothing: Int64 = 1
private let something: Int64 = 2

@Suite struct `Null handling (§7.4)` {
    let rows: [FixtureRow]
    let database: FixtureDatabase

    init() throws {
        let empty = FixtureRow("Flight", nothing)
        let full = FixtureRow(
            "Flight", something, ["distance": 6, "tail": "bab", "delay": 1.5, "isLate": true])
        let airline = FixtureRow("Airline", 1, ["name": "x"])
        let nameless = FixtureRow("Person", 1)
        full.connect("airline", to: airline)
        full.connect("crew", to: nameless)
        rows = [empty, full]
        database = try FixtureDatabase([empty, full, airline, nameless])
    }

    @Test(arguments: [
        NullCase("distance == nil", [1]),
        NullCase("distance != nil", [2]),
        NullCase("distance == 6", [2]),
        NullCase("distance != 5", [1, 2], [2]),
        NullCase("NOT (distance == 5)", [1, 2], [2]),
        NullCase("NOT (distance == 6)", [1], []),
        NullCase("distance < 7", [2]),
        NullCase("NOT (distance < 5)", [1, 2], [2]),
    ])
    func `nil in comparisons (§7.4.1, §7.4.2, §7.4.3, §7.4.4, §7.4.5, §7.4.6)`(
        example: NullCase
    ) throws { try check(example) }

    @Test(arguments: [
        NullCase("distance BETWEEN {1, 9}", [2]),
        NullCase("distance IN {6, 7}", [2]),
        NullCase("NOT (distance IN {7})", [1, 2], [2]),
        NullCase("distance IN {7, nil}", [1]),
        NullCase("NOT (distance IN {7, nil})", [2]),
        NullCase("distance IN {}", []),
        NullCase("NOT (distance IN {})", [1, 2]),
        NullCase("tail CONTAINS 'a'", [2]),
        NullCase("NOT (tail CONTAINS 'z')", [1, 2]),
        NullCase("tail BEGINSWITH 'b'", [2]),
        NullCase("NOT (tail BEGINSWITH 'z')", [1, 2]),
        NullCase("tail LIKE '*'", [2]),
        NullCase("tail MATCHES '.*'", [2]),
        NullCase("tail ==[c] 'BAB'", [2]),
        NullCase("tail !=[c] 'x'", [1, 2], [2]),
        NullCase("distance + 1 == 7", [2]),
        NullCase("distance == delay", [1], []),
        NullCase("distance != delay", [2]),
        NullCase("airline == nil", [1]),
        NullCase("airline.name == nil", [1]),
        NullCase("airline.name == 'x'", [2]),
        NullCase("airline.name == 'x' OR distance == nil", [1, 2]),
        NullCase("airline.flights.@count == 0", [1]),
        NullCase("ANY crew.name == nil", [2]),
        NullCase("ANY crew.name == 'x'", []),
        NullCase("ALL crew.name == 'x'", [1]),
        NullCase("NONE crew.name == 'x'", [1, 2]),
        NullCase("nil == nil", [1, 2]),
    ])
    func `nil in lists, strings and key paths (§7.4.7, §7.4.8, §7.4.9)`(
        example: NullCase
    ) throws { try check(example) }

    /// SQL leaves out members for which the condition is unknown, so it may find more objects.
    @Test(arguments: [
        NullCase("ANY crew.name != 'x'", [2], []),
        NullCase("NOT ANY crew.name != 'x'", [1], [1, 2]),
        NullCase("ALL crew.name != 'x'", [1, 2], [1]),
        NullCase("NOT (ALL crew.name != 'x')", [], [2]),
        NullCase("NOT (ALL crew.name == 'x')", [2]),
        NullCase("SUBQUERY(crew, $p, $p.name != 'x').@count == 0", [1], [1, 2]),
        NullCase("SUBQUERY(crew, $p, NOT $p.name == 'x').@count > 0", [2], []),
    ])
    func `nil in members (§7.4.4, §7.4.5)`(example: NullCase) throws { try check(example) }

    private func check(_ example: NullCase) throws {
        let predicate = try ObjectPredicate(example.format)
        let compiled = try CompiledPredicate(
            predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
        #expect(rows.filter(compiled.matches).map(\.key) == example.inMemory, "in memory")
        let request = FetchRequest(entityName: "Flight", predicate: predicate)
        #expect(try database.keys(request).sorted() == example.inSQL, "in SQL")
    }
}
