#if PostgreSQL
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer)
struct `Batch updates and deletes in PostgreSQL (§6.3, §6.4)` {
    /// An owner has things (nullify), is in groups (join table), and has boxes (cascade) with things
    /// of their own (cascade).
    private func makeFixture(
        rule: DeleteRule = .nullify, isOwnerOptional: Bool = true
    ) throws -> WritingFixture {
        let number = AttributeDescription("number", .integer64)
        return try WritingFixture(
            EntityDescription(
                name: "Owner", attributes: [number],
                relationships: [
                    .toMany("things", "Thing", inverse: "owner", deleteRule: rule),
                    .toMany("boxes", "Box", inverse: "owner", deleteRule: .cascade),
                    .toMany("groups", "Group", inverse: "members"),
                ]),
            EntityDescription(
                name: "Thing", attributes: [number, AttributeDescription("name", .string)],
                relationships: [
                    .toOne("owner", "Owner", inverse: "things", isOptional: isOwnerOptional),
                    .toOne("box", "Box", inverse: "things"),
                ]),
            EntityDescription(name: "Tool", superentity: "Thing"),
            EntityDescription(
                name: "Box", attributes: [number],
                relationships: [
                    .toOne("owner", "Owner", inverse: "boxes"),
                    .toMany("things", "Thing", inverse: "box", deleteRule: .cascade),
                ]),
            EntityDescription(
                name: "Group", attributes: [number],
                relationships: [.toMany("members", "Owner", inverse: "groups")]))
    }

    private func insertThings(_ context: ManagedObjectContext) throws {
        for number in 0..<10 {
            try context.insert(
                number % 2 == 0 ? "Thing" : "Tool", ["number": number, "name": "Nr \(number)"])
        }
        try context.save()
    }

    private let numbers = "SELECT znumber FROM zthing ORDER BY znumber, z_pk"

    // MARK: - Updates

    @Test func `an update changes the rows that match, and their versions`() throws {
        let fixture = try makeFixture()
        try fixture.run { context in
            try insertThings(context)
            let result = try context.execute(
                BatchUpdateRequest(
                    entityName: "Thing", predicate: try ObjectPredicate("number > 6"),
                    propertiesToUpdate: [
                        "number": .function("add:to:", [.keyPath("number"), .constant(100)])
                    ]), resultType: .objectIDs)
            #expect(result.count == 3 && result.objectIDs.count == 3)
            #expect(Set(result.objectIDs.map(\.entityName)) == ["Thing", "Tool"])
        }
        #expect(
            try fixture.schema.texts("SELECT znumber || '.' || z_opt FROM zthing ORDER BY znumber")
                == (0...6).map { "\($0).1" } + ["107.2", "108.2", "109.2"])
    }

    @Test func `an update selects rows by what SQL cannot state (§11.8.38)`() throws {
        let fixture = try makeFixture()
        try fixture.run { context in
            try insertThings(context)
            let request = BatchUpdateRequest(
                entityName: "Thing",
                predicate: try ObjectPredicate("name MATCHES[cd] 'NR [2-4]' AND number != 3"),
                propertiesToUpdate: ["name": .constant("x")])
            #expect(try context.execute(request).count == 2)
        }
        #expect(
            try fixture.schema.texts("SELECT znumber FROM zthing WHERE zname = 'x' ORDER BY 1")
                == ["2", "4"])
    }

    @Test func `a sum that is too large changes nothing`() throws {
        let fixture = try makeFixture()
        try fixture.run { context in
            try insertThings(context)
            let request = BatchUpdateRequest(
                entityName: "Thing",
                propertiesToUpdate: [
                    "number": .function("add:to:", [.keyPath("number"), .constant(.integer(.max))])
                ])
            #expect(throws: (any Error).self) { try context.execute(request) }
        }
        #expect(try fixture.schema.texts(numbers) == (0..<10).map { "\($0)" })
    }

    // MARK: - Deletes

    private typealias Change = @Sendable (inout FetchRequest) -> Void

    private static let requests: [(change: Change, remaining: [Int])] = [
        ({ $0.predicate = try! ObjectPredicate("number > 7") }, Array(0...7)),
        ({ $0.predicate = try! ObjectPredicate("name MATCHES 'Nr [0-7]'") }, [8, 9]),
        (
            {
                $0.sortKeys = [.descending("number")]
                $0.fetchLimit = 3
                $0.fetchOffset = 1
            }, [0, 1, 2, 3, 4, 5, 9]
        ),
        ({ $0.entityName = "Tool" }, [0, 2, 4, 6, 8]),
        ({ $0.includesSubentities = false }, [1, 3, 5, 7, 9]),
        ({ $0.predicate = .value(false) }, Array(0...9)),
    ]

    @Test(arguments: requests.indices)
    func `entity, predicate, order, limit and offset count (§6.4.1)`(_ index: Int) throws {
        let (change, remaining) = Self.requests[index]
        let fixture = try makeFixture()
        try fixture.run { context in
            try insertThings(context)
            var request = FetchRequest(entityName: "Thing")
            change(&request)
            let result = try context.execute(BatchDeleteRequest(fetchRequest: request))
            #expect(result.count == 10 - remaining.count && result.objectIDs.isEmpty)
        }
        #expect(try fixture.schema.texts(numbers) == remaining.map { "\($0)" })
    }

    @Test func `delete rules are applied to all that they reach (§6.4.2)`() throws {
        let fixture = try makeFixture()
        try fixture.run { context in
            for number in 0..<2 {
                let owner = try context.insert("Owner", ["number": number])
                let box = try context.insert("Box", ["number": number, "owner": owner])
                for position in 0..<2 {
                    try context.insert("Thing", ["number": 10 * number + position, "box": box])
                }
                try context.insert("Thing", ["number": 10 * number + 5, "owner": owner])
                try context.insert("Group", ["number": number, "members": Set([owner])])
            }
            try context.save()
            let owners = try context.all("Owner", by: "number")
            let result = try context.execute(
                BatchDeleteRequest(objectIDs: [owners[0].objectID]), resultType: .objectIDs)
            #expect(result.count == 1)
            #expect(
                result.changes.deleted.map(\.entityName).sorted()
                    == ["Box", "Owner", "Thing", "Thing"])
        }
        #expect(
            try fixture.schema.texts(
                """
                SELECT concat_ws(' ', znumber, z_opt, (zowner IS NULL)::text) FROM zthing \
                ORDER BY znumber
                """) == ["5 2 true", "10 1 true", "11 1 true", "15 1 false"])
        #expect(try fixture.schema.texts("SELECT znumber FROM zbox") == ["1"])
        #expect(try fixture.schema.texts("SELECT znumber FROM zgroup ORDER BY 1") == ["0", "1"])
    }

    @Test func `a rule that would empty a mandatory reference deletes nothing (§6.4.4)`() throws {
        let fixture = try makeFixture(isOwnerOptional: false)
        try fixture.run { context in
            let owner = try context.insert("Owner", ["number": 1])
            try context.insert("Thing", ["number": 1, "owner": owner])
            try context.save()
            let error = #expect(throws: StoreError.self) {
                try context.execute(
                    BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Owner")))
            }
            #expect(error?.reason == .missingMandatoryValue(attribute: "owner", entity: "Thing"))
        }
        #expect(try fixture.schema.texts("SELECT count(*) FROM zowner") == ["1"])
    }
}
#endif
