import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// What else in the engine meets derived values: contexts, locking, history, requests.
@Suite struct `Derived values in contexts and requests (§1.4)` {
    private static func count(_ shelf: ManagedObject) throws -> String {
        try shelf.text("bookCount")
    }

    // MARK: - Contexts

    @Test func `an object shows the value when it is refreshed, in every context (§1.4.8)`() throws
    {
        let fixture = try DerivedFixture()
        let other = fixture.store.makeContext()
        let id = try fixture.run { context in
            let shelf = try context.insert("Shelf")
            try context.save()
            context.refresh(shelf, mergeChanges: true)
            return shelf.objectID
        }
        try other.performAndWait {
            let shelf = try other.existingObject(with: id)
            #expect(try Self.count(shelf) == "0")
            try fixture.run { context in
                let shelf = try context.existingObject(with: id)
                try context.insert("Book", ["shelf": shelf])
                #expect(try Self.count(shelf) == "0")
                try context.save()
                #expect(try Self.count(shelf) == "0")
                #expect(!context.hasChanges)
                // The row cache has the new row, also after the old one was written again.
                try shelf.setValue("x", forKey: "name")
                try context.save()
                #expect(try Self.count(shelf) == "0")
                context.refresh(shelf, mergeChanges: false)
                #expect(try Self.count(shelf) == "1")
            }
            #expect(try Self.count(shelf) == "0")
            other.refreshAllObjects()
            #expect(try Self.count(shelf) == "1")
        }
    }

    @Test func `an undone and a rolled back save derive what is there (§1.4.8)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            context.undoManager = UndoManager()
            let shelf = try context.insert("Shelf")
            let book = try context.insert("Book", ["shelf": shelf])
            try context.save()
            context.delete(book)
            context.undo()
            try context.insert("Book", ["shelf": shelf])
            context.rollback()
            try context.save()
            context.refresh(shelf, mergeChanges: true)
            #expect(try Self.count(shelf) == "1")
        }
        #expect(try fixture.mismatches() == [])
    }

    @Test func `a value that is set is overwritten (§1.4.9)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let shelf = try context.insert("Shelf", ["bookCount": 7, "weight": 1.5])
            #expect(try Self.count(shelf) == "7")
            try context.save()
            context.refresh(shelf, mergeChanges: true)
            #expect(try Self.count(shelf) == "0")
            try shelf.setValue(8, forKey: "bookCount")
            try context.save()
            #expect(!context.hasChanges)
            context.refresh(shelf, mergeChanges: true)
            #expect(try Self.count(shelf) == "0")
            try shelf.setValue(9, forKey: "bookCount")
            try context.insert("Book", ["shelf": shelf])
            try context.save()
            context.refresh(shelf, mergeChanges: true)
            #expect(try Self.count(shelf) == "1")
        }
        #expect(try fixture.mismatches() == [])
    }

    @Test func `a mandatory one must have a value for validation (§1.4.9)`() throws {
        let store = try StoreFixture(
            AttributeDescription("name", .string),
            AttributeDescription("loud", .string, isOptional: false, derivation: "uppercase:(name)")
        )
        try store.run { context in
            let thing = try context.insert("Thing", ["name": "a"])
            #expect(try context.validationErrors().map(\.code) == [1570])
            try thing.setValue("", forKey: "loud")
            try context.save()
            context.refresh(thing, mergeChanges: true)
            #expect(try thing.text("loud") == "A")
        }
        // A batch insert validates what it is given, and this is not given.
        try store.run { context in
            try context.execute(
                BatchInsertRequest(entityName: "Thing", objects: [["name": "b"]]))
        }
        #expect(try store.sql("SELECT ZLOUD FROM ZTHING ORDER BY Z_PK") == [["A"], ["B"]])
    }

    @Test func `the version of the row stays, so nothing conflicts (§1.4.10)`() throws {
        let fixture = try DerivedFixture()
        let other = fixture.store.makeContext()
        let id = try fixture.run { context in
            let shelf = try context.insert("Shelf")
            try context.save()
            return shelf.objectID
        }
        try other.performAndWait {
            try other.existingObject(with: id).setValue("other", forKey: "name")
        }
        try fixture.run { context in
            try context.insert("Book", ["shelf": context.existingObject(with: id)])
            try context.save()
        }
        #expect(try fixture.store.sql("SELECT Z_OPT, ZBOOKCOUNT FROM ZSHELF") == [["2", "1"]])
        try other.performAndWait {
            other.mergePolicy = .mergeByPropertyObjectTrump
            try other.save()
            let shelf = try other.existingObject(with: id)
            other.refresh(shelf, mergeChanges: true)
            #expect(try shelf.text("name") == "other")
            #expect(try Self.count(shelf) == "1")
        }
    }

    @Test func `a history has the change and not what follows from it (§1.4.11)`() throws {
        let fixture = try DerivedFixture(tracksHistory: true)
        try fixture.run { context in
            let shelf = try context.insert("Shelf")
            let book = try context.insert("Book")
            let tag = try context.insert("Tag", ["books": Set([book])])
            try context.save()
            let token = try fixture.store.coordinator.currentPersistentHistoryToken()
            try book.setValue(3, forKey: "pages")
            try shelf.setValue(5, forKey: "bookCount")
            try tag.setValue("t", forKey: "name")
            try context.save()
            let changes = try context.fetchHistory(PersistentHistoryRequest(after: .token(token)))
                .flatMap {
                    $0.changes ?? []
                }
            let updated = changes.map {
                "\($0.changedObjectID.entityName): \($0.updatedProperties ?? [])"
            }
            #expect(
                Set(updated) == ["Book: [\"pages\"]", "Shelf: []", "Tag: [\"name\"]"])
        }
    }

    // MARK: - Requests

    @Test func `batch requests run the triggers (§1.4.12)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let shelf = try context.insert("Shelf", ["name": "s"])
            for number in 1...4 {
                try context.insert("Book", ["shelf": shelf, "pages": number, "weight": 0.5])
            }
            let tag = try context.insert("Tag")
            try tag.setValue(Set(context.all("Book")), forKey: "books")
            try context.save()
            context.refreshAllObjects()
            #expect(try shelf.text("pages") == "10")

            try context.execute(
                BatchUpdateRequest(
                    entityName: "Book",
                    propertiesToUpdate: [
                        "pages": .function("multiply:by:", [.keyPath("pages"), .constant(2)]),
                        "weight": .function("add:to:", [.keyPath("weight"), .constant(1)]),
                    ]))
            context.refreshAllObjects()
            #expect(try shelf.text("pages") == "20")
            #expect(try tag.text("heaviest") == "1.5")
            try context.execute(
                BatchInsertRequest(
                    entityName: "Comic", objects: [["title": "c", "copy": "set", "pages": 9]]))
            try context.execute(
                BatchDeleteRequest(
                    fetchRequest: FetchRequest(
                        entityName: "Book", predicate: ObjectPredicate("pages = 4 OR pages = 6"))))
            context.refreshAllObjects()
            #expect(try Self.count(shelf) == "2")
            #expect(try tag.text("bookCount") == "2")
            try context.execute(
                BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Shelf")))
        }
        #expect(try fixture.mismatches() == [])
    }

    @Test func `a batch update cannot set it (§1.4.12)`() throws {
        let fixture = try DerivedFixture()
        fixture.run { context in
            #expect(throws: FetchError.derivedKeyNotAllowedHere("bookCount", entity: "Shelf")) {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Shelf", propertiesToUpdate: ["bookCount": .constant(1)]))
            }
        }
    }

    @Test func `an upsert leaves it to the triggers (§1.4.12)`() throws {
        let store = try StoreFixture(
            AttributeDescription("code", .integer64), AttributeDescription("name", .string),
            AttributeDescription("loud", .string, derivation: "uppercase:(name)"),
            uniquenessConstraints: [["code"]])
        try store.run { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            for name in ["a", "b"] {
                try context.execute(
                    BatchInsertRequest(
                        entityName: "Thing",
                        objects: [["code": 1, "name": .string(name), "loud": "set"]]))
            }
        }
        #expect(try store.sql("SELECT ZNAME, ZLOUD FROM ZTHING") == [["b", "B"]])
    }

    @Test func `predicates, sort keys and indexes have the column (§1.4.13)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            for count in 0..<3 {
                let shelf = try context.insert("Shelf", ["name": "s\(count)"])
                for _ in 0..<count { try context.insert("Book", ["shelf": shelf]) }
            }
            try context.save()
            context.refreshAllObjects()
            var request = FetchRequest(
                entityName: "Shelf", predicate: try ObjectPredicate("bookCount > 0"),
                sortKeys: [.descending("bookCount")])
            let found = try context.fetch(request, as: ManagedObject.self)
            #expect(try found.map { try $0.text("name") } == ["s2", "s1"])
            request.sortKeys = []
            #expect(try context.count(for: request) == 2)
            let plan = try context.explain(request).map { "\($0)" }.joined()
            #expect(plan.contains("Z_Shelf_byCount"))
        }
    }

    // MARK: - Stores

    @Test func `triggers have Core Data's names (§1.4.14)`() throws {
        let fixture = try DerivedFixture()
        let names = try fixture.store.sql(
            """
            SELECT name FROM sqlite_schema WHERE type = 'trigger' \
            AND (name LIKE '%_Shelf_bookCount_%' OR name LIKE '%_Shelf_changedAt_%' \
            OR name LIKE '%_Book_shelfName_%') ORDER BY name
            """)
        #expect(
            names.map { $0[0] } == [
                "Z_DA_ZBOOK_Book_shelfName_SOURCE_INSERT",
                "Z_DA_ZBOOK_Book_shelfName_SOURCE_UPDATE",
                "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_DELETE",
                "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_INSERT",
                "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_UPDATE_DECREMENT",
                "Z_DA_ZBOOK_Shelf_bookCount_PARAMETER_UPDATE_INCREMENT",
                "Z_DA_ZSHELF_Book_shelfName_PARAMETER_DELETE",
                "Z_DA_ZSHELF_Book_shelfName_PARAMETER_INSERT",
                "Z_DA_ZSHELF_Book_shelfName_PARAMETER_UPDATE",
                "Z_DA_ZSHELF_Shelf_bookCount_SOURCE_INSERT",
                "Z_DA_ZSHELF_Shelf_changedAt_INSERT", "Z_DA_ZSHELF_Shelf_changedAt_UPDATE",
            ])
    }

    @Test func `a store that cannot compute it is refused (§1.4.14)`() throws {
        let error = #expect(throws: StoreError.self) {
            try StoreFixture(DerivedFixture.model, inMemory: true)
        }
        #expect(error?.reason == .cannotDerive(entity: "Book", attribute: "copy"))
        // The books are in another store.
        let model = try ManagedObjectModel(
            entities: Array(DerivedFixture.model.entitiesByName.values),
            configurations: ["shelves": ["Shelf", "Cabinet"], "people": ["Person"]])
        let folder = TemporaryFolder()
        func open(_ configuration: String) throws {
            var description = PersistentStoreDescription.sqlite(
                at: folder.url("\(configuration).sqlite"))
            description.configuration = configuration
            try PersistentStoreCoordinator(model: model).addPersistentStore(description)
        }
        let other = #expect(throws: StoreError.self) { try open("shelves") }
        #expect(other?.reason == .cannotDerive(entity: "Shelf", attribute: "bookCount"))
        try open("people")
    }

    @Test func `a store without the triggers is only read (§1.4.14)`() throws {
        let plain = AttributeDescription("loud", .string)
        let folder = TemporaryFolder()
        func open(_ attribute: AttributeDescription) throws -> ManagedObjectContext {
            let model = try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing", attributes: [AttributeDescription("name", .string), attribute])
            ])
            let coordinator = PersistentStoreCoordinator(model: model)
            var description = PersistentStoreDescription.sqlite(at: folder.url("store.sqlite"))
            description.ignoresModelVersions = true
            try coordinator.addPersistentStore(description)
            return ManagedObjectContext(.privateQueue, coordinator: coordinator)
        }
        let first = try open(plain)
        try first.performAndWait {
            try first.insert("Thing", ["name": "a"])
            try first.save()
        }
        var derived = plain
        derived.derivation = "uppercase:(name)"
        let second = try open(derived)
        try second.performAndWait {
            try second.insert("Thing", ["name": "b"])
            let error = #expect(throws: StoreError.self) { try second.save() }
            #expect(error?.reason == .unmaintainedDerivation("Thing.loud"))
        }
    }

    @Test func `a store opens again, also with a model without the derivation (§1.4.14)`() throws {
        let fixture = try DerivedFixture()
        var entities = Array(DerivedFixture.model.entitiesByName.values)
        for index in entities.indices {
            for position in entities[index].attributes.indices {
                entities[index].attributes[position].derivation = nil
            }
        }
        for model in [DerivedFixture.model, try ManagedObjectModel(entities: entities)] {
            let coordinator = PersistentStoreCoordinator(model: model)
            var description = PersistentStoreDescription.sqlite(
                at: fixture.store.folder.url("store.sqlite"))
            description.ignoresModelVersions = model !== DerivedFixture.model
            try coordinator.addPersistentStore(description)
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.performAndWait {
                try context.insert("Comic", ["shelf": context.insert("Cabinet", ["name": "É"])])
                try context.save()
            }
            #expect(try fixture.mismatches() == [])
        }
    }
}
