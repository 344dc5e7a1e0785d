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
        Misuse("crew.@sum.age == 1", .unknownKeyPath("age", entity: "Person")),
        Misuse(
            "crew.@sum.name == 'x'", .invalidArguments(function: "@sum", expected: "numbers")),
        Misuse(
            "crew.@sum == 1", .invalidArguments(function: "@sum", expected: "a key path behind it")),
        Misuse(
            "crew.@best.name == 1", .unsupported(feature: "The collection operator '@best'")),
        Misuse("airline.@count == 1", .unknownKeyPath("airline.@count", entity: "Flight")),
        Misuse("median:(delay) == 1", .aggregateNotAllowedHere("median:")),
        Misuse("mystery:(delay) == 1", .unsupported(feature: "The function 'mystery:'")),
        Misuse("SUBQUERY(crew, $p, $q == 1).@count > 1", .unboundVariable("q")),
        Misuse(
            "SUBQUERY(crew, $p, $p.age == 1).@count > 1",
            .unknownKeyPath("age", entity: "Person")),
        Misuse(
            "SUBQUERY(crew, $p, $p.flights.delay == 1).@count > 1",
            .toManyKeyNotAllowedHere("$p.flights.delay", entity: "Flight")),
        Misuse("sum:(delay) == 1", .aggregateNotAllowedHere("sum:")),
        Misuse("delay == $x", .unboundVariable("x")),
        Misuse(
            "distance == 'x'",
            .typeMismatch(key: "distance", expected: "of type integer32", value: "x")),
        Misuse("tail == 2.5", .typeMismatch(key: "tail", expected: "of type string", value: 2.5)),
        Misuse("tail < 5", .typeMismatch(key: "tail", expected: "of type string", value: 5)),
        Misuse(
            "isLate == 2", .typeMismatch(key: "isLate", expected: "of type boolean", value: 2)),
        Misuse(
            "tail IN {'x', 2.5}",
            .typeMismatch(key: "tail", expected: "of type string", value: 2.5)),
        Misuse(
            "'x' < abs:(delay)",
            .typeMismatch(key: "abs:(delay)", expected: "a number", value: "x")),
        Misuse(
            "'x' == airline", .typeMismatch(key: "airline", expected: "an object", value: "x")),
        Misuse("tail.entity == 'x'", .unknownKeyPath("tail.entity", entity: "Flight")),
        Misuse("entity.colour == 'x'", .unknownKeyPath("entity.colour", entity: "Flight")),
        Misuse("distance.length == 1", .unknownKeyPath("distance.length", entity: "Flight")),
        Misuse("SELF isKindOfClass: 'Ship'", .unknownEntity("Ship")),
        Misuse(
            "tail isKindOfClass: 'Flight'",
            .invalidArguments(
                function: "isKindOfClass:", expected: "an object and the name of a class or entity")
        ),
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
    func `both evaluators refuse it with the same error (§7.7.1)`(misuse: Misuse) throws {
        let predicate = try ObjectPredicate(misuse.format)
        let entity = QueryFixture.entity("Flight")
        #expect(throws: misuse.error) {
            try CompiledPredicate(predicate, entity: entity, model: QueryFixture.model)
        }
        #expect(throws: misuse.error) {
            try FetchTranslation(
                FetchRequest(entityName: "Flight", predicate: predicate), entity: entity,
                layout: QueryFixture.layout, selection: .count)
        }
    }

    @Test(arguments: [
        "distance CONTAINS '5'", "tail MATCHES 5", "tail == distance",
        "distance ==[c] 5", "distance IN 5", "distance BETWEEN {1}", "distance BETWEEN 1",
        "ANY tail == 'x'", "ALL airline.name == 'x'", "distance == {1}",
        "crew[0] == nil", "airline[0] == nil", "SUBQUERY(airline, $a, $a.name == 'x').@count == 1",
        "tail IN tail UNION {'x'}", "TERNARY(isLate == YES, 1, 'x') == 1",
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

    @Test func `terms are asked in their order until one decides (§7.8.3)`() throws {
        let compiled = { (predicate: ObjectPredicate) throws in
            try CompiledPredicate(
                predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
        }
        let unreached = ObjectPredicate.block(
            PredicateBlock { _ in
                Issue.record("a term was asked in vain")
                return true
            })
        let row = FixtureRow("Flight", 1, ["distance": 5])
        let holds = try ObjectPredicate("distance == 5")
        #expect(try compiled(.or([holds, unreached])).matches(row))
        #expect(try !compiled(.and([!holds, unreached])).matches(row))
    }

    @Test func `a transient attribute is evaluated in memory only`() throws {
        let predicate = try ObjectPredicate("note == 'x'")
        let entity = QueryFixture.entity("Flight")
        let compiled = try CompiledPredicate(predicate, entity: entity, model: QueryFixture.model)
        #expect(compiled.matches(FixtureRow("Flight", 1, ["note": "x"])))
        #expect(throws: FetchError.transientKeyNotAllowedHere("note", entity: "Flight")) {
            try FetchTranslation(
                FetchRequest(entityName: "Flight", predicate: predicate), entity: entity,
                layout: QueryFixture.layout, selection: .count)
        }
    }

    @Test(arguments: [
        ("median:({1, 2}) == 1", "The function 'median:' over a list"),
        ("random() < 1", "The function 'random'"),
        ("random:(5) < 5", "The function 'random:'"),
        ("ANY crew.@unionOfObjects.name == 'x'", "The collection operator '@unionOfObjects'"),
        (
            "'x' IN crew.@distinctUnionOfObjects.name",
            "The collection operator '@distinctUnionOfObjects'"
        ),
    ])
    func `what only objects in memory can be asked is refused in SQL (§7.7.1, §7.5.3)`(
        _ format: String, _ feature: String
    ) throws {
        let predicate = try ObjectPredicate(format)
        let entity = QueryFixture.entity("Flight")
        _ = try CompiledPredicate(predicate, entity: entity, model: QueryFixture.model)
        #expect(throws: FetchError.inMemoryOnly(feature: feature)) {
            try FetchTranslation(
                FetchRequest(entityName: "Flight", predicate: predicate), entity: entity,
                layout: QueryFixture.layout, selection: .count)
        }
    }

    @Test func `a block is evaluated in memory only (§7.2.1)`() throws {
        let predicate = ObjectPredicate.block(PredicateBlock { $0["distance"] == 5 })
        let entity = QueryFixture.entity("Flight")
        let compiled = try CompiledPredicate(
            .not(predicate), entity: entity, model: QueryFixture.model)
        #expect(!compiled.matches(FixtureRow("Flight", 1, ["distance": 5])))
        #expect(compiled.matches(FixtureRow("Flight", 1, ["distance": 6])))
        #expect(throws: FetchError.inMemoryOnly(feature: "A block")) {
            try FetchTranslation(
                FetchRequest(entityName: "Flight", predicate: predicate), entity: entity,
                layout: QueryFixture.layout, selection: .count)
        }
        #expect(predicate == predicate)
        #expect(predicate != .block(PredicateBlock { _ in true }))
    }

    /// A value has no object for a block to look at.
    @Test(
        arguments: [
            .block(PredicateBlock { _ in true }),
            .not(.block(PredicateBlock { _ in true })),
            .comparison(
                .init(
                    .conditional(.block(PredicateBlock { _ in true }), .constant(1), .constant(2)),
                    .equal, .constant(1))),
        ] as [ObjectPredicate])
    func `a block in a validation rule is refused by the model (§1.12)`(
        predicate: ObjectPredicate
    ) throws {
        let rule = ValidationRule(predicate, .message("no"))
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A",
                    attributes: [AttributeDescription("a", .integer32, validationRules: [rule])])
            ])
        }
        #expect("\(error)".hasSuffix("A block in a validation rule is not supported."))
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
                request, entity: QueryFixture.entity("Flight"), layout: QueryFixture.layout,
                selection: .count)
        }
    }

    /// With pending changes the page is cut here and not by SQLite.
    @Test(arguments: [-1, .min], [(false, false), (false, true), (true, true)])
    func `counts below zero are refused beside unsaved changes as well`(
        _ number: Int, _ setting: (inMemory: Bool, isChanged: Bool)
    ) throws {
        let store = try StoreFixture(QueryFixture.model, inMemory: setting.inMemory)
        try store.run { context in
            try context.insert("Airline", ["name": "x"])
            if !setting.isChanged { try context.save() }
            let child = ManagedObjectContext(.privateQueue, parent: context)
            for count in [\FetchRequest.fetchOffset, \.fetchLimit, \.fetchBatchSize] {
                var request = FetchRequest(entityName: "Airline")
                request[keyPath: count] = number
                let asked = request
                #expect(throws: FetchError.self) {
                    try context.fetch(asked, as: ManagedObject.self)
                }
                #expect(throws: FetchError.self) { try context.fetchObjectIDs(asked) }
                #expect(throws: FetchError.self) { try context.count(for: asked) }
                #expect(throws: FetchError.self) { try context.fetchDictionaries(asked) }
                child.performAndWait {
                    _ = #expect(throws: FetchError.self) {
                        try child.fetch(asked, as: ManagedObject.self)
                    }
                }
            }
        }
    }
}
