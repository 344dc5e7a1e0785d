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
        try await context.perform(schedule: .enqueued) { _ = context.makeNote("b") }
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
        let counts = try await context.perform(schedule: .enqueued) {
            told.values.map(\.inserted.count)
        }
        observation.cancel()
        #expect(counts == [2])
    }
}

@Suite struct `Inverses (§2.11)` {
    @Test func `a to-one moves the object (§2.10.3, §2.11.1, §14.12)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            let (first, second) = (Notebook(context: context), Notebook(context: context))
            let note = context.makeNote("a", in: first)
            #expect(first.notes == [note])
            note.notebook = second
            #expect(first.notes.isEmpty && second.notes == [note])
            note.notebook = nil
            #expect(second.notes.isEmpty)
        }
    }

    @Test func `one to one takes the other away (§2.11.1)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(name: "A", relationships: [.toOne("b", "B", inverse: "a")]),
                EntityDescription(name: "B", relationships: [.toOne("a", "A", inverse: "b")]),
            ]))
        try store.run { context in
            let a = try [context.insert("A"), context.insert("A")]
            let b = try [context.insert("B"), context.insert("B")]
            func partner(_ object: ManagedObject, _ key: String) throws -> ManagedObject? {
                try object.value(forKey: key) as? ManagedObject
            }
            try a[0].setValue(b[0], forKey: "b")
            try a[1].setValue(b[1], forKey: "b")
            try a[0].setValue(b[1], forKey: "b")
            #expect(try partner(b[1], "a") === a[0])
            #expect(try partner(b[0], "a") == nil)
            #expect(try partner(a[1], "b") == nil)
            try context.save()
            context.reset()
        }
        #expect(try store.sql("SELECT count(ZB) FROM ZA") == [["1"]])
        #expect(try store.sql("SELECT count(ZA) FROM ZB") == [["1"]])
    }

    @Test func `adding, removing and assigning do the same (§2.11.2)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            let note = context.makeNote("a")
            let tags = (0..<3).map { _ in Tag(context: context) }
            note.add(tags[0], to: Note.tags)
            #expect(tags[0].notes == [note])
            note.tags = [tags[1], tags[2]]
            #expect(tags[0].notes.isEmpty && tags[1].notes == [note])
            note.remove(tags[1], from: Note.tags)
            #expect(tags[1].notes.isEmpty && tags[2].notes == [note])
            let notebook = Notebook(context: context)
            notebook.notes = [note]
            #expect(note.notebook === notebook)
        }
    }

    @Test func `both sides change, and both versions count on (§2.11.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a")
            let tag = Tag(context: context)
            try context.save()
            note.notebook = notebook
            note.tags = [tag]
            #expect(context.updatedObjects == [note, notebook, tag])
            try context.save()
        }
        for table in ["ZNOTEBOOK", "ZNOTE", "ZTAG"] {
            #expect(try store.sql("SELECT Z_OPT FROM \(table)") == [["2"]])
        }
    }

    @Test func `the other side is not read for it (§2.11.4)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            for text in ["a", "b"] { context.makeNote(text, in: notebook) }
            try context.save()
            let id = notebook.objectID
            context.reset()
            let found = try #require(context.object(with: id) as? Notebook)
            let statements = store.statements { context.makeNote("c").notebook = found }
            #expect(statements == 0)
            #expect(found.hasFault(forRelationshipNamed: "notes"))
            #expect(found.notes.map(\.text) == ["a", "b", "c"])
        }
    }

    @Test func `objects of different contexts stop the program (§2.11.5)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture.notebook()
            let other = store.makeContext()
            store.run { context in
                context.makeNote("a").notebook = Notebook(context: other)
            }
        }
        #expect(result.message.contains("look it up here by its objectID"), "\(result.message)")
    }

    @Test func `primitive setters leave the inverse alone (§2.11.6)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a")
            try context.save()
            try note.setPrimitiveValue(notebook, forKey: "notebook")
            #expect(note.notebook === notebook)
            #expect(notebook.notes.isEmpty)
            #expect(!note.hasChanges && !notebook.hasChanges)
            #expect(note.primitiveValue(of: Note.text) == "a")
        }
    }
}

@Suite struct `Retention (§2.12)` {
    @Test func `what nobody holds leaves when it is clean (§2.12.1, §14.4)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            for text in ["a", "b", "c"] { context.makeNote(text) }
            #expect(context.registeredObjects.count == 3)
            try context.save()
            #expect(context.registeredObjects.isEmpty)
            let held = try context.notes()[0]
            #expect(context.registeredObjects == [held])
            do { try context.notes()[1].text = "changed" }
            #expect(context.registeredObjects.count == 2)
            context.retainsRegisteredObjects = true
            _ = try context.notes()
            #expect(context.registeredObjects.count == 3)
        }
    }

    @Test(arguments: ["fetch", "identifier", "existing"])
    func `what nobody holds takes the newest values when it is asked for again (§2.12.1)`(
        way: String
    ) throws {
        let store = try StoreFixture.notebook()
        let id = try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            return note.objectID
        }
        let other = store.makeContext()
        @Sendable func note(in context: ManagedObjectContext) throws -> Note {
            switch way {
            case "fetch": try context.notes()[0]
            case "identifier": context.object(with: id) as! Note
            default: try context.existingObject(with: id) as! Note
            }
        }
        try store.run { context in
            #expect(try note(in: context).text == "a")
            try other.performAndWait {
                try note(in: other).text = "b"
                try other.save()
            }
            let held = try note(in: context)
            #expect(held.text == "b")
            try other.performAndWait {
                try note(in: other).text = "c"
                try other.save()
            }
            #expect(try note(in: context).text == "b")
            context.refresh(held, mergeChanges: false)
            held.text = "d"
            try context.save()
        }
    }

    @Test func `relationships in a circle keep each other until refreshed (§2.12.2)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.makeNote("a").tags = [Tag(context: context)]
            try context.save()
            context.reset()
            do {
                let note = try context.notes()[0]
                #expect(note.tags.first?.notes == [note])
            }
            #expect(context.registeredObjects.count == 2)
            context.refreshAllObjects()
            #expect(context.registeredObjects.isEmpty)
        }
    }
}
