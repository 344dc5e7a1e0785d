import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Batch requests (§6)` {
    /// Things have a number, which is unique.
    private func makeStore() throws -> StoreFixture {
        let store = try StoreFixture(
            AttributeDescription("number", .integer64), AttributeDescription("name", .string),
            uniquenessConstraints: [["number"]])
        store.run { $0.mergePolicy = .mergeByPropertyObjectTrump }
        return store
    }

    @Test(arguments: [BatchResultType.count, .objectIDs])
    func `contexts merge the rows in the same call (§6.1.8)`(_ resultType: BatchResultType) throws {
        let store = try makeStore()
        let views = [store.makeContext(), store.makeContext()]
        try store.run { context in
            try context.insert("Thing", ["number": 1, "name": "old"])
            try context.insert("Thing", ["number": 2])
            try context.save()
        }
        // Contexts refer weakly to objects without changes.
        for view in views {
            try view.performAndWait {
                view.retainsRegisteredObjects = true
                for thing in try view.all("Thing") { _ = try thing.value(forKey: "name") }
            }
        }
        try store.run { context in
            let insert = BatchInsertRequest(
                entityName: "Thing", objects: [["number": 1, "name": "new"], ["number": 3]])
            try context.execute(insert, resultType: resultType, mergingInto: [views[0]])
            var second = FetchRequest(entityName: "Thing")
            second.predicate = try ObjectPredicate("number == 2")
            try context.execute(
                BatchDeleteRequest(fetchRequest: second), resultType: resultType,
                mergingInto: [views[0]])
        }
        let names = try views.map { view in
            try view.performAndWait {
                try view.registeredObjects.filter { !$0.isDeleted }.map { thing in
                    "\(try thing.value(forKey: "number") ?? "") \(try thing.value(forKey: "name") ?? "")"
                }.sorted()
            }
        }
        #expect(names[0] == ["1 new", "3 "])
        #expect(names[1] == ["1 old", "2 "])
    }

    @Test func `neither objects nor cached rows nor pending changes take part (§6.1.5, §6.1.7)`()
        throws
    {
        let store = try makeStore()
        try store.run { context in
            let first = try context.insert("Thing", ["number": 1, "name": "old"])
            try context.save()
            try first.setValue("mine", forKey: "name")
            let new = try context.insert("Thing", ["number": 2])
            let request = BatchUpdateRequest(
                entityName: "Thing", propertiesToUpdate: ["name": .constant("batch")])
            let posted = Recorder<ContextNotification>()
            let observation = context.observe { posted.values.append($0) }
            #expect(try context.execute(request).count == 1)
            #expect(posted.values.isEmpty)
            observation.cancel()
            #expect(try first.value(forKey: "name") as? String == "mine")
            #expect(context.insertedObjects == [new] && context.updatedObjects == [first])
            context.rollback()
            // The row cache has the row of before, also for a refreshed object.
            #expect(try first.value(forKey: "name") as? String == "old")
        }
        #expect(try store.sql("SELECT ZNAME FROM ZTHING") == [["batch"]])
    }

    @Test func `a request that fails leaves its store as it was (§6.1.1)`() throws {
        let store = try makeStore()
        struct Stop: Error {}
        let count = Recorder<Int>()
        let insert = BatchInsertRequest(entityName: "Thing") { row in
            count.values.append(0)
            if count.values.count == 200 { throw Stop() }
            try row.set(.integer(Int64(count.values.count)), forKey: "number")
            return false
        }
        #expect(throws: Stop.self) { try store.run { _ = try $0.execute(insert) } }
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["0"]])
        // The keys of the rows were not used.
        try store.run { context in
            let rows = BatchInsertRequest(entityName: "Thing", objects: [["number": 1]])
            let result = try context.execute(rows, resultType: .objectIDs)
            #expect(result.objectIDs.map(\.reference) == [1])
        }
    }

    @Test func `the result counts, and identifies each row once if asked to (§6.1.6)`() throws {
        let store = try makeStore()
        try store.run { context in
            let rows = BatchInsertRequest(
                entityName: "Thing", objects: [["number": 1], ["number": 2], ["number": 1]])
            let counted = try context.execute(rows)
            #expect(counted.count == 3 && counted.objectIDs.isEmpty)
            let identified = try context.execute(rows, resultType: .objectIDs)
            #expect(identified.count == 3 && identified.changes.inserted.isEmpty)
            #expect(identified.changes.updated.map(\.reference).sorted() == [1, 2])
        }
    }

    @Test func `metadata is written by saves only (§6.1.9)`() throws {
        let store = try makeStore()
        let handle = store.coordinator.persistentStores[0]
        let plist = "SELECT hex(Z_PLIST) FROM Z_METADATA"
        let before = try store.sql(plist)
        try store.coordinator.setMetadata(["note": "x"], for: handle)
        try store.run { context in
            try context.execute(
                BatchInsertRequest(entityName: "Thing", objects: [["number": 1]]))
            #expect(try store.sql(plist) == before)
            try context.save()
        }
        #expect(try store.sql(plist) != before)
    }

    @Test func `an abstract entity has no rows to insert (§6.2.6)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [EntityDescription(name: "Thing", isAbstract: true)]))
        let error = #expect(throws: FetchError.self) {
            try store.run {
                _ = try $0.execute(BatchInsertRequest(entityName: "Thing", objects: [[:]]))
            }
        }
        #expect(error?.code == 134060)
    }

    // MARK: - Updates

    @Test(arguments: [
        ("owner.name == 'a'", ["1", "2"]), ("owner.name == nil", ["3"]),
        ("ANY parts.name == 'x'", ["2"]), ("parts.@count == 0 AND owner.name == 'a'", ["1"]),
        ("number > 1 AND owner.name == 'a'", ["2"]),
    ])
    func `a predicate leads through relationships (§6.3.2)`(
        _ format: String, _ expected: [String]
    ) throws {
        let name = AttributeDescription("name", .string)
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Owner", attributes: [name],
                    relationships: [.toMany("things", "Thing", inverse: "owner")]),
                EntityDescription(
                    name: "Part", attributes: [name],
                    relationships: [.toMany("things", "Thing", inverse: "parts")]),
                EntityDescription(
                    name: "Thing", attributes: [AttributeDescription("number", .integer64)],
                    relationships: [
                        .toOne("owner", "Owner", inverse: "things"),
                        .toMany("parts", "Part", inverse: "things"),
                    ]),
            ]))
        let changed = try store.run { context in
            let owner = try context.insert("Owner", ["name": "a"])
            try context.insert("Thing", ["number": 1, "owner": owner])
            let second = try context.insert("Thing", ["number": 2, "owner": owner])
            let part = try context.insert("Part", ["name": "x"])
            try part.setValue(Set([second]), forKey: "things")
            try context.insert("Thing", ["number": 3])
            try context.save()
            let request = BatchUpdateRequest(
                entityName: "Thing", predicate: try ObjectPredicate(format),
                propertiesToUpdate: [
                    "number": .function("add:to:", [.keyPath("number"), .constant(10)])
                ])
            return try context.execute(request, resultType: .objectIDs)
        }
        #expect(changed.count == expected.count && changed.changes.updated.count == changed.count)
        let numbers = try store.sql(
            "SELECT ZNUMBER - 10 FROM ZTHING WHERE ZNUMBER > 10 ORDER BY ZNUMBER")
        #expect(numbers == expected.map { [$0] })
    }
}
