import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Undo (§2.9)` {
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
        let id = await context.perform { context.makeNote("a").objectID }
        await context.perform { (context.object(with: id) as? Note)?.text = "b" }
        await context.perform {
            context.undo()
            #expect((context.object(with: id) as? Note)?.text == "a")
        }
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
