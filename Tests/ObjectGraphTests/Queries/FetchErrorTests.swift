import Foundation
import Testing

@testable import ObjectGraph

/// A predicate of Flight that cannot be evaluated, and why.
struct Misuse: Sendable, CustomTestStringConvertible {
    let format: String
    let error: FetchError
    var testDescription: String { format }

    init(_ format: String, _ error: FetchError) {
        self.format = format
        self.error = error
    }
}

@Suite struct `Misuse of requests (§7.7)` {
    @Test(arguments: [
        Misuse("colour == 1", .unknownKeyPath("colour", entity: "Flight")),
        Misuse("airline.colour == 1", .unknownKeyPath("airline.colour", entity: "Flight")),
        Misuse("tail.size == 1", .unknownKeyPath("tail.size", entity: "Flight")),
        Misuse("origin.runways == 1", .unknownKeyPath("origin.runways", entity: "Flight")),
        Misuse("crew.name == 'x'", .toManyKeyNotAllowedHere("crew.name", entity: "Flight")),
        Misuse("crew == nil", .toManyKeyNotAllowedHere("crew", entity: "Flight")),
        Misuse(
            "ANY crew.flights.delay == 1",
            .multipleToManyKeysNotAllowedHere("crew.flights.delay", entity: "Flight")),
        Misuse(
            "crew.@sum.age == 1",
            .unsupported(feature: "The collection operator '@sum'")),
        Misuse("median:(delay) == 1", .unsupported(feature: "The function 'median:'")),
        Misuse("delay ** 2 == 1", .unsupported(feature: "The function 'raise:toPower:'")),
        Misuse("sum:(delay) == 1", .aggregateNotAllowedHere("sum:")),
        Misuse("delay == $x", .unboundVariable("x")),
        Misuse(
            "distance == 'x'",
            .typeMismatch(key: "distance", expected: "of type integer32", value: "x")),
        Misuse("tail == 5", .typeMismatch(key: "tail", expected: "of type string", value: 5)),
        Misuse(
            "isLate == 2", .typeMismatch(key: "isLate", expected: "of type boolean", value: 2)),
        Misuse(
            "tail IN {'x', 5}", .typeMismatch(key: "tail", expected: "of type string", value: 5)),
        Misuse(
            "abs:(delay) == 'x'",
            .typeMismatch(key: "abs:(delay)", expected: "a number", value: "x")),
        Misuse(
            "airline == 5", .typeMismatch(key: "airline", expected: "an object", value: 5)),
        Misuse("abs:(tail) == 1", .invalidArguments(function: "abs:", expected: "a number")),
        Misuse(
            "add:to:(delay) == 1",
            .invalidArguments(function: "add:to:", expected: "a number and a number")),
    ])
    func `both evaluators refuse it with the same error`(misuse: Misuse) throws {
        let predicate = try ObjectPredicate(misuse.format)
        let entity = QueryFixture.entity("Flight")
        #expect(throws: misuse.error) {
            try CompiledPredicate(predicate, entity: entity, model: QueryFixture.model)
        }
        #expect(throws: misuse.error) {
            try FetchTranslation(
                FetchRequest(entityName: "Flight", predicate: predicate), entity: entity,
                model: QueryFixture.model, selection: .count)
        }
    }

    @Test(arguments: [
        "distance CONTAINS '5'", "tail MATCHES 5", "distance < nil", "tail == distance",
        "distance ==[c] 5", "distance IN 5", "distance BETWEEN {1}", "distance BETWEEN 1",
        "ANY tail == 'x'", "ALL airline.name == 'x'", "distance == {1}",
    ])
    func `sides that do not fit are refused with advice`(format: String) throws {
        let predicate = try ObjectPredicate(format)
        do throws(FetchError) {
            _ = try CompiledPredicate(
                predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
            Issue.record("accepted")
        } catch {
            guard case .invalidComparison(_, let advice) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!advice.isEmpty)
        }
    }

    @Test func `an identifier of another entity is refused`() throws {
        let predicate = try ObjectPredicate("airline == %@", QueryFixture.objectID("Person", 1))
        #expect(throws: FetchError.self) {
            try CompiledPredicate(
                predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
        }
    }

    @Test func `a transient attribute is evaluated in memory only`() throws {
        let predicate = try ObjectPredicate("note == 'x'")
        let entity = QueryFixture.entity("Flight")
        let compiled = try CompiledPredicate(predicate, entity: entity, model: QueryFixture.model)
        #expect(compiled.matches(FixtureRow("Flight", 1, ["note": "x"])))
        #expect(throws: FetchError.transientKeyNotAllowedHere("note", entity: "Flight")) {
            try FetchTranslation(
                FetchRequest(entityName: "Flight", predicate: predicate), entity: entity,
                model: QueryFixture.model, selection: .count)
        }
    }

    @Test func `sort keys must be attributes, and strings to be compared as such`() {
        for key in [
            SortKey("airline"), SortKey("crew.name"), SortKey("crew.@count"), SortKey("colour"),
            SortKey("distance", comparison: .caseInsensitive),
        ] {
            #expect(throws: FetchError.self) {
                try CompiledSort(
                    [key], entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
            }
        }
    }

    @Test func `counts below zero are refused`() {
        var request = FetchRequest(entityName: "Flight")
        request.fetchLimit = -1
        #expect(throws: FetchError.negativeCount("fetchLimit", -1)) {
            try FetchTranslation(
                request, entity: QueryFixture.entity("Flight"), model: QueryFixture.model,
                selection: .count)
        }
    }
}
