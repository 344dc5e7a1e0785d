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
    func `contexts are told in the same call (§6.1.8)`(_ resultType: BatchResultType) throws {
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
