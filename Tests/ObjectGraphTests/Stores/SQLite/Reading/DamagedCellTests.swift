import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Whatever value a cell of a file has, the program continues: it gets an error, or SQLite's
/// conversion of the value.
@Suite struct `Damaged cells (§5.6)` {
    let folder = TemporaryFolder()
    var url: URL { folder.url("shelves.sqlite") }

    /// Shelves with ordered items, some of them big, and a favourite among all of these.
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Item", attributes: [AttributeDescription("size", .integer16)],
                relationships: [
                    .toOne("shelf", "Shelf", inverse: "items"),
                    .toMany("labels", "Label", inverse: "items"),
                ]),
            EntityDescription(name: "BigItem", superentity: "Item"),
            EntityDescription(
                name: "Label", relationships: [.toMany("items", "Item", inverse: "labels")]),
            EntityDescription(
                name: "Shelf", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toMany("items", "Item", inverse: "shelf", isOrdered: true),
                    .toOne("favourite", "Item"),
                ]),
        ])
    }

    init() throws {
        let coordinator = PersistentStoreCoordinator(model: try Self.model())
        let store = try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let shelf = try context.insert("Shelf", ["name": "first"])
            let label = try context.insert("Label")
            let items = try [
                context.insert("Item"), context.insert("BigItem"), context.insert("Item"),
            ]
            try shelf.setValue(items, forKey: "items")
            try shelf.setValue(items[1], forKey: "favourite")
            for item in items { try item.setValue(Set([label]), forKey: "labels") }
            try context.save()
        }
        try coordinator.removePersistentStore(store)
    }

    private func damage(_ sql: String) throws {
        let connection = try Connection(SQLiteConfiguration(path: url.path, mode: .readWrite))
        try connection.execute(sql)
        #expect(connection.changes > 0)
        try connection.close()
    }

    private typealias Use = @Sendable (ManagedObjectContext) throws -> Void

    /// All operations that read or write rows, each in a context of its own.
    private static func uses() -> [Use] {
        var uses: [Use] = []
        for name in ["Item", "BigItem", "Label", "Shelf"] { uses += self.uses(of: name) }
        uses.append { context in
            var request = FetchRequest(entityName: "Shelf")
            request.propertiesToFetch = ["name", "favourite"]
            _ = try context.fetchDictionaries(request)
        }
        return uses
    }

    private static func uses(of name: String) -> [Use] {
        let fetch: Use = { context in
            for object in try context.all(name) { try readAll(of: object) }
        }
        let fire: Use = { context in
            var request = FetchRequest(entityName: name)
            request.includesPropertyValues = false
            for id in try context.fetchObjectIDs(request) {
                try readAll(of: try context.existingObject(with: id))
            }
        }
        let prefetch: Use = { context in
            var request = FetchRequest(entityName: name)
            request.fetchBatchSize = 2
            request.relationshipKeyPathsForPrefetching = name == "Shelf" ? ["items"] : []
            if name == "Item" { request.relationshipKeyPathsForPrefetching = ["shelf", "labels"] }
            for object in try context.fetch(request, as: ManagedObject.self) {
                try readAll(of: object)
            }
        }
        let count: Use = { context in _ = try context.count(for: FetchRequest(entityName: name)) }
        let save: Use = { context in
            for object in try context.all(name) {
                if name == "Item" { try object.setValue(7, forKey: "size") }
                guard name == "Shelf" else { continue }
                let items = try object.value(forKey: "items") as? [ManagedObject] ?? []
                let more = try context.insert("Item")
                try object.setValue(Array(items.reversed()) + [more], forKey: "items")
            }
            try context.insert(name)
            try context.save()
        }
        let insertBatch: Use = { context in
            _ = try context.execute(BatchInsertRequest(entityName: name, objects: [[:]]))
        }
        let deleteBatch: Use = { context in
            _ = try context.execute(
                BatchDeleteRequest(fetchRequest: FetchRequest(entityName: name)))
        }
        return [fetch, fire, prefetch, count, save, insertBatch, deleteBatch]
    }

    private static func readAll(of object: ManagedObject) throws {
        for property in object.binding.entity.properties where !property.isHidden {
            switch try object.value(forKey: property.name) {
            case let other as ManagedObject: _ = other.committedValues()
            case let others as [ManagedObject]: for other in others { _ = other.committedValues() }
            case let others as Set<ManagedObject>:
                for other in others { _ = other.committedValues() }
            default: break
            }
        }
    }

    /// The errors of the operations, each on a copy of the file.
    private func failures() throws -> [any Error] {
        try Self.uses().compactMap { use -> (any Error)? in
            let copy = folder.url("\(UUID().uuidString).sqlite")
            try FileManager.default.copyItem(at: url, to: copy)
            let coordinator = PersistentStoreCoordinator(model: try Self.model())
            try coordinator.addPersistentStore(.sqlite(at: copy))
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            return context.performAndWait { () -> (any Error)? in
                context.faultHandler = { _, _ in }
                do {
                    try use(context)
                    return nil
                } catch { return error }
            }
        }
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "1e300", "-7"])
    func `the last key of a table (§5.6)`(_ value: String) throws {
        try damage("UPDATE Z_PRIMARYKEY SET Z_MAX = \(value)")
        let reasons = try failures().compactMap { ($0 as? StoreError)?.reason }
        #expect(reasons.count >= 8)
        for case .damagedValue(let place) in reasons { #expect(place.contains("Z_MAX")) }
    }

    @Test(
        arguments: [
            "ZITEM SET Z_PK = -Z_PK", "ZITEM SET Z_PK = -9223372036854775808 WHERE Z_PK = 1",
            "ZSHELF SET Z_PK = -3", "ZITEM SET Z_ENT = 99", "ZITEM SET Z_ENT = 0",
            "ZITEM SET Z_ENT = -9223372036854775808", "ZITEM SET Z_ENT = 1e300",
            "ZITEM SET Z_ENT = 3 WHERE Z_PK = 1", "ZITEM SET Z_ENT = 4", "ZLABEL SET Z_ENT = 1",
            "ZSHELF SET Z_ENT = 3",
            "ZITEM SET ZSHELF = -1", "ZITEM SET ZSHELF = -9223372036854775808",
            "ZSHELF SET ZFAVOURITE = -2", "ZSHELF SET Z1_FAVOURITE = 99",
            "ZSHELF SET Z1_FAVOURITE = 3",
            "ZSHELF SET Z1_FAVOURITE = -9223372036854775808", "ZSHELF SET Z1_FAVOURITE = 1e300",
        ])
    func `keys and references that no row can have are errors (§5.6)`(_ change: String) throws {
        try damage("UPDATE \(change)")
        let reasons = try failures().compactMap { ($0 as? StoreError)?.reason }
        #expect(!reasons.isEmpty)
        for reason in reasons {
            switch reason {
            case .damagedValue, .incompatibleSchema: break
            default: Issue.record("\(reason)")
            }
        }
    }

    @Test(
        arguments: [
            "ZITEM SET Z_PK = 9223372036854775807 WHERE Z_PK = 1", "ZITEM SET Z_OPT = -1",
            "ZITEM SET Z_OPT = 9223372036854775807", "ZITEM SET ZSIZE = 1e300",
            "ZITEM SET ZSIZE = x'00ff'", "ZITEM SET ZSHELF = 9223372036854775807",
            "ZSHELF SET Z1_FAVOURITE = 0",
            "ZSHELF SET ZNAME = x'ff'", "Z_1LABELS SET Z_1ITEMS = -1 WHERE Z_1ITEMS = 1",
            "ZITEM SET Z_FOK_SHELF = 9223372036854775807",
            "ZITEM SET Z_FOK_SHELF = -9223372036854775808 WHERE Z_PK = 2",
            "ZITEM SET Z_FOK_SHELF = (Z_PK - 2) * 9223372036854775807",
        ])
    func `other values may be strange and never end the process (§5.6)`(_ change: String) throws {
        try damage("UPDATE \(change)")
        _ = try failures()
    }

    /// A context on the damaged file.
    private func context() throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: try Self.model())
        try coordinator.addPersistentStore(.sqlite(at: url))
        return ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    @Test(arguments: ["Z_PK = 1", "Z_PK = 2", "TRUE"])
    func `a batch deletion leaves the rows of other tables alone (§5.6, §6.4)`(
        _ condition: String
    ) throws {
        try damage("UPDATE ZITEM SET Z_ENT = 3 WHERE \(condition)")
        let context = try context()
        try context.performAndWait {
            for name in ["Item", "Shelf"] {
                let request = BatchDeleteRequest(fetchRequest: FetchRequest(entityName: name))
                _ = try? context.execute(request)
            }
            let request = BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Item"))
            let error = #expect(throws: StoreError.self) { try context.execute(request) }
            #expect(error?.code == 259, "\(String(describing: error))")
            let counts = try ["Label", "Item"].map {
                try context.count(for: FetchRequest(entityName: $0))
            }
            #expect(counts == [1, 3])
        }
    }

    @Test func `members and batches are objects of their entity or none (§5.6)`() throws {
        try damage("UPDATE ZITEM SET Z_ENT = 3 WHERE Z_PK = 1")
        let context = try context()
        try context.performAndWait {
            context.faultHandler = { _, _ in }
            let isItem = { (object: ManagedObject) in
                ["Item", "BigItem"].contains(object.binding.entity.name)
            }
            for name in ["Shelf", "Label"] {
                let owner = try #require(try context.all(name).first)
                let members = try? owner.value(forKey: "items")
                if let members = members as? [ManagedObject] {
                    #expect(members.allSatisfy(isItem))
                }
                if let members = members as? Set<ManagedObject> {
                    #expect(members.allSatisfy(isItem))
                }
            }
            var request = FetchRequest(entityName: "Item")
            request.fetchBatchSize = 2
            let error = #expect(throws: StoreError.self) {
                try context.fetch(request, as: ManagedObject.self)
            }
            #expect(error?.code == 259, "\(String(describing: error))")
        }
    }

    @Test(arguments: ["Z1_FAVOURITE = 3", "Z_ENT = 3"])
    func `identifiers in dictionaries are of their entity (§5.6)`(_ change: String) throws {
        try damage("UPDATE ZSHELF SET \(change)")
        let context = try context()
        context.performAndWait {
            var request = FetchRequest(entityName: "Shelf")
            request.propertiesToFetch = [
                change == "Z_ENT = 3"
                    ? FetchedProperty(name: "object", expression: .evaluatedObject) : "favourite"
            ]
            let error = #expect(throws: StoreError.self) {
                try context.fetchDictionaries(request)
            }
            #expect(error?.code == 259, "\(String(describing: error))")
        }
    }

    @Test(
        arguments: [
            ("ZITEM SET Z_PK = -3 WHERE Z_PK = 3", "Item", "Z_PK"),
            ("ZITEM SET ZSHELF = -1", "Item", "ZSHELF"),
            ("ZSHELF SET ZFAVOURITE = -2", "Shelf", "ZFAVOURITE"),
            ("ZSHELF SET Z1_FAVOURITE = 3", "Shelf", "Z1_FAVOURITE"),
        ])
    func `the error names the entity and the column (§5.6)`(
        _ change: String, _ entity: String, _ column: String
    ) throws {
        try damage("UPDATE \(change)")
        let context = try context()
        context.performAndWait {
            let error = #expect(throws: StoreError.self) { try context.all(entity) }
            let text = error?.description ?? ""
            #expect(text.contains("'\(entity)' the column \(column) has"), "\(text)")
        }
    }

    @Test func `places at the ends of their range are given again (§1.5.2)`() throws {
        try damage("UPDATE ZITEM SET Z_FOK_SHELF = (Z_PK - 2) * 9223372036854775807")
        let coordinator = PersistentStoreCoordinator(model: try Self.model())
        try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let shelf = try #require(try context.all("Shelf").first)
            let items = try #require(try shelf.value(forKey: "items") as? [ManagedObject])
            let reordered = [items[1], items[2], items[0]]
            try shelf.setValue(reordered, forKey: "items")
            try context.save()
            context.refreshAllObjects()
            #expect(try shelf.value(forKey: "items") as? [ManagedObject] == reordered)
        }
    }
}
