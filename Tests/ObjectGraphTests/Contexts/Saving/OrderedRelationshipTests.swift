import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Ordered relationships (§1.5)` {
    private func texts(_ notes: [Note]) -> String { notes.map(\.text).joined() }

    @Test(arguments: [true, false])
    func `the order is kept (§1.5.2)`(inMemory: Bool) throws {
        let store = try StoreFixture.notebook(inMemory: inMemory)
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = ["c", "a", "b"].map { context.makeNote($0) }
            let tag = Tag(context: context)
            tag.notes = [notebook.notes[1], notebook.notes[0], notebook.notes[2]]
            try context.save()
            context.reset()
            let found = try #require(try context.all("Notebook")[0] as? Notebook)
            #expect(texts(found.notes) == "cab")
            let foundTag = try #require(try context.all("Tag")[0] as? Tag)
            #expect(texts(foundTag.notes) == "acb")
            #expect(try (found.value(forKey: "notes") as? [ManagedObject])?.count == 3)
        }
    }

    @Test(arguments: [true, false])
    func `moving members moves those alone (§1.5.2)`(inMemory: Bool) throws {
        let store = try StoreFixture.notebook(inMemory: inMemory)
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = "abcdef".map { context.makeNote(String($0)) }
            try context.save()
            let moved = notebook.notes[4]
            notebook.notes.remove(at: 4)
            #expect(texts(notebook.notes) == "abcdf")
            notebook.notes.insert(moved, at: 1)
            context.processPendingChanges()
            #expect(context.updatedObjects.contains(notebook))
            let changed = context.updatedObjects.filter { $0.hasPersistentChangedValues }
            #expect(changed == [moved, notebook])
            #expect(Array(notebook.changedValues().keys) == ["notes"])
            try context.save()
            context.reset()
            let found = try #require(try context.all("Notebook")[0] as? Notebook)
            #expect(texts(found.notes) == "aebcdf")
        }
    }

    @Test func `each end of a many-to-many is ordered for itself (§1.5.3)`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "A", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("b", "B", inverse: "a", isOrdered: true)]),
            EntityDescription(
                name: "B", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("a", "A", inverse: "b", isOrdered: true)]),
        ])
        for inMemory in [false, true] {
            let store = try StoreFixture(model, inMemory: inMemory)
            try store.run { context in
                let a = try ["1", "2", "3"].map { try context.insert("A", ["name": $0]) }
                let b = try ["x", "y"].map { try context.insert("B", ["name": $0]) }
                try a[0].setValue([b[1], b[0]], forKey: "b")
                try b[0].setValue([a[2], a[0], a[1]], forKey: "a")
                try context.save()
                context.reset()
                func names(_ object: ManagedObject, _ key: String) throws -> [String] {
                    try (object.value(forKey: key) as? [ManagedObject] ?? []).map {
                        try $0.value(forKey: "name") as? String ?? ""
                    }
                }
                #expect(try names(context.all("A", by: "name")[0], "b") == ["y", "x"])
                let x = try context.all("B", by: "name")[0]
                #expect(try names(x, "a") == ["3", "1", "2"])
                try x.setValue(
                    [context.all("A", by: "name")[1], context.all("A", by: "name")[2]], forKey: "a")
                try context.save()
                context.reset()
                #expect(try names(context.all("B", by: "name")[0], "a") == ["2", "3"])
                #expect(try names(context.all("A", by: "name")[0], "b") == ["y"])
            }
        }
    }

    @Test func `add appends without reading the others (§2.11.8)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let (notebook, tag) = (Notebook(context: context), Tag(context: context))
            notebook.notes = "ab".map { context.makeNote(String($0)) }
            tag.notes = notebook.notes
            let added = context.makeNote("c")
            try context.save()
            context.refreshAllObjects()
            let count = store.statements {
                notebook.add(added, to: Notebook.notes)
                tag.add(added, to: Tag.notes)
            }
            #expect(count == 0)
            #expect(texts(notebook.notes) == "abc" && texts(tag.notes) == "abc")
            #expect(added.notebook == notebook && added.tags == [tag])
            try context.save()
            context.reset()
            let found = try #require(try context.all("Notebook")[0] as? Notebook)
            #expect(texts(found.notes) == "abc")
            #expect(texts(try #require(found.notes[2].tags.first).notes) == "abc")
        }
    }

    @Test func `adding a member again leaves it where it is (§2.11.8)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let (notebook, tag) = (Notebook(context: context), Tag(context: context))
            notebook.notes = "ab".map { context.makeNote(String($0)) }
            tag.notes = notebook.notes
            let first = notebook.notes[0]
            try context.save()
            context.refreshAllObjects()
            notebook.add(first, to: Notebook.notes)
            tag.add(first, to: Tag.notes)
            #expect(texts(notebook.notes) == "ab" && texts(tag.notes) == "ab")
            try context.save()
            context.reset()
            let found = try #require(try context.all("Tag")[0] as? Tag)
            #expect(texts(found.notes) == "ab")
        }
    }

    @Test func `remove leaves the others in their order (§2.11.8)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let (notebook, tag) = (Notebook(context: context), Tag(context: context))
            notebook.notes = "abc".map { context.makeNote(String($0)) }
            tag.notes = notebook.notes
            let removed = notebook.notes[1]
            try context.save()
            context.refreshAllObjects()
            let count = store.statements {
                notebook.remove(removed, from: Notebook.notes)
                tag.remove(removed, from: Tag.notes)
            }
            #expect(count == 0)
            #expect(removed.notebook == nil && removed.tags.isEmpty)
            try context.save()
            context.reset()
            #expect(texts(try #require(try context.all("Notebook")[0] as? Notebook).notes) == "ac")
            #expect(texts(try #require(try context.all("Tag")[0] as? Tag).notes) == "ac")
        }
    }

    @Test func `the inverse appends (§2.11.7)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            for text in ["b", "c", "a"] { context.makeNote(text, in: notebook) }
            #expect(texts(notebook.notes) == "bca")
            try context.save()
            context.reset()
            let found = try #require(try context.all("Notebook")[0] as? Notebook)
            context.makeNote("x", in: found)
            #expect(texts(found.notes) == "bcax")
        }
    }

    @Test(arguments: [true, false])
    func `what has left stands at the end when the inverse brings it back (§2.11.7)`(
        hasUndo: Bool
    ) throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            if hasUndo { context.undoManager = UndoManager() }
            let notebook = Notebook(context: context)
            notebook.notes = "abc".map { context.makeNote(String($0)) }
            try context.save()
            let first = notebook.notes[0]
            first.notebook = nil
            context.processPendingChanges()
            context.refreshAllObjects()
            first.notebook = notebook
            #expect(texts(notebook.notes) == "bca")
            try context.save()
            context.reset()
            #expect(texts(try #require(try context.all("Notebook")[0] as? Notebook).notes) == "bca")
        }
    }

    @Test func `the inverse appends what others have put first meanwhile (§2.11.7)`() throws {
        let store = try StoreFixture.notebook()
        let other = store.makeContext()
        try store.run { context in
            let (notebook, elsewhere) = (Notebook(context: context), Notebook(context: context))
            notebook.notes = [context.makeNote("a")]
            let note = context.makeNote("x")
            try context.save()
            note.notebook = elsewhere
            context.processPendingChanges()
            let (id, noteID) = (notebook.objectID, note.objectID)
            try other.performAndWait {
                let notebook = try #require(other.object(with: id) as? Notebook)
                notebook.notes.insert(try #require(other.object(with: noteID) as? Note), at: 0)
                try other.save()
            }
            context.refreshAllObjects()
            note.notebook = notebook
            #expect(texts(notebook.notes) == "ax")
        }
    }

    /// A notebook with notes a, b and c is changed in this context and in another one, then merged
    /// and saved.
    ///
    /// - Returns: The order before the save, and the order read again after it.
    private func order(
        afterChange change: @escaping @Sendable (Notebook) -> Void,
        elsewhere: @escaping @Sendable (Notebook) -> Void
    ) throws -> (shown: String, stored: String) {
        let store = try StoreFixture.notebook()
        let other = store.makeContext()
        return try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = "abc".map { context.makeNote(String($0)) }
            try context.save()
            change(notebook)
            context.processPendingChanges()
            let id = notebook.objectID
            try other.performAndWait {
                elsewhere(try #require(other.object(with: id) as? Notebook))
                try other.save()
            }
            context.refreshAllObjects()
            let shown = texts(notebook.notes)
            try context.save()
            #expect(texts(notebook.notes) == shown)
            let places = try store.sql("SELECT Z_FOK_NOTEBOOK FROM ZNOTE")
            #expect(Set(places).count == places.count, "no two have the same (§8.3)")
            context.reset()
            let found = try #require(try context.all("Notebook")[0] as? Notebook)
            return (shown, texts(found.notes))
        }
    }

    @Test func `what moves here and what moves elsewhere are both at their new places (§5.4.9)`()
        throws
    {
        let (shown, stored) = try order {
            $0.notes = [$0.notes[2], $0.notes[0], $0.notes[1]]
        } elsewhere: {
            $0.notes = [$0.notes[1], $0.notes[2], $0.notes[0]]
        }
        #expect(shown == "cba" && stored == "cba")
    }

    @Test func `an event that leaves an order alone reads no members (§1.5.2)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = "ab".map { context.makeNote(String($0)) }
            try context.save()
            notebook.notes = notebook.notes.reversed()
            context.processPendingChanges()
            context.refreshAllObjects()
            notebook.title = "b before a"
            #expect(store.statements { context.processPendingChanges() } == 0)
            #expect(texts(notebook.notes) == "ba")
        }
    }

    @Test func `what two contexts put at the same place has the order that was shown (§5.4.9)`()
        throws
    {
        let (shown, stored) = try order {
            $0.notes.append($0.managedObjectContext!.makeNote("x"))
        } elsewhere: {
            $0.notes.append($0.managedObjectContext!.makeNote("y"))
        }
        #expect(Set([shown, stored]).count == 1 && ["abcxy", "abcyx"].contains(shown))
    }

    @Test func `a child's order reaches the parent and the store (§1.5.2)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try child.performAndWait {
            let notebook = Notebook(context: child)
            notebook.notes = "abc".map { child.makeNote(String($0)) }
            try child.save()
            notebook.notes = [notebook.notes[2], notebook.notes[0], notebook.notes[1]]
            try child.save()
        }
        try store.run { context in
            let notebook = try #require(try context.all("Notebook")[0] as? Notebook)
            #expect(texts(notebook.notes) == "cab")
            try context.save()
            context.reset()
            #expect(texts(try #require(try context.all("Notebook")[0] as? Notebook).notes) == "cab")
        }
    }

    @Test func `a child puts what the parent has taken out back where it was (§4.2.6)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = "ab".map { context.makeNote(String($0)) }
            try context.save()
            let (id, firstID) = (notebook.objectID, notebook.notes[0].objectID)
            notebook.notes[0].notebook = nil
            context.processPendingChanges()
            try child.performAndWait {
                let notebook = try #require(child.object(with: id) as? Notebook)
                let note = try #require(child.object(with: firstID) as? Note)
                notebook.notes.insert(note, at: 0)
                try child.save()
            }
            #expect(texts(notebook.notes) == "ab")
        }
    }

    @Test func `a save that fails leaves members alone that are gone (§5.1.12)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try store.run { context in
            let notebook = Notebook(context: context)
            try context.save()
            let id = notebook.objectID
            try child.performAndWait {
                let notebook = try #require(child.object(with: id) as? Notebook)
                notebook.notes = [child.makeNote("refused")]
                child.processPendingChanges()
            }
            notebook.notes = [context.makeNote("at the same place")]
            context.processPendingChanges()
            try child.performAndWait {
                child.refreshAllObjects()
                let notebook = try #require(child.object(with: id) as? Notebook)
                #expect(notebook.notes.count == 2)
            }
            context.rollback()
            try child.performAndWait {
                let errors = try child.validationErrors()
                #expect(errors.count == 1 && child.deletedObjects.isEmpty)
            }
        }
    }

    @Test func `a merge gives an unsaved order to the members that others have left (§4.4.5)`()
        throws
    {
        let store = try StoreFixture.notebook()
        let other = store.makeContext()
        try store.run { context in
            let tag = Tag(context: context)
            tag.notes = "abc".map { context.makeNote(String($0)) }
            let added = context.makeNote("d")
            try context.save()
            tag.notes = [tag.notes[2], tag.notes[0], tag.notes[1], added]
            let (id, removedID) = (tag.objectID, tag.notes[1].objectID)
            let changes = try other.performAndWait {
                let tag = try #require(other.object(with: id) as? Tag)
                let note = other.makeNote("e")
                tag.notes = Array(tag.notes.dropFirst()) + [note]
                try other.save()
                return ObjectChanges(inserted: [note.objectID], updated: [id, removedID])
            }
            context.mergeChanges(changes)
            #expect(texts(tag.notes) == "cbde")
            try context.save()
            context.reset()
            #expect(texts(try #require(try context.all("Tag")[0] as? Tag).notes) == "cbde")
        }
    }

    @Test func `a child's addition leaves the other members in the parent alone (§4.2.6)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try store.run { context in
            let tag = Tag(context: context)
            tag.notes = "abc".map { context.makeNote(String($0)) }
            let added = context.makeNote("d")
            try context.save()
            let (id, addedID) = (tag.objectID, added.objectID)
            try child.performAndWait {
                let tag = try #require(child.object(with: id) as? Tag)
                tag.notes.append(try #require(child.object(with: addedID) as? Note))
            }
            let removed = tag.notes.removeFirst()
            try child.performAndWait { try child.save() }
            #expect(texts(tag.notes) == "bcd")
            #expect(context.updatedObjects == [tag, added, removed])
            try context.save()
            context.reset()
            #expect(texts(try #require(try context.all("Tag")[0] as? Tag).notes) == "bcd")
        }
    }

    @Test func `what moves in a many-to-many is written alone (§1.5.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let tag = Tag(context: context)
            tag.notes = (0..<50).map { context.makeNote("\($0)") }
            try context.save()
            func statementsOfSave() throws -> Int64 {
                try store.statements { try context.save() }
            }
            tag.name = "renamed"
            let usual = try statementsOfSave()

            let moved = tag.notes[40]
            tag.notes = [moved] + tag.notes.filter { $0 !== moved }
            #expect(try statementsOfSave() == usual + 2, "one reads the places, one writes one")
            tag.notes.removeLast()
            let removed = try statementsOfSave()
            #expect(removed <= usual + 3, "the pair, the other end, the places")
            let order = tag.notes
            context.reset()
            let found = try #require(try context.all("Tag")[0] as? Tag)
            #expect(found.notes.map(\.objectID) == order.map(\.objectID))
        }
    }

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `a store that moves takes orders along (§11.5.4)`(
        fromMemory: Bool, toMemory: Bool
    ) throws {
        let store = try StoreFixture.notebook(inMemory: fromMemory)
        try store.run { context in
            let notes = "abc".map { context.makeNote(String($0)) }
            let (tag, other) = (Tag(context: context), Tag(context: context))
            (tag.name, other.name) = ("1", "2")
            tag.notes = [notes[2], notes[0], notes[1]]
            other.notes = [notes[1], notes[2]]
            try context.save()
        }
        try store.coordinator.migratePersistentStore(
            store.coordinator.persistentStores[0],
            to: toMemory ? .inMemory() : .sqlite(at: store.folder.url("moved.sqlite")))
        let context = store.makeContext()
        try context.performAndWait {
            let orders = try context.all("Tag", by: "name").map { texts(($0 as! Tag).notes) }
            #expect(orders == ["cab", "bc"])
        }
    }
}
