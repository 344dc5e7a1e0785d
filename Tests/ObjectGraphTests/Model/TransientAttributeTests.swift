import Testing

@testable import ObjectGraph

@Suite struct `Transient attributes (§1.3)` {
    @Test func `no column, and no persistent change (§1.3.20)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.mood = "glad"
            #expect(note.mood == "glad")
            #expect(note.hasChanges && context.hasChanges)
            #expect(!note.hasPersistentChangedValues)
            #expect(note.changedValues().isEmpty)
        }
        #expect(
            try store.sql("SELECT 1 FROM pragma_table_info('ZNOTE') WHERE name = 'ZMOOD'").isEmpty)
    }

    @Test func `takes part in undo (§1.3.20)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            context.undoManager = UndoManager()
            note.mood = "glad"
            context.undo()
            #expect(note.mood == "calm")
            context.redo()
            #expect(note.mood == "glad")
        }
    }

    @Test func `saving it alone writes nothing and keeps it (§1.3.21, §14.10)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = context.makeNote("a")
                try context.save()
                note.mood = "glad"
                _ = journal.take()
                #expect(try store.statements { try context.save() } == 0)
                #expect(journal.take() == ["willSave", "validateForUpdate", "didSave"])
                #expect(!context.hasChanges)
                #expect(note.mood == "glad")
            }
        }
        #expect(try store.sql("SELECT Z_OPT FROM ZNOTE") == [["1"]])
    }

    @Test func `goes back to its default with refresh and reset (§1.3.22)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            note.mood = "glad"
            try context.save()
            context.refresh(note, mergeChanges: false)
            #expect(note.mood == "calm")
            note.mood = "sad"
            try context.save()
            context.refreshAllObjects()
            #expect(note.mood == "calm")
            note.mood = "sad"
            context.reset()
            #expect(try context.notes()[0].mood == "calm")
        }
    }

    @Test func `a rollback goes back to what it was at the save`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            note.mood = "glad"
            try context.save()
            note.mood = "sad"
            #expect(note.committedValues(forKeys: ["mood"])["mood"] as? String == "glad")
            context.rollback()
            #expect(note.mood == "glad")
        }
    }

    @Test func `a child's save takes it to the parent (§1.3.23)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        let id = try child.performAndWait {
            let note = child.makeNote("a")
            note.mood = "glad"
            try child.save()
            return note.objectID
        }
        store.run { context in
            #expect((context.object(with: id) as? Note)?.mood == "glad")
        }
        try child.performAndWait {
            let note = try #require(child.object(with: id) as? Note)
            note.mood = "sad"
            try child.save()
            child.reset()
            #expect((child.object(with: id) as? Note)?.mood == "calm")
        }
        store.run { context in
            #expect((context.object(with: id) as? Note)?.mood == "sad")
        }
    }

    @Test func `SQL cannot be asked about it, memory can (§1.3.24, §11.3.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let request = FetchRequest(
                entityName: "Note", predicate: try ObjectPredicate("mood == 'calm'"))
            #expect(throws: FetchError.transientKeyNotAllowedHere("mood", entity: "Note")) {
                _ = try context.fetch(request, as: Note.self)
            }
            let sorted = FetchRequest(entityName: "Note", sortKeys: [.ascending("mood")])
            #expect(throws: FetchError.transientKeyNotAllowedHere("mood", entity: "Note")) {
                _ = try context.fetch(sorted, as: Note.self)
            }
            let predicate = try CompiledPredicate(
                try #require(request.predicate),
                entity: try #require(context.model.entity(named: "Note")),
                model: context.model)
            let note = context.makeNote("a")
            #expect(predicate.matches(ObjectSubject(object: note)))
            note.mood = "glad"
            #expect(!predicate.matches(ObjectSubject(object: note)))
        }
    }
}
