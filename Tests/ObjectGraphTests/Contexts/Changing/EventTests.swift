import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Pending changes (§2.10)` {
    @Test func `are processed at the end of perform, not of performAndWait (§2.10.1)`() async throws
    {
        let store = try StoreFixture.notebook()
        let context = store.context
        let journal = Journal()
        let observation = context.observe { notification in
            if case .objectsDidChange = notification { journal.report() }
        }
        store.run { context in _ = context.makeNote("a") }
        #expect(journal.take().isEmpty)
        store.run { $0.processPendingChanges() }
        #expect(journal.take().count == 1)
        await context.perform(schedule: .enqueued) { _ = context.makeNote("b") }
        #expect(journal.take().count == 1)
        try store.run { context in
            context.makeNote("c")
            try context.save()
        }
        #expect(journal.take().count == 1)
        store.run { context in
            context.makeNote("d")
            context.undoManager = UndoManager()
            context.undo()
        }
        #expect(!journal.take().isEmpty)
        observation.cancel()
    }

    @Test func `deletions, hooks, then the notification (§2.10.2)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let notebook = Notebook(context: context)
                for text in ["a", "b"] { context.makeNote(text, in: notebook) }
                try context.save()
                _ = journal.take()
                context.undoManager = UndoManager()
                let observation = context.observe { [weak context] notification in
                    guard case .objectsDidChange(let changes) = notification else { return }
                    #expect(changes.deleted.count == 3)
                    #expect(context?.undoManager?.canUndo == true)
                    journal.report()
                }
                context.delete(notebook)
                context.processPendingChanges()
                #expect(journal.take() == ["prepareForDeletion", "prepareForDeletion", "report"])
                context.processPendingChanges()
                #expect(journal.take().isEmpty)
                observation.cancel()
            }
        }
    }
}

@Suite struct `What observers are told (§2.10, §4.5)` {
    /// The notifications of an event of its own, after `prepare` has ended one.
    private func changes(
        _ prepare: @Sendable (ManagedObjectContext) throws -> Void = { _ in },
        _ change: @Sendable (ManagedObjectContext) throws -> Void
    ) throws -> [ObjectChanges] {
        let store = try StoreFixture.notebook()
        let posted = Recorder<ObjectChanges>()
        try store.run { context in
            context.undoManager = UndoManager()
            try prepare(context)
            context.processPendingChanges()
            let observation = context.observe { notification in
                if case .objectsDidChange(let changes) = notification {
                    posted.values.append(changes)
                }
            }
            try change(context)
            context.processPendingChanges()
            observation.cancel()
        }
        return posted.values
    }

    private func onlyNote(_ context: ManagedObjectContext) -> Note {
        context.insertedObjects.first { $0 is Note } as! Note
    }

    @Test func `a new object is inserted once, then updated`() throws {
        let told = try changes { context in
            let note = context.makeNote("a")
            context.processPendingChanges()
            note.text = "b"
        }

        #expect(told.map(\.inserted.count) == [1, 0])
        #expect(told.map(\.updated.count) == [0, 1])
    }

    @Test(arguments: ["delete", "undo", "rollback", "cascade"])
    func `a new object that was told of and goes is deleted`(way: String) throws {
        let told = try changes { context in
            let notebook = way == "cascade" ? Notebook(context: context) : nil
            context.makeNote("a").notebook = notebook
        } _: { context in
            switch way {
            case "delete": context.delete(onlyNote(context))
            case "undo": context.undo()
            case "rollback": context.rollback()
            default: context.delete(onlyNote(context).notebook!)
            }
        }

        #expect(told.count == 1)
        #expect(told.first?.inserted == [] && told.first?.updated == [])
        #expect(told.first?.deleted.count == (way == "cascade" ? 2 : 1))
    }

    @Test func `what comes and goes in one event is not told of`() throws {
        let told = try changes { context in context.delete(context.makeNote("a")) }

        #expect(told.isEmpty)
    }

    @Test func `a rollback of nothing is not told of`() throws {
        #expect(try changes { $0.rollback() }.isEmpty)
    }

    @Test func `a parent tells of what its child has inserted, then deleted`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        let posted = Recorder<ObjectChanges>()
        let observation = store.context.observe { notification in
            if case .objectsDidChange(let changes) = notification { posted.values.append(changes) }
        }
        try child.performAndWait {
            let note = child.makeNote("a")
            try child.save()
            child.delete(note)
            try child.save()
        }
        observation.cancel()

        #expect(posted.values.map(\.inserted.count) == [1, 0])
        #expect(posted.values.map(\.deleted.count) == [0, 1])
    }

    @Test func `the values of deleted objects can be read until their deletion was told`() throws {
        let store = try StoreFixture.notebook()
        let texts = Recorder<String>()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            let id = note.objectID
            let observation = context.observe { [unowned context] notification in
                guard case .didSave = notification,
                    let deleted = context.registeredObject(for: id) as? Note
                else { return }
                texts.values.append(deleted.text)
            }
            context.delete(note)
            try context.save()
            observation.cancel()
            #expect(note.managedObjectContext == nil && note.text == "")
        }

        #expect(texts.values == ["a"])
    }

    @Test func `an event of the main queue ends by itself`() async throws {
        let store = try StoreFixture.notebook()
        let told = Recorder<ObjectChanges>()
        let context = ManagedObjectContext(.mainQueue, coordinator: store.coordinator)
        let observation = context.observe { notification in
            if case .objectsDidChange(let changes) = notification { told.values.append(changes) }
        }
        await MainActor.run {
            _ = Note(context: context)
            _ = Note(context: context)
            #expect(told.values.isEmpty)
        }
        // Runs after the block that the first change enqueued.
        let counts = await context.perform(schedule: .enqueued) {
            told.values.map(\.inserted.count)
        }
        observation.cancel()
        #expect(counts == [2])
    }
}
