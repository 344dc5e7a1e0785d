import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `States of an object (§2.4)` {
    @Test func `new, changed, deleted (§2.4.1, §2.4.2, §2.4.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            func states(_ note: Note) -> [Bool] {
                [note.isInserted, note.isUpdated, note.isDeleted]
            }
            let note = context.makeNote("a")
            #expect(states(note) == [true, false, false])
            note.text = "b"
            #expect(states(note) == [true, false, false])
            try context.save()
            #expect(states(note) == [false, false, false])
            note.text = "c"
            #expect(states(note) == [false, true, false])
            context.delete(note)
            #expect(states(note) == [false, false, true])
            try context.save()
            #expect(states(note) == [false, false, false])
        }
    }

    @Test func `hasChanges is a mere flag (§2.4.4, §14.10)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            #expect(note.hasChanges)
            try context.save()
            #expect(!note.hasChanges)
            note.mood = "glad"
            #expect(note.hasChanges)
            try context.save()
            note.text = "a"
            #expect(note.hasChanges)
        }
    }

    @Test func `hasPersistentChangedValues compares with the row (§2.4.5)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.mood = "glad"
            note.text = "a"
            #expect(!note.hasPersistentChangedValues)
            note.text = "b"
            #expect(note.hasPersistentChangedValues)
            note.text = "a"
            #expect(!note.hasPersistentChangedValues)
        }
    }

    @Test(arguments: ["toOne", "toMany", "manyToMany", "ordered"])
    func `hasPersistentChangedValues has relationships of every kind (§2.4.5)`(
        _ kind: String
    ) throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Item",
                    relationships: [
                        .toOne("toOne", "Part"), .toMany("toMany", "Part", inverse: "owner"),
                        .toMany("manyToMany", "Part", inverse: "owners"),
                        .toMany("ordered", "Part", inverse: "place", isOrdered: true),
                    ]),
                EntityDescription(
                    name: "Part",
                    relationships: [
                        .toOne("owner", "Item", inverse: "toMany"),
                        .toMany("owners", "Item", inverse: "manyToMany"),
                        .toOne("place", "Item", inverse: "ordered"),
                    ]),
            ]))
        try store.run { context in
            let (item, part) = (try context.insert("Item"), try context.insert("Part"))
            let other = try context.insert("Part")
            func value(_ member: ManagedObject) -> Any {
                if kind == "toOne" { return member }
                if kind == "ordered" { return [member] }
                return Set([member])
            }
            try item.setValue(value(part), forKey: kind)
            try context.save()
            #expect(!item.hasPersistentChangedValues)
            try item.setValue(value(other), forKey: kind)
            #expect(item.hasPersistentChangedValues)
            #expect(Array(item.changedValues().keys) == [kind])
            try context.save()
            #expect(!item.hasPersistentChangedValues)
            guard kind == "ordered" else { return }
            try item.setValue([other, part], forKey: kind)
            try context.save()
            try item.setValue([part, other], forKey: kind)
            #expect(item.hasPersistentChangedValues)
        }
    }

    @Test func `a will-save stamp sees changes of members alone (§2.4.5)`() throws {
        final class Stamped: ManagedObject {
            static let count = Attribute<Int>("count", default: 0)
            static let parts = ToMany<Stamped>("parts", inverse: whole)
            static let whole: ToOne<Stamped> = ToOne("whole")
            override class var managedProperties: [any ManagedProperty] { [count, parts, whole] }
            override func willSave() {
                guard hasPersistentChangedValues, changedValues()["count"] == nil else { return }
                self[Self.count] += 1
            }
        }
        let store = try StoreFixture(
            ManagedObjectModel(entities: [EntityDescription(Stamped.self)]))
        try store.run { context in
            let (whole, part) = (Stamped(context: context), Stamped(context: context))
            try context.save()
            let before = whole[Stamped.count]
            whole[Stamped.parts] = [part]
            try context.save()
            #expect(whole[Stamped.count] == before + 1)
        }
    }

    @Test func `primitive setters leave nothing to be saved`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.setPrimitiveValue("b", of: Note.text)
            #expect(!note.hasPersistentChangedValues && note.changedValues().isEmpty)
            note.count = 2
            #expect(note.hasPersistentChangedValues)
            #expect(Set(note.changedValues().keys) == ["text", "count"])
        }
    }

    @Test func `what fires no fault (§2.4.6, §2.4.7, §2.4.8, §2.4.9)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            notebook.notes = [context.makeNote("a")]
            try context.save()
            context.reset()
            let found = try #require(try context.all("Notebook")[0] as? Notebook)
            #expect(found.isFault)
            #expect(found.faultingState != 0)
            _ = (found.objectID, found.entity, found.managedObjectContext, found.hasChanges)
            _ = (found.isDeleted, found.isInserted, found.isUpdated, found.hashValue)
            #expect(found == found)
            #expect(found.description.contains("fault"))
            #expect(found.hasFault(forRelationshipNamed: "notes"))
            #expect(found.isFault)
            #expect(found.title == nil)
            #expect(!found.isFault && found.faultingState == 0)
            #expect(found.hasFault(forRelationshipNamed: "notes"))
            #expect(found.notes.count == 1)
            #expect(!found.hasFault(forRelationshipNamed: "notes"))
            #expect(found.notes[0].isFault)
        }
    }

    @Test func `an object leaves its context (§2.4.10)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notes = ["deleted", "rolled back", "reset"].map { context.makeNote($0) }
            context.delete(notes[0])
            try context.save()
            #expect(notes[0].managedObjectContext == nil)
            let new = context.makeNote("new")
            context.rollback()
            #expect(new.managedObjectContext == nil)
            context.reset()
            #expect(notes[2].managedObjectContext == nil)
            #expect(notes[2].text == "")
        }
        var other: ManagedObjectContext? = store.makeContext()
        let note = try other!.performAndWait { [other] in
            UncheckedObject(try #require(try other!.notes().first))
        }
        #expect(note.object.managedObjectContext != nil)
        other = nil
        #expect(note.object.managedObjectContext == nil)
    }

    private struct UncheckedObject: @unchecked Sendable {
        // @unchecked Sendable: only the thread of this test uses it.
        let object: ManagedObject
        init(_ object: ManagedObject) { self.object = object }
    }

    @Test func `one object for a row (§2.4.11)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            #expect(try context.notes()[0] === note)
            #expect(context.object(with: note.objectID) === note)
            let id = note.objectID
            let other = store.makeContext()
            try other.performAndWait {
                let found = try other.existingObject(with: id)
                #expect(found.objectID == id)
            }
            #expect(note == note && note != context.makeNote("a"))
        }
    }
}

@Suite struct `Changed and committed values (§2.5)` {
    @Test func `changedValues differ from the last save (§2.5.1)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            #expect(note.changedValues().keys.sorted() == ["text"], "the count is its default")
            try context.save()
            #expect(note.changedValues().isEmpty)
            let notebook = Notebook(context: context)
            note.text = "b"
            note.mood = "glad"
            note.count = 1
            note.notebook = notebook
            let changed = note.changedValues()
            #expect(changed.keys.sorted() == ["notebook", "text"])
            #expect(changed["text"] as? String == "b")
            #expect(changed["notebook"] as? Notebook === notebook)
            #expect(notebook.changedValues().keys.sorted() == ["notes"])
            note.notebook = nil
            note.setPrimitiveValue("a", of: Note.text)
            #expect(note.changedValues().isEmpty)
        }
    }

    @Test func `committedValues are those of the last save (§2.5.2)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            #expect(note.committedValues().allSatisfy { $0.value == nil })
            let tag = Tag(context: context)
            note.tags = [tag]
            try context.save()
            context.refreshAllObjects()
            note.text = "b"
            note.notebook = nil
            note.tags = [Tag(context: context)]
            let committed = note.committedValues()
            #expect(committed["text"] as? String == "a")
            #expect(committed["notebook"] as? Notebook === notebook)
            #expect(committed["tags"] as? Set<ManagedObject> == [tag])
            #expect(note.committedValues(forKeys: ["count", "none"]).keys.sorted() == ["count"])
            #expect(note.committedValues(forKeys: ["count"])["count"] as? Int32 == 1)
        }
    }

    @Test func `those of the event start anew when changes are processed (§2.5.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.text = "b"
            #expect(note.changedValuesForCurrentEvent().keys.sorted() == ["text"])
            context.processPendingChanges()
            #expect(note.changedValuesForCurrentEvent().isEmpty)
            note.count = 2
            note.tags = [Tag(context: context)]
            #expect(note.changedValuesForCurrentEvent().keys.sorted() == ["count", "tags"])
            #expect(note.changedValues().keys.sorted() == ["count", "tags", "text"])
        }
    }

    @Test func `the sets of a context include what is not processed yet (§2.5.4)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notes = ["a", "b"].map { context.makeNote($0) }
            #expect(context.insertedObjects == Set(notes))
            try context.save()
            #expect(!context.hasChanges)
            #expect(context.registeredObjects == Set(notes))
            notes[0].text = "c"
            context.delete(notes[1])
            #expect(context.updatedObjects == [notes[0]])
            #expect(context.deletedObjects == [notes[1]])
            #expect(context.insertedObjects.isEmpty)
            #expect(context.hasChanges)
        }
    }
}

@Suite struct `Objects that have left their context (§2.4)` {
    enum Departure: CaseIterable, CustomTestStringConvertible {
        case deletionSaved, insertionRolledBack, reset, storeRemoved, contextGone

        var testDescription: String { "\(self)" }
    }

    /// Runs the body with a detached note and its notebook, which is still registered unless all
    /// objects were detached.
    private func withDeparted(
        _ departure: Departure, _ body: @Sendable (Note, Notebook) throws -> Void
    ) throws {
        let store = try StoreFixture.notebook()
        var context: ManagedObjectContext? = store.makeContext()
        let handled = Recorder<any Error>()
        context!.faultHandler = { _, error in handled.values.append(error) }
        nonisolated(unsafe) var note: Note!
        nonisolated(unsafe) var notebook: Notebook!
        try context!.performAndWait { [context = context!] in
            notebook = Notebook(context: context)
            if departure != .insertionRolledBack {
                note = context.makeNote("a")
                try context.save()
            } else {
                try context.save()
                note = context.makeNote("a")
            }
            switch departure {
            case .deletionSaved:
                context.delete(note)
                try context.save()
            case .insertionRolledBack: context.rollback()
            case .reset: context.reset()
            case .storeRemoved:
                try store.coordinator.removePersistentStore(store.coordinator.persistentStores[0])
                try? context.save()
            case .contextGone: break
            }
        }
        if departure == .contextGone { context = nil }
        try body(note, notebook)
    }

    @Test(arguments: Departure.allCases)
    func `are read without a stop of the program`(departure: Departure) throws {
        try withDeparted(departure) { note, _ in
            #expect(note.managedObjectContext == nil)
            #expect(note.tags.isEmpty && note.notebook == nil)
            #expect(try [note].filter(ObjectPredicate("tags.@count == 0")) == [note])
            #expect(try note.satisfies(ObjectPredicate("notebook == nil")))
            let observation = try note.observe("text") { _ in }
            observation.cancel()
        }
    }

    @Test(arguments: Departure.allCases)
    func `are changed without a stop of the program, and nothing is saved`(
        departure: Departure
    ) throws {
        try withDeparted(departure) { note, notebook in
            note.text = "b"
            note.notebook = notebook
            note.tags = []
            notebook.notes = [note]
            notebook.title = "c"
            #expect(note.text == "b")
            #expect(!notebook.notes.contains(note))
        }
    }

    @Test func `changing them tells the fault handler`() throws {
        let store = try StoreFixture.notebook()
        let handled = Recorder<DetachedObjectError>()
        store.context.faultHandler = { _, error in
            if let error = error as? DetachedObjectError { handled.values.append(error) }
        }
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            context.reset()
            note.text = "b"
            note.add(Tag(context: context), to: Note.tags)
            context.delete(note)
            context.insert(note)
            #expect(handled.values.map(\.objectID) == Array(repeating: note.objectID, count: 4))
            #expect(handled.values[0].localizedDescription.contains("is in no context"))
            try context.save()
            #expect(try context.notes().map(\.text) == ["a"])
        }
    }
}
