import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Refresh, reset and rollback (§2.8)` {
    /// Changes the note in another context.
    private func changeElsewhere(
        _ store: StoreFixture, _ id: ManagedObjectID, _ change: @Sendable (Note) -> Void
    ) throws {
        let other = store.makeContext()
        try other.performAndWait {
            change(try #require(try other.existingObject(with: id) as? Note))
            try other.save()
        }
    }

    @Test func `without merging: a fault, and changes are lost (§2.8.1)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            try context.save()
            note.text = "b"
            note.notebook = nil
            let statements = store.statements { context.refresh(note, mergeChanges: false) }
            #expect(statements == 0)
            #expect(note.isFault && !note.hasChanges)
            #expect(!context.updatedObjects.contains(note))
            #expect(note.text == "a" && note.notebook === notebook)
            #expect(notebook.notes.isEmpty, "the other end stays as it was")
        }
    }

    @Test func `without merging, members of a relationship without an inverse are lost (§2.8.1)`()
        throws
    {
        let store = try StoreFixture(
            .init("name", .string), relationships: [.toMany("parts", "Thing")])
        try store.run { context in
            let (owner, part) = (try context.insert("Thing"), try context.insert("Thing"))
            try context.save()
            try owner.setValue(Set([part]), forKey: "parts")
            context.refresh(owner, mergeChanges: false)
            #expect(!context.hasChanges)
            try context.save()
            context.reset()
            for thing in try context.all("Thing") {
                #expect(try thing.value(forKey: "parts") as? Set<ManagedObject> == [])
            }
        }
    }

    @Test func `with merging, clean: a fault (§2.8.2, §2.8.3, §14.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            context.refresh(note, mergeChanges: true)
            #expect(note.isFault)
        }
    }

    @Test func `with merging, changed: changes stay over the newest row (§2.8.4, §14.3)`() throws {
        let store = try StoreFixture.notebook()
        let id = try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.text = "mine"
            context.retainsRegisteredObjects = true
            return note.objectID
        }
        try changeElsewhere(store, id) { note in
            note.text = "theirs"
            note.count = 7
        }
        try store.run { context in
            let note = try #require(context.object(with: id) as? Note)
            #expect(note.count == 1)
            context.refresh(note, mergeChanges: true)
            #expect(!note.isFault && note.hasChanges)
            #expect(note.text == "mine" && note.count == 7)
            #expect(note.committedValues(forKeys: ["text"])["text"] as? String == "theirs")
            try context.save()
        }
        #expect(try store.sql("SELECT ZTEXT, ZCOUNT, Z_OPT FROM ZNOTE") == [["mine", "7", "3"]])
    }

    @Test func `a new object goes back to its defaults (§2.8.5)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            let note = context.makeNote("a")
            note.count = 9
            context.refresh(note, mergeChanges: false)
            #expect(note.isFault)
            #expect(note.text == "" && note.count == 1)
            #expect(note.isInserted && context.insertedObjects == [note])
        }
    }

    @Test func `all objects at once, with one notification (§2.8.6)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notes = ["a", "b", "c"].map { context.makeNote($0) }
            try context.save()
            notes[0].text = "changed"
            context.processPendingChanges()
            let journal = Journal()
            let ids = Set(notes.map(\.objectID))
            let observation = context.observe { notification in
                if case .objectsDidChange(let changes) = notification {
                    journal.report()
                    #expect(Set(changes.refreshed) == ids)
                }
            }
            context.refreshAllObjects()
            #expect(journal.take().count == 1)
            observation.cancel()
            #expect(notes[0].text == "changed" && notes[0].hasChanges)
            #expect(notes[1].isFault && notes[1].managedObjectContext === context)
        }
    }

    @Test func `reset detaches everything (§2.8.7)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.undoManager = UndoManager()
            let note = context.makeNote("a")
            try context.save()
            note.text = "b"
            let new = context.makeNote("c")
            context.delete(context.makeNote("d"))
            context.processPendingChanges()
            let journal = Journal()
            let observation = context.observe { notification in
                if case .objectsDidChange(let changes) = notification, changes.invalidatesAll,
                    changes.inserted + changes.updated + changes.deleted == []
                {
                    journal.report()
                }
            }
            context.reset()
            #expect(journal.take().count == 1)
            observation.cancel()
            #expect(note.managedObjectContext == nil && note.isFault)
            #expect(new.managedObjectContext == nil)
            #expect(context.registeredObjects.isEmpty && !context.hasChanges)
            #expect(context.undoManager?.canUndo == false)
            #expect(try context.notes().map(\.text) == ["a"])
        }
    }

    @Test func `rollback discards everything without reading (§2.8.8)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let (changed, deleted) = (
                context.makeNote("a", in: notebook), context.makeNote("b", in: notebook)
            )
            let tag = Tag(context: context)
            changed.tags = [tag]
            try context.save()
            context.undoManager = UndoManager()
            changed.text = "c"
            changed.tags = []
            notebook.notes = []
            context.delete(deleted)
            context.processPendingChanges()
            let new = context.makeNote("d")
            let statements = store.statements { context.rollback() }
            #expect(statements == 0)
            #expect(!context.hasChanges)
            #expect(!changed.isFault && changed.text == "a")
            #expect(!deleted.isDeleted && deleted.text == "b")
            #expect(new.managedObjectContext == nil)
            #expect(Set(notebook.notes) == [changed, deleted])
            #expect(changed.tags == [tag])
            #expect(context.undoManager?.canUndo == false)
            try context.save()
        }
        #expect(try store.sql("SELECT count(*), max(Z_OPT) FROM ZNOTE") == [["2", "1"]])
    }

    enum Reading: CaseIterable {
        case refresh, refreshWithMerge, refreshAll, merge, rollback, fault, unreadFault
    }

    @Test(arguments: Reading.allCases, [false, true])
    func `what a batch request has changed is read from then on (§2.8.9)`(
        reading: Reading, isDeletion: Bool
    ) throws {
        let store = try StoreFixture.notebook()
        let other = store.makeContext()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            try context.save()
            let id = note.objectID
            let unread = try #require(
                other.performAndWait { try other.notes().map(ObjectBox.init) }.first)
            if isDeletion {
                try context.execute(
                    BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Notebook")))
            } else {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Note", propertiesToUpdate: ["count": .constant(50)]))
            }
            switch reading {
            case .refresh: context.refresh(note, mergeChanges: false)
            case .refreshWithMerge: context.refresh(note, mergeChanges: true)
            case .refreshAll: context.refreshAllObjects()
            case .merge: context.mergeChanges(ObjectChanges(updated: [id]))
            case .rollback:
                note.text = "b"
                context.rollback()
                #expect(note.count == 1 && !note.isDeleted, "It takes its snapshot.")
                context.refresh(note, mergeChanges: false)
            case .fault: other.performAndWait { other.reset() }
            case .unreadFault: break
            }
            let found =
                switch reading {
                case .fault:
                    other.performAndWait { ObjectBox(object: other.object(with: id)) }
                case .unreadFault: unread
                default: ObjectBox(object: note)
                }
            try found.object.managedObjectContext?.performAndWait {
                let note = try #require(found.object as? Note)
                if isDeletion {
                    #expect(note.objectID == id && note.notebook == nil && note.isDeleted)
                } else {
                    #expect(note.count == 50)
                }
            }
        }
    }
}
