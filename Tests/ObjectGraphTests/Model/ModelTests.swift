import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Models (§1.1)` {
    static func entity(
        _ name: String, _ attributes: AttributeDescription..., superentity: String? = nil,
        relationships: [RelationshipDescription] = []
    ) -> EntityDescription {
        EntityDescription(
            name: name, superentity: superentity, attributes: attributes,
            relationships: relationships)
    }

    @Test func `a model has entities, configurations, templates and identifiers (§1.1.1)`() throws {
        let model = try ManagedObjectModel(
            entities: [Self.entity("A"), Self.entity("B")], configurations: ["Half": ["A"]],
            versionIdentifiers: ["1.0"],
            fetchRequestTemplates: ["all": FetchRequest(entityName: "A")])
        #expect(Set(model.entitiesByName.keys) == ["A", "B"])
        #expect(model.configurations == ["Half": ["A"]])
        #expect(model.versionIdentifiers == ["1.0"])
        #expect(Array(model.fetchRequestTemplatesByName.keys) == ["all"])
    }

    @Test func `a changed copy of a description leaves the model as it was (§1.1.2)`() throws {
        let model = try ManagedObjectModel(entities: [Self.entity("A")])
        var description = try #require(model.entitiesByName["A"])
        description.attributes = [AttributeDescription("a", .string)]
        #expect(model.entitiesByName["A"]?.attributes.isEmpty == true)
        let other = try ManagedObjectModel(entities: [description])
        #expect(other.entityVersionHashesByName != model.entityVersionHashesByName)
    }

    @Test func `names that differ in case only get columns of their own (§1.1.3)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                Self.entity(
                    "Thing", AttributeDescription("text", .string),
                    AttributeDescription("Text", .string), AttributeDescription("text1", .string)),
                Self.entity("THING", AttributeDescription("text", .string)),
            ]))
        try store.run { context in
            try context.insert("Thing", ["text": "a", "Text": "b", "text1": "c"])
            try context.insert("THING", ["text": "d"])
            try context.save()
            context.reset()
            let thing = try #require(try context.all("Thing").first)
            #expect(try thing.value(forKey: "text") as? String == "a")
            #expect(try thing.value(forKey: "Text") as? String == "b")
            #expect(try thing.value(forKey: "text1") as? String == "c")
            let other = try #require(try context.all("THING").first)
            #expect(try other.value(forKey: "text") as? String == "d")
        }
    }

    static let contradictions: [(String, [EntityDescription], String, String?)] = [
        ("a name twice", [entity("A"), entity("A")], "A", nil),
        ("no name", [entity("")], "", nil),
        ("a name with a space", [entity("A b")], "A b", nil),
        (
            "a name of SQL", [entity("A); DROP TABLE Z_METADATA; --")],
            "A); DROP TABLE Z_METADATA; --", nil
        ),
        (
            "a property with a quote", [entity("A", AttributeDescription("a\"b", .string))], "A",
            "a\"b"
        ),
        ("a digit in front", [entity("A", AttributeDescription("1a", .string))], "A", "1a"),
        (
            "a property twice",
            [
                entity(
                    "A", AttributeDescription("a", .string), AttributeDescription("a", .integer16))
            ], "A", "a"
        ),
        (
            "an inherited property twice",
            [
                entity("A", AttributeDescription("a", .string)),
                entity("B", AttributeDescription("a", .string), superentity: "A"),
            ], "B", "a"
        ),
        ("no such superentity", [entity("A", superentity: "B")], "A", nil),
        (
            "a circle of superentities",
            [entity("A", superentity: "B"), entity("B", superentity: "A")], "A", nil
        ),
        ("no such destination", [entity("A", relationships: [.toOne("b", "B")])], "A", "b"),
        (
            "no such inverse", [entity("A", relationships: [.toOne("b", "A", inverse: "c")])], "A",
            "b"
        ),
        (
            "an inverse with another inverse",
            [
                entity(
                    "A",
                    relationships: [
                        .toOne("b", "A", inverse: "c"), .toOne("c", "A", inverse: "c"),
                    ])
            ], "A", "b"
        ),
        (
            "impossible counts",
            [entity("A", relationships: [.toMany("b", "A", minCount: 3, maxCount: 2)])], "A", "b"
        ),
        (
            "a default of another type",
            [entity("A", AttributeDescription("a", .integer16, defaultValue: "one"))], "A", "a"
        ),
        (
            "a default out of range",
            [entity("A", AttributeDescription("a", .integer16, defaultValue: 70000))], "A", "a"
        ),
        (
            "a default that a store would not give back",
            [entity("A", AttributeDescription("a", .double, defaultValue: .double(.nan)))], "A", "a"
        ),
        (
            "a default that no decimal can be",
            [entity("A", AttributeDescription("a", .decimal, defaultValue: 1e300))], "A", "a"
        ),
    ]

    @Test(arguments: contradictions.indices)
    func `a contradiction is named with its entity and property (§1.1.3)`(_ index: Int) throws {
        let (_, entities, entity, property) = Self.contradictions[index]
        let error = try #require(throws: ModelError.self) {
            _ = try ManagedObjectModel(entities: entities)
        }
        #expect(error.entity == entity)
        #expect(error.property == property)
        #expect(error.description.hasPrefix(property.map { "\(entity).\($0):" } ?? "\(entity):"))
    }

    private static let never = AttributeValue.date(Date(timeIntervalSinceReferenceDate: .nan))

    /// Not as arguments of the test, which are described: Foundation traps on a date that is NaN.
    private static let defaults: [(type: AttributeType, value: AttributeValue, text: String)] = [
        (.double, .double(.nan), "cannot keep the default nan"),
        (.date, never, "cannot keep the default nan"),
        (.integer16, .double(.nan), "is not a value of type integer16"),
        (.integer16, "one", "is not a value of type integer16"),
        (.string, never, "the default date(nan) is not a value of type string"),
    ]

    @Test(arguments: defaults.indices)
    func `what is wrong with a default is said (§1.1.3)`(_ index: Int) throws {
        let (type, value, text) = Self.defaults[index]
        let attribute = AttributeDescription("a", type, defaultValue: value)
        let entity = EntityDescription(name: "A", attributes: [attribute])
        var message = ""
        do throws(ModelError) {
            _ = try ManagedObjectModel(entities: [entity])
        } catch { message = error.description }
        #expect(message.contains(text))
    }

    @Test func `more entities than rows can name are refused (§1.1.1)`() {
        let entities = (0...UInt32(UInt16.max)).map { EntityDescription(name: "E\($0)") }
        #expect(throws: ModelError("E65535", nil, .tooManyEntities(65_536))) {
            _ = try ManagedObjectModel(entities: entities)
        }
    }

    @Test func `an index that would be called as another is refused`() {
        let entities = [
            EntityDescription(
                name: "A", attributes: [AttributeDescription("a", .string)],
                indexes: [FetchIndexDescription("b_c", on: "a")]),
            EntityDescription(
                name: "A_b", attributes: [AttributeDescription("a", .string)],
                indexes: [FetchIndexDescription("c", on: "a")]),
        ]
        #expect(throws: ModelError("A", nil, .duplicateIndex("b_c"))) {
            _ = try ManagedObjectModel(entities: entities)
        }
    }

    @Test(arguments: ["description", "hash", "objectID", "entity", "isDeleted", "hasChanges"])
    func `a name of ManagedObject's members is refused (§1.1.4)`(_ name: String) {
        #expect(throws: ModelError("A", name, .reservedName)) {
            _ = try ManagedObjectModel(entities: [
                Self.entity("A", AttributeDescription(name, .string))
            ])
        }
    }

    @Test func `models that share equal entities can be merged (§1.1.5)`() throws {
        let a = Self.entity("A", AttributeDescription("a", .string))
        let merged = try ManagedObjectModel.merging([
            ManagedObjectModel(entities: [a]), ManagedObjectModel(entities: [a, Self.entity("B")]),
        ])
        #expect(Set(merged.entitiesByName.keys) == ["A", "B"])
        let other = try ManagedObjectModel(entities: [Self.entity("A")])
        #expect(throws: ModelError("A", nil, .differsFromNamesake)) {
            _ = try ManagedObjectModel.merging([merged, other])
        }
    }

    @Test func `the models of a store are found by its hashes (§1.1.5)`() throws {
        let old = try ManagedObjectModel(entities: [Self.entity("A")])
        let new = try ManagedObjectModel(entities: [
            Self.entity("A", AttributeDescription("a", .string)), Self.entity("B"),
        ])
        let found = try #require(
            ManagedObjectModel.merging(
                [old, new], forVersionHashes: old.entityVersionHashesByName))
        #expect(found.entityVersionHashesByName == old.entityVersionHashesByName)
        #expect(
            ManagedObjectModel.merging([old], forVersionHashes: new.entityVersionHashesByName)
                == nil)
    }

    @Test func `a configuration fits its own entities only (§1.1.6)`() throws {
        let model = try ManagedObjectModel(
            entities: [Self.entity("A"), Self.entity("B")], configurations: ["Half": ["A"]])
        let all = model.entityVersionHashesByName
        let half = all.filter { $0.key == "A" }
        #expect(model.isConfiguration(nil, compatibleWithVersionHashes: all))
        #expect(model.isConfiguration("Half", compatibleWithVersionHashes: half))
        #expect(!model.isConfiguration("Half", compatibleWithVersionHashes: all))
        #expect(!model.isConfiguration(nil, compatibleWithVersionHashes: half))
        #expect(!model.isConfiguration("Other", compatibleWithVersionHashes: half))
        #expect(!model.isConfiguration("Half", compatibleWithVersionHashes: ["A": [0]]))
    }
}

@Suite struct `Configurations (§1.10)` {
    @Test func `names entities of the model`() {
        #expect(throws: ModelError("B", nil, .unknownConfigurationEntity(configuration: "c"))) {
            _ = try ManagedObjectModel(
                entities: [EntityDescription(name: "A")], configurations: ["c": ["B"]])
        }
    }
}
