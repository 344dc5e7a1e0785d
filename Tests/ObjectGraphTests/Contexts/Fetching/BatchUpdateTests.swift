import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Batch updates (§6.3)` {
    /// Things are unique by number; their name is mandatory. Tools are things.
    private func makeStore() throws -> StoreFixture {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription("number", .integer16),
                        AttributeDescription(
                            "name", .string, isOptional: false,
                            validationRules: [ValidationRule("length:(SELF) > 1", .code(1550))]),
                    ], uniquenessConstraints: [["number"]]),
                EntityDescription(name: "Tool", superentity: "Thing"),
            ]))
        try store.run { context in
            for number in 1...4 {
                try context.insert(
                    number < 4 ? "Thing" : "Tool", ["number": number, "name": "name"])
            }
            try context.save()
        }
        return store
    }

    private func update(
        _ values: [String: ObjectExpression], where format: String? = nil,
        includingSubentities: Bool = true, in store: StoreFixture
    ) throws -> BatchResult {
        try store.run { context in
            var request = BatchUpdateRequest(
                entityName: "Thing", predicate: try format.map { try ObjectPredicate($0) },
                propertiesToUpdate: values)
            request.includesSubentities = includingSubentities
            return try context.execute(request, resultType: .objectIDs)
        }
    }

    private func rows(_ store: StoreFixture) throws -> [String] {
        try store.sql("SELECT ZNUMBER, ZNAME, Z_OPT FROM ZTHING ORDER BY Z_PK").map {
            $0.map { $0 ?? "-" }.joined(separator: " ")
        }
    }

    @Test func `a row without a version counts as version 0 (§6.3.3, §5.2.2)`() throws {
        let store = try makeStore()
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite")))
        try connection.execute("UPDATE ZTHING SET Z_OPT = NULL")
        try connection.close()
        #expect(try update(["name": .constant("new")], where: "number < 3", in: store).count == 2)
        #expect(try rows(store) == ["1 new 1", "2 new 1", "3 name -", "4 name -"])
    }

    @Test func `constants and expressions replace values, and versions rise (§6.3.1, §6.3.3)`()
        throws
    {
        let store = try makeStore()
        let result = try update(
            [
                "number": .function("add:to:", [.keyPath("number"), .constant(10)]),
                "name": .function("uppercase:", [.keyPath("name")]),
            ], where: "number > 2", in: store)
        #expect(result.count == 2 && result.changes.updated.map(\.reference).sorted() == [3, 4])
        #expect(try rows(store) == ["1 name 1", "2 name 1", "13 NAME 2", "14 NAME 2"])
    }

    @Test func `rows of descendants are changed unless they are left out (§6.3.6)`() throws {
        let store = try makeStore()
        let values: [String: ObjectExpression] = ["name": .constant("new")]
        #expect(try update(values, includingSubentities: false, in: store).count == 3)
        #expect(try rows(store).last == "4 name 1")
        #expect(try update(values, in: store).count == 4)
        #expect(try rows(store).last == "4 new 2")
    }

    @Test func `a collision throws, and nothing is changed (§6.3.4)`() throws {
        let store = try makeStore()
        let before = try rows(store)
        for policy in [MergePolicy.error, .overwrite] {
            store.run { $0.mergePolicy = policy }
            let error = #expect(throws: StoreError.self) {
                try update(["number": .constant(1)], where: "number < 3", in: store)
            }
            #expect(error?.reason == .uniquenessViolated && error?.code == 133021)
        }
        #expect(try rows(store) == before)
    }

    @Test func `no rule is asked; a later save of the object reports it (§6.3.7)`() throws {
        let store = try makeStore()
        #expect(try update(["name": .constant("")], where: "number = 1", in: store).count == 1)
        #expect(try update(["name": .constant(nil)], where: "number = 2", in: store).count == 1)
        #expect(try rows(store).prefix(2) == ["1  2", "2 - 2"])
        try store.run { context in
            for thing in try context.all("Thing", by: "number").prefix(2) {
                try thing.setValue(7 + thing.objectID.reference, forKey: "number")
            }
            #expect(try context.validationErrors().count == 2)
        }
    }

    @Test(arguments: [
        ("colour", ObjectExpression.constant(1)), ("number", .constant("x")),
        ("number", .constant(100_000)), ("number", .keyPath("name")),
    ])
    func `unknown keys and other values are refused before any statement (§6.3.5)`(
        _ key: String, _ value: ObjectExpression
    ) throws {
        let store = try makeStore()
        let count = store.statements {
            #expect(throws: FetchError.self) { try update([key: value], in: store) }
        }
        #expect(count <= 2)
        #expect(try rows(store).allSatisfy { $0.hasSuffix(" 1") })
    }

    @Test func `an entity with 250 attributes is updated in one request (§6.3.8)`() throws {
        let names = (0..<250).map { "value\($0)" }
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing", attributes: names.map { AttributeDescription($0, .integer64) })
            ]))
        try store.run { context in
            let rows = (0..<3).map { row in
                Dictionary(
                    uniqueKeysWithValues: names.map { ($0, AttributeValue.integer(Int64(row))) })
            }
            #expect(
                try context.execute(BatchInsertRequest(entityName: "Thing", objects: rows)).count
                    == 3)
            let request = BatchUpdateRequest(
                entityName: "Thing", predicate: try ObjectPredicate("value249 > 0"),
                propertiesToUpdate: Dictionary(
                    uniqueKeysWithValues: names.map { name in
                        (name, .function("add:to:", [.keyPath(name), .constant(5)]))
                    }))
            #expect(try context.execute(request).count == 2)
        }
        let sums = try store.sql("SELECT sum(ZVALUE0), sum(ZVALUE150), sum(ZVALUE249) FROM ZTHING")
        #expect(sums == [["13", "13", "13"]])
    }

    @Test func `too many constants outside of lists are a typed error (§6.3.8)`() throws {
        let store = try makeStore()
        let terms = (0..<40_000).map { number in
            ObjectPredicate.comparison(
                .init(
                    .function("add:to:", [.keyPath("number"), .constant(.integer(Int64(number)))]),
                    .equal, .constant(1)))
        }
        let request = BatchUpdateRequest(
            entityName: "Thing", predicate: .or(terms),
            propertiesToUpdate: ["name": .constant("new")])
        let error = #expect(throws: FetchError.self) {
            try store.run { try $0.execute(request) }
        }
        guard case .tooManyConstants = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
