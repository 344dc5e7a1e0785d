import Testing

@testable import ObjectGraph

@Suite struct `Indexes for folded strings (§7.6)` {
    private func store() throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "City",
                    attributes: [
                        AttributeDescription("name", .string),
                        AttributeDescription("code", .string),
                    ],
                    indexes: [
                        FetchIndexDescription(
                            "folded",
                            elements: [.init("name", folding: .caseAndDiacriticInsensitive)]),
                        FetchIndexDescription("code", elements: [.init("code")]),
                    ])
            ]))
    }

    private func translation(
        _ format: String, _ store: StoreFixture
    ) throws -> FetchTranslation {
        let model = store.coordinator.model
        return try FetchTranslation(
            FetchRequest(entityName: "City", predicate: ObjectPredicate(format)),
            entity: model.entity(named: "City")!, layout: StoreLayout(model, storeIdentifier: "S"),
            selection: .columns("t0.Z_PK"))
    }

    /// SQLite's query plan for the rows.
    private func plan(_ format: String, _ store: StoreFixture) throws -> String {
        let translation = try translation(format, store)
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite"), mode: .readOnly))
        try QueryFunctions.register(on: connection)
        let statement = try connection.statement("EXPLAIN QUERY PLAN " + translation.sql)
        statement.bind(translation.bindings)
        defer { statement.reset() }
        var lines: [String] = []
        while try statement.step() { lines.append(statement.value(at: 3).string) }
        return lines.joined(separator: "; ")
    }

    @Test(arguments: [
        ("name ==[cd] 'zürich'", "USING INDEX Z_City_folded (<expr>=?)"),
        ("name BEGINSWITH[cd] 'zü'", "USING INDEX Z_City_folded (<expr>>? AND <expr><?)"),
        ("name >[cd] 'zü'", "USING INDEX Z_City_folded (<expr>>?)"),
        ("name IN[cd] {'zürich', 'genf'}", "USING INDEX Z_City_folded (<expr>=?)"),
        ("code BEGINSWITH 'Z'", "INDEX Z_City_code (ZCODE>? AND ZCODE<?)"),
        ("code IN {'ZRH', 'GVA'}", "INDEX Z_City_code (ZCODE=?)"),
        ("indexed:by:(code, 'code') != 'x'", "INDEX Z_City_code"),
    ])
    func `serve comparisons with the same options (§7.8.4, §1.7.7)`(
        _ format: String, _ expected: String
    ) throws {
        let plan = try plan(format, store())
        #expect(plan.contains(expected), "\(plan)")
    }

    @Test(arguments: ["name ==[c] 'zürich'", "name CONTAINS[cd] 'ü'", "noindex:(code) == 'ZRH'"])
    func `serve no others`(format: String) throws {
        let plan = try plan(format, store())
        #expect(plan.hasPrefix("SCAN"), "\(plan)")
    }

    @Test func `an index that the model does not have is refused`() throws {
        #expect(throws: FetchError.unknownIndex("none", entity: "City")) {
            try translation("indexed:by:(code, 'none') == 'x'", store())
        }
    }

    @Test func `find what is equal but for case and diacritics, after changes too`() throws {
        let store = try store()
        try store.run { context in
            for name in ["Zürich", "ZURICH", "Genève", "straße"] {
                try context.insert("City", ["name": name])
            }
            try context.insert("City")
            try context.save()
            func names(_ format: String) throws -> [String] {
                let request = FetchRequest(
                    entityName: "City", predicate: try ObjectPredicate(format),
                    sortKeys: [.ascending("name")])
                return try context.fetch(request, as: ManagedObject.self).map {
                    try $0.value(forKey: "name") as? String ?? ""
                }
            }
            #expect(try names("name ==[cd] 'zurich'") == ["ZURICH", "Zürich"])
            #expect(try names("name BEGINSWITH[cd] 'STRASS'") == ["straße"])
            let zurich = try context.all("City", by: "name").last { object in
                try object.value(forKey: "name") as? String == "Zürich"
            }
            try zurich?.setValue("Basel", forKey: "name")
            try context.save()
            #expect(try names("name ==[cd] 'zurich'") == ["ZURICH"])
            #expect(try names("name ==[cd] 'BASEL'") == ["Basel"])
        }
    }

    @Test func `only strings can be folded`() {
        #expect(throws: ModelError.self) {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "City", attributes: [AttributeDescription("size", .integer32)],
                    indexes: [
                        FetchIndexDescription(
                            "folded", elements: [.init("size", folding: .caseInsensitive)])
                    ])
            ])
        }
    }
}
