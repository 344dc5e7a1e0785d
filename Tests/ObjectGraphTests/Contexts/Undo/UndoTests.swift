import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Undo (§2.9)` {
    private func undoable() throws -> StoreFixture {
        let store = try StoreFixture.notebook()
        store.run { $0.undoManager = UndoManager() }
        return store
    }

    @Test func `without an undo manager nothing is undone (§2.9.1)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            #expect(context.undoManager == nil)
            let note = context.makeNote("a")
            context.undo()
            context.redo()
            #expect(note.text == "a")
        }
    }

    @Test func `each event is one step (§2.9.2)`() throws {
        let store = try undoable()
        store.run { context in
            let note = context.makeNote("a")
            context.processPendingChanges()
            note.text = "b"
            note.text = "c"
            note.count = 2
            context.processPendingChanges()
            note.text = "d"
            context.undo()
            #expect(note.text == "c" && note.count == 2)
            context.undo()
            #expect(note.text == "a" && note.count == 1)
            context.redo()
            #expect(note.text == "c" && note.count == 2)
            context.redo()
            #expect(note.text == "d")
            #expect(context.undoManager?.canRedo == false)
            for _ in 0..<3 { context.undo() }
            #expect(note.managedObjectContext == nil)
            #expect(!context.hasChanges && context.undoManager?.canUndo == false)
        }
    }

    @Test func `what is refreshed before the event ends is nothing to undo (§2.9.2)`() throws {
        let store = try undoable()
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = [context.makeNote("a")]
            try context.save()
            context.undoManager?.removeAllActions()
            notebook.title = notebook.title
            context.refreshAllObjects()
            context.processPendingChanges()
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test(arguments: [true, false])
    func `a member comes back to its place, though nobody has read the order (§2.9.3)`(
        isDeleted: Bool
    ) throws {
        let store = try undoable()
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = "abc".map { context.makeNote(String($0)) }
            try context.save()
            context.reset()
            let note = try #require(try context.all("Note", by: "text")[0] as? Note)
            if isDeleted { context.delete(note) } else { note.notebook = nil }
            context.processPendingChanges()
            context.undo()
            #expect(note.notebook?.notes.map(\.text) == ["a", "b", "c"])
            #expect(!context.hasChanges)
        }
    }

    @Test func `what a child has saved and the parent deletes comes back (§2.9.3)`() throws {
        let store = try undoable()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try store.run { context in
            let note = context.makeNote("a")
            let id = note.objectID
            try child.performAndWait {
                (child.object(with: id) as! Note).text = "b"
                try child.save()
            }
            #expect(!note.state.contains(.changedInEvent))
            context.delete(note)
            context.processPendingChanges()
            #expect(note.managedObjectContext == nil)
            context.undo()
            #expect(context.insertedObjects == [note] && note.text == "b")
        }
    }

    @Test func `a row for which another object stands is left alone (§2.4.11)`() throws {
        let store = try undoable()
        let other = store.makeContext()
        other.performAndWait { other.undoManager = UndoManager() }
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            let id = note.objectID
            try other.performAndWait {
                other.delete(other.object(with: id))
                try other.save()
            }
            context.mergeChanges(ObjectChanges(deleted: [id]))
            try context.save()
            try other.performAndWait {
                other.undo()
                try other.save()
            }
            let found = try #require(try context.all("Note").first)
            #expect(found !== note)
            // The deletion, then the insertion: neither is undone, because another object now has
            // the row.
            for _ in 0..<2 { context.undo() }
            #expect(context.undoManager?.canUndo == false)
            #expect(note.managedObjectContext == nil)
            #expect(found.managedObjectContext === context && !context.hasChanges)
        }
    }

    @Test func `what is brought back twice is counted once (§3.8.1, §3.8.9)`() throws {
        let store = try undoable()
        let other = store.makeContext()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            let id = note.objectID
            other.performAndWait {
                other.mergePolicy = .overwrite
                (other.object(with: id) as! Note).text = "b"
            }
            context.delete(note)
            try context.save()
            try other.performAndWait { try other.save() }
            context.undo()
            #expect(context.insertedObjects == [note])
            var request = FetchRequest(entityName: "Note")
            #expect(try context.count(for: request) == 1)
            request.fetchLimit = 1
            request.predicate = try ObjectPredicate("text == 'b'")
            #expect(try context.count(for: request) == 0)
            context.makeNote("c").text = "b"
            #expect(try context.fetch(request, as: Note.self).count == 1)
        }
    }

    @Test func `what a child and its parent bring back is counted once (§3.8.1, §4.2.2)`() throws {
        let store = try undoable()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        child.performAndWait { child.undoManager = UndoManager() }
        try store.run { context in
            let id = context.makeNote("a").objectID
            context.processPendingChanges()
            try child.performAndWait {
                child.delete(child.object(with: id))
                try child.save()
                child.undo()
                child.makeNote("new")
                context.undo()
                #expect(context.insertedObjects.count == 1 && child.insertedObjects.count == 2)
                #expect(try child.count(for: FetchRequest(entityName: "Note")) == 2)
                #expect(try child.notes().map(\.text) == ["a", "new"])
            }
        }
    }

    @Test func `siblings learn the permanent identifier of what is brought back (§4.2.9)`() throws {
        let store = try undoable()
        let children = (0..<2).map { _ in
            ManagedObjectContext(.privateQueue, parent: store.context)
        }
        try store.run { context in
            let temporary = context.makeNote("a").objectID
            context.processPendingChanges()
            let held = try children[1].performAndWait {
                let note = try children[1].existingObject(with: temporary)
                return ObjectBox(object: note)
            }
            let child = children[0]
            let permanent = try child.performAndWait {
                child.undoManager = UndoManager()
                let note = child.object(with: temporary)
                child.delete(note)
                try child.save()
                child.undo()
                try child.obtainPermanentIDs(for: [note])
                #expect(!note.objectID.isTemporaryID)
                try child.save()
                return note.objectID
            }
            children[1].performAndWait {
                #expect(held.object.objectID == permanent)
                children[1].refresh(held.object, mergeChanges: true)
                #expect((held.object as? Note)?.text == "a")
            }
        }
    }

    @Test func `what comes back has the identifier that it was given meanwhile (§4.2.9)`() throws {
        let store = try StoreFixture.notebook()
        let middle = ManagedObjectContext(.privateQueue, parent: store.context)
        let leaf = ManagedObjectContext(.privateQueue, parent: middle)
        let temporary = try middle.performAndWait {
            let note = middle.makeNote("a")
            try middle.save()
            return note.objectID
        }
        try leaf.performAndWait {
            leaf.undoManager = UndoManager()
            leaf.delete(leaf.object(with: temporary))
            try leaf.save()
        }
        try store.run { try $0.obtainPermanentIDs(for: Array($0.insertedObjects)) }
        try leaf.performAndWait {
            leaf.undo()
            try leaf.save()
        }
        try middle.performAndWait {
            #expect(middle.insertedObjects.isEmpty && middle.deletedObjects.isEmpty)
            let notes = try middle.notes()
            #expect(notes.map(\.objectID.isTemporaryID) == [false])
        }
    }

    @Test func `a child brings back a new object that the parent has deleted (§2.9.3)`() throws {
        let store = try undoable()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        child.performAndWait { child.undoManager = UndoManager() }
        try store.run { context in
            let id = context.makeNote("a").objectID
            context.processPendingChanges()
            try child.performAndWait {
                child.delete(child.object(with: id))
                try child.save()
                child.undo()
                try child.save()
            }
            let notes = try context.all("Note").map { $0 as! Note }
            #expect(notes.map(\.text) == ["a"] && context.insertedObjects == Set(notes))
        }
    }

    @Test func `what was thrown away leaves no trace in the next step (§2.9.4)`() throws {
        let store = try undoable()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.text = "b"
            context.refresh(note, mergeChanges: false)
            context.rollback()
            note.text = "c"
            context.undo()
            #expect(note.text == "a" && !note.hasChanges)
        }
    }

    @Test func `what cancels out is no step (§2.9.2)`() throws {
        let store = try undoable()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            context.undoManager?.removeAllActions()
            note.text = "b"
            note.text = "a"
            note.tags = [Tag(context: context)]
            for tag in note.tags { context.delete(tag) }
            context.processPendingChanges()
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test func `an undone change leaves a clean object (§2.9.2)`() throws {
        let store = try undoable()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            try context.save()
            note.text = "b"
            note.notebook = nil
            context.undo()
            #expect(note.notebook === notebook && notebook.notes == [note])
            #expect(!note.hasChanges && !notebook.hasChanges && !context.hasChanges)
            context.redo()
            #expect(note.text == "b" && note.notebook == nil && note.hasChanges)
            try context.save()
        }
        #expect(try store.sql("SELECT ZTEXT, ZNOTEBOOK FROM ZNOTE") == [["b", nil]])
    }

    @Test func `groups hold several events (§2.9.2)`() throws {
        let store = try undoable()
        try store.run { context in
            let manager = try #require(context.undoManager)
            let note = context.makeNote("a")
            context.processPendingChanges()
            manager.beginUndoGrouping()
            note.text = "b"
            context.processPendingChanges()
            note.text = "c"
            context.processPendingChanges()
            manager.endUndoGrouping()
            context.undo()
            #expect(note.text == "a")
            context.redo()
            #expect(note.text == "c")
        }
    }

    @Test func `a group holds the changes made in it (§2.6.2, §2.9.2)`() throws {
        let store = try undoable()
        try store.run { context in
            let manager = try #require(context.undoManager)
            let note = context.makeNote("a")
            manager.beginUndoGrouping()
            note.text = "b"
            note.count = 2
            manager.endUndoGrouping()
            note.text = "c"
            manager.undo()
            #expect(note.text == "b" && note.count == 2)
            manager.undo()
            #expect(note.text == "a" && note.count == 1)
            #expect(context.insertedObjects == [note])
        }
    }

    @Test func `the end of perform is the end of a step (§2.9.2)`() async throws {
        let store = try undoable()
        let context = store.context
        let id = try await context.perform { context.makeNote("a").objectID }
        try await context.perform { (context.object(with: id) as? Note)?.text = "b" }
        try await context.perform {
            context.undo()
            #expect((context.object(with: id) as? Note)?.text == "a")
        }
    }

    @Test func `a deletion is undone with all it has cut (§2.9.3)`() throws {
        let store = try undoable()
        try store.run { context in
            let notebook = Notebook(context: context)
            let notes = ["a", "b", "c"].map { context.makeNote($0, in: notebook) }
            let tag = Tag(context: context)
            for note in notes { note.tags = [tag] }
            try context.save()
            let id = notebook.objectID
            context.delete(notebook)
            context.undo()
            #expect(!notebook.isDeleted && notebook.objectID == id)
            #expect(notebook.notes == notes)
            #expect(tag.notes == notes)
            #expect(!context.hasChanges)
            context.redo()
            #expect(context.deletedObjects == Set([notebook] + notes))
            context.undo()
            try context.save()
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE WHERE ZNOTEBOOK = 1") == [["3"]])
    }

    @Test func `what a deletion has cut from a deleted object is undone too (§2.9.3)`() throws {
        let store = try undoable()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a")
            try context.save()
            context.delete(note)
            context.processPendingChanges()
            try store.addElsewhere([note], to: notebook)
            context.refreshAllObjects()
            context.delete(notebook)
            context.undo()
            #expect(note.isDeleted && note.notebook === notebook)
            #expect(!notebook.isDeleted && !notebook.hasChanges)
            context.undo()
            #expect(notebook.notes.isEmpty && context.updatedObjects == [notebook, note])
        }
    }

    @Test func `what comes back has the members that others have given it (§2.9.3, §2.11.3)`()
        throws
    {
        let store = try undoable()
        try store.run { context in
            let (notebook, noteID) = try context.bringBackNotebook(givenNoteIn: store)
            #expect(notebook.isInserted && notebook.notes.map(\.objectID) == [noteID])
            try context.save()
            #expect(notebook.notes.map(\.objectID) == [noteID])
        }
    }

    @Test func `what comes back has no owner from its row (§2.9.3, §2.11.3)`() throws {
        let store = try undoable()
        try store.run { context in
            let (notebook, note) = (Notebook(context: context), context.makeNote("a"))
            try context.save()
            let (id, noteID) = (notebook.objectID, note.objectID)
            let other = store.makeContext()
            try other.performAndWait {
                other.mergePolicy = .overwrite
                (try other.existingObject(with: noteID) as? Note)?.notebook =
                    other.object(with: id) as? Notebook
            }
            context.delete(note)
            try context.save()
            context.undo()
            try other.performAndWait { try other.save() }
            context.refreshAllObjects()

            #expect(note.isInserted && note.notebook == nil && notebook.notes.isEmpty)
            context.delete(notebook)
            context.processPendingChanges()
            #expect(context.insertedObjects == [note])
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE WHERE ZNOTEBOOK NOT NULL") == [["1"]])
    }

    @Test func `what came back goes again with what others have given it (§2.9.3, §2.6.2)`() throws
    {
        let store = try undoable()
        try store.run { context in
            let (notebook, noteID) = try context.bringBackNotebook(givenNoteIn: store)
            let note = context.object(with: noteID) as! Note
            context.redo()
            #expect(context.deletedObjects == [note] && context.insertedObjects.isEmpty)
            context.undo()
            #expect(!note.isDeleted && notebook.notes == [note])
            context.redo()
            try context.save()
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE") == [["0"]])
    }

    @Test func `saved changes are undone as new ones (§2.9.3, §2.9.4)`() throws {
        let store = try undoable()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            let tag = Tag(context: context)
            note.tags = [tag]
            try context.save()
            let id = note.objectID
            note.text = "b"
            try context.save()
            context.delete(note)
            try context.save()
            #expect(note.managedObjectContext == nil)

            context.undo()
            #expect(note.managedObjectContext === context && note.objectID == id)
            #expect(note.text == "b" && note.notebook === notebook && note.tags == [tag])
            try context.save()
            #expect(note.objectID == id)
            context.undo()
            #expect(note.text == "a" && note.hasPersistentChangedValues)
            try context.save()
            context.reset()
            let found = try #require(try context.existingObject(with: id) as? Note)
            #expect(found.text == "a" && found.notebook != nil && found.tags.count == 1)
        }
    }

    @Test func `a saved insertion is undone by a deletion (§2.9.3)`() throws {
        let store = try undoable()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            context.undo()
            #expect(note.isDeleted)
            context.redo()
            #expect(!note.isDeleted && note.text == "a")
            context.undo()
            try context.save()
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE") == [["0"]])
    }

    @Test func `save keeps what can be undone, rollback and reset do not (§2.9.4)`() throws {
        let store = try undoable()
        try store.run { context in
            let manager = try #require(context.undoManager)
            let note = context.makeNote("a")
            try context.save()
            #expect(manager.canUndo)
            context.rollback()
            #expect(!manager.canUndo)
            note.text = "b"
            context.processPendingChanges()
            #expect(manager.canUndo)
            context.reset()
            #expect(!manager.canUndo)
        }
    }

    @Test func `changes made while registration is off survive (§2.9.5)`() throws {
        let store = try undoable()
        try store.run { context in
            let manager = try #require(context.undoManager)
            let note = context.makeNote("a")
            try context.save()
            note.text = "b"
            context.processPendingChanges()
            manager.disableUndoRegistration()
            note.count = 7
            let other = context.makeNote("other")
            context.processPendingChanges()
            manager.enableUndoRegistration()
            context.undo()
            #expect(note.text == "a" && note.count == 7)
            #expect(other.isInserted)
        }
    }

    @Test func `orders are undone (§2.9.2)`() throws {
        let store = try undoable()
        try store.run { context in
            let notebook = Notebook(context: context)
            let notes = ["a", "b", "c"].map { context.makeNote($0) }
            notebook.notes = notes
            try context.save()
            notebook.notes = notes.reversed()
            context.processPendingChanges()
            context.undo()
            #expect(notebook.notes == notes)
            context.redo()
            #expect(notebook.notes == notes.reversed())
            context.undo()
            notebook.notes = [notes[0], notes[2]]
            context.undo()
            #expect(notebook.notes == notes)
        }
    }

    @Test func `an order that was read anew is redone (§2.9.2)`() throws {
        let store = try undoable()
        try store.run { context in
            let notebook = Notebook(context: context)
            let notes = ["a", "b", "c"].map { context.makeNote($0) }
            notebook.notes = notes
            try context.save()
            let moved = [notes[2], notes[0], notes[1]]
            notebook.notes = moved
            context.processPendingChanges()
            context.refreshAllObjects()
            context.undo()
            context.refreshAllObjects()
            context.redo()
            #expect(notebook.notes == moved && notebook.hasChanges)
        }
    }

    @Test func `an order that only others have changed is no step (§2.9.2)`() throws {
        let store = try undoable()
        let other = store.makeContext()
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = "ab".map { context.makeNote(String($0)) }
            try context.save()
            context.undoManager?.removeAllActions()
            notebook.title = notebook.title
            let id = notebook.objectID
            try other.performAndWait {
                let notebook = try #require(other.object(with: id) as? Notebook)
                notebook.notes = notebook.notes.reversed()
                try other.save()
            }
            context.refreshAllObjects()
            context.processPendingChanges()
            #expect(notebook.notes.map(\.text) == ["b", "a"])
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test func `an order that a child goes back to survives a refresh (§2.9.2)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try store.run { context in
            let notebook = Notebook(context: context)
            let notes = ["a", "b"].map { context.makeNote($0) }
            notebook.notes = notes
            try context.save()
            let id = notebook.objectID
            try child.performAndWait {
                child.undoManager = UndoManager()
                let notebook = try #require(child.object(with: id) as? Notebook)
                notebook.notes = notebook.notes.reversed()
                child.processPendingChanges()
            }
            notebook.notes = notes.reversed()
            context.processPendingChanges()
            try child.performAndWait {
                child.refreshAllObjects()
                child.undo()
                child.refreshAllObjects()
                let notebook = try #require(child.object(with: id) as? Notebook)
                #expect(notebook.notes.map(\.text) == ["a", "b"])
                try child.save()
            }
            #expect(notebook.notes == notes)
        }
    }

    @Test func `members that others have moved are saved in the order shown (§2.9.2)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try store.run { context in
            let notebook = Notebook(context: context)
            let notes = ["a", "b"].map { context.makeNote($0) }
            notebook.notes = notes
            try context.save()
            let (id, movedID) = (notebook.objectID, notes[0].objectID)
            try child.performAndWait {
                child.undoManager = UndoManager()
                // The event stores its place among the notes, from which the parent removes it.
                try #require(child.object(with: movedID) as? Note).count = 7
            }
            notebook.notes = [notes[1]]
            context.processPendingChanges()
            try child.performAndWait {
                child.refreshAllObjects()
                let notebook = try #require(child.object(with: id) as? Notebook)
                notebook.notes.append(try #require(child.object(with: movedID) as? Note))
                child.undo()
                #expect(notebook.notes.map(\.text) == ["b", "a"])
                try child.save()
            }
            #expect(notebook.notes == notes.reversed())
            try context.save()
            context.reset()
            let found = try #require(try context.all("Notebook")[0] as? Notebook)
            #expect(found.notes.map(\.text) == ["b", "a"])
        }
    }

    @Test
    func `an order that came of what others did meanwhile is nothing to undo (§2.9.2)`() throws {
        let store = try StoreFixture.notebook()
        let other = store.makeContext()
        try store.run { context in
            context.undoManager = UndoManager()
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            try context.save()
            context.undoManager!.removeAllActions()
            // The event stores its place, and restores it there.
            note.count = note.count
            let noteID = note.objectID
            try other.performAndWait {
                try #require(other.object(with: noteID) as? Note).notebook = nil
                try other.save()
            }
            context.refreshAllObjects()
            notebook.notes = [note]
            context.processPendingChanges()
            #expect(!context.undoManager!.canUndo)
        }
    }

    @Test func `an order is undone after rules that were applied later (§2.6.2, §2.9.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.undoManager = UndoManager()
            context.propagatesDeletesAtEndOfEvent = false
            let notebook = Notebook(context: context)
            let notes = ["b", "a"].map { context.makeNote($0) }
            notebook.notes = notes
            try context.save()
            context.delete(notes[0])
            context.processPendingChanges()
            // Applies the delete rules, and fails.
            let invalid = Note(context: context)
            #expect(throws: SaveError.self) { try context.save() }
            #expect(notebook.notes == [notes[1]] && invalid.isInserted)
            while notes[0].isDeleted { context.undo() }
            #expect(notebook.notes == notes)
        }
    }

    @Test
    func `members that come back among those of others keep their own order (§2.9.2)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = names.map { context.makeNote($0) }
            try context.save()
            let id = notebook.objectID
            try child.performAndWait {
                child.undoManager = UndoManager()
                try #require(child.object(with: id) as? Notebook).notes = []
                child.processPendingChanges()
            }
            notebook.notes.append(context.makeNote("other"))
            context.processPendingChanges()
            let shown = try child.performAndWait {
                child.refreshAllObjects()
                child.undo()
                let notebook = try #require(child.object(with: id) as? Notebook)
                let shown = notebook.notes.map(\.text)
                try child.save()
                return shown
            }
            #expect(shown.filter { $0 != "other" } == names)
            #expect(shown.contains("other"))
            #expect(notebook.notes.map(\.text) == shown)
        }
    }

    @Test func `no more levels are kept than asked for`() {
        let manager = UndoManager()
        manager.levelsOfUndo = 2
        let journal = Journal()
        for _ in 0..<3 { manager.registerUndo { journal.report() } }
        for _ in 0..<3 { manager.undo() }
        #expect(journal.take().count == 2)
        #expect(!manager.canUndo && !manager.canRedo)
    }

    /// The visible state of a context: each object with its values and relationships.
    private func picture(_ context: ManagedObjectContext) throws -> [String] {
        let notes = try context.notes().map { note in
            let tags = note.tags.map { $0.name ?? "" }.sorted()
            return "\(note.text) \(note.count) \(note.notebook?.title ?? "-") \(tags)"
        }
        let books = try context.all("Notebook", by: "title").compactMap { $0 as? Notebook }.map {
            "\($0.title ?? "") \($0.notes.map(\.text))"
        }
        return notes + books
    }

    @Test func `any number of steps lead back and forth to the same picture (§2.9.2, §2.9.3)`()
        throws
    {
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<60 {
            let seed = generator.next()
            let store = try undoable()
            try store.run { context in
                var generator = SeededGenerator(seed: seed)
                var pictures = [try picture(context)]
                for step in 0..<12 {
                    try change(context, step, &generator)
                    context.processPendingChanges()
                    if Int.random(in: 0..<4, using: &generator) == 0 { try context.save() }
                    if try picture(context) != pictures.last {
                        pictures.append(try picture(context))
                    }
                }
                let manager = try #require(context.undoManager)
                var seen = [try picture(context)]
                while manager.canUndo {
                    context.undo()
                    if try picture(context) != seen.last { seen.append(try picture(context)) }
                }
                #expect(seen.reversed() == pictures, "seed \(seed)")
                while manager.canRedo { context.redo() }
                #expect(try picture(context) == pictures.last, "seed \(seed)")
                try context.save()
                context.reset()
                #expect(try picture(context) == pictures.last, "seed \(seed)")
            }
        }
    }

    private func change(
        _ context: ManagedObjectContext, _ step: Int, _ generator: inout SeededGenerator
    ) throws {
        let notes = try context.notes()
        let books = try context.all("Notebook", by: "title").compactMap { $0 as? Notebook }
        let note = notes.randomElement(using: &generator)
        let book = books.randomElement(using: &generator)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1: context.makeNote("n\(step)", in: book)
        case 2: Notebook(context: context).title = "b\(step)"
        case 3: note?.text += "x"
        case 4: note?.notebook = book
        case 5:
            let tag = Tag(context: context)
            tag.name = "t\(step)"
            note?.tags.insert(tag)
        case 6: if let note { note.tags = Set(note.tags.dropFirst()) }
        case 7: if let book { book.notes = book.notes.shuffled(using: &generator) }
        default:
            if let victim = Bool.random(using: &generator) ? note : book as ManagedObject? {
                context.delete(victim)
            }
        }
    }
}
