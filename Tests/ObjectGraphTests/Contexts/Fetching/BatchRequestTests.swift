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
                try view.registeredObjects.map { thing in
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
}
