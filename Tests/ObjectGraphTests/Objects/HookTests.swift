import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Hooks (§2.3)` {
    @Test func `awakeFromInsert may set anything (§2.3.1)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            journal.on("awakeFromInsert") { note in
                note.text = "set"
                note.setPrimitiveValue(9, of: Note.count)
            }
            try store.run { context in
                _ = Note(context: context)
                try context.save()
                context.reset()
                let note = try context.notes()[0]
                #expect(note.text == "set" && note.count == 9)
            }
        }
    }

    @Test func `awakeFromFetch runs with each fault and makes no change (§2.3.2, §2.11.6, §3.2.3)`()
        throws
    {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let notebook = Notebook(context: context)
                context.makeNote("a", in: notebook)
                try context.save()
                context.reset()
                _ = journal.take()
                journal.on("awakeFromFetch") { note in
                    note.count = 100
                    note.mood = "just read"
                }
                let note = try context.notes()[0]
                #expect(journal.take() == [])
                #expect(note.count == 100 && note.mood == "just read")
                #expect(journal.take() == ["awakeFromFetch"])
                #expect(!note.hasChanges && !context.hasChanges)
                context.refresh(note, mergeChanges: true)
                #expect(note.text == "a")
                #expect(
                    journal.take() == ["willTurnIntoFault", "didTurnIntoFault", "awakeFromFetch"])

                journal.on("awakeFromFetch") { $0.notebook = nil }
                context.refresh(note, mergeChanges: true)
                let owner = try #require(try context.all("Notebook")[0] as? Notebook)
                #expect(note.notebook == nil)
                #expect(owner.notes == [note], "the inverse is left alone")
                #expect(!owner.hasChanges && !note.hasChanges)
            }
        }
    }

    @Test func `awake(fromSnapshotEvents:) says why (§2.3.3)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = context.makeNote("a")
                try context.save()
                func reasons(_ body: () throws -> Void) rethrows -> [String] {
                    _ = journal.take()
                    try body()
                    return journal.take().filter { $0.hasPrefix("awake ") }
                }
                note.text = "b"
                #expect(reasons { context.refresh(note, mergeChanges: true) } == ["awake 32"])
                #expect(reasons { context.rollback() } == ["awake 16"])
                context.undoManager = UndoManager()
                note.text = "c"
                #expect(reasons { context.undo() } == ["awake 8"])
                #expect(reasons { context.redo() } == ["awake 8"])
                context.delete(note)
                #expect(reasons { context.undo() } == ["awake 4"])
                let other = context.makeNote("d")
                #expect(reasons { context.undo() } == ["awake 2"])
                #expect(other.managedObjectContext == nil)
            }
        }
    }

    @Test func `prepareForDeletion still reads relationships, of cascaded objects too (§2.3.4)`()
        throws
    {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let notebook = Notebook(context: context)
                for text in ["a", "b"] { context.makeNote(text, in: notebook) }
                try context.save()
                _ = journal.take()
                let owners = Journal()
                journal.on("prepareForDeletion") { note in
                    if note.text == "a" { #expect(note.tags.isEmpty && note.isDeleted) }
                    owners.report()
                }
                context.delete(notebook)
                #expect(journal.take() == [])
                context.processPendingChanges()
                #expect(journal.take() == ["prepareForDeletion", "prepareForDeletion"])
                context.rollback()
                journal.on("prepareForDeletion") { #expect($0.notebook != nil) }
                context.delete(notebook.notes[0])
                context.processPendingChanges()
                #expect(journal.take().last == "prepareForDeletion")
            }
        }
    }

    @Test func `prepareForDeletion is called by the deletion itself, each time (§2.3.4)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = context.makeNote("a")
                try context.save()
                for _ in 0..<2 {
                    _ = journal.take()
                    context.delete(note)
                    #expect(journal.take() == ["prepareForDeletion"])
                    context.rollback()
                }
            }
        }
    }

    @Test func `willSave and didSave enclose the validation (§2.3.5, §2.3.6, §2.3.7)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let (changed, deleted) = (context.makeNote("a"), context.makeNote("b"))
                _ = journal.take()
                try context.save()
                #expect(
                    journal.take() == [
                        "willSave", "willSave", "validateForInsert", "validateForInsert", "didSave",
                        "didSave",
                    ])
                changed.text = "c"
                context.delete(deleted)
                try context.save()
                #expect(
                    journal.take() == [
                        "prepareForDeletion", "willSave", "willSave", "validateForUpdate",
                        "validateForDelete", "didSave", "didSave", "willTurnIntoFault",
                        "didTurnIntoFault",
                    ])
            }
        }
    }

    @Test func `what willSave sets is saved, and asked about again (§2.3.5, §5.1.3)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                journal.on("willSave") { note in if note.count < 5 { note.count += 1 } }
                context.makeNote("a")
                _ = journal.take()
                try context.save()
                #expect(journal.take().count { $0 == "willSave" } == 5)
                context.reset()
                #expect(try context.notes()[0].count == 5)
            }
        }
    }

    @Test func `a primitive setter does not call willSave again (§2.3.5)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                journal.on("willSave") { note in
                    note.setPrimitiveValue(note.count + 1, of: Note.count)
                }
                context.makeNote("a")
                _ = journal.take()
                try context.save()
                #expect(journal.take().count { $0 == "willSave" } == 1)
                context.reset()
                #expect(try context.notes()[0].count == 2)
            }
        }
    }

    @Test func `a willSave that never ends is an error, and the context stays dirty (§2.3.5)`()
        throws
    {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context throws in
                journal.on("willSave") { $0.count += 1 }
                context.makeNote("a")
                let error = #expect(throws: SaveError.self) { try context.save() }
                guard case .endlessWillSave? = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(context.hasChanges)
            }
        }
    }

    @Test func `didSave runs after a save that succeeds only (§2.3.6)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = Note(context: context)
                #expect(throws: SaveError.self) { try context.save() }
                #expect(!journal.take().contains("didSave"))
                note.text = "a"
                journal.on("didSave") { $0.count = 50 }
                try context.save()
                #expect(journal.take().contains("didSave"))
                #expect(note.hasChanges, "what didSave sets is the next save's")
            }
        }
    }

    @Test func `turning into a fault is told before and after (§2.3.8)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = context.makeNote("a")
                try context.save()
                _ = journal.take()
                journal.on("willTurnIntoFault") { #expect($0.text == "a") }
                journal.on("didTurnIntoFault") { #expect($0.isFault) }
                context.refresh(note, mergeChanges: false)
                #expect(journal.take() == ["willTurnIntoFault", "didTurnIntoFault"])
                context.refresh(note, mergeChanges: false)
                #expect(journal.take() == [])
                _ = note.text
                _ = journal.take()
                context.reset()
                #expect(journal.take() == ["willTurnIntoFault", "didTurnIntoFault"])
            }
            try store.run { context in
                _ = try context.notes().map(\.text)
                _ = journal.take()
                context.sweep()
                #expect(journal.take() == ["willTurnIntoFault", "didTurnIntoFault"])
            }
        }
    }

    @Test func `a property that is not in the model makes no change (§2.3.9)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.remark = "mine"
            #expect(!note.hasChanges && !context.hasChanges)
        }
    }

    @Test func `a property can be observed (§2.3.10)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            let reports = Journal()
            let observation = try note.observe("text") { _ in reports.report() }
            note.text = "b"
            #expect(reports.take().count == 1)
            note.count = 3
            note.setPrimitiveValue("c", of: Note.text)
            #expect(reports.take().isEmpty)
            try note.setValue("d", forKey: "text")
            #expect(reports.take().count == 1)
            observation.cancel()
            note.text = "e"
            #expect(reports.take().isEmpty)

            let notebook = Notebook(context: context)
            let other = try notebook.observe("notes") { _ in reports.report() }
            note.notebook = notebook
            #expect(reports.take().count == 1)
            other.cancel()
            #expect(throws: PropertyError.self) { _ = try note.observe("none") { _ in } }
        }
    }
}
