import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Insertion (§2.2)` {
    @Test func `an identifier, defaults and awakeFromInsert, once (§2.2.1)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = Note(context: context)
                #expect(note.objectID.isTemporaryID)
                #expect(note.count == 1)
                #expect(note.managedObjectContext === context)
                #expect(journal.take() == ["awakeFromInsert"])
                let other = try #require(try context.insertObject(entityName: "Note") as? Note)
                #expect(other.count == 1)
                #expect(journal.take() == ["awakeFromInsert"])
            }
        }
    }

    @Test func `without a context it awakes when inserted (§2.2.2)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = try Note(entityName: "Note", model: notebookModel)
                #expect(note.managedObjectContext == nil)
                #expect(!note.isInserted)
                #expect(note.count == 1)
                note.text = "loose"
                #expect(journal.take() == [])
                context.insert(note)
                #expect(journal.take() == ["awakeFromInsert"])
                #expect(note.isInserted && note.managedObjectContext === context)
                #expect(context.insertedObjects == [note])
                try context.save()
                #expect(!note.objectID.isTemporaryID)
                #expect(note.objectID.storeIdentifier != nil)
                context.reset()
                #expect(try context.notes().map(\.text) == ["loose"])
            }
        }
        #expect(throws: FetchError.unknownEntity("None")) {
            _ = try Note(entityName: "None", model: notebookModel)
        }
        #expect(throws: FetchError.classMismatch(entity: "Tag", expected: "Note")) {
            _ = try Note(entityName: "Tag", model: notebookModel)
        }
    }

    @Test func `insertedObjects has it at once (§2.2.3)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            let note = Note(context: context)
            #expect(context.insertedObjects == [note])
            #expect(context.hasChanges)
        }
    }

    @Test func `awakeFromInsert runs once in each context of a chain (§2.2.4, §4.2.7)`() throws {
        let store = try StoreFixture.notebook()
        let middle = ManagedObjectContext(.privateQueue, parent: store.context)
        let child = ManagedObjectContext(.privateQueue, parent: middle)
        try Journal.keeping { journal in
            @Sendable func insertions() -> Int { journal.take().count { $0 == "awakeFromInsert" } }
            try child.performAndWait {
                child.makeNote("a")
                #expect(insertions() == 1)
                try child.save()
            }
            #expect(insertions() == 1)
            try middle.performAndWait { try middle.save() }
            #expect(insertions() == 1)
            try store.run { try $0.save() }
            #expect(insertions() == 0)
        }
    }

    @Test func `undone and redone, it does not awake again from insertion (§2.2.5)`() throws {
        let store = try StoreFixture.notebook()
        Journal.keeping { journal in
            store.run { context in
                context.undoManager = UndoManager()
                let note = context.makeNote("a")
                context.undo()
                #expect(note.managedObjectContext == nil)
                _ = journal.take()
                context.redo()
                #expect(journal.take() == ["awake 4"])
                #expect(note.isInserted && note.text == "a")
            }
        }
    }
}
