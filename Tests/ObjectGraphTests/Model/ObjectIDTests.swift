import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Object identifiers (§2.1)` {
    @Test func `an identifier is a value that any thread may have (§2.1.1)`() async throws {
        let store = try StoreFixture.notebook()
        let id = try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            return note.objectID
        }
        let copy = await Task.detached { id }.value
        #expect(copy == id)
        #expect(Set([copy, id]).count == 1)
        #expect(!id.isTemporaryID)
        #expect(id.entityName == "Note")
        #expect(id.storeIdentifier == store.coordinator.persistentStores[0].identifier)
    }

    @Test func `a permanent one names store, concrete entity and key (§2.1.2)`() throws {
        let store = try StoreFixture(makeLibraryModel())
        let identifier = store.coordinator.persistentStores[0].identifier
        try store.run { context in
            let book = try context.insert("Book", ["title": "b"])
            try context.save()
            #expect(
                book.objectID.uriRepresentation.absoluteString
                    == "x-coredata://\(identifier)/Book/p\(book.objectID.reference)")
            context.reset()
            let found = try context.all("Publication")[0]
            #expect(found.objectID == book.objectID)
            #expect(found.objectID.entityName == "Book")
        }
    }

    @Test func `a temporary one as a URI (§2.1.3)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            let (first, second) = (context.makeNote("a").objectID, context.makeNote("b").objectID)
            #expect(first.isTemporaryID)
            #expect(first.uriRepresentation.pathComponents[1] == "Note")
            #expect(first.uriRepresentation.lastPathComponent.hasPrefix("t"))
            #expect(first.uriRepresentation != second.uriRepresentation)
            #expect(
                context.coordinator.managedObjectID(
                    forURIRepresentation: first.uriRepresentation) == nil)
        }
    }

    @Test func `it is temporary until the root is saved (§2.1.4, §5.1.6)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try child.performAndWait {
            let note = child.makeNote("a")
            let temporary = note.objectID
            try child.save()
            #expect(note.objectID == temporary)
            try store.run { try $0.save() }
            child.takePendingUpdates()
            #expect(!note.objectID.isTemporaryID)
            #expect(note.objectID != temporary)
        }
    }

    @Test func `it can be made permanent before the save, which keeps it (§2.1.5)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.obtainPermanentIDs(for: [note])
            let id = note.objectID
            #expect(!id.isTemporaryID)
            #expect(note.isInserted)
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE") == [["0"]])
        #expect(
            try store.sql("SELECT Z_MAX > 0 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note'") == [["1"]])
        try store.run { context in
            let note = try context.notes()[0]
            let id = note.objectID
            try context.save()
            #expect(note.objectID == id)
        }
    }

    @Test func `a URI becomes an identifier if its store is open (§2.1.6)`() throws {
        let store = try StoreFixture.notebook()
        let identifier = store.coordinator.persistentStores[0].identifier
        func id(_ uri: String, _ coordinator: PersistentStoreCoordinator) -> ManagedObjectID? {
            coordinator.managedObjectID(forURIRepresentation: URL(string: uri)!)
        }
        let uri = "x-coredata://\(identifier)/Note/p123456"
        #expect(id(uri, store.coordinator)?.uriRepresentation.absoluteString == uri)
        #expect(id("x-coredata://\(UUID())/Note/p1", store.coordinator) == nil)
        #expect(id("x-coredata://\(identifier)/None/p1", store.coordinator) == nil)
        #expect(id("x-coredata://\(identifier)/Note/p1x", store.coordinator) == nil)
        #expect(id("x-coredata://\(identifier)/Note/p-5", store.coordinator) == nil)
        #expect(id("x-coredata://\(identifier)/Note/p0", store.coordinator) == nil)
        #expect(id("https://\(identifier)/Note/p1", store.coordinator) == nil)
        let second = PersistentStoreCoordinator(model: notebookModel)
        try second.addPersistentStore(.sqlite(at: store.folder.url("store.sqlite")))
        let saved = try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            return note.objectID
        }
        let other = ManagedObjectContext(.privateQueue, coordinator: second)
        try other.performAndWait { () throws in
            #expect((try other.existingObject(with: saved) as? Note)?.text == "a")
        }
    }

    @Test func `keys follow the order of insertion, and are never used again (§2.1.7, §2.1.8)`()
        throws
    {
        let store = try StoreFixture.notebook()
        let last = try store.run { context in
            let notes = (0..<5).map { context.makeNote("\($0)") }
            try context.save()
            let keys = notes.map(\.objectID.reference)
            #expect(keys == keys.sorted())
            for note in notes { context.delete(note) }
            try context.save()
            return keys[4]
        }
        let reopened = PersistentStoreCoordinator(model: notebookModel)
        try reopened.addPersistentStore(.sqlite(at: store.folder.url("store.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: reopened)
        try context.performAndWait {
            let note = context.makeNote("new")
            try context.save()
            #expect(note.objectID.reference > last)
        }
    }
}
