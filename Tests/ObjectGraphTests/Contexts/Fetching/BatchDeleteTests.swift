import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Batch deletes (§6.4)` {
    /// An owner has things (nullify) and papers (nullify, though a paper needs its owner), is
    /// in groups (join table), and has boxes (cascade) with things of their own (cascade).
    private static func makeStore(
        thingRule: DeleteRule = .nullify, isOwnerOptional: Bool = true
    ) throws -> StoreFixture {
        let number = AttributeDescription("number", .integer64)
        return try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Owner", attributes: [number],
                    relationships: [
                        .toMany("things", "Thing", inverse: "owner", deleteRule: thingRule),
                        .toMany("boxes", "Box", inverse: "owner", deleteRule: .cascade),
                        .toMany("groups", "Group", inverse: "members"),
                    ]),
                EntityDescription(
                    name: "Thing", attributes: [number],
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
                    relationships: [.toMany("members", "Owner", inverse: "groups")]),
            ]))
    }

    private static let all = "SELECT ZNUMBER FROM ZTHING ORDER BY ZNUMBER"

    private typealias Change = @Sendable (inout FetchRequest) -> Void

    private static let requests: [(change: Change, remaining: [Int])] = [
        ({ $0.predicate = try! ObjectPredicate("number > 7") }, Array(0...7)),
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
    func `entity, predicate, order, limit and offset count (§6.4.1)`(
        _ index: Int
    ) throws {
        let (change, remaining) = Self.requests[index]
        let store = try Self.makeStore()
        try store.run { context in
            for number in 0..<10 {
                try context.insert(number % 2 == 0 ? "Thing" : "Tool", ["number": number])
            }
            try context.save()
            var request = FetchRequest(entityName: "Thing")
            change(&request)
            let result = try context.execute(BatchDeleteRequest(fetchRequest: request))
            #expect(result.count == 10 - remaining.count && result.objectIDs.isEmpty)
        }
        #expect(try store.sql(Self.all) == remaining.map { ["\($0)"] })
    }

    /// An owner with a thing, a box with two things, and a group; all saved.
    private func fill(_ store: StoreFixture) throws {
        try store.run { context in
            let owner = try context.insert("Owner", ["number": 1])
            let box = try context.insert("Box", ["owner": owner])
            for number in 1...2 { try context.insert("Tool", ["number": number, "box": box]) }
            try context.insert("Thing", ["number": 3, "owner": owner])
            try context.insert("Thing", ["number": 4])
            let group = try context.insert("Group")
            try owner.setValue(Set([group]), forKey: "groups")
            try context.save()
            context.reset()
        }
    }

    private func deleteOwners(in store: StoreFixture) throws -> BatchResult {
        try store.run {
            try $0.execute(
                BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Owner")),
                resultType: .objectIDs)
        }
    }

    @Test func `cascades go on, nullify clears and counts up, pairs go (§6.4.2, §6.4.3, §6.4.6)`()
        throws
    {
        let store = try Self.makeStore()
        try fill(store)
        let result = try deleteOwners(in: store)
        #expect(result.count == 1)
        let names = result.changes.deleted.map(\.entityName).sorted()
        #expect(names == ["Box", "Owner", "Tool", "Tool"])
        let things = try store.sql("SELECT ZNUMBER, ZOWNER, Z_OPT FROM ZTHING ORDER BY ZNUMBER")
        #expect(things == [["3", nil, "2"], ["4", nil, "1"]])
        let tables = try store.sql("SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*'")
        let join = try #require(tables.first?[0])
        #expect(try store.sql("SELECT count(*) FROM \(join)") == [["0"]])
        #expect(try store.sql("SELECT count(*) FROM ZGROUP") == [["1"]])
    }

    @Test func `the reported rows include cascaded ones, the count does not (§6.4.7)`() throws {
        let store = try Self.makeStore()
        try fill(store)
        let view = store.makeContext()
        try view.performAndWait {
            view.retainsRegisteredObjects = true
            for entity in ["Owner", "Box", "Thing"] { _ = try view.all(entity) }
            try store.run { context in
                let request = BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Owner"))
                let result = try context.execute(request)
                #expect(result.count == 1)
            }
            // A merge by identifiers is complete.
            let fresh = store.makeContext()
            let remaining = try fresh.performAndWait { try fresh.all("Thing").map(\.objectID) }
            #expect(remaining.count == 2)
        }
    }

    @Test func `a mandatory reference to a deleted row makes the request throw (§6.4.4)`() throws {
        let store = try Self.makeStore(isOwnerOptional: false)
        try store.run { context in
            let owner = try context.insert("Owner")
            let box = try context.insert("Box", ["owner": owner])
            try context.insert("Thing", ["number": 1, "owner": owner, "box": box])
            let other = try context.insert("Owner", ["number": 2])
            try context.insert("Thing", ["number": 2, "owner": other])
            try context.save()
        }
        let error = #expect(throws: StoreError.self) { try deleteOwners(in: store) }
        #expect(error?.reason == .missingMandatoryValue(attribute: "owner", entity: "Thing"))
        #expect(error?.code == 1570)
        #expect(try store.sql("SELECT count(*) FROM ZOWNER") == [["2"]])
        #expect(try store.sql("SELECT count(*) FROM ZBOX") == [["1"]])
        // A row that the request deletes too needs nothing: here a cascade reaches it.
        try store.run { context in
            let request = FetchRequest(
                entityName: "Owner", predicate: try ObjectPredicate("number == nil"))
            let result = try context.execute(BatchDeleteRequest(fetchRequest: request))
            #expect(result.count == 1)
        }
        #expect(try store.sql(Self.all) == [["2"]])
    }

    @Test(arguments: [DeleteRule.deny, .noAction])
    func `deny and no action are not enforced (§6.4.5)`(_ rule: DeleteRule) throws {
        let store = try Self.makeStore(thingRule: rule)
        try fill(store)
        #expect(try deleteOwners(in: store).count == 1)
        let things = try store.sql("SELECT ZOWNER IS NULL, Z_OPT FROM ZTHING WHERE ZNUMBER = 3")
        #expect(things == [["0", "1"]])
        // The reference leads nowhere, and reads as nil.
        try store.run { context in
            let thing = try context.all("Thing", by: "number")[0]
            let owner = try thing.value(forKey: "owner") as? ManagedObject
            #expect(try owner?.value(forKey: "number") == nil)
        }
    }

    @Test func `rows without a version get one (§6.4.3)`() throws {
        let store = try Self.makeStore()
        try fill(store)
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite")))
        try connection.execute("UPDATE ZTHING SET Z_OPT = NULL")
        _ = try deleteOwners(in: store)
        #expect(try store.sql("SELECT Z_OPT FROM ZTHING WHERE ZNUMBER = 3") == [["1"]])
    }

    // MARK: - Identifiers

    @Test func `40,000 identifiers are one request (§6.4.8)`() throws {
        let store = try Self.makeStore()
        try store.run { context in
            let insert = BatchInsertRequest(
                entityName: "Tool", objects: (0..<40_001).map { ["number": .integer($0)] })
            let inserted = try context.execute(insert, resultType: .objectIDs).objectIDs
            let request = BatchDeleteRequest(objectIDs: Array(inserted.dropFirst()))
            let result = try context.execute(request, resultType: .objectIDs)
            #expect(result.count == 40_000 && result.changes.deleted.count == 40_000)
            // They have no rows any more.
            #expect(try context.execute(request).count == 0)
        }
        #expect(try store.sql(Self.all) == [["0"]])
    }

    @Test func `a predicate with 40,000 values runs, in deletes and updates (§6.4.8, §6.3.8)`()
        throws
    {
        let store = try Self.makeStore()
        try store.run { context in
            let insert = BatchInsertRequest(
                entityName: "Thing", objects: (0..<100).map { ["number": .integer($0)] })
            try context.execute(insert)
            let numbers = (50..<40_050).map { $0 }
            let predicate = try ObjectPredicate("number IN %@", numbers)
            let update = BatchUpdateRequest(
                entityName: "Thing", predicate: predicate,
                propertiesToUpdate: [
                    "number": .function("add:to:", [.keyPath("number"), .constant(1)])
                ])
            #expect(try context.execute(update).count == 50)
            let request = FetchRequest(entityName: "Thing", predicate: predicate)
            #expect(try context.execute(BatchDeleteRequest(fetchRequest: request)).count == 50)
        }
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["50"]])
    }

    @Test func `identifiers of a hierarchy, with its rules; none is no work (§6.4.9)`() throws {
        let store = try Self.makeStore()
        try fill(store)
        try store.run { context in
            let things = try context.all("Thing", by: "number").map(\.objectID)
            #expect(things.map(\.entityName) == ["Tool", "Tool", "Thing", "Thing"])
            let result = try context.execute(
                BatchDeleteRequest(objectIDs: [things[0], things[3]]), resultType: .objectIDs)
            #expect(Set(result.objectIDs) == [things[0], things[3]])
            #expect(try context.execute(BatchDeleteRequest(objectIDs: [])).count == 0)
            // A new object has no row.
            let new = try context.insert("Thing").objectID
            #expect(try context.execute(BatchDeleteRequest(objectIDs: [new])).count == 0)
            let box = try context.all("Box")[0].objectID
            let error = #expect(throws: FetchError.self) {
                try context.execute(BatchDeleteRequest(objectIDs: [things[1], box]))
            }
            #expect(error == .severalHierarchies("Tool", "Box") && error?.code == 134060)
            #expect(try context.execute(BatchDeleteRequest(objectIDs: [box])).count == 1)
        }
        #expect(try store.sql(Self.all) == [["3"]])
    }

    @Test func `an identifier names a row of its own store only (§6.4.9)`() throws {
        let stores = try [Self.makeStore(), Self.makeStore()]
        let ids = try stores.map { store in
            try store.run { context in
                try context.execute(
                    BatchInsertRequest(entityName: "Thing", objects: [["number": 1]]),
                    resultType: .objectIDs
                ).objectIDs[0]
            }
        }
        let count = try stores[0].run {
            try $0.execute(BatchDeleteRequest(objectIDs: [ids[1]])).count
        }
        #expect(count == 0)
        #expect(try stores[0].sql(Self.all) == [["1"]])
    }
}
