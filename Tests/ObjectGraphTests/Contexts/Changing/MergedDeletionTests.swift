import Testing

@testable import ObjectGraph

/// A view beside an editor that deletes a notebook with its note, and brings both back.
@Suite struct `Merged deletions (§4.4)` {
    let store: StoreFixture
    let view: ManagedObjectContext
    let editor: ManagedObjectContext
    let saves = Recorder<ObjectChanges>()

    init() throws {
        store = try StoreFixture(notebookModel, tracksHistory: true)
        view = store.makeContext()
        let editor = store.makeContext()
        editor.performAndWait { editor.undoManager = UndoManager() }
        self.editor = editor
    }

    /// Saves a notebook with a note.
    private func saveNotebook() throws -> (notebook: ManagedObjectID, note: ManagedObjectID) {
        try editor.performAndWait {
            let notebook = Notebook(context: editor)
            notebook.title = "n"
            let note = editor.makeNote("a", in: notebook)
            try editor.save()
            editor.undoManager?.removeAllActions()
            return (notebook.objectID, note.objectID)
        }
    }

    /// The changes of the editor's saves in the body.
    private func changes(_ body: @Sendable () throws -> Void) throws -> [ObjectChanges] {
        saves.values = []
        let observation = editor.observe {
            if case .didSave(let changes) = $0 { saves.values.append(changes) }
        }
        defer { observation.cancel() }
        try editor.performAndWait(body)
        return saves.values
    }

    private func deleteAndBringBack(_ id: ManagedObjectID) throws {
        editor.delete(editor.object(with: id))
        try editor.save()
        editor.undo()
        try editor.save()
    }

    private func storedCounts() throws -> [[String?]] {
        try store.sql("SELECT (SELECT count(*) FROM ZNOTEBOOK), (SELECT count(*) FROM ZNOTE)")
    }

    enum Way: CaseIterable { case automatic, allAtOnce, oneByOne, history, toContexts }

    @Test(arguments: Way.allCases, [false, true])
    func `a save keeps a row that others have deleted and brought back (§4.4.11)`(
        way: Way, isHeld: Bool
    ) throws {
        let id = try saveNotebook().notebook
        let token = try store.coordinator.currentPersistentHistoryToken()
        let held = try view.performAndWait {
            view.automaticallyMergesChangesFromParent = way == .automatic
            let notebook = try #require(try view.existingObject(with: id) as? Notebook)
            #expect(notebook.notes.map(\.text) == ["a"])
            return isHeld ? [ObjectBox(object: notebook)] : []
        }
        let saved = try changes {
            editor.delete(editor.object(with: id))
            try editor.save()
            if way == .oneByOne { view.performAndWait { view.mergeChanges(saves.values[0]) } }
            editor.undo()
            try editor.save()
        }
        try view.performAndWait {
            switch way {
            case .automatic: break
            case .allAtOnce: saved.forEach(view.mergeChanges)
            case .oneByOne: view.mergeChanges(saved[1])
            case .history:
                for transaction in try view.fetchHistory(
                    PersistentHistoryRequest(after: .token(token)))
                {
                    view.mergeChanges(transaction.objectChanges)
                }
            case .toContexts:
                for changes in saved {
                    ManagedObjectContext.mergeChanges(changes, into: [view])
                }
            }
            #expect(view.deletedObjects.isEmpty && !view.hasChanges)
            Notebook(context: view).title = "unrelated"
            try view.save()
            let found = try #require(view.object(with: id) as? Notebook)
            #expect(found.notes.map(\.text) == ["a"] && !found.isDeleted)
            if isHeld { #expect(held[0].object === found) }
        }
        #expect(try storedCounts() == [["2", "1"]])
    }

    @Test func `a list shows a row that is back (§4.4.11, §10.2)`() throws {
        let id = try saveNotebook().note
        try view.performAndWait {
            let list = FetchedResultsController<Note>(
                FetchRequest(entityName: "Note", sortKeys: [.ascending("text")]), in: view)
            let follower = Follower()
            list.delegate = follower
            try list.performFetch()
            let saved = try changes {
                editor.delete(editor.object(with: id))
                try editor.save()
                view.mergeChanges(saves.values[0])
                #expect(list.count == 0)
                editor.undo()
                try editor.save()
            }
            view.mergeChanges(saved[1])
            #expect(list.fetchedObjects?.map(\.text) == ["a"])
            #expect(follower.changeCounts == [1, 1])
        }
    }

    @Test func `a save writes and reports nothing for a merged deletion (§4.4.12)`() throws {
        let id = try saveNotebook().note
        try view.performAndWait { _ = try view.existingObject(with: id).objectID }
        let note = view.performAndWait { ObjectBox(object: view.object(with: id)) }
        let saved = try changes {
            editor.delete(editor.object(with: id))
            try editor.save()
        }
        let reported = Recorder<ObjectChanges>()
        let observation = view.observe {
            if case .didSave(let changes) = $0 { reported.values.append(changes) }
        }
        try view.performAndWait {
            _ = (note.object as? Note)?.count
            view.mergeChanges(saved[0])
            #expect(view.deletedObjects == [note.object])
            let statements = try store.statements { try view.save() }
            #expect(statements == 0)
        }
        observation.cancel()
        #expect(reported.values.map(\.deleted) == [[]])
    }

    @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .overwrite])
    func `a deletion is not merged if this context has brought the row back (§4.4.11, §5.3.9)`(
        policy: MergePolicy
    ) throws {
        let id = try saveNotebook().note
        let saved = try view.performAndWait {
            view.mergePolicy = policy
            let note = try #require(try view.existingObject(with: id) as? Note)
            note.count = 7
            let saved = try changes {
                editor.delete(editor.object(with: id))
                try editor.save()
            }
            try view.save()
            return saved
        }
        try view.performAndWait {
            let note = view.object(with: id) as! Note
            view.mergeChanges(saved[0])
            #expect(!note.isDeleted && note.count == 7)
            ManagedObjectContext.mergeChanges(saved[0], into: [view])
            #expect(!note.isDeleted && note.count == 7)
            note.text = "later"
            try view.save()
        }
        #expect(try store.sql("SELECT ZTEXT, ZCOUNT FROM ZNOTE") == [["later", "7"]])
    }

    @Test func `a deletion of its own does not undo what undo has brought back (§4.4.11)`() throws {
        let id = try saveNotebook().note
        let token = try store.coordinator.currentPersistentHistoryToken()
        try editor.performAndWait {
            editor.delete(editor.object(with: id))
            try editor.save()
            editor.undo()
            for transaction in try editor.fetchHistory(
                PersistentHistoryRequest(after: .token(token)))
            {
                editor.mergeChanges(transaction.objectChanges)
            }
            #expect(editor.insertedObjects.map(\.objectID) == [id])
            try editor.save()
        }
        #expect(try storedCounts() == [["1", "1"]])
    }

    @Test(arguments: [false, true])
    func `a deletion made here remains one if the row is brought back (§4.4.13)`(
        isBackMerged: Bool
    ) throws {
        let id = try saveNotebook().note
        try view.performAndWait {
            let note = try #require(try view.existingObject(with: id) as? Note)
            _ = note.count
            view.delete(note)
            view.processPendingChanges()
            let saved = try changes { try deleteAndBringBack(id) }
            for changes in saved.prefix(isBackMerged ? 2 : 1) { view.mergeChanges(changes) }
            #expect(view.deletedObjects.contains(note))
            if isBackMerged {
                try view.save()
            } else {
                let error = #expect(throws: SaveError.self) { try view.save() }
                #expect(error?.code == 133020)
            }
        }
        #expect(try storedCounts() == [["1", isBackMerged ? "0" : "1"]])
    }

    @Test(arguments: [Way.automatic, .allAtOnce, .toContexts])
    func `an object deleted here takes what others have changed (§4.4.13, §2.8.8)`(
        way: Way
    ) throws {
        let id = try saveNotebook().note
        let note = try view.performAndWait {
            view.automaticallyMergesChangesFromParent = way == .automatic
            let note = try #require(try view.existingObject(with: id) as? Note)
            #expect(note.count == 1)
            view.delete(note)
            view.processPendingChanges()
            return ObjectBox(object: note)
        }
        let saved = try changes {
            (editor.object(with: id) as! Note).count = 5
            try editor.save()
        }
        try view.performAndWait {
            switch way {
            case .allAtOnce: view.mergeChanges(saved[0])
            case .toContexts: ManagedObjectContext.mergeChanges(saved[0], into: [view])
            case .automatic, .oneByOne, .history: break
            }
            let note = note.object as! Note
            #expect(note.isDeleted)
            view.rollback()
            #expect(note.count == 5 && !note.isDeleted)
            note.text = "b"
            try view.save()
            view.delete(note)
            try view.save()
        }
        #expect(try storedCounts() == [["1", "0"]])
    }

    @Test func `the deletion of an object that others have changed can be saved (§4.4.13)`() throws
    {
        let id = try saveNotebook().note
        try view.performAndWait {
            let note = try #require(try view.existingObject(with: id) as? Note)
            view.delete(note)
            view.mergeChanges(
                try changes {
                    (editor.object(with: id) as! Note).count = 5
                    try editor.save()
                }[0])
            try view.save()
        }
        #expect(try storedCounts() == [["1", "0"]])
    }

    @Test func `news that are older than a deletion bring nothing back (§4.4.11)`() throws {
        let id = try saveNotebook().note
        try view.performAndWait {
            let note = try #require(try view.existingObject(with: id) as? Note)
            let saved = try changes {
                (editor.object(with: id) as! Note).count = 5
                try editor.save()
                editor.delete(editor.object(with: id))
                try editor.save()
            }
            view.mergeChanges(saved[1])
            view.mergeChanges(saved[0])
            #expect(view.deletedObjects == [note])
            try view.save()
        }
        #expect(try storedCounts() == [["1", "0"]])
    }
}

private final class Follower: FetchedResultsDifferenceDelegate {
    var changeCounts: [Int] = []

    func controller(
        _ controller: FetchedResultsController<Note>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>
    ) {
        changeCounts.append(difference.count)
    }
}
