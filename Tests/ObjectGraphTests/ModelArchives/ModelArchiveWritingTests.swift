import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Archiving a model (§1.14)` {
    /// The model that a new store of the model holds.
    private func reread(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        let folder = TemporaryFolder()
        let url = folder.url("store.sqlite")
        try PersistentStoreCoordinator(model: model).addPersistentStore(.sqlite(at: url))
        let descriptions = model.entities.map(\.description)
        return try PersistentStoreCoordinator.model(
            ofStoreAt: url, classes: descriptions.compactMap(\.managedObjectClass),
            transformers: descriptions.flatMap(\.attributes).compactMap(\.transformer))
    }

    private func reread(_ entity: EntityDescription) throws -> EntityDescription {
        let model = try reread(ManagedObjectModel(entities: [entity]))
        #expect(model.fileWarnings.isEmpty)
        return try #require(model.entitiesByName[entity.name])
    }

    @Test func `a store describes itself with all features (§1.14.9)`() throws {
        let model = try makeModelOfAllFeatures()
        let read = try reread(model)
        #expect(read.differences(from: model) == ["Thing.class: Optional(\"Author\"), nil"])
        #expect(read.entitiesByName["Thing"]?.managedObjectClass == Author.self)
        #expect(read.fileWarnings.isEmpty)
        #expect(try read.xcdatamodelContents() == model.xcdatamodelContents())
    }

    @Test func `random models are read as they were (§1.14.10)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<50 {
            let model = try generator.fileModel()
            let read = try reread(model)
            #expect(read.differences(from: model).isEmpty, "TEST_SEED=\(generator.seed)")
            #expect(read.fileWarnings.isEmpty, "TEST_SEED=\(generator.seed)")
            #expect(
                try read.xcdatamodelContents() == model.xcdatamodelContents(),
                "TEST_SEED=\(generator.seed)")
        }
    }

    // MARK: - What only archives express

    @Test(arguments: [
        AttributeDescription("a", .binaryData, defaultValue: .data(Data([1, 2, 3]))),
        AttributeDescription(
            "a", .transformable,
            defaultValue: ValueTransformer.propertyList.attributeValue(
                of: ["$null": [1, true, 0.5, "x"]] as PropertyList)),
        AttributeDescription(
            "a", .transformable,
            defaultValue: ValueTransformer.codable([Int].self).attributeValue(of: [1, 2]),
            transformer: .codable([Int].self)),
        AttributeDescription("a", .undefined, defaultValue: 1, isTransient: true),
        AttributeDescription("a", .objectID, isTransient: true),
        AttributeDescription("a", .string, defaultValue: "\u{0}$null é e\u{301}"),
        AttributeDescription("a", .string, defaultValue: "$null", userInfo: ["$null": "$null"]),
        AttributeDescription(
            "a", .decimal,
            defaultValue: .decimal(Decimal(sign: .plus, exponent: 97, significand: 34))),
        AttributeDescription(
            "a", .decimal,
            defaultValue: .decimal(Decimal(sign: .minus, exponent: -80, significand: 7))),
        AttributeDescription("a", .double, defaultValue: .double(.infinity)),
        AttributeDescription(
            "a", .string,
            validationRules: [
                ValidationRule(
                    "SELF BEGINSWITH[cd] \"a\" AND NOT SELF CONTAINS[c] \"b\"", .message("No.")),
                ValidationRule("SELF IN {\"x\", \"y\"} OR length:(SELF) + 1 > 3", .code(1550)),
            ]),
    ])
    func `attributes keep what a file cannot say (§1.14.10)`(
        _ attribute: AttributeDescription
    ) throws {
        let entity = EntityDescription(name: "Thing", attributes: [attribute])
        #expect(try reread(entity).attributes == [attribute])
    }

    @Test(arguments: [
        ("a>5", "a > 5"), ("a==nil||(a BETWEEN {1,2})", "a == NULL OR a BETWEEN {1, 2}"),
        ("NOT (a<>1 AND b=='x')", "NOT (a != 1 AND b == \"x\")"),
    ])
    func `the condition of an index has one spelling (§1.14.10)`(
        _ format: String, _ canonical: String
    ) throws {
        func model(_ format: String) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription("a", .integer16), AttributeDescription("b", .string),
                    ],
                    indexes: [
                        FetchIndexDescription(
                            "i", elements: [.init("a")], partialIndexPredicate: format)
                    ])
            ])
        }
        let read = try reread(model(format))
        #expect(read.differences(from: try model(canonical)).isEmpty)
        #expect(try read.xcdatamodelContents() == model(format).xcdatamodelContents())
    }

    @Test func `full-text indexes are user information (§7.9.12)`() throws {
        let entity = EntityDescription(
            name: "Thing",
            attributes: [AttributeDescription("a", .string), AttributeDescription("b", .string)],
            indexes: [FetchIndexDescription("i", on: "a"), .fullText("words", on: "a", "b")],
            userInfo: ["own": "x"])
        let read = try reread(entity)
        #expect(read.indexes == entity.indexes && read.userInfo == entity.userInfo)
    }

    @Test func `indexes keep their foldings (§1.14.10)`() throws {
        let entity = EntityDescription(
            name: "Thing", attributes: [AttributeDescription("a", .string)],
            indexes: [
                FetchIndexDescription(
                    "i", elements: [.init("a", folding: .caseAndDiacriticInsensitive)]),
                FetchIndexDescription("a", on: "a"), FetchIndexDescription("b", on: "a"),
            ])
        #expect(try reread(entity).indexes == entity.indexes)
    }

    @Test(arguments: [
        "SUBQUERY(others, $o, $o.name == $NAME).@count > 2", "ANY others.name LIKE[c] \"a*\"",
        "name IN {\"a\", \"b\"}", "$who.name == name AND $x != NULL", "count:(others) >= 1",
        "others[FIRST].name == \"\"", "FALSEPREDICATE OR date < CAST(5.0, \"NSDate\")",
        "name MATCHES \"a.*\"", "others.@count == 0", "#first == 1 OR SELF == $me",
    ])
    func `templates keep their predicates, order and paths (§1.14.10)`(_ format: String) throws {
        var request = FetchRequest(
            entityName: "Thing", predicate: try ObjectPredicate(format),
            sortKeys: [
                .descending("name"), SortKey("date", comparison: .localizedStandard),
                SortKey("name", comparison: .caseInsensitive),
            ])
        request.fetchOffset = 3
        request.relationshipKeyPathsForPrefetching = ["others", "others.others"]
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription("name", .string), AttributeDescription("date", .date),
                    ], relationships: [.toMany("others", "Thing")],
                    fetchedProperties: [FetchedPropertyDescription("found", request)])
            ], versionIdentifiers: ["1", "2", ""], fetchRequestTemplates: ["t": request])
        let read = try reread(model)
        #expect(read.differences(from: model).isEmpty)
        #expect(read.fileWarnings.isEmpty)
    }

    @Test func `what no archive can hold is left out (§1.14.10)`() throws {
        let block = ObjectPredicate.block(PredicateBlock { _ in true })
        var distinct = FetchRequest(entityName: "Thing")
        distinct.propertiesToFetch = ["a"]
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    name: "Thing", attributes: [AttributeDescription("a", .string)],
                    fetchedProperties: [FetchedPropertyDescription("found", distinct)])
            ],
            fetchRequestTemplates: [
                "block": FetchRequest(entityName: "Thing", predicate: block),
                "dictionaries": distinct,
                "order": FetchRequest(
                    entityName: "Thing", sortKeys: [SortKey(.function("length:", [.keyPath("a")]))]),
                "kept": FetchRequest(entityName: "Thing"),
            ])
        let read = try reread(model)
        #expect(read.fetchRequestTemplatesByName.keys.sorted() == ["kept"])
        #expect(read.entitiesByName["Thing"]?.fetchedProperties.isEmpty == true)
        #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    // MARK: - Core Data's form

    @Test func `every entity repeats what it inherits (§1.14.9)`() throws {
        var archive = try ModelArchive(ModelArchiveWriter.archive(makeLibraryModel()))
        let root = try archive.root()
        let entities = try Dictionary(uniqueKeysWithValues: archive.entries("NSEntities", of: root))
        let book = try archive.object(at: #require(entities["Book"]))
        let properties = try Dictionary(
            uniqueKeysWithValues: archive.entries("NSProperties", of: book))
        let author = try archive.object(at: #require(properties["author"]))
        #expect(author.className == "NSRelationshipDescription")
        #expect(try archive.object("NSEntity", of: author)?.index == book.index)
        // The inverse is the relationship of the destination, whose inverse is the ancestor's.
        let inverse = try #require(try archive.object("NSInverseRelationship", of: author))
        #expect(try archive.value("NSPropertyName", of: inverse) == "publications")
        let original = try #require(try archive.object("NSInverseRelationship", of: inverse))
        #expect(
            try archive.object("NSEntity", of: original)?.index == entities["Publication"])
        let ancestor = try archive.object("NSSuperentity", of: book)
        #expect(ancestor?.index == entities["Publication"])
    }

    @Test func `the dictionary of entities is sorted by bytes (§1.14.9)`() throws {
        let model = try ManagedObjectModel(
            entities: ["b", "A", "a", "B"].map { EntityDescription(name: $0) })
        var archive = try ModelArchive(ModelArchiveWriter.archive(model))
        let entities = try archive.entries("NSEntities", of: archive.root())
        #expect(entities.map(\.key) == ["A", "B", "a", "b"])
    }

    @Test func `a store has one row with its model (§1.14.9)`() throws {
        let fixture = try StoreFixture(AttributeDescription("a", .string))
        #expect(
            try fixture.sql("SELECT typeof(Z_CONTENT), length(Z_CONTENT) > 100 FROM Z_MODELCACHE")
                == [["blob", "1"]])
    }
}
