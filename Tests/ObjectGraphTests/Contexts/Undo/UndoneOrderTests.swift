import Testing

@testable import ObjectGraph

@Suite struct `Undone orders (§2.9)` {
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
}
