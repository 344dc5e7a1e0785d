#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Writing folded texts in PostgreSQL (§11.8)` {
    /// All texts with their folded ones, of both foldings, which must be as the engine folds.
    private func checkedNames(_ schema: TestSchema, _ table: String) throws -> [String?] {
        let link = try schema.link()
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
        let fixture = WritingFixture(try makeFoldedModel())
        try fixture.run { context in
            for name in foldedNames {
                try context.insert("City", name.map { ["name": $0] } ?? [:])
            }
            try context.save()
            #expect(Set(try checkedNames(fixture.schema, "zplace")) == Set(foldedNames))
            for (object, name) in zip(try context.all("City", by: "number"), foldedNames.reversed())
            {
                try object.setValue(name, forKey: "name")
            }
            try context.save()
        }
        #expect(Set(try checkedNames(fixture.schema, "zplace")) == Set(foldedNames))
    }

    @Test func `a batch insert writes them (§11.8.41)`() throws {
        let fixture = WritingFixture(try makeFoldedModel())
        try fixture.run { context in
            let objects = foldedNames.map {
                ["name": $0.map { AttributeValue.string($0) } ?? .null]
            }
            try context.execute(BatchInsertRequest(entityName: "City", objects: objects))
        }
        #expect(try checkedNames(fixture.schema, "zplace") == foldedNames)
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
            try fixture.schema.texts(
                "SELECT ztitle || z_f1_title FROM zthing WHERE ztitle IS NOT NULL")
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
                guard case .unsupported = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
        #expect(try checkedNames(fixture.schema, "zthing") == ["Ünï", nil, "C"])
        #expect(
            try fixture.schema.texts("SELECT ztitle || z_f1_title FROM zthing ORDER BY znumber")
                == ["Titeltitel", "nil", "Cc"])
    }

    // MARK: - Stores that exist

    @Test func `a store without the columns is used as before (§11.8.44)`() throws {
        let schema = TestSchema()
        try schema.store(try makeFoldedModel([])).close()
        let context = try schema.coordinator(try makeFoldedModel()).context()
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
        let schema = TestSchema()
        try schema.store(try makeFoldedModel()).close()
        let coordinator = try schema.coordinator(try makeFoldedModel([]))
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
        let schema = TestSchema()
        try schema.store(try makeFoldedModel()).close()
        try schema.run("ALTER TABLE zplace ALTER z_f1_name TYPE text COLLATE \"default\"")
        #expect(
            storeError { _ = try schema.store(try makeFoldedModel()) }
                == .incompatibleSchema(
                    "the column zplace.z_f1_name has the type text default instead of text C"))
    }

    @Test func `the server refuses a row without the folded text (§11.8.45)`() throws {
        let fixture = WritingFixture(try makeFoldedModel())
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
