import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// A kind of growth of a predicate, and the greatest number of its steps.
struct Growth: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let greatest: Int
    let start: ObjectPredicate
    let step: @Sendable (ObjectPredicate) -> ObjectPredicate

    init(
        _ name: String, _ greatest: Int, from start: ObjectPredicate = Self.distanceIsOne,
        _ step: @escaping @Sendable (ObjectPredicate) -> ObjectPredicate
    ) {
        testDescription = name
        self.greatest = greatest
        self.start = start
        self.step = step
    }

    /// The predicate after this number of steps; that of a flight is true of one of distance 1.
    func predicate(steps: Int) -> ObjectPredicate {
        (0..<steps).reduce(start) { inner, _ in step(inner) }
    }

    static let all = [
        Growth("NOT", 20) { .not(.not($0)) },
        Growth("AND on the left", 27) { .and([$0, distanceIsOne]) },
        Growth("AND on the right", 27) { .and([distanceIsOne, $0]) },
        Growth("OR", 27) { .or([.value(false), $0]) },
        Growth("many terms", 9) { inner in
            .or([.value(false), .and(Array(repeating: distanceIsOne, count: 40) + [inner])])
        },
        Growth("32 terms", 13) { inner in
            .or([.and([inner] + Array(repeating: distanceIsOne, count: 31)), .value(false)])
        },
        Growth("TERNARY", 24) {
            .comparison(.init(.conditional($0, .constant(1), .constant(2)), .equal, .constant(1)))
        },
        Growth("TERNARY on the right", 8) {
            .comparison(
                .init(
                    .constant(1), .equal,
                    .conditional(
                        .value(false), .constant(2), .conditional($0, .constant(1), .constant(2)))
                ))
        },
        Growth("SUBQUERY", 7) { inner in
            let others = ObjectExpression.subquery(
                .keyPath("airline.flights"), variable: "f", inner)
            return .comparison(.init(.path(others, "@count"), .greaterThan, .constant(0)))
        },
        Growth("ANY", 5) { inner in
            .comparison(
                .init(
                    .keyPath("airline.flights.distance"), .equal,
                    .conditional(inner, .constant(1), .constant(2)), modifier: .any))
        },
        growth("abs:", 27) { .function("abs:", [$0]) },
        growth("max:", 15) { .function("max:", [.aggregate([.constant(0), $0])]) },
        growth("raise:toPower:", 16) { .function("raise:toPower:", [.constant(1), $0]) },
        growth("/ on the left", 240) { .function("divide:by:", [$0, .constant(1)]) },
        growth("+ and * on the left", 80) {
            switch $0 {
            case .function("add:to:", _): .function("multiply:by:", [$0, .constant(1)])
            default: .function("add:to:", [$0, .constant(0)])
            }
        },
        growth("* on the right", 27) { .function("multiply:by:", [.constant(1), $0]) },
        growth("CAST", 13) {
            .function(
                "castObject:toType:",
                [
                    .function("castObject:toType:", [$0, .constant("NSString")]),
                    .constant("NSNumber"),
                ]
            )
        },
        growth("index", 13) {
            .element(.aggregate([.constant(0), $0]), .position(.keyPath("distance")))
        },
    ]

    /// Predicates that are true of a book of the price 2, for which the statement takes the most
    /// entries of the parser's stack.
    static let inSubentity = [
        Growth("OR around isKindOfClass:", 22, from: isBook) { .or([.value(false), $0]) },
        Growth("AND around isKindOfClass:", 22, from: isBook) { .and([.value(true), $0]) },
        Growth("NOT around isKindOfClass:", 16, from: isBook) { .not(.not($0)) },
        Growth(
            "OR around entity.name", 24,
            from: .comparison(.init(.keyPath("entity.name"), .equal, .constant("Book")))
        ) { .or([.value(false), $0]) },
        Growth(
            "abs: of a decimal", 25,
            from: .or([
                .value(false),
                .not(.comparison(.init(.constant(1), .equal, .keyPath("price")))),
            ])
        ) {
            guard case .or(let parts) = $0, case .not(.comparison(var comparison)) = parts[1] else {
                return $0
            }
            comparison.right = .function("abs:", [comparison.right])
            return .or([parts[0], .not(.comparison(comparison))])
        },
    ]

    private static let isBook = ObjectPredicate.comparison(
        .init(
            .function(ObjectExpression.kindTest, [.evaluatedObject, .constant("Book")]), .equal,
            .constant(true)))

    /// Growth on the left side of a comparison.
    private static func growth(
        _ name: String, _ greatest: Int,
        _ step: @escaping @Sendable (ObjectExpression) -> ObjectExpression
    ) -> Growth {
        Growth(name, greatest) { inner in
            guard case .comparison(var comparison) = inner else { return inner }
            comparison.left = step(comparison.left)
            return .comparison(comparison)
        }
    }

    private static let distanceIsOne = ObjectPredicate.comparison(
        .init(.keyPath("distance"), .equal, .constant(1)))
}

@Suite struct `Depth of predicates (§7.2)` {
    let flight = FixtureRow("Flight", 1, ["distance": 1])

    @Test(arguments: Growth.all)
    func `the deepest predicate has the same result in both evaluators`(growth: Growth) throws {
        let airline = FixtureRow("Airline", 1)
        flight.connect("airline", to: airline)
        let database = try FixtureDatabase([flight, airline])
        let predicate = growth.predicate(steps: growth.greatest)
        let compiled = try CompiledPredicate(
            predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
        #expect(compiled.matches(flight))
        let request = FetchRequest(entityName: "Flight", predicate: predicate)
        #expect(try database.keys(request) == [1])
        #expect(predicate.withSubstitutionVariables(["x": 1]) == predicate)
        #expect(predicate.predicateFormat.count > growth.greatest)
    }

    @Test(arguments: Growth.all, [1, 2_000])
    func
        `a deeper one is refused by both with the same error, and prints as an ellipsis in the end`(
            growth: Growth, surplus: Int
        ) throws
    {
        let predicate = growth.predicate(steps: growth.greatest + surplus)
        let entity = QueryFixture.entity("Flight")
        let error = FetchError.tooDeep(limit: ObjectPredicate.maximumDepth)
        #expect(throws: error) {
            try CompiledPredicate(predicate, entity: entity, model: QueryFixture.model)
        }
        let request = FetchRequest(entityName: "Flight", predicate: predicate)
        #expect(throws: error) {
            try FetchTranslation(
                request, entity: entity, layout: QueryFixture.layout, selection: .count)
        }
        #expect((predicate.predicateFormat == "…") == (surplus > ObjectPredicate.maximumDepth))
        _ = predicate.withSubstitutionVariables(["x": 1])
    }

    @Test(arguments: [true, false])
    func `a fetch, a filter and a batch request refuse it`(inMemory: Bool) throws {
        let store = try StoreFixture(QueryFixture.model, inMemory: inMemory)
        try store.run { context in
            let predicate = Growth.all[0].predicate(steps: 10_000)
            let error = FetchError.tooDeep(limit: ObjectPredicate.maximumDepth)
            let flight = try context.insert("Flight", ["distance": 1])
            let request = FetchRequest(entityName: "Flight", predicate: predicate)
            for isChanged in [true, false] {
                if !isChanged { try context.save() }
                #expect(throws: error) { try context.fetch(request, as: ManagedObject.self) }
                #expect(throws: error) { try context.count(for: request) }
                #expect(throws: error) { try [flight].filter(predicate) }
                #expect(throws: error) { try flight.satisfies(predicate) }
            }
            let nested = try ObjectPredicate("SELF IN %@", request)
            #expect(throws: error) { try flight.satisfies(nested) }
            guard !inMemory else { return }
            #expect(throws: error) {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Flight", predicate: predicate,
                        propertiesToUpdate: ["distance": .constant(2)]))
            }
            #expect(throws: error) {
                try context.execute(BatchDeleteRequest(fetchRequest: request))
            }
            #expect(throws: error) { try context.explain(request) }
        }
    }

    /// A count fetches the objects without changes, and each level excludes its own changed ones.
    @Test(arguments: Growth.all)
    func `the deepest predicate is counted beside changes of a context and of its parent (§3.7)`(
        growth: Growth
    ) throws {
        let store = try StoreFixture(QueryFixture.model)
        try store.run { context in
            let airline = try context.insert("Airline")
            let flights = try (1...4).map { _ in
                try context.insert("Flight", ["distance": 1, "airline": airline])
            }
            try context.save()
            try flights[0].setValue("changed", forKey: "tail")
            try flights[1].setValue(2, forKey: "distance")
            let id = flights[2].objectID
            let request = FetchRequest(
                entityName: "Flight", predicate: growth.predicate(steps: growth.greatest))
            let expected = try context.fetch(request, as: ManagedObject.self).count
            #expect(expected >= 3)
            #expect(try context.count(for: request) == expected)
            let child = ManagedObjectContext(.privateQueue, parent: context)
            try child.performAndWait {
                try child.existingObject(with: id).setValue("changed", forKey: "tail")
                #expect(try child.count(for: request) == expected)
            }
        }
    }

    @Test func `as many constants as a statement may have are counted beside changes`() throws {
        let store = try StoreFixture(QueryFixture.model)
        try store.run { context in
            let flights = try (1...2).map { try context.insert("Flight", ["distance": $0]) }
            try context.save()
            try flights[0].setValue("changed", forKey: "tail")
            let terms = (0..<Int64(SQLText.maximumBindingCount)).map {
                ObjectPredicate.comparison(
                    .init(.keyPath("distance"), .lessThan, .constant(.integer($0))))
            }
            let request = FetchRequest(entityName: "Flight", predicate: .or(terms))
            #expect(try context.count(for: request) == 2)
        }
    }

    /// A count with a limit, of a subentity's objects: this has the most SQL around the condition.
    @Test(arguments: Growth.inSubentity)
    func `the deepest predicate is counted up to a limit where its table holds others`(
        growth: Growth
    ) throws {
        let price = AttributeDescription("price", .decimal)
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(name: "Item", attributes: [price]),
                EntityDescription(name: "Book", superentity: "Item"),
                EntityDescription(name: "Novel", superentity: "Book"),
            ]))
        try store.run { context in
            let book = try context.insert("Book", ["price": Decimal(2)])
            try context.insert("Item")
            try context.save()
            var request = FetchRequest(
                entityName: "Book", predicate: growth.predicate(steps: growth.greatest))
            request.fetchLimit = 5
            #expect(try context.count(for: request) == 1)
            #expect(try [book].filter(request.predicate!) == [book])
            request.predicate = growth.predicate(steps: growth.greatest + 1)
            let tooDeep = request
            #expect(throws: FetchError.tooDeep(limit: ObjectPredicate.maximumDepth)) {
                try context.count(for: tooDeep)
            }
        }
    }

    private func request(_ place: String, fetches: Int) -> FetchRequest {
        var request = FetchRequest(entityName: "Flight")
        guard fetches > 0 else { return request }
        let number = ObjectExpression.fetch(
            self.request(place, fetches: fetches - 1), countOnly: true)
        let isAny = ObjectPredicate.comparison(.init(number, .greaterThan, .constant(0)))
        switch place {
        case "predicate": request.predicate = isAny
        case "having predicate": request.havingPredicate = isAny
        case "property":
            request.propertiesToFetch = [FetchedProperty(name: "number", expression: number)]
        default: request.sortKeys = [SortKey(number)]
        }
        return request
    }

    @Test(arguments: ["predicate", "having predicate", "property", "sort key"])
    func `a fetch within another is as deep wherever it is (§7.5.5)`(place: String) throws {
        try request(place, fetches: 4).checkLimits()
        #expect(throws: FetchError.tooDeep(limit: ObjectPredicate.maximumDepth)) {
            try request(place, fetches: 5).checkLimits()
        }
    }

    @Test func `a chain of operators in code is not deep`() throws {
        let term = try ObjectPredicate("distance >= 1")
        let chain = (0..<1_000).reduce(term) { chain, _ in chain && term }
        let compiled = try CompiledPredicate(
            chain, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
        #expect(compiled.matches(flight))
    }
}

@Suite struct `Many terms (§7.6)` {
    private func translation(_ predicate: ObjectPredicate) throws(FetchError) -> FetchTranslation {
        try FetchTranslation(
            FetchRequest(entityName: "Flight", predicate: predicate),
            entity: QueryFixture.entity("Flight"), layout: QueryFixture.layout,
            selection: .columns("t0.Z_PK"))
    }

    private func terms(
        _ count: Int, _ operation: ObjectPredicate.Operator, _ key: String = "distance"
    ) -> [ObjectPredicate] {
        (0..<count).map {
            .comparison(.init(.keyPath(key), operation, .constant(.integer(Int64($0)))))
        }
    }

    /// SQLite needs time for each pair of constants of a statement. The first `!=` stays, for NaN.
    @Test(arguments: [2_000, 20_000])
    func `many terms on one attribute are one constant or two in SQL, however many they are`(
        count: Int
    ) throws {
        for (predicate, constants) in [
            (ObjectPredicate.or(terms(count, .equal)), 1), (.and(terms(count, .notEqual)), 2),
        ] {
            let translation = try translation(predicate)
            #expect(translation.bindings.count == constants)
            #expect(translation.sql.utf8.count < 200)
        }
        let mixed = ObjectPredicate.or(
            terms(count, .equal) + terms(count, .equal, "seats")
                + [try ObjectPredicate("tail == nil")])
        #expect(try translation(mixed).bindings.count == 2)
    }

    @Test func `they find what they say`() throws {
        let rows = [3, 7, 5_000].map { FixtureRow("Flight", $0, ["distance": .integer($0)]) }
        let fixture = (rows, try FixtureDatabase(rows + [FixtureRow("Flight", 9_999)]))
        let findings: [(ObjectPredicate, [Int64])] = [
            (.or(terms(1_000, .equal)), [3, 7]), (.and(terms(1_000, .notEqual)), [5_000]),
            (.or(terms(1_000, .equal) + [.not(.or(terms(5_001, .equal)))]), [3, 7]),
        ]
        for (predicate, expected) in findings {
            let compiled = try CompiledPredicate(
                predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
            #expect(fixture.0.filter(compiled.matches).map(\.key) == expected)
            let request = FetchRequest(entityName: "Flight", predicate: predicate)
            #expect(try fixture.1.keys(request).sorted() == expected)
        }
    }

    /// NaN is never stored; an object may have it until it is saved.
    @Test(arguments: [2, 40, 600])
    func `comparisons with NaN are false, however many there are (§7.4)`(count: Int) throws {
        let rows = [
            FixtureRow("Flight", 1, ["delay": .double(.nan)]), FixtureRow("Flight", 2),
            FixtureRow("Flight", 3, ["delay": -1]), FixtureRow("Flight", 4, ["delay": 1]),
        ]
        func found(_ predicate: ObjectPredicate) throws -> [Int64] {
            let compiled = try CompiledPredicate(
                predicate, entity: QueryFixture.entity("Flight"), model: QueryFixture.model)
            return rows.filter(compiled.matches).map(\.key)
        }
        #expect(try found(.and(terms(count, .notEqual, "delay"))) == [2, 3])
        #expect(try found(.or(terms(count, .equal, "delay"))) == [4])
        let list = (0..<count).flatMap {
            [ObjectExpression.constant(.double(.nan)), .constant(.integer(Int64($0)))]
        }
        #expect(
            try found(.comparison(.init(.keyPath("delay"), .in, .aggregate(list)))) == [4])
    }

    /// 2^53 + 1, which has no double-precision value.
    @Test(arguments: [100, 600])
    func `a list of integers and fractions has its integers exactly (§7.3)`(count: Int) throws {
        let rows = [
            FixtureRow("Heliport", 1, ["altitude": 9_007_199_254_740_993]),
            FixtureRow("Heliport", 2, ["altitude": 9_007_199_254_740_992]),
            FixtureRow("Heliport", 3, ["altitude": -4]),
        ]
        let values: [AttributeValue] =
            [9_007_199_254_740_993, 0.5, .double(-4)] + (0..<count).map { .integer(Int64($0)) }
        let predicate = ObjectPredicate.comparison(
            .init(.keyPath("altitude"), .in, .aggregate(values.map { .constant($0) })))
        let compiled = try CompiledPredicate(
            predicate, entity: QueryFixture.entity("Heliport"), model: QueryFixture.model)
        #expect(rows.filter(compiled.matches).map(\.key) == [1, 3])
        let request = FetchRequest(entityName: "Heliport", predicate: predicate)
        #expect(try FixtureDatabase(rows).keys(request) == [1, 3])
    }

    @Test func `few terms stay as they are written`() throws {
        #expect(
            try translation(.or(terms(3, .equal))).sql.hasSuffix(
                "WHERE t0.ZDISTANCE = ? OR t0.ZDISTANCE = ? OR t0.ZDISTANCE = ?"))
    }

    @Test func `more constants than SQLite compiles in good time are refused`() throws {
        let limit = SQLText.maximumBindingCount
        #expect(throws: FetchError.tooManyConstants(limit + 1, limit: limit)) {
            try translation(.or(terms(limit + 1, .lessThan)))
        }
        #expect(try translation(.or(terms(limit, .lessThan))).bindings.count == limit)
    }
}
