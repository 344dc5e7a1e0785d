import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Uniqueness constraints (§1.6)` {
    @Test func `a subentity inherits constraints and adds its own (§1.6.1)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A",
                    attributes: [
                        AttributeDescription("x", .integer32),
                        AttributeDescription("y", .integer32),
                    ], uniquenessConstraints: [["x", "y"]]),
                EntityDescription(
                    name: "B", superentity: "A", attributes: [AttributeDescription("z", .string)],
                    uniquenessConstraints: [["z"]]),
            ]))
        try store.run { context in
            try context.insert("A", ["x": 1, "y": 1])
            try context.insert("A", ["x": 1, "y": 2])
            try context.insert("B", ["x": 2, "y": 1, "z": "a"])
            try context.save()
            for values in [["x": 1, "y": 1, "z": "b"], ["x": 5, "y": 5, "z": "a"]]
                as [[String: Any]]
            {
                let duplicate = try context.insert("B", values)
                #expect(throws: SaveError.self) { try context.save() }
                context.delete(duplicate)
            }
            try context.save()
        }
    }

    @Test func `duplicates may live in a context, and in a store in memory (§1.6.2)`() throws {
        for inMemory in [true, false] {
            let store = try StoreFixture(makeLibraryModel(), inMemory: inMemory)
            try store.run { context in
                for _ in 0..<2 { Topic(context: context).name = "same" }
                #expect(try context.all("Topic").count == 2)
                if inMemory {
                    try context.save()
                } else {
                    #expect(throws: SaveError.self) { try context.save() }
                }
            }
        }
    }

    @Test func `nulls never collide, and case counts (§1.6.3)`() throws {
        let store = try StoreFixture(
            AttributeDescription("a", .string), uniquenessConstraints: [["a"]])
        try store.run { context in
            for _ in 0..<2 { try context.insert("Thing") }
            for text in ["a", "A"] { try context.insert("Thing", ["a": text]) }
            try context.save()
        }
        #expect(
            try store.sql("SELECT sql FROM sqlite_schema WHERE name = 'Z_Thing_UNIQUE_a'")
                == [["CREATE UNIQUE INDEX Z_Thing_UNIQUE_a ON ZTHING (ZA COLLATE BINARY ASC)"]])
    }

    /// A country that replaces another one gets all its cities, but keeps one capital.
    private static func model(
        _ relationship: RelationshipDescription
    ) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Country", attributes: [AttributeDescription("name", .string)],
                relationships: [relationship], uniquenessConstraints: [["name"]]),
            EntityDescription(
                name: "City", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toOne("country", "Country", inverse: relationship.name, isOptional: false)
                ]),
        ])
    }

    @Test func `a mandatory reference from one to one constrained object is refused (§1.6.4)`() {
        #expect(
            throws: ModelError(
                "Country", "capital", .mandatoryReferenceToConstrained("City.country"))
        ) { _ = try Self.model(.toOne("capital", "City", inverse: "country")) }
    }

    @Test(arguments: [
        MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ])
    func `mandatory references to a duplicate lead to the object that stays (§1.6.4)`(
        _ policy: MergePolicy
    ) throws {
        let store = try StoreFixture(
            Self.model(.toMany("cities", "City", inverse: "country", deleteRule: .cascade)))
        try store.run { context in
            context.mergePolicy = policy
            for name in ["Lyon", "Paris"] {
                let country = try context.insert("Country", ["name": "France"])
                try context.insert("City", ["name": name, "country": country])
                try context.save()
            }
        }
        #expect(try store.sql("SELECT COUNT(*) FROM ZCOUNTRY") == [["1"]])
        #expect(
            try store.sql(
                "SELECT c.ZNAME FROM ZCITY c JOIN ZCOUNTRY o ON o.Z_PK = c.ZCOUNTRY ORDER BY 1")
                == [["Lyon"], ["Paris"]])
    }

    @Test func `a conflict never leaves a mandatory reference empty (§1.6.4)`() throws {
        let store = try StoreFixture(
            Self.model(.toMany("cities", "City", inverse: "country")))
        try store.run { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            for (name, city) in [("France", "Paris"), ("Spain", "Madrid")] {
                let country = try context.insert("Country", ["name": name])
                try context.insert("City", ["name": city, "country": country])
            }
            try context.save()
            // Replaces the other country, whose city would then have no country.
            let spain = try context.all("Country", by: "name")[1]
            try spain.setValue("France", forKey: "name")
            let errors = try context.validationErrors()
            #expect(errors.map(\.key) == ["country"])
            #expect(context.hasChanges)
        }
        #expect(
            try store.sql("SELECT ZNAME FROM ZCOUNTRY ORDER BY 1") == [["France"], ["Spain"]])
        #expect(try store.sql("SELECT 1 FROM ZCITY WHERE ZCOUNTRY IS NULL") == [])
    }

    @Test func `constrained attributes are persistent and plain (§1.6.5)`() {
        func error(_ attribute: AttributeDescription, _ constraint: [String] = ["a"]) -> ModelError?
        {
            #expect(throws: ModelError.self) {
                _ = try StoreFixture(attribute, uniquenessConstraints: [constraint])
            }
        }
        #expect(
            error(AttributeDescription("a", .string, isTransient: true))?.reason
                == .unknownConstraintAttribute("a"))
        #expect(
            error(AttributeDescription("a", .transformable, transformer: .codable(String.self)))?
                .reason == .transformableConstraint)
        #expect(
            error(AttributeDescription("a", .string), ["b"])?.reason
                == .unknownConstraintAttribute("b"))
        #expect(error(AttributeDescription("a", .string), [])?.reason == .emptyConstraint)
    }
}

@Suite struct `Fetch indexes (§1.7)` {
    private func store(_ indexes: FetchIndexDescription...) throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Place",
                    attributes: [
                        AttributeDescription("x", .integer32, isOptional: false),
                        AttributeDescription("y", .float, isOptional: false),
                        AttributeDescription("name", .string),
                    ],
                    relationships: [.toMany("links", "Place")], indexes: indexes),
                EntityDescription(
                    name: "City", superentity: "Place",
                    relationships: [.toOne("capital", "Place")]),
            ]))
    }

    private func definition(_ name: String, _ store: StoreFixture) throws -> String? {
        try store.sql("SELECT sql FROM sqlite_schema WHERE name = '\(name)'").first?[0]
    }

    @Test func `an index of the model is one of the table (§1.7.1, §1.7.3)`() throws {
        let store = try store(
            FetchIndexDescription(
                "byName", elements: [.init("name", isAscending: false), .init("x")],
                partialIndexPredicate: "x >= 10 AND name != \"it's\""))
        #expect(
            try definition("Z_Place_byName", store)
                == "CREATE INDEX Z_Place_byName ON ZPLACE (ZNAME COLLATE BINARY DESC, ZX COLLATE BINARY ASC) WHERE ZX >= 10 AND ZNAME <> 'it''s'"
        )
    }

    @Test func `the condition of a partial index must be one of the entity (§1.7.1)`() {
        #expect(throws: (any Error).self) {
            _ = try store(
                FetchIndexDescription(
                    "i", elements: [.init("x")], partialIndexPredicate: "none > 1"))
        }
    }

    @Test func `an r-tree is kept up to date (§1.7.2)`() throws {
        let store = try store(
            FetchIndexDescription("byPlace", elements: [.init("x"), .init("y")], kind: .rTree))
        try store.run { context in
            let place = try context.insert("Place", ["x": 1, "y": 2.5])
            let other = try context.insert("City", ["x": 3, "y": 4.0])
            try context.save()
            try place.setValue(7, forKey: "x")
            context.delete(other)
            try context.save()
        }
        #expect(
            try store.sql("SELECT ZX_MIN, ZX_MAX, ZY_MIN FROM Z_RT_Place_byPlace")
                == [["7.0", "7.0", "2.5"]])
    }

    @Test(arguments: [
        AttributeDescription("a", .integer32),
        AttributeDescription("a", .double, isOptional: false),
        AttributeDescription("a", .string, isOptional: false),
    ])
    func `an r-tree is for mandatory small numbers (§1.7.2)`(_ attribute: AttributeDescription) {
        #expect(throws: ModelError("A", "a", .unsuitableForRTree("i"))) {
            _ = try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A", attributes: [attribute],
                    indexes: [FetchIndexDescription("i", elements: [.init("a")], kind: .rTree)])
            ])
        }
    }

    static let unsuitable: [(FetchIndexDescription, ModelError)] = [
        (.fullText("i", on: "n"), ModelError("A", "n", .unsuitableForFullText("i"))),
        (.fullText("i", on: "a", "a"), ModelError("A", nil, .unsuitableForFullText("i"))),
        (
            FetchIndexDescription(
                "i", elements: [.init("a")], kind: .fullText, partialIndexPredicate: "a != 'x'"),
            ModelError("A", nil, .unsuitableForFullText("i"))
        ),
        (
            FetchIndexDescription(
                "i", elements: [.init("a", folding: .caseInsensitive)], kind: .fullText),
            ModelError("A", nil, .unsuitableForFullText("i"))
        ),
        (.fullText("n", on: "a"), ModelError("A", nil, .ambiguousFullTextIndex("n"))),
        (.fullText("i"), ModelError("A", nil, .emptyIndex("i"))),
        (.fullText("i", on: "b"), ModelError("A", nil, .unknownIndexProperty("b"))),
    ]

    @Test(arguments: unsuitable)
    func `a full-text index is a list of strings (§7.9.1)`(
        _ index: FetchIndexDescription, _ error: ModelError
    ) {
        #expect(throws: error) {
            _ = try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A",
                    attributes: [
                        AttributeDescription("a", .string), AttributeDescription("n", .integer64),
                    ],
                    indexes: [index])
            ])
        }
    }

    @Test func `the condition of a partial index cannot search (§1.7.1)`() {
        #expect(throws: FetchError.unsupported(feature: "SEARCH in the condition of an index")) {
            _ = try store(
                .fullText("words", on: "name"),
                FetchIndexDescription(
                    "i", elements: [.init("x")], partialIndexPredicate: "name SEARCH 'a'"))
        }
    }

    @Test func `some columns are always indexed (§1.7.4)`() throws {
        let store = try store()
        #expect(try definition("ZPLACE_Z_ENT_INDEX", store) != nil)
        #expect(try definition("ZPLACE_ZCAPITAL_INDEX", store) != nil)
        #expect(try definition("ZPLACE_Z1LINKS_INDEX", store) != nil)
    }

    @Test func `an index outlives a change of the hierarchy (§1.7.5)`() {
        var description = EntityDescription(
            name: "Place", indexes: [FetchIndexDescription("i", on: "x")])
        description.superentity = "Area"
        #expect(description.indexes.map(\.name) == ["i"])
    }

    @Test func `indexes are no part of version hashes (§1.7.6)`() throws {
        let plain = try store()
        let indexed = try store(FetchIndexDescription("i", on: "x"))
        #expect(
            plain.coordinator.model.entityVersionHashesByName
                == indexed.coordinator.model.entityVersionHashesByName)
    }
}
