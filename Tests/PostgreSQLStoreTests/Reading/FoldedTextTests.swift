#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

/// Places have names that indexes fold in two ways, and notes that no index folds.
private func makeModel(
    _ foldings: [FetchIndexDescription.Folding] = [
        .caseInsensitive, .caseAndDiacriticInsensitive,
    ]
) throws -> ManagedObjectModel {
    func indexes(_ foldings: [FetchIndexDescription.Folding]) -> [FetchIndexDescription] {
        foldings.map {
            FetchIndexDescription("name\($0.rawValue)", elements: [.init("name", folding: $0)])
        }
    }
    return try ManagedObjectModel(entities: [
        EntityDescription(
            name: "Place",
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("note", .string),
                AttributeDescription("number", .integer64),
            ],
            relationships: [.toOne("country", "Country", inverse: "places")],
            indexes: indexes(foldings)),
        EntityDescription(name: "City", superentity: "Place"),
        EntityDescription(
            name: "Country", attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("places", "Place", inverse: "country")],
            indexes: indexes(foldings)),
    ])
}

private let names: [String?] = [
    nil, "", "a", "A", "ab", "AB c", "é", "É", "e\u{301}", "E\u{301}x", "straße", "STRASSE",
    "Straßenbahn", "ß", "ẞ", "SS", "İ", "i\u{307}", "ı", "I", "i", "ﬁ", "FI", "ﬁn", "ﬀ", "Ǆ",
    "\u{301}", "\u{301}\u{302}", "a\u{301}\u{323}", "ạ\u{301}", "ΣΊΣΥΦΟΣ", "σίσυφος", "日本",
    "100%", "a_b", "a\\b", "A*B", "\u{D7FF}", "\u{E000}", "\u{10FFFF}", "z", "Ö", "Österreich",
]

@Suite(.enabled(if: StoreSchema.isAvailable)) struct `Folded texts in PostgreSQL (§11.8)` {
    let schema = StoreSchema()
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext

    init() throws {
        coordinator = try schema.coordinator(makeModel())
        let context = coordinator.context()
        self.context = context
        try context.performAndWait {
            let countries = try ["Österreich", nil, "STRASSE"].map {
                try context.insert("Country", $0.map { ["name": $0] } ?? [:])
            }
            for (number, name) in names.enumerated() {
                let place = try context.insert(
                    number % 3 == 0 ? "City" : "Place", ["number": number])
                if let name {
                    try place.setValue(name, forKey: "name")
                    try place.setValue(name, forKey: "note")
                }
                if number % 4 > 0 {
                    try place.setValue(countries[number % 4 - 1], forKey: "country")
                }
            }
            try context.save()
        }
    }

    private func isStated(_ request: FetchRequest) -> Bool {
        request.isStated(
            inSQLOf: coordinator.model.entity(named: request.entityName)!,
            coordinator.postgreSQL.layout)
    }

    @Test(
        arguments: [
            ("Place", "name ==[c] 'STRASSE'", 2), ("Place", "name ==[cd] 'strasse'", 2),
            ("Place", "name ==[cl] 'Strasse'", 2), ("City", "name ==[c] 'ss'", nil),
            ("Place", "name ==[c] 'ss'", 3), ("Place", "name ==[c] 'i\u{307}'", 2),
            ("Place", "name ==[c] 'i'", 2), ("Place", "name ==[cd] 'I'", 4),
            ("Place", "name ==[c] 'fi'", 2), ("Place", "name BEGINSWITH[c] 'F'", 4),
            ("Place", "name BEGINSWITH[cd] 'STRASSE'", 3), ("Place", "name ==[c] ''", 1),
            ("Place", "name ==[cd] '\\u0301'", 3), ("Place", "name BEGINSWITH[cd] '\\u0301'", 0),
            ("Place", "name CONTAINS[cd] ''", 0), ("Place", "name CONTAINS[c] '\\u0301'", nil),
            ("Place", "name CONTAINS[cd] 'E'", nil), ("Place", "name CONTAINS[c] '_B'", 1),
            ("Place", "name ENDSWITH[c] '0%'", 1), ("Place", #"name CONTAINS[c] '\\'"#, 1),
            ("Place", "name ENDSWITH[c] 'É'", 3),
            ("Place", "name ENDSWITH[c] '\u{10FFFF}'", 1),
            ("Place", "name BEGINSWITH[c] '\u{10FFFF}'", 1),
            ("Place", "name BEGINSWITH[c] '\u{D7FF}'", 1), ("Place", "name LIKE[c] 'STR*'", 3),
            ("Place", "name LIKE[cd] '?'", nil), ("Place", "name LIKE[c] 'a_*'", 1),
            ("Place", #"name LIKE[c] 'a\\*b'"#, nil), ("Place", "name LIKE[c] '*%'", 1),
            ("Place", "name IN[c] {'É', 'AB', 'x'}", 4), ("Place", "name IN[cd] {'\\u0301'}", 3),
            ("Place", "name IN[c] {nil, 'Z'}", 2), ("Place", "name <[c] 'B'", nil),
            ("Place", "name >=[cd] 'Z'", nil), ("Place", "name BETWEEN[c] {'B', 'K'}", nil),
            ("Place", "NOT (name CONTAINS[c] 'S')", nil),
            ("Place", "NOT name BEGINSWITH[c] 'S'", nil),
            ("Place", "'STRASSENBAHN' BEGINSWITH[c] name", nil),
            ("Place", "name ==[cd] country.name AND number > 0", nil),
            ("Place", "country.name BEGINSWITH[cd] 'ost'", nil),
            ("Place", "number > 3 AND (name ==[c] 'A' OR country.name ==[c] 'straße')", nil),
            ("Country", "ANY places.name ==[c] 'aB C'", 1),
            ("Country", "SUBQUERY(places, $p, $p.name CONTAINS[cd] 'É').@count > 0", nil),
            ("Country", "ALL places.name !=[c] 'xyz'", nil),
            ("Place", "TERNARY(name ==[c] 'a', 1, 2) == 1", 2),
        ] as [(String, String, Int?)])
    func `comparisons are stated in SQL, with the evaluator's meaning (§11.8.42)`(
        _ entityName: String, _ format: String, _ count: Int?
    ) throws {
        let predicate = try ObjectPredicate(format)
        let request = FetchRequest(entityName: entityName, predicate: predicate)
        #expect(isStated(request))
        try context.performAndWait {
            let found = try context.fetch(request, as: ManagedObject.self)
            let all = try context.all(entityName)
            #expect(try Set(found) == Set(all.filter(predicate)))
            if let count { #expect(found.count == count) }
        }
    }

    @Test(arguments: [true, false])
    func `sorts ignore case by the folded text (§11.8.42)`(_ isAscending: Bool) throws {
        let key = SortKey("name", ascending: isAscending, comparison: .caseInsensitive)
        var request = FetchRequest(
            entityName: "Place",
            sortKeys: [
                SortKey("country.name", comparison: .caseInsensitive), key, .descending("number"),
            ])
        #expect(isStated(request))
        let entity = coordinator.model.entity(named: "Place")!
        let sort = try CompiledSort(request.sortKeys, entity: entity, model: coordinator.model)
        request.fetchBatchSize = 7
        try context.performAndWait { [request] in
            let found = try Array(context.fetch(request, as: ManagedObject.self))
            let sorted = try context.all("Place").sorted {
                sort.areInIncreasingOrder(ObjectSubject(object: $0), ObjectSubject(object: $1))
            }
            #expect(found == sorted)
        }
    }

    @Test(arguments: [
        "note ==[c] 'A'", "name ==[d] 'A'", "name MATCHES[c] 'a.*'", "name ==[l] 'É'",
        "name ==[c] note", "name LIKE[c] note",
    ])
    func `what no index folds is evaluated in memory (§11.8.19)`(_ format: String) throws {
        let predicate = try ObjectPredicate(format)
        let request = FetchRequest(entityName: "Place", predicate: predicate)
        #expect(!isStated(request))
        try context.performAndWait {
            let found = try context.fetch(request, as: ManagedObject.self)
            #expect(!found.isEmpty)
            #expect(try Set(found) == Set(context.all("Place").filter(predicate)))
        }
    }

    /// A group has no folded text.
    @Test func `groups and their conditions compare in memory (§11.8.19)`() throws {
        var request = FetchRequest(
            entityName: "Place", predicate: try ObjectPredicate("name BEGINSWITH[c] 's'"),
            sortKeys: [SortKey("name", comparison: .caseInsensitive)])
        request.propertiesToFetch = [
            "name",
            FetchedProperty(name: "count", expression: .function("count:", [.evaluatedObject])),
        ]
        request.propertiesToGroupBy = ["name"]
        request.havingPredicate = try ObjectPredicate("name !=[c] 'SS'")
        let found = try context.performAndWait { [request] in
            try context.fetchDictionaries(request)
        }
        #expect(Set(found.map { $0["name"] }) == ["straße", "STRASSE", "Straßenbahn"])
    }

    @Test func `an explanation names what a folding would serve (§11.8.46)`() throws {
        let request = FetchRequest(
            entityName: "Place",
            predicate: try ObjectPredicate(
                "number > 1 AND note CONTAINS[cd] 'a' AND name ==[c] 'x' AND note MATCHES 'x'"),
            sortKeys: [SortKey("note", comparison: .caseInsensitive), .ascending("number")])
        try context.performAndWait {
            let explanation = try #require(try context.explain(request).first)
            #expect(
                explanation.warnings.prefix(3) == [
                    .evaluatedInMemory, .missingFolding(#"note CONTAINS[cd] "a""#),
                    .missingFolding("note"),
                ])
            #expect(explanation.bindings == [.integer(1), "x"])
        }
    }

    @Test func `the index is on the folded text (§11.8.41)`() throws {
        let definitions = try schema.texts(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = '\(schema.name)' AND indexname = 'z_place_name3'"
        )
        #expect(definitions.count == 1)
        #expect(definitions.first?.hasSuffix("(z_f3_name NULLS FIRST)") == true)
    }
}

@Suite(.enabled(if: StoreSchema.isAvailable)) struct `Writing folded texts in PostgreSQL (§11.8)` {
    /// All texts with their folded ones, of both foldings, which must be as the engine folds.
    private func checkedNames(_ schema: StoreSchema, _ table: String) throws -> [String?] {
        let link = try Link(LinkSettings(StoreSchema.url!, schema: schema.name))
        let rows = try link.run(
            Command("SELECT zname, z_f1_name, z_f3_name FROM \(table) ORDER BY znumber, z_pk"))
        return try (0..<rows.count).map { row in
            let name = rows.isNull(row, 0) ? nil : try rows.text(row, 0)
            for (column, options) in [(1, 1), (2, 3)] {
                let expected = name.map { StringFolding.fold($0, .init(rawValue: options)) }
                let stored = rows.isNull(row, column) ? nil : try rows.text(row, column)
                #expect(stored.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
            }
            return name
        }
    }

    @Test func `a save writes them (§11.8.41)`() throws {
        let fixture = WritingFixture(try makeModel())
        try fixture.run { context in
            for name in names {
                try context.insert("City", name.map { ["name": $0] } ?? [:])
            }
            try context.save()
            #expect(Set(try checkedNames(fixture.schema, "zplace")) == Set(names))
            for (object, name) in zip(try context.all("City", by: "number"), names.reversed()) {
                try object.setValue(name, forKey: "name")
            }
            try context.save()
        }
        #expect(Set(try checkedNames(fixture.schema, "zplace")) == Set(names))
    }

    @Test func `a batch insert writes them (§11.8.41)`() throws {
        let fixture = WritingFixture(try makeModel())
        try fixture.run { context in
            let objects = names.map { ["name": $0.map { AttributeValue.string($0) } ?? .null] }
            try context.execute(BatchInsertRequest(entityName: "City", objects: objects))
        }
        #expect(try checkedNames(fixture.schema, "zplace") == names)
    }

    /// Things are unique by name, and by number too if there are two constraints.
    private func things(_ constraints: [[String]]) throws -> WritingFixture {
        try WritingFixture(
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription("name", .string), AttributeDescription("title", .string),
                    AttributeDescription("number", .integer64),
                ], uniquenessConstraints: constraints,
                indexes: [
                    FetchIndexDescription(
                        "names",
                        elements: [
                            .init("name", folding: .caseInsensitive),
                            .init("name", folding: .caseAndDiacriticInsensitive),
                            .init("title", folding: .caseInsensitive),
                        ])
                ]))
    }

    @Test(arguments: [[["name"]], [["number"]], [["name"], ["number"]]])
    func `rows that replace others write them (§11.8.41)`(_ constraints: [[String]]) throws {
        let fixture = try things(constraints)
        try fixture.run { context in
            try context.execute(
                BatchInsertRequest(
                    entityName: "Thing",
                    objects: [["name": "Ä", "number": 1], ["name": "ﬁ", "number": 2]]))
            context.mergePolicy = .overwrite
            try context.execute(
                BatchInsertRequest(
                    entityName: "Thing",
                    objects: [
                        ["name": "ﬁ", "number": 2, "title": "É"], ["name": "İ", "number": 3],
                    ]
                ))
        }
        #expect(try checkedNames(fixture.schema, "zthing") == ["Ä", "ﬁ", "İ"])
        #expect(
            try fixture.texts("SELECT ztitle || z_f1_title FROM zthing WHERE ztitle IS NOT NULL")
                == ["Éé"])
    }

    @Test func `rows that exchange unique values write them (§11.8.31, §11.8.41)`() throws {
        let fixture = try things([["name"]])
        try fixture.run { context in
            let first = try context.insert("Thing", ["name": "Ä", "number": 1])
            let second = try context.insert("Thing", ["name": "B", "number": 2])
            try context.save()
            try first.setValue("B", forKey: "name")
            try second.setValue("Ä", forKey: "name")
            try context.save()
        }
        #expect(try checkedNames(fixture.schema, "zthing") == ["B", "Ä"])
    }

    @Test func `a batch update sets constants and values that are folded alike (§11.8.43)`() throws
    {
        let fixture = try things([])
        try fixture.run { context in
            try context.insert("Thing", ["name": "Ä", "title": "Titel", "number": 1])
            try context.insert("Thing", ["name": "B", "title": "ẞ", "number": 2])
            try context.insert("Thing", ["name": "C", "number": 3])
            try context.save()
            func update(_ values: [String: ObjectExpression], _ format: String) throws -> Int {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Thing", predicate: ObjectPredicate(format),
                        propertiesToUpdate: values)
                ).count
            }
            #expect(try update(["name": .constant("Ünï")], "name ==[cd] 'A'") == 1)
            #expect(try update(["name": .constant(.null)], "number == 2") == 1)
            #expect(try update(["title": .keyPath("name")], "number != 1") == 2)
            // Nothing folds a name and the number's text alike.
            for value: ObjectExpression in [
                .keyPath("title"),
                .function("castObject:toType:", [.keyPath("number"), .constant("NSString")]),
            ] {
                let error = #expect(throws: FetchError.self) {
                    try update(["name": value], "number == 3")
                }
                guard case .inMemoryOnly = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
        #expect(try checkedNames(fixture.schema, "zthing") == ["Ünï", nil, "C"])
        #expect(
            try fixture.texts("SELECT ztitle || z_f1_title FROM zthing ORDER BY znumber")
                == ["Titeltitel", "nil", "Cc"])
    }

    // MARK: - Stores that exist

    @Test func `a store without the columns is used as before (§11.8.44)`() throws {
        let schema = StoreSchema()
        try schema.store(try makeModel([])).close()
        let context = try schema.coordinator(try makeModel()).context()
        try context.performAndWait {
            try context.insert("Place", ["name": "Straße"])
            try context.save()
            let request = FetchRequest(
                entityName: "Place", predicate: try ObjectPredicate("name ==[c] 'STRASSE'"),
                sortKeys: [SortKey("name", comparison: .caseInsensitive)])
            #expect(try context.fetch(request, as: ManagedObject.self).count == 1)
            #expect(
                try context.explain(request).first?.warnings.contains(.evaluatedInMemory) == true)
        }
    }

    @Test func `a model without foldings writes the columns that there are (§11.8.44)`() throws {
        let schema = StoreSchema()
        try schema.store(try makeModel()).close()
        let coordinator = try schema.coordinator(try makeModel([]))
        let context = coordinator.context()
        try context.performAndWait {
            try context.insert("Place", ["name": "Straße"])
            try context.save()
        }
        #expect(try checkedNames(schema, "zplace") == ["Straße"])
        let request = FetchRequest(
            entityName: "Place", predicate: try ObjectPredicate("name ==[c] 'STRASSE'"))
        let store = coordinator.postgreSQL
        let place = coordinator.model.entity(named: "Place")!
        #expect(request.isStated(inSQLOf: place, store.layout))
        #expect(try store.count(request, entity: place) == 1)
    }

    @Test func `a column of another type is an error (§11.8.5, §11.8.44)`() throws {
        let schema = StoreSchema()
        try schema.store(try makeModel()).close()
        try schema.run("ALTER TABLE zplace ALTER z_f1_name TYPE text COLLATE \"default\"")
        #expect(
            storeError { _ = try schema.store(try makeModel()) }
                == .incompatibleSchema(
                    "the column zplace.z_f1_name has the type text default instead of text C"))
    }

    @Test func `the server refuses a row without the folded text (§11.8.45)`() throws {
        let fixture = WritingFixture(try makeModel())
        try fixture.coordinator().postgreSQL.close()
        let insertion = "INSERT INTO zplace (z_pk, z_ent, z_opt, zname"
        #expect(throws: PostgreSQLError.self) {
            try fixture.schema.run(insertion + ") VALUES (1, 2, 1, 'A')")
        }
        try fixture.schema.run(
            insertion + ", z_f1_name, z_f3_name) VALUES (1, 2, 1, 'A', 'a', 'a')")
        #expect(throws: PostgreSQLError.self) {
            try fixture.schema.run("UPDATE zplace SET zname = NULL")
        }
    }

    @Test func `names that are too long are shortened (§11.8.41)`() throws {
        let name = String(repeating: "attribute", count: 10)
        let fixture = try WritingFixture(
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription(name, .string), AttributeDescription(name + "2", .string),
                ],
                indexes: [
                    FetchIndexDescription(
                        "both",
                        elements: [
                            .init(name, folding: .caseInsensitive),
                            .init(name + "2", folding: .caseInsensitive),
                        ])
                ]))
        try fixture.run { context in
            try context.insert("Thing", [name: "A", name + "2": "B"])
            try context.save()
        }
        try fixture.run { context in
            let request = FetchRequest(
                entityName: "Thing",
                predicate: try ObjectPredicate("\(name) ==[c] 'a' AND \(name)2 ==[c] 'b'"))
            #expect(try context.count(for: request) == 1)
        }
    }
}
#endif
