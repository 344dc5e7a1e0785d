import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Dictionary results (§3.7)` {
    private func translate(_ request: FetchRequest) throws -> FetchTranslation {
        try FetchTranslation(
            request, entity: QueryFixture.entity(request.entityName), layout: QueryFixture.layout,
            selection: .dictionaries)
    }

    private func dictionaries(
        _ request: FetchRequest, _ rows: [FixtureRow]
    ) throws -> [[String: AttributeValue]] {
        let database = try FixtureDatabase(rows)
        let translation = try translate(request)
        return try database.rows(translation) { row in
            try translation.dictionary(
                ofRow: row, model: QueryFixture.model
            ) { index, key in
                QueryFixture.objectID(QueryFixture.model.entities[index].name, key)
            }
        }
    }

    @Test
    func `without properties all persistent attributes are read, and NULL leaves its key out`()
        throws
    {
        let id = UUID()
        let values: [String: AttributeValue] = [
            "distance": 5, "delay": 1.5, "tail": "x", "isLate": true,
            "departure": .date(Date(timeIntervalSinceReferenceDate: 2)), "id": .uuid(id),
            "payload": .data(Data([1])), "price": .decimal(Decimal(string: "0.1")!),
            "link": .uri(URL(string: "https://a.b")!),
        ]
        let result = try dictionaries(
            FetchRequest(entityName: "Flight"), [FixtureRow("Flight", 1, values)])
        #expect(result == [values])
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
            FetchedProperty(name: "mean", expression: .function("average:", [.keyPath("delay")])),
            FetchedProperty(name: "least", expression: .function("min:", [.keyPath("tail")])),
        ]
        request.propertiesToGroupBy = ["airline.name"]
        request.havingPredicate = try ObjectPredicate("$number > 1")
        let translation = try translate(request)
        #expect(
            translation.sql
                == "SELECT t1.ZNAME, total(t0.ZDISTANCE), COUNT(t0.Z_PK), AVG(t0.ZDELAY), MIN(t0.ZTAIL) FROM ZFLIGHT t0 LEFT OUTER JOIN ZAIRLINE t1 ON t0.ZAIRLINE = t1.Z_PK WHERE t0.ZDISTANCE > ? GROUP BY t1.ZNAME HAVING COUNT(t0.Z_PK) > ? ORDER BY total(t0.ZDISTANCE) DESC"
        )
        let (united, delta) = (
            FixtureRow("Airline", 1, ["name": "United"]),
            FixtureRow("Airline", 2, ["name": "Delta"])
        )
        let flights = (1...6).map { key in
            FixtureRow(
                "Flight", Int64(key),
                ["distance": .integer(Int64(key)), "delay": 2, "tail": .string("t\(key)")])
        }
        for (position, flight) in flights.enumerated() where position < 5 {
            flight.connect("airline", to: position < 3 ? united : delta)
        }
        #expect(
            try dictionaries(request, flights + [united, delta]) == [
                ["airline.name": "Delta", "total": 9, "number": 2, "mean": 2.0, "least": "t4"],
                ["airline.name": "United", "total": 6, "number": 3, "mean": 2.0, "least": "t1"],
            ])
    }

    @Test(arguments: [true, false])
    func `texts with the same characters and other scalars differ`(inMemory: Bool) throws {
        let store = try StoreFixture(QueryFixture.model, inMemory: inMemory)
        try store.run { context in
            for name in ["\u{E9}", "e\u{301}", "\u{E9}"] {
                try context.insert("Airline", ["name": name])
            }
            try context.save()
            var request = FetchRequest(entityName: "Airline")
            request.propertiesToFetch = ["name"]
            request.returnsDistinctResults = true
            #expect(try context.fetchDictionaries(request).count == 2)
            request.returnsDistinctResults = false
            request.propertiesToGroupBy = ["name"]
            #expect(try context.fetchDictionaries(request).count == 2)
        }
    }

    @Test func `objects are read with their concrete entity`() throws {
        let flight = FixtureRow("Flight", 1)
        let field = FixtureRow("Field", 3)
        let airline = FixtureRow("Airline", 4)
        flight.connect("origin", to: field)
        flight.connect("airline", to: airline)
        var request = FetchRequest(entityName: "Flight")
        request.propertiesToFetch = [
            FetchedProperty(name: "object", expression: .evaluatedObject), "origin", "airline",
            "crew.@count",
        ]
        #expect(
            try dictionaries(request, [flight, field, airline]) == [
                [
                    "object": .objectID(flight.objectID), "origin": .objectID(field.objectID),
                    "airline": .objectID(airline.objectID), "crew.@count": 0,
                ]
            ])
        #expect(
            try translate(request).sql
                == "SELECT t0.Z_PK, t0.Z_ENT, t0.ZORIGIN, t0.Z4_ORIGIN, t0.ZAIRLINE, (SELECT COUNT(*) FROM Z_2CREW t1 WHERE t1.Z_2FLIGHTS = t0.Z_PK) FROM ZFLIGHT t0"
        )
    }

    @Test(arguments: [true, false])
    func `an identifier has the key that was asked for`(inMemory: Bool) throws {
        let store = try StoreFixture(QueryFixture.model, inMemory: inMemory)
        try store.run { context in
            let airline = try context.insert("Airline", ["name": "x"])
            let flight = try context.insert("Flight", ["airline": airline, "tail": "y"])
            try context.save()
            var request = FetchRequest(entityName: "Flight")
            request.propertiesToFetch = [
                FetchedProperty(name: "id", expression: .evaluatedObject, resultType: .objectID),
                FetchedProperty(
                    name: "owner", expression: .keyPath("airline"), resultType: .objectID),
                "objectID", "airline.objectID", "entity.name",
            ]
            let (id, owner) = (
                AttributeValue.objectID(flight.objectID), AttributeValue.objectID(airline.objectID)
            )
            #expect(
                try context.fetchDictionaries(request) == [
                    [
                        "id": id, "owner": owner, "objectID": id, "airline.objectID": owner,
                        "entity.name": "Flight",
                    ]
                ])
            for (expression, type) in [
                (ObjectExpression.keyPath("tail"), AttributeType.objectID),
                (.evaluatedObject, .string),
            ] {
                request.propertiesToFetch = [
                    FetchedProperty(name: "id", expression: expression, resultType: type)
                ]
                let refused = request
                #expect(throws: FetchError.self) { try context.fetchDictionaries(refused) }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a whole decimal stays a real number in every expression (§7.5.4)`(
        inMemory: Bool
    ) throws {
        let store = try StoreFixture(QueryFixture.model, inMemory: inMemory)
        try store.run { context in
            let airline = try context.insert("Airline")
            try context.insert("Flight", ["price": Decimal(2), "isLate": true, "airline": airline])
            try context.save()
            let (price, isTwo) = (
                ObjectExpression.keyPath("price"), try ObjectPredicate("price == 2")
            )
            let fields: [(expression: ObjectExpression, value: AttributeValue)] = [
                (price, .decimal(2)), (.function("add:to:", [price, .constant(1)]), 3.0),
                (.conditional(isTwo, price, .constant(0)), 2.0),
                (.conditional(isTwo, .constant(7), price), 7),
                (.conditional(isTwo, .keyPath("isLate"), .constant(0)), 1),
                (.function("max:", [.aggregate([price, .constant(1)])]), 2.0),
                (.element(.aggregate([price, .constant(1)]), .position(.keyPath("isLate"))), 1),
                (.function("castObject:toType:", [price, .constant("NSNumber")]), 2.0),
                (.function("castObject:toType:", [price, .constant("NSString")]), "2.0"),
                (.keyPath("airline.flights.@max.price"), 2.0),
                (.keyPath("airline.flights.@count"), 1),
            ]
            var request = FetchRequest(entityName: "Flight")
            request.propertiesToFetch = fields.enumerated().map {
                FetchedProperty(name: "\($0)", expression: $1.expression)
            }
            let expected = fields.enumerated().map { ("\($0)", $1.value) }
            #expect(
                try context.fetchDictionaries(request)
                    == [Dictionary(uniqueKeysWithValues: expected)])
        }
    }

    @Test(arguments: [true, false])
    func `an object is the result of a key path only`(inMemory: Bool) throws {
        let store = try StoreFixture(QueryFixture.model, inMemory: inMemory)
        try store.run { context in
            let flight = try context.insert("Flight", ["tail": "x", "distance": 1])
            try context.save()
            let (isFar, objects) = (
                try ObjectPredicate("distance > 5"),
                [ObjectExpression.keyPath("origin"), .keyPath("origin")]
            )
            let refused: [ObjectExpression] = [
                .conditional(isFar, objects[0], objects[1]),
                .element(.aggregate(objects), .position(.keyPath("distance"))),
                .function("max:", [.aggregate(objects)]), .function("max:", [.evaluatedObject]),
                .function("noindex:", [.conditional(isFar, objects[0], objects[1])]),
                .constant(.objectID(flight.objectID)),
            ]
            let advice = "only SELF or a key path gives an object."
            for expression in refused {
                for type in [nil, AttributeType.objectID, .integer64] {
                    var request = FetchRequest(entityName: "Flight")
                    request.propertiesToFetch = [
                        FetchedProperty(name: "it", expression: expression, resultType: type)
                    ]
                    let asked = request
                    #expect(throws: FetchError.invalidComparison("it", advice: advice)) {
                        try context.fetchDictionaries(asked)
                    }
                }
            }
            var request = FetchRequest(entityName: "Flight")
            request.propertiesToFetch = [
                FetchedProperty(name: "it", expression: .function("noindex:", [.evaluatedObject])),
                "tail",
            ]
            #expect(
                try context.fetchDictionaries(request)
                    == [["it": .objectID(flight.objectID), "tail": "x"]])
        }
    }

    @Test(arguments: [true, false])
    func `the objects of a fetch of several entities are values of IN (§7.5.5)`(
        inMemory: Bool
    ) throws {
        let store = try StoreFixture(QueryFixture.model, inMemory: inMemory)
        try store.run { context in
            let port = try context.insert("Heliport", ["code": "x"])
            try context.insert("Heliport", ["code": "y"])
            try context.insert("Flight", ["origin": port, "tail": "z"])
            try context.save()
            var flights = FetchRequest(entityName: "Flight")
            flights.propertiesToFetch = ["origin"]
            let request = FetchRequest(
                entityName: "Place", predicate: try ObjectPredicate("SELF IN %@", flights))
            #expect(try Array(context.fetch(request, as: ManagedObject.self)) == [port])
        }
    }

    @Test func `distinct results`() throws {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("tail")])
        request.propertiesToFetch = ["tail"]
        request.returnsDistinctResults = true
        let rows = ["b", "a", "b"].enumerated().map {
            FixtureRow("Flight", Int64($0), ["tail": .string($1)])
        }
        #expect(try dictionaries(request, rows) == [["tail": "a"], ["tail": "b"]])
    }

    @Test func `a column that is neither grouped nor an aggregate is refused`() {
        var request = FetchRequest(entityName: "Flight")
        request.propertiesToFetch = [
            "tail", FetchedProperty(name: "n", expression: .function("count:", [.evaluatedObject])),
        ]
        #expect(throws: FetchError.notGrouped("tail")) { try translate(request) }
        request.propertiesToGroupBy = ["delay"]
        #expect(throws: FetchError.notGrouped("tail")) { try translate(request) }
        request.propertiesToGroupBy = ["tail"]
        request.sortKeys = [.ascending("delay")]
        #expect(throws: FetchError.notGrouped("delay")) { try translate(request) }
    }

    @Test(
        arguments: [
            .function("max:", [.keyPath("seats"), .keyPath("distance")]),
            .function("max:", [.aggregate([.keyPath("seats"), .keyPath("distance")])]),
            .element(
                .aggregate([.keyPath("seats"), .keyPath("distance")]), .position(.keyPath("seats"))),
            .element(
                .aggregate([.keyPath("seats"), .constant(1)]), .position(.keyPath("distance"))),
        ] as [ObjectExpression])
    func `a list of values of a row is no aggregate of a group`(
        expression: ObjectExpression
    ) {
        var request = FetchRequest(entityName: "Flight")
        request.propertiesToFetch = [FetchedProperty(name: "it", expression: expression)]
        request.propertiesToGroupBy = ["seats"]
        #expect(throws: FetchError.notGrouped("it")) { try translate(request) }
    }

    @Test func `a list of grouped values and aggregates belongs to a group`() throws {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("seats")])
        let most = ObjectExpression.function("max:", [.keyPath("distance")])
        request.propertiesToFetch = [
            FetchedProperty(
                name: "greatest", expression: .function("max:", [.keyPath("seats"), most])),
            FetchedProperty(
                name: "chosen",
                expression: .element(
                    .aggregate([.constant(0), most]), .position(.keyPath("seats")))),
        ]
        request.propertiesToGroupBy = ["seats"]
        let rows = [(1, 5), (1, 7), (2, 1)].enumerated().map {
            FixtureRow(
                "Flight", Int64($0),
                ["seats": .integer(Int64($1.0)), "distance": .integer(Int64($1.1))])
        }
        #expect(
            try dictionaries(request, rows) == [["greatest": 7, "chosen": 7], ["greatest": 2]])
    }

    @Test func `a condition on groups needs groups`() throws {
        var request = FetchRequest(entityName: "Flight")
        request.havingPredicate = try ObjectPredicate("distance > 1")
        #expect(throws: FetchError.self) { try translate(request) }
    }
}

@Suite struct `SQL of batch updates (§6.3)` {
    private func translate(
        _ entity: String, _ predicate: ObjectPredicate?, _ values: [String: ObjectExpression]
    ) throws -> BatchUpdateTranslation {
        try BatchUpdateTranslation(
            BatchUpdateRequest(
                entityName: entity, predicate: predicate, propertiesToUpdate: values),
            entity: QueryFixture.entity(entity), layout: QueryFixture.layout)
    }

    @Test func `constants and expressions, by name, and the version goes up`() throws {
        let translation = try translate(
            "Flight", ObjectPredicate("tail ==[c] 'x' AND airline == nil"),
            [
                "tail": .constant(nil),
                "distance": .function("add:to:", [.keyPath("distance"), .constant(1)]),
                "isLate": .constant(true), "delay": .constant(2),
            ])
        #expect(
            translation.sql
                == "UPDATE ZFLIGHT AS t0 SET Z_OPT = IFNULL(Z_OPT, 0) + 1, ZDELAY = ?, ZDISTANCE = (t0.ZDISTANCE + ?), ZISLATE = ?, ZTAIL = ? WHERE OGCompare(t0.ZTAIL, ?, 1) = 0 AND t0.ZAIRLINE IS NULL"
        )
        #expect(translation.bindings == [.real(2), .integer(1), .integer(1), .null, .text("x")])
    }

    @Test(arguments: [
        ("Flight", "distance", "add:to:", 1, "(t0.ZDISTANCE + ?)"),
        ("Flight", "seats", "from:subtract:", 1, "(t0.ZSEATS - ?)"),
        ("Flight", "seats", "multiply:by:", 2, "CAST((t0.ZSEATS * ?) AS INTEGER)"),
        ("Flight", "seats", "add:to:", 1 << 40, "CAST((t0.ZSEATS + ?) AS INTEGER)"),
        ("Place", "altitude", "add:to:", 1, "CAST((t0.ZALTITUDE + ?) AS INTEGER)"),
    ])
    func `a result that may exceed 64 bits stays an integer`(
        entity: String, key: String, function: String, constant: Int64, expression: String
    ) throws {
        let value = ObjectExpression.function(
            function, [.keyPath(key), .constant(.integer(constant))])
        let sql = try translate(entity, nil, [key: value]).sql
        #expect(sql.hasSuffix(", Z\(key.uppercased()) = \(expression)"), "\(sql)")
    }

    @Test func `the entity is named where its table holds others`() throws {
        let translation = try translate("Heliport", nil, ["altitude": .constant(1)])
        #expect(
            translation.sql
                == "UPDATE ZPLACE AS t0 SET Z_OPT = IFNULL(Z_OPT, 0) + 1, ZALTITUDE = ? WHERE t0.Z_ENT = ?"
        )
        #expect(translation.bindings == [.integer(1), .integer(7)])
    }

    @Test func `the statement runs`() throws {
        let database = try FixtureDatabase([
            FixtureRow("Flight", 1, ["distance": 5]), FixtureRow("Flight", 2, ["distance": 7]),
        ])
        let translation = try translate(
            "Flight", ObjectPredicate("distance > 5"),
            ["distance": .function("divide:by:", [.keyPath("distance"), .constant(2)])])
        let statement = try database.connection.statement(translation.sql)
        statement.bind(translation.bindings)
        try statement.run()
        let request = FetchRequest(
            entityName: "Flight", predicate: try ObjectPredicate("distance == 3"))
        #expect(try database.keys(request) == [2])
    }

    @Test func `relationships, unknown keys and values of other types are refused (§6.3.5)`() throws
    {
        #expect(throws: FetchError.self) {
            try translate("Flight", nil, ["distance": .keyPath("crew.@count")])
        }
        #expect(throws: FetchError.unknownKeyPath("colour", entity: "Flight")) {
            try translate("Flight", nil, ["colour": .constant(1)])
        }
        #expect(throws: FetchError.relationshipNotAllowedHere("airline", entity: "Flight")) {
            try translate("Flight", nil, ["airline": .constant(nil)])
        }
        #expect(throws: FetchError.transientKeyNotAllowedHere("note", entity: "Flight")) {
            try translate("Flight", nil, ["note": .constant(nil)])
        }
        #expect(
            throws: FetchError.typeMismatch(
                key: "seats", expected: "of type integer16", value: 100_000)
        ) { try translate("Flight", nil, ["seats": .constant(100_000)]) }
        #expect(throws: FetchError.self) {
            try translate("Flight", nil, ["tail": .keyPath("distance")])
        }
        #expect(throws: FetchError.self) { try translate("Flight", nil, [:]) }
    }
}
