import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Collection operators in the expressions of mapping models.
@Suite struct `Operators of mappings (§9.3)` {
    private let fixture = MigrationFixture()
    private let files = ModelFolder()
    private static let name = AttributeDescription("name", .string)

    private var before: [EntityDescription] {
        [
            fixture.entity(
                "Continent", [Self.name], [.toMany("countries", "Country", inverse: "continent")]),
            fixture.entity(
                "Country", [Self.name, AttributeDescription("population", .integer64)],
                [
                    .toOne("continent", "Continent", inverse: "countries"),
                    .toMany("moods", "Mood", inverse: "countries"),
                ]),
            fixture.entity(
                "Mood", [Self.name], [.toMany("countries", "Country", inverse: "moods")]),
        ]
    }

    private var after: [EntityDescription] {
        [
            fixture.entity(
                "Continent",
                [
                    Self.name, AttributeDescription("count", .integer64),
                    AttributeDescription("population", .integer64),
                    AttributeDescription("largest", .integer64),
                ], [.toMany("moods", "Mood", inverse: "continents")]),
            fixture.entity(
                "Mood", [Self.name], [.toMany("continents", "Continent", inverse: "moods")]),
        ]
    }

    private func make() throws {
        try fixture.open(before) { context in
            let moods = try ["calm", "wild", "blue"].map {
                try context.insert("Mood", ["name": $0])
            }
            let continent = try context.insert("Continent", ["name": "Europa"])
            try context.insert(
                "Country",
                [
                    "name": "A", "population": 3, "continent": continent,
                    "moods": [moods[0], moods[1]],
                ])
            try context.insert(
                "Country",
                ["name": "B", "population": 4, "continent": continent, "moods": [moods[1]]])
            try context.insert("Country", ["name": "C", "population": 5, "moods": [moods[2]]])
            try context.save()
        }
    }

    private func mapping(_ objects: String) throws -> MappingModel {
        let url = try files.write(
            MappingText.document(
                MappingText.model("z2 z3")
                    + MappingText.entity(
                        "z2", number: 0, from: "Continent", to: "Continent",
                        attributes: "z4 z6 z7 z8", relationships: "z5")
                    + MappingText.entity(
                        "z3", number: 1, from: "Mood", to: "Mood", attributes: "z9")
                    + MappingText.attribute("z4", "name") + MappingText.attribute("z9", "name")
                    + MappingText.attribute(
                        "z6", "count", expression: MappingText.path("countries.@count"))
                    + MappingText.attribute(
                        "z7", "population",
                        expression: MappingText.path("countries.@sum.population"))
                    + MappingText.attribute(
                        "z8", "largest", expression: MappingText.path("countries.@max.population"))
                    + objects),
            to: "Moody 2 → 3.xcmappingmodel/xcmapping.xml"
        ).deletingLastPathComponent()
        return try MappingModel(
            contentsOf: url, from: ManagedObjectModel(entities: before),
            to: ManagedObjectModel(entities: after))
    }

    private static let union = "countries.@distinctUnionOfSets.moods"

    private static let objects = [
        MappingText.relationship(
            "z5", "moods", keyPath: "$source.\(union)", mapping: "MoodToMood"),
        MappingText.relationship(
            "z5", "moods", keyPath: "$source.countries.@unionOfArrays.moods", mapping: "MoodToMood"),
        MappingText.relationship(
            "z5", "moods",
            expression: MappingText.function(
                "manager", "destinationInstancesForEntityMappingNamed:sourceInstances:",
                [MappingText.constant("MoodToMood"), MappingText.path(union)])),
        MappingText.relationship(
            "z5", "moods",
            expression: MappingText.function(
                "manager", "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
                [MappingText.constant("moods"), MappingText.path(union)])),
    ]

    @Test(arguments: objects.indices)
    func `they are evaluated, in each place of a file (§9.3.34)`(_ index: Int) throws {
        try make()
        let mapping = try mapping(Self.objects[index])
        try fixture.open(after, { $0.migration.mappingModels = [mapping] }) { context in
            let continent = try #require(try context.all("Continent").first)
            #expect(try continent.value(forKey: "count") as? Int64 == 2)
            #expect(try continent.value(forKey: "population") as? Int64 == 7)
            #expect(try continent.value(forKey: "largest") as? Int64 == 4)
            let moods = try continent.value(forKey: "moods") as? Set<ManagedObject>
            let names = try moods?.map { try $0.value(forKey: "name") as? String ?? "" }.sorted()
            #expect(names == ["calm", "wild"])
        }
    }

    @Test(arguments: [
        "countries.moods", "countries.@distinctUnionOfSets", "@distinctUnionOfSets.countries",
        "countries.@distinctUnionOfSets.@distinctUnionOfSets.moods",
        "countries.@distinctUnionOfSets.name", "countries.@distinctUnionOfSets.nothing",
    ])
    func `a path that leads to no objects is an error (§9.3.34)`(_ path: String) throws {
        let error = #expect(throws: MigrationError.self) {
            try mapping(
                MappingText.relationship(
                    "z5", "moods", keyPath: "$source.\(path)", mapping: "MoodToMood"))
        }
        guard case .invalidMapping("ContinentToContinent", _)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
