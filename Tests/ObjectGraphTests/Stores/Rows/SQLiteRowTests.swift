import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Rows of many shapes, written to the store and read back.
@Suite struct `Rows of the SQLite store` {
    let folder = TemporaryFolder()

    func makeContext(_ entities: [EntityDescription]) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: entities))
        try coordinator.addPersistentStore(.sqlite(at: folder.url("store.sqlite")))
        return ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// An entity with this number of attributes, integers and texts in turn.
    func entity(attributeCount: Int) -> EntityDescription {
        EntityDescription(
            name: "Wide",
            attributes: (0..<attributeCount).map {
                AttributeDescription("value\($0)", $0 % 2 == 0 ? .integer64 : .string)
            })
    }

    /// The value of an attribute in a row; every third is missing.
    func value(_ attribute: Int, row: Int) -> AttributeValue {
        if (attribute + row) % 3 == 0 { return .null }
        return attribute % 2 == 0
            ? .integer(Int64(row * 1_000 + attribute)) : .string("\(row):\(attribute)")
    }

    // The row's header has bits for 16 values, a word has 64 more. A function takes at most 100
    // columns.
    @Test(arguments: [1, 15, 16, 17, 80, 81, 97, 98, 120], [true, false])
    func `any number of attributes comes back`(attributeCount: Int, isSorted: Bool) throws {
        let context = try makeContext([entity(attributeCount: attributeCount)])
        try context.performAndWait {
            for row in 0..<25 {
                let object = try context.insertObject(entityName: "Wide")
                for attribute in 0..<attributeCount {
                    try object.setValue(
                        value(attribute, row: row).anyValue, forKey: "value\(attribute)")
                }
            }
            try context.save()
            context.reset()
            var request = FetchRequest(entityName: "Wide")
            if isSorted { request.sortKeys = [.ascending("value0")] }
            let objects = try context.fetch(request, as: ManagedObject.self)
            #expect(objects.count == 25)
            for object in objects {
                let row = try #require(rowNumber(object))
                for attribute in 0..<attributeCount {
                    let expected = value(attribute, row: row).anyValue
                    let found = try object.value(forKey: "value\(attribute)")
                    #expect(found as? AnyHashable == expected as? AnyHashable)
                }
            }
        }
    }

    /// Keys count from 1 in the order of insertion: `p1` is row 0.
    func rowNumber(_ object: ManagedObject) -> Int? {
        Int(object.objectID.uriRepresentation.lastPathComponent.dropFirst()).map { $0 - 1 }
    }

    @Test(arguments: [0, 1, 9, 10, 11, 20, 25])
    func `a batch insert takes any number of rows`(count: Int) throws {
        let context = try makeContext([entity(attributeCount: 4)])
        let rows = (0..<count).map { row in
            Dictionary(
                uniqueKeysWithValues: (0..<4).map { ("value\($0)", value($0, row: row)) })
        }
        try context.performAndWait {
            let result = try context.execute(
                BatchInsertRequest(entityName: "Wide", objects: rows), resultType: .objectIDs)
            #expect(result.count == count)
            for object in try context.fetch(
                FetchRequest(entityName: "Wide"), as: ManagedObject.self)
            {
                let row = try #require(rowNumber(object))
                for attribute in 0..<4 {
                    let found = try object.value(forKey: "value\(attribute)")
                    let expected = value(attribute, row: row).anyValue
                    #expect(found as? AnyHashable == expected as? AnyHashable)
                }
            }
        }
    }

    @Test func `a row's later value for an attribute replaces the earlier one, nil included`()
        throws
    {
        let context = try makeContext([entity(attributeCount: 4)])
        try context.performAndWait {
            nonisolated(unsafe) var isDone = false
            try context.execute(
                BatchInsertRequest(entityName: "Wide") { row in
                    guard !isDone else { return true }
                    isDone = true
                    try row.set(.string("first"), forKey: "value1")
                    try row.set(.string("second"), forKey: "value1")
                    try row.set(.integer(1), forKey: "value2")
                    try row.set(.null, forKey: "value2")
                    return false
                })
            let object = try #require(
                try context.fetch(FetchRequest(entityName: "Wide"), as: ManagedObject.self).first)
            #expect(try object.value(forKey: "value1") as? String == "second")
            #expect(try object.value(forKey: "value2") == nil)
        }
    }

    @Test(arguments: [3, 12, 24])
    func `a collision among rows of one statement is told with its values, and nothing is saved`(
        position: Int
    ) throws {
        var named = entity(attributeCount: 2)
        named.uniquenessConstraints = [["value1"]]
        let context = try makeContext([named])
        try context.performAndWait {
            try context.execute(
                BatchInsertRequest(entityName: "Wide", objects: [["value1": .string("12")]]))
            for row in 0..<25 {
                let object = try context.insertObject(entityName: "Wide")
                try object.setValue(row == position ? "12" : "new \(row)", forKey: "value1")
            }
            do {
                try context.save()
                Issue.record("The save went through.")
            } catch SaveError.constraintConflicts(let conflicts) {
                #expect(conflicts.map(\.values) == [[.string("12")]])
            }
            #expect(context.insertedObjects.count == 25)
            #expect(try context.coordinatorCount(of: "Wide") == 1)
        }
    }
}

extension ManagedObjectContext {
    /// The number of rows in the store, counted by a new context.
    fileprivate func coordinatorCount(of entityName: String) throws -> Int {
        let other = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try other.performAndWait {
            try other.count(for: FetchRequest(entityName: entityName))
        }
    }
}

extension AttributeValue {
    fileprivate var anyValue: Any? {
        switch self {
        case .integer(let value): value
        case .string(let value): value
        default: nil
        }
    }
}
