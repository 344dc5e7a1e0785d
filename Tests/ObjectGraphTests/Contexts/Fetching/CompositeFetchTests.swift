import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Composite attributes in requests (§1.3)` {
    typealias Place = Atlas.Place
    typealias Location = Atlas.Location

    /// Places without a location, with one, and with a street; all but the first in a region.
    private func withPlaces(
        inMemory: Bool, _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try Atlas.store(inMemory: inMemory).run { context in
            let region = Atlas.Region(context: context)
            region[Atlas.Region.name] = "R"
            region[Atlas.Region.centre] = ["x": 1]
            context.makePlace("none")
            let places = [
                context.makePlace("low", Location(1, 5, label: "Hill")),
                context.makePlace("high", Location(60, 5, street: Atlas.Street("Main", 3))),
                context.makePlace("mid", Location(30, 2, label: "hill top")),
            ]
            for place in places { place[Place.region] = region }
            try context.save()
            try body(context)
        }
    }

    @Test(arguments: [
        ("location.latitude > 31.3", ["high"]),
        ("location.latitude BETWEEN {1, 30}", ["low", "mid"]),
        ("location.street.number == 3", ["high"]),
        ("location.label BEGINSWITH[c] 'hill'", ["low", "mid"]),
        ("location.latitude IN {60, 2}", ["high"]), ("location == nil", ["none"]),
        ("nil != location", ["high", "low", "mid"]), ("location.street != nil", ["high"]),
        ("NOT location.street == nil", ["high"]), ("location.label.length > 4", ["mid"]),
        ("region.centre.x == 1 AND location.longitude == 5", ["high", "low"]),
        ("ANY region.places.location.latitude == 60", ["high", "low", "mid"]),
        ("ANY region.places.location == nil", []),
        ("region.places.@max.location.latitude == 60", ["high", "low", "mid"]),
        (
            "SUBQUERY(region.places, $p, $p.location.street != nil).@count == 1",
            ["high", "low", "mid"]
        ),
        ("region.places.location.label CONTAINS 'Hill'", ["high", "low", "mid"]),
    ])
    func `key paths lead into a composite, in SQL as in memory (§1.3.29)`(
        _ format: String, _ names: [String]
    ) throws {
        for inMemory in [false, true] {
            try withPlaces(inMemory: inMemory) { context in
                let predicate = try ObjectPredicate(format)
                let request = FetchRequest(
                    entityName: "Place", predicate: predicate, sortKeys: [.ascending("name")])
                let found = try context.fetch(request, as: Place.self)
                #expect(found.map { $0[Place.name] } == names, "in memory \(inMemory)")
                let filtered = try context.all("Place", by: "name").filter(predicate)
                #expect(filtered.map(\.objectID) == found.map(\.objectID))
            }
        }
    }

    @Test(arguments: [false, true])
    func `sort keys, groups and dictionaries have elements (§1.3.29)`(_ inMemory: Bool) throws {
        try withPlaces(inMemory: inMemory) { context in
            let sorted = FetchRequest(
                entityName: "Place",
                sortKeys: [.descending("location.longitude"), .ascending("location.latitude")])
            let names = try context.fetch(sorted, as: Place.self).map { $0[Place.name] }
            #expect(names == ["low", "high", "mid", "none"])

            var groups = FetchRequest(
                entityName: "Place", predicate: try ObjectPredicate("location != nil"),
                sortKeys: [.ascending("location.longitude")])
            groups.propertiesToGroupBy = ["location.longitude"]
            groups.propertiesToFetch = [
                FetchedProperty(name: "east", expression: .keyPath("location.longitude")),
                FetchedProperty(
                    name: "top", expression: .function("max:", [.keyPath("location.latitude")])),
            ]
            #expect(
                try context.fetchDictionaries(groups) == [
                    ["east": 2.0, "top": 30.0], ["east": 5.0, "top": 60.0],
                ])

            let all = FetchRequest(
                entityName: "Place", predicate: try ObjectPredicate("name == 'high'"))
            #expect(
                try context.fetchDictionaries(all) == [
                    [
                        "name": "high", "location.latitude": 60.0, "location.longitude": 5.0,
                        "location.street.name": "Main", "location.street.number": 3,
                    ]
                ])
        }
    }

    @Test(arguments: [
        "location == location", "location > 3", "location IN {nil}", "location == region",
        "ANY region.places.location > 1", "location BEGINSWITH 'a'", "location.height == 1",
        "location.latitude.x == 1", "region.places.@max.location > 1",
        "noindex:(location) == nil", "max:({location}) == 1",
    ])
    func `the whole is compared with nil only (§1.3.29)`(_ format: String) throws {
        for inMemory in [false, true] {
            try withPlaces(inMemory: inMemory) { context in
                let request = FetchRequest(
                    entityName: "Place", predicate: try ObjectPredicate(format))
                #expect(throws: FetchError.self) {
                    _ = try context.fetch(request, as: Place.self)
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `the whole is no sort key, group or column (§1.3.29)`(_ inMemory: Bool) throws {
        try withPlaces(inMemory: inMemory) { context in
            let refusal = FetchError.compositeKeyNotAllowedHere("location", entity: "Place")
            #expect(refusal.description.contains("'location.name'"))
            let sorted = FetchRequest(entityName: "Place", sortKeys: [.ascending("location")])
            #expect(throws: refusal) { _ = try context.fetch(sorted, as: Place.self) }
            var dictionaries = FetchRequest(entityName: "Place")
            dictionaries.propertiesToFetch = ["location"]
            #expect(throws: refusal) { _ = try context.fetchDictionaries(dictionaries) }
            dictionaries.propertiesToFetch = ["name"]
            dictionaries.propertiesToGroupBy = ["location"]
            #expect(throws: refusal) { _ = try context.fetchDictionaries(dictionaries) }
        }
    }

    @Test(arguments: [false, true])
    func `fetched properties follow elements (§1.3.29)`(_ inMemory: Bool) throws {
        try withPlaces(inMemory: inMemory) { context in
            let places = try context.all("Place", by: "location.latitude")
            let mid = try #require(places.dropFirst(2).first)
            let north = try mid.fetchedObjects(forProperty: "north")
            #expect(try north.map { try $0.value(forKey: "name") as? String } == ["high"])
        }
    }

    @Test func `an index of an element serves a fetch, a full-text index a search (§1.3.29)`()
        throws
    {
        try withPlaces(inMemory: false) { context in
            let range = FetchRequest(
                entityName: "Place", predicate: try ObjectPredicate("location.latitude > 31"))
            #expect("\(try context.explain(range))".contains("Z_Place_byLatitude"))
            for format in ["location.label SEARCH 'hil*'", "words SEARCH 'hill'"] {
                let request = FetchRequest(
                    entityName: "Place", predicate: try ObjectPredicate(format),
                    sortKeys: [.ascending("name")])
                let found = try context.fetch(request, as: Place.self).map { $0[Place.name] }
                #expect(found == ["low", "mid"], "\(format)")
            }
        }
    }

    // MARK: - Batch requests

    private struct Row: Encodable {
        let name: String
        var location: Point?

        struct Point: Encodable {
            let latitude: Double
            let longitude: Double
            var street: [String: String]?
        }
    }

    @Test func `batch inserts take the whole, an element or an encoded value (§1.3.40)`() throws {
        let store = try Atlas.store()
        try store.run { context in
            try context.execute(
                BatchInsertRequest(
                    entityName: "Place",
                    objects: [
                        [
                            "name": "a",
                            "location": .composite(["latitude": 1, "longitude": 2, "label": "x"]),
                        ], ["name": "b", "location.latitude": 3, "location.longitude": 4],
                    ]))
            try context.execute(
                BatchInsertRequest(
                    entityName: "Place",
                    encoding: [
                        Row(name: "c"),
                        Row(
                            name: "d",
                            location: .init(
                                latitude: 5, longitude: 6, street: ["name": "Main"])),
                    ]))
            let location = Location(7, 8, street: Atlas.Street("Side", 9))
            let names = Recorder<String>()
            names.values = ["g", "f", "e"]
            try context.execute(
                BatchInsertRequest(entityName: "Place") { row in
                    guard names.values.count > 1 else { return true }
                    let name = names.values.removeLast()
                    row.set(name, for: Place.name)
                    row.set(name == "e" ? location : nil, for: Place.location)
                    return false
                })
            try context.execute(
                BatchInsertRequest(Place.self) { place in
                    guard let name = names.values.popLast() else { return true }
                    place[Place.name] = name
                    place[Place.location] = Location(10, 11)
                    return false
                })
            let expected = [
                Location(1, 2, label: "x"), Location(3, 4), nil,
                Location(5, 6, street: Atlas.Street("Main")), location, nil, Location(10, 11),
            ]
            let places = try context.all("Place", by: "name")
            #expect(places.map { ($0 as? Place)?[Place.location] } == expected)
        }
    }

    @Test func `batch updates set the whole or an element (§1.3.29)`() throws {
        try withPlaces(inMemory: false) { context in
            func update(_ values: [String: ObjectExpression], _ format: String) throws {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Place", predicate: try ObjectPredicate(format),
                        propertiesToUpdate: values))
                context.reset()
            }
            func location(_ name: String) throws -> Location? {
                let request = FetchRequest(
                    entityName: "Place", predicate: try ObjectPredicate("name == %@", name))
                return try context.fetch(request, as: Place.self).first?[Place.location]
            }
            try update(
                [
                    "location.latitude": .function(
                        "add:to:", [.keyPath("location.latitude"), .constant(0.5)])
                ], "location.latitude == 1")
            #expect(try location("low") == Location(1.5, 5, label: "Hill"))
            try update(
                ["location": .constant(.composite(["latitude": 7, "longitude": 8]))],
                "name IN {'low', 'none'}")
            #expect(try location("low") == Location(7, 8))
            #expect(try location("none") == Location(7, 8))
            try update(["location": .constant(.null)], "name == 'high'")
            #expect(try location("high") == nil)
            for value: ObjectExpression in [
                .constant(3), .constant(.composite(["height": 1])), .keyPath("location"),
            ] {
                #expect(throws: FetchError.self) {
                    try update(["location": value], "TRUEPREDICATE")
                }
            }
        }
    }
}
