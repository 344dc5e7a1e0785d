import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Predicates on objects (§7.2, §7.5)` {
    private static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Tour", attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("stops", "Stop", inverse: "tour", isOrdered: true)]),
        EntityDescription(
            name: "Stop",
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("minutes", .integer32),
            ],
            relationships: [.toOne("tour", "Tour", inverse: "stops")]),
    ])

    /// A tour "a" of the stops x (5 minutes) and y (7), "b" of y (1), and "c" of none.
    private func store(inMemory: Bool = false) throws -> StoreFixture {
        let store = try StoreFixture(Self.model, inMemory: inMemory)
        try store.run { context in
            for (name, stops) in [("a", [("x", 5), ("y", 7)]), ("b", [("y", 1)]), ("c", [])] {
                let tour = try context.insert("Tour", ["name": name])
                let stops = try stops.map {
                    try context.insert("Stop", ["name": $0.0, "minutes": $0.1])
                }
                try tour.setValue(stops, forKey: "stops")
            }
            try context.save()
        }
        return store
    }

    private func names(_ objects: some Sequence<ManagedObject>) throws -> String {
        try objects.map { try $0.value(forKey: "name") as? String ?? "" }.sorted().joined()
    }

    @Test(arguments: [
        ("stops[0].name == 'x'", "a"), ("stops[FIRST].name == 'y'", "b"),
        ("stops[LAST].minutes == 7", "a"), ("stops[1].name == 'y'", "a"),
        ("stops[2] == nil", "abc"), ("stops[SIZE] == 0", "c"),
        ("stops.@sum.minutes > 5", "a"), ("name IN {'a', 'c'}", "ac"),
    ])
    func `an ordered relationship has indexes in memory (§7.1)`(
        _ format: String, _ expected: String
    ) throws {
        try store().run { context in
            let found = try context.all("Tour").filter(ObjectPredicate(format))
            #expect(try names(found) == expected)
        }
        try store(inMemory: true).run { context in
            let request = FetchRequest(
                entityName: "Tour", predicate: try ObjectPredicate(format))
            #expect(try names(context.fetch(request, as: ManagedObject.self)) == expected)
        }
    }

    @Test func `an index is refused in SQL (§7.7.1)`() throws {
        try store().run { context in
            let request = FetchRequest(
                entityName: "Tour", predicate: try ObjectPredicate("stops[0].name == 'x'"))
            #expect(throws: FetchError.inMemoryOnly(feature: "An index into a relationship")) {
                try context.fetch(request, as: ManagedObject.self)
            }
        }
    }

    @Test func `objects are filtered as they are, without a statement`() throws {
        let store = try store()
        try store.run { context in
            let tours = try context.all("Tour", by: "name")
            try tours[0].setValue("d", forKey: "name")
            let statements = try store.statements { () throws in
                #expect(try names(tours.filter(ObjectPredicate("name > 'b'"))) == "cd")
                #expect(try tours[0].satisfies(ObjectPredicate("name == 'd'")))
                #expect(try !tours[1].satisfies(ObjectPredicate("name == 'd'")))
            }
            #expect(statements == 0)
            #expect(throws: FetchError.unknownKeyPath("colour", entity: "Tour")) {
                try tours.filter(ObjectPredicate("colour == 1"))
            }
        }
    }

    /// The stops x (5 minutes), y (7) and y (1), and n without minutes, filtered by their rows and
    /// by their values.
    @Test(arguments: [
        ("minutes != 5", "nyy"), ("minutes == nil", "n"), ("minutes < 7", "xy"),
        ("minutes BETWEEN {5, 7}", "xy"), ("minutes BETWEEN {1, 5}", "xy"),
        ("name != 'y'", "nx"), ("name == 'y' AND minutes >= 7", "y"),
        ("name BEGINSWITH 'y' AND NOT minutes == 7", "y"), ("tour != nil AND name > 'x'", "yy"),
    ])
    func `rows and unsaved values answer alike`(
        _ format: String, _ expected: String
    ) throws {
        for inMemory in [true, false] {
            try store(inMemory: inMemory).run { context in
                try context.insert("Stop", ["name": "n"])
                let predicate = try ObjectPredicate(format)
                #expect(try names(context.all("Stop").filter(predicate)) == expected)
                try context.save()
                #expect(try names(context.all("Stop").filter(predicate)) == expected)
                for stop in try context.all("Stop") {
                    try stop.setValue(stop.value(forKey: "minutes"), forKey: "minutes")
                }
                #expect(try names(context.all("Stop").filter(predicate)) == expected)
            }
        }
    }

    @Test(arguments: [true, false])
    func `a fetch within a predicate (§7.5.5)`(inMemory: Bool) throws {
        let store = try store(inMemory: inMemory)
        try store.run { context in
            var stops = FetchRequest(
                entityName: "Stop", predicate: try ObjectPredicate("minutes > 5"))
            func tours(_ format: String) throws -> String {
                let request = FetchRequest(
                    entityName: "Tour", predicate: try ObjectPredicate(format, stops))
                return try names(context.fetch(request, as: ManagedObject.self))
            }
            #expect(try tours("ANY stops IN %@") == "a")
            #expect(try tours("FETCH(%@, nil, YES) == 1") == "abc")
            stops = FetchRequest(entityName: "Stop")
            stops.propertiesToFetch = ["tour.name"]
            #expect(try tours("name IN %@") == "ab")
            #expect(try tours("NOT (name IN FETCH(%@, nil, NO))") == "c")
            // With pending changes the objects are evaluated in memory, too.
            try context.insert("Tour", ["name": "b"])
            #expect(try tours("name IN %@") == "abb")
        }
    }

    @Test(arguments: [true, false])
    func `expressions in sort keys (§7.5.1, §14.9)`(inMemory: Bool) throws {
        try store(inMemory: inMemory).run { context in
            let ternary = ObjectExpression.conditional(
                try ObjectPredicate("name == 'b'"), .constant(0), .constant(1))
            let request = FetchRequest(
                entityName: "Tour", sortKeys: [SortKey(ternary), .descending("name")])
            func order() throws -> [String] {
                try context.fetch(request, as: ManagedObject.self).map {
                    try $0.value(forKey: "name") as? String ?? ""
                }
            }
            #expect(try order() == ["b", "c", "a"])
            try context.insert("Tour", ["name": "bb"])
            #expect(try order() == ["b", "c", "bb", "a"])
        }
    }

    @Test(arguments: [true, false])
    func `expressions in columns, groups and conditions on groups (§7.5.6, §7.6.16, §7.6.17)`(
        inMemory: Bool
    ) throws {
        try store(inMemory: inMemory).run { context in
            var request = FetchRequest(entityName: "Stop", sortKeys: [.ascending("name")])
            request.propertiesToFetch = [
                "name",
                FetchedProperty(
                    name: "most", expression: .function("max:", [.keyPath("minutes")])),
                FetchedProperty(
                    name: "kind",
                    expression: .conditional(
                        try ObjectPredicate("count:(SELF) > 1"), .constant("many"), .constant("one")
                    )),
            ]
            request.propertiesToGroupBy = ["name"]
            let all: [[String: AttributeValue]] = [
                ["name": "x", "most": 5, "kind": "one"], ["name": "y", "most": 7, "kind": "many"],
            ]
            #expect(try context.fetchDictionaries(request) == all)
            for (format, expected) in [
                ("$most > 5", [all[1]]), ("$kind == 'one' OR name == 'y'", all),
                ("sum:(minutes) == 8", [all[1]]), ("NOT ($most IN {5})", [all[1]]),
                ("$most BETWEEN {1, 5} AND name BEGINSWITH 'x'", [all[0]]),
            ] {
                request.havingPredicate = try ObjectPredicate(format)
                #expect(try context.fetchDictionaries(request) == expected, "\(format)")
            }
        }
    }

    @Test func `expressions in batch updates (§7.5.1)`() throws {
        try store().run { context in
            let request = BatchUpdateRequest(
                entityName: "Stop", predicate: try ObjectPredicate("minutes & 1 == 1"),
                propertiesToUpdate: [
                    "minutes": .conditional(
                        try ObjectPredicate("minutes > 5"),
                        .function(
                            "sqrt:", [.function("add:to:", [.keyPath("minutes"), .constant(9)])]),
                        .constant(0))
                ])
            _ = try context.execute(request)
            context.reset()
            let minutes = try context.all("Stop", by: "minutes").map {
                try $0.value(forKey: "minutes") as? Int32
            }
            #expect(minutes == [0, 0, 4])
        }
    }
}
