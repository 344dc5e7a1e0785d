import Testing

@testable import ObjectGraph

@Suite struct `What undo brings back (§2.9)` {
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

    /// A saved note with a changed text, and its tag; another context deletes the note.
    private func changed(
        _ store: StoreFixture, _ context: ManagedObjectContext
    ) throws -> (note: Note, tag: Tag, deletion: ObjectChanges) {
        let note = context.makeNote("a")
        let tag = Tag(context: context)
        tag.notes = [note]
        try context.save()
        context.undoManager?.removeAllActions()
        note.text = "b"
        tag.notes = []
        tag.name = "x"
        try context.save()
        let (id, other) = (note.objectID, store.makeContext())
        try other.performAndWait {
            other.delete(other.object(with: id))
            try other.save()
        }
        return (note, tag, ObjectChanges(deleted: [id]))
    }

    @Test(arguments: [false, true])
    func `undoing a change does not bring back what others have deleted (§4.4.10)`(
        isSaved: Bool
    ) throws {
        let store = try undoable()
        try store.run { context in
            let (note, tag, deletion) = try changed(store, context)
            context.mergeChanges(deletion)
            if isSaved { try context.save() }
            context.undo()
            #expect(isSaved ? note.managedObjectContext == nil : note.isDeleted)
            #expect(tag.name == nil && tag.notes.isEmpty)
            #expect(context.insertedObjects.isEmpty)
            try context.save()
            context.redo()
            #expect(tag.name == "x")
            try context.save()
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE") == [["0"]])
    }

    @Test(arguments: [false, true])
    func `undoing a deletion does not bring back what others have deleted too (§4.4.10)`(
        isOneEvent: Bool
    ) throws {
        let store = try undoable()
        try store.run { context in
            let (note, _, deletion) = try changed(store, context)
            context.delete(note)
            if !isOneEvent { context.processPendingChanges() }
            context.mergeChanges(deletion)
            context.undo()
            #expect(note.isDeleted)
            try context.save()
            #expect(note.managedObjectContext == nil)
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE") == [["0"]])
    }

    @Test func `a deletion that was not registered survives an undo (§2.9.5)`() throws {
        let store = try undoable()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.text = "b"
            context.processPendingChanges()
            context.undoManager?.disableUndoRegistration()
            context.delete(note)
            context.processPendingChanges()
            context.undoManager?.enableUndoRegistration()
            context.undo()
            #expect(note.isDeleted)
            try context.save()
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE") == [["0"]])
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
            #expect(!note.state.flags.contains(.changedInEvent))
            context.delete(note)
            context.processPendingChanges()
            #expect(note.managedObjectContext == nil)
            context.undo()
            #expect(context.insertedObjects == [note] && note.text == "b")
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
}
