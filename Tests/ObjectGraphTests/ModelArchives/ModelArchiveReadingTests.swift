import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Reading an archived model (§1.14)` {
    private typealias Model = ArchivedModel

    private func attribute(
        _ type: AttributeType, _ fields: [(String, ArchivedPart)],
        transformers: [ValueTransformer] = []
    ) throws -> AttributeDescription {
        let model = try Model(Model.entity("Thing", [Model.attribute("a", type, fields)]))
            .model(transformers: transformers)
        #expect(model.fileWarnings.isEmpty)
        return try #require(model.entitiesByName["Thing"]?.attributes.first)
    }

    private func warnings(of model: ManagedObjectModel) -> [String] {
        model.fileWarnings.map { String($0.description.split(separator: ": ", maxSplits: 1)[1]) }
    }

    // MARK: - Defaults

    static let defaults: [(AttributeType, ArchivedPart, AttributeValue?)] = [
        (.integer16, -1, -1), (.integer64, 7, 7), (.boolean, 1, true), (.boolean, 100, true),
        (.boolean, 0, false), (.boolean, true, true), (.double, 0.5, 0.5), (.double, 2, 2.0),
        (.string, "text", "text"), (.string, .mutableText("text"), "text"), (.string, "", ""),
        (
            .date, .node("NSDate", [("NS.time", -0.5)]),
            .date(Date(timeIntervalSinceReferenceDate: -0.5))
        ),
        (
            .uuid,
            .node("NSUUID", [("NS.uuidbytes", .value(.data(Data(repeating: 0, count: 16))))]),
            .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000000")!)
        ),
        (
            .uri, .node("NSURL", [("NS.base", .null), ("NS.relative", "https://a.example")]),
            .uri(URL(string: "https://a.example")!)
        ), (.binaryData, .value(.data(Data([1, 2]))), .data(Data([1, 2]))),
        (
            .decimal,
            .node(
                "NSDecimalNumber",
                [
                    (
                        "NS.mantissa",
                        .value(.data(Data([0x39, 0x30] + Array(repeating: 0, count: 14))))
                    ),
                    ("NS.mantissa.bo", 1), ("NS.exponent", -2), ("NS.negative", true),
                ]), .decimal(Decimal(string: "-123.45")!)
        ),
        (
            .transformable, .texts("a", "b"),
            ValueTransformer.propertyList.attributeValue(of: ["a", "b"])
        ), (.string, .null, nil), (.uuid, .node("NSNull", []), nil),
    ]

    @Test(arguments: defaults)
    func `defaults are read in each form (§1.14.3)`(
        _ type: AttributeType, _ part: ArchivedPart, _ value: AttributeValue?
    ) throws {
        #expect(try attribute(type, [("NSDefaultValue", part)]).defaultValue == value)
    }

    @Test func `a default of an unknown class is left out (§1.14.6)`() throws {
        let model = try Model(
            Model.entity(
                "Thing",
                [
                    Model.attribute(
                        "a", .transformable,
                        [("NSDefaultValue", .node("App.Colour", [("red", 1)]))]),
                    Model.attribute("b", .integer16, [("NSDefaultValue", "text")]),
                ])
        ).model()
        #expect(
            model.entitiesByName["Thing"]?.attributes.allSatisfy { $0.defaultValue == nil } == true)
        #expect(
            warnings(of: model) == [
                "Thing.a: the default 'of class App.Colour' cannot be read as the attribute's type, so new objects have none; correct it, or set the value in awakeFromInsert().",
                "Thing.b: the default 'in the archive' cannot be read as the attribute's type, so new objects have none; correct it, or set the value in awakeFromInsert().",
            ])
    }

    // MARK: - Attributes

    @Test func `an attribute has its flags, names and conditions (§1.14.3)`() throws {
        let lower = ArchivedPart.node(
            "NSComparisonPredicate",
            [
                ("NSLeftExpression", .node("NSSelfExpression", [("NSExpressionType", 1)])),
                (
                    "NSRightExpression",
                    .node("NSConstantValueExpression", [("NSConstantValue", 3)])
                ),
                (
                    "NSPredicateOperator",
                    .node(
                        "NSComparisonPredicateOperator",
                        [("NSOperatorType", 3), ("NSModifier", 0), ("NSOptions", 0)])
                ),
            ])
        let read = try attribute(
            .integer32,
            [
                ("NSIsTransient", true), ("NSRenamingIdentifier", .mutableText("old")),
                ("NSVersionHashModifier", "2"), ("NSUserInfo", .dictionary([("k", "v")])),
                ("NSValidationPredicates", .list([lower])),
                ("NSValidationWarnings", .list([1620])),
            ])
        let expected = AttributeDescription(
            "a", .integer32, isTransient: true, validationRules: [ModelBound.minimum(3).rule],
            renamingIdentifier: "old", userInfo: ["k": "v"], versionHashModifier: "2")
        #expect(read == expected)
    }

    @Test func `an absent flag means mandatory (§1.14.3)`() throws {
        let read = try attribute(
            .binaryData, [("NSIsOptional", false), ("NSFlagsKey", 20)])
        #expect(!read.isOptional)
        #expect(read.allowsExternalStorage && read.preservesValueInHistoryOnDeletion)
    }

    @Test func `what the engine lacks is left out with a warning (§1.14.5)`() throws {
        let derived = ArchivedPart.node(
            "NSDerivedAttributeDescription",
            [("NSPropertyName", "derived"), ("NSAttributeType", 200), ("NSIsOptional", true)])
        let model = try Model(
            Model.entity(
                "Thing",
                [
                    ("derived", derived),
                    ("composite", .node("NSCompositeAttributeDescription", [])),
                    Model.relationship(
                        "moment", of: "Thing", to: "Thing", [("NSIsTransient", true)]),
                ],
                [("NSUserInfo", .dictionary([("list", .texts("a"))]))])
        ).model()
        #expect(
            warnings(of: model) == [
                "Thing: not supported: a value in userInfo that is not text; 'list' is left out.",
                "Thing.derived: not supported: a derived attribute with this expression; it has the values that are set.",
                "Thing.composite: not supported: a composite attribute without the elements that this engine writes; it is left out.",
                "Thing.moment: not supported: a transient relationship; it is left out.",
            ])
        let thing = try #require(model.entitiesByName["Thing"])
        #expect(thing.attributes.map(\.name) == ["derived"])
        #expect(thing.relationships.isEmpty)
    }

    // MARK: - Entities

    @Test func `entities have their relationships and inheritance (§1.14.3)`() throws {
        let model = try Model(
            Model.entity(
                "Owner",
                [
                    Model.relationship(
                        "pets", of: "Owner", to: "Animal", inverse: "owner", maxCount: -1,
                        [("NSIsOrdered", true), ("NSDeleteRule", 2)])
                ], [("NSClassNameForEntity", "App.Author"), ("NSRenamingIdentifier", "Human")]),
            Model.entity(
                "Animal",
                [
                    Model.attribute("name", .string),
                    Model.relationship(
                        "owner", of: "Animal", to: "Owner", inverse: "pets", maxCount: 1),
                ],
                [
                    ("NSIsAbstract", true),
                    ("NSSubentities", .dictionary([("Dog", .reference("Dog"))])),
                ]),
            Model.entity("Dog", [], [("NSSuperentity", .reference("Animal"))]),
            fields: [
                ("NSVersionIdentifiers", .list(["2.0"], "NSMutableSet")),
                (
                    "NSConfigurations",
                    .dictionary([
                        (
                            "Some",
                            .list([.reference("Owner"), .reference("Animal"), .reference("Dog")])
                        )
                    ])
                ),
            ]
        ).model(classes: [Author.self])
        let expected = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    name: "Owner", managedObjectClass: Author.self,
                    relationships: [
                        .toMany(
                            "pets", "Animal", inverse: "owner", deleteRule: .cascade,
                            isOrdered: true)
                    ], renamingIdentifier: "Human"),
                EntityDescription(
                    name: "Animal", isAbstract: true,
                    attributes: [AttributeDescription("name", .string)],
                    relationships: [.toOne("owner", "Owner", inverse: "pets")]),
                EntityDescription(name: "Dog", superentity: "Animal"),
            ], configurations: ["Some": ["Owner", "Animal", "Dog"]], versionIdentifiers: ["2.0"])
        #expect(model.differences(from: expected) == ["Owner.class: Optional(\"App.Author\"), nil"])
        #expect(model.entityVersionHashesByName == expected.entityVersionHashesByName)
        #expect(model.fileWarnings.isEmpty)
    }

    @Test func `inherited properties belong to their declarer (§1.14.4)`() throws {
        func proxy(_ name: String, _ entity: String) -> (String, ArchivedPart) {
            (
                name,
                .node(
                    "_NSPropertyDescriptionProxy",
                    [
                        ("NSEntityDescription", .reference(entity)), ("NSReferenceID", 3),
                        ("NSUnderlyingProperty", .node("NSAttributeDescription", [])),
                    ])
            )
        }
        let name = Model.attribute("name", .string, [("NSIsIndexed", true)])
        let model = try Model(
            Model.entity("Animal", [name]),
            Model.entity(
                "Dog", [name, Model.attribute("tail", .float)],
                [("NSSuperentity", .reference("Animal"))]),
            Model.entity(
                "Puppy", [proxy("name", "Puppy"), proxy("tail", "Puppy")],
                [("NSSuperentity", .reference("Dog"))])
        ).model()
        let entities = model.entitiesByName
        #expect(entities["Animal"]?.attributes.map(\.name) == ["name"])
        #expect(entities["Animal"]?.indexes == [FetchIndexDescription("name", on: "name")])
        #expect(entities["Dog"]?.attributes.map(\.name) == ["tail"])
        #expect(entities["Dog"]?.indexes.isEmpty == true)
        #expect(entities["Puppy"]?.attributes.isEmpty == true)
    }

    @Test func `an inverse that does not exist is none (§1.14.5)`() throws {
        let model = try Model(
            Model.entity(
                "Thing",
                [
                    Model.relationship(
                        "other", of: "Thing", to: "Thing",
                        [("NSInverseRelationship", .null), ("_NSInverseRelationshipName", "lost")])
                ])
        ).model()
        #expect(model.entitiesByName["Thing"]?.relationships.first?.inverse == nil)
        #expect(model.fileWarnings.map(\.reason) == [.danglingInverse("lost")])
    }

    // MARK: - Indexes

    @Test func `indexes and constraints of each form are read (§1.14.3)`() throws {
        func index(
            _ name: String, _ elements: [ArchivedPart], _ predicate: ArchivedPart = .null
        ) -> ArchivedPart {
            .node(
                "NSFetchIndexDescription",
                [
                    ("NSIndexName", .text(name)), ("NSIndexElements", .list(elements)),
                    ("NSPartialIndexPredicate", predicate),
                ])
        }
        func element(_ name: String, _ fields: [(String, ArchivedPart)] = []) -> ArchivedPart {
            .node("NSFetchIndexElementDescription", [("NSPropertyName", .text(name))] + fields)
        }
        func operand(_ name: String) -> ArchivedPart {
            .node(
                "NSKeyPathExpression",
                [
                    ("NSOperand", .node("NSSelfExpression", [])),
                    ("NSSelectorName", "valueForKey:"),
                    (
                        "NSArguments",
                        .list([
                            .node("NSKeyPathSpecifierExpression", [("NSKeyPath", .text(name))])
                        ])
                    ),
                ])
        }
        func comparison(
            _ name: String, _ type: Int64, _ constant: [(String, ArchivedPart)]
        ) -> ArchivedPart {
            .node(
                "NSComparisonPredicate",
                [
                    ("NSLeftExpression", operand(name)),
                    ("NSRightExpression", .node("NSConstantValueExpression", constant)),
                    (
                        "NSPredicateOperator",
                        .node(
                            "NSEqualityPredicateOperator",
                            [("NSOperatorType", .value(.integer(type))), ("NSModifier", 0)])
                    ),
                ])
        }
        let partial = ArchivedPart.node(
            "NSCompoundPredicate",
            [
                ("NSCompoundPredicateType", 1),
                (
                    "NSSubpredicates",
                    .list([
                        comparison("a", 5, [("NSConstantValueClassName", .null)]),
                        comparison("b", 4, [("NSConstantValue", 5)]),
                    ])
                ),
            ])
        let model = try Model(
            Model.entity(
                "Thing",
                [
                    Model.attribute("a", .integer16, [("NSIsIndexed", true)]),
                    Model.attribute("b", .integer16, [("NSIsIndexed", true)]),
                ],
                [
                    (
                        "NSFetchIndexDescriptions",
                        .list([
                            index("byA", [element("a")]),
                            index("partial", [element("b", [("NSAscending", false)])], partial),
                            index(
                                "computed",
                                [element("e", [("NSIndexedProperty", operand("entity"))])]),
                        ])
                    ), ("NSCompoundIndexes", .list([.texts("a", "b")])),
                    ("NSUniqueTuples", .list([.texts("a", "b"), .list([.mutableText("a")])])),
                ])
        ).model()
        let thing = try #require(model.entitiesByName["Thing"])
        #expect(
            thing.indexes == [
                FetchIndexDescription("byA", on: "a"),
                FetchIndexDescription(
                    "partial", elements: [.init("b", isAscending: false)],
                    partialIndexPredicate: "a != NULL AND b == 5"),
                FetchIndexDescription("b", on: "b"), FetchIndexDescription("a_b", on: "a", "b"),
            ])
        #expect(thing.uniquenessConstraints == [["a", "b"], ["a"]])
        #expect(
            warnings(of: model) == [
                "Thing: not supported: an index on an expression; the index 'computed' is left out."
            ])
    }

    // MARK: - Files

    @Test func `a compiled group has a current version (§1.14.2)`() throws {
        let folder = ModelFolder()
        for name in ["First", "Second"] {
            var model = Model(Model.entity(name, []))
            model.isCache = false
            try folder.write(model.archived(), to: "App.momd/\(name).mom")
        }
        let url = folder.temporary.url("App.momd")
        let file = try ModelFile(url)
        #expect(file.versions == ["First", "Second"])
        #expect(file.currentVersion == nil)
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["NSManagedObjectModel_CurrentVersionName": "Second"],
            format: .binary, options: 0)
        try folder.write(list, to: "App.momd/VersionInfo.plist")
        #expect(try ManagedObjectModel(contentsOf: url).entitiesByName.keys.sorted() == ["Second"])
        #expect(
            try ManagedObjectModel(contentsOf: url, version: "First").entitiesByName.keys.sorted()
                == ["First"])
        let alone = url.appending(path: "First.mom")
        #expect(try ManagedObjectModel(contentsOf: alone).entitiesByName.keys.sorted() == ["First"])
    }

    @Test func `reading the model of a store changes no file (§1.14.1)`() throws {
        let store = try CachedStore(Model(Model.entity("Other", [])).archived())
        // A connection that stays open keeps the row in the WAL.
        let connection = try Connection(SQLiteConfiguration(path: store.url.path, mode: .readWrite))
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = Z_CONTENT")
        func files() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: store.url.deletingLastPathComponent().path)
            return try Dictionary(
                uniqueKeysWithValues: names.filter { !$0.hasSuffix("-shm") }.map {
                    (
                        $0,
                        try Data(
                            contentsOf: store.url.deletingLastPathComponent().appending(path: $0))
                    )
                })
        }
        let before = try files()
        let model = try PersistentStoreCoordinator.model(ofStoreAt: store.url)
        #expect(model.entitiesByName.keys.sorted() == ["Other"])
        #expect(try files() == before)
        try connection.close()
    }
}
