import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Observers of properties (§2.3)` {
    /// The values that an observer has read, in order.
    private final class Reader {
        private(set) var values: [String?] = []
        private var observation: PropertyObservation?

        init(_ note: Note, readsAtOnce: Bool = true) throws {
            observation = try note.observe("text") { [unowned self] note in
                values.append((note as! Note).isDetached ? nil : (note as! Note).text)
            }
            if readsAtOnce { _ = note.text }
        }

        func take() -> [String?] {
            defer { values = [] }
            return values
        }
    }

    /// A store whose context has a saved note, and can undo.
    private func withNote(
        _ body: @Sendable (StoreFixture, ManagedObjectContext, Note) throws -> Void
    ) throws {
        let store = try undoable()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            try body(store, context, note)
        }
    }

    @Test func `setters call the observer at once, also with an equal value (§2.3.10)`() throws {
        try withNote { _, _, note in
            let reader = try Reader(note)
            note.text = "b"
            note.text = "b"
            try note.setValue("c", forKey: "text")
            note.count = 3
            #expect(reader.take() == ["b", "b", "c"])
        }
    }

    @Test func `undo, redo and rollback call it once for another value (§2.3.11)`() throws {
        try withNote { _, context, note in
            let reader = try Reader(note)
            note.text = "b"
            context.processPendingChanges()
            #expect(reader.take() == ["b"])
            context.undo()
            #expect(reader.take() == ["a"])
            context.redo()
            #expect(reader.take() == ["b"])
            context.rollback()
            #expect(reader.take() == ["a"])
            note.count = 5
            context.rollback()
            context.processPendingChanges()
            #expect(reader.take() == [])
        }
    }

    @Test func `a merge calls it if the value is another one (§2.3.11)`() throws {
        try withNote { store, context, note in
            let id = note.objectID
            let reader = try Reader(note)
            func change(_ body: @Sendable (Note) -> Void) throws {
                let other = store.makeContext()
                let changes = Recorder<ObjectChanges>()
                let observation = other.observe {
                    if case .didSave(let saved) = $0 { changes.values.append(saved) }
                }
                try other.performAndWait {
                    body(other.object(with: id) as! Note)
                    try other.save()
                }
                observation.cancel()
                context.mergeChanges(changes.values[0])
            }
            // A clean object becomes a fault, whose new value is known when it is read.
            try change { $0.text = "b" }
            #expect(reader.take() == ["b"])
            // A changed object keeps its changes and takes the other values at once.
            note.count = 7
            try change { $0.text = "c" }
            #expect(reader.take() == ["c"])
            try change { $0.count = 8 }
            #expect(reader.take() == [])
        }
    }

    @Test(arguments: [true, false])
    func `a refresh to a fault calls those that may have read a value, firing none (§2.3.12)`(
        _ hasRead: Bool
    ) throws {
        try withNote { _, context, note in
            context.refresh(note, mergeChanges: false)
            let calls = Recorder<Bool>()
            let observation = try note.observe("text") { calls.values.append($0.isFault) }
            if hasRead { _ = note.text }
            #expect(calls.values == [])
            context.refreshAllObjects()
            #expect(calls.values == (hasRead ? [true] : []))
            // The observer did not read, so it has no value that could become wrong.
            context.refresh(note, mergeChanges: true)
            #expect(calls.values.count == (hasRead ? 1 : 0))
            _ = note.text
            #expect(calls.values.count == (hasRead ? 1 : 0))
            observation.cancel()
        }
    }

    @Test func `a merge policy calls it (§2.3.11)`() throws {
        try withNote { store, context, note in
            let id = note.objectID
            let reader = try Reader(note)
            let other = store.makeContext()
            try other.performAndWait {
                (other.object(with: id) as! Note).text = "b"
                try other.save()
            }
            note.text = "c"
            note.count = 4
            _ = reader.take()
            context.mergePolicy = .mergeByPropertyStoreTrump
            try context.save()
            #expect(reader.take() == ["b"])
        }
    }

    @Test func `delete rules call the observers of both ends when they are done (§2.3.11)`() throws
    {
        try withNote { _, context, note in
            let notebook = Notebook(context: context)
            note.notebook = notebook
            try context.save()
            let calls = Recorder<String>()
            let observations = [
                try notebook.observe("notes") {
                    calls.values.append("\(($0 as! Notebook).notes.count) notes")
                },
                try note.observe("notebook") {
                    calls.values.append(($0 as! Note).notebook == nil ? "none" : "notebook")
                },
            ]
            context.delete(note)
            #expect(calls.values == [])
            context.processPendingChanges()
            #expect(calls.values.sorted() == ["0 notes", "none"])
            withExtendedLifetime(observations) {}
        }
    }

    @Test func `the save of a child calls it when the parent has all changes (§2.3.11)`() throws {
        try withNote { _, context, note in
            let reader = try Reader(note)
            let id = note.objectID
            let child = ManagedObjectContext(.privateQueue, parent: context)
            try child.performAndWait {
                (child.object(with: id) as! Note).text = "b"
                try child.save()
            }
            #expect(reader.take() == ["b"])
        }
    }

    @Test func `a save that replaces a value calls it (§2.3.11)`() throws {
        try withNote { _, context, note in
            let reader = try Reader(note)
            note.text = "untidy"
            try context.save()
            #expect(reader.take() == ["untidy", "tidy"])
            try context.save()
            #expect(reader.take() == [])
        }
    }

    @Test func `a fetch that refreshes calls it (§2.3.11)`() throws {
        try withNote { store, context, note in
            let reader = try Reader(note)
            var request = BatchUpdateRequest(
                entityName: "Note", propertiesToUpdate: ["text": .constant("b")])
            request.includesSubentities = false
            try context.execute(request)
            var fetch = FetchRequest(entityName: "Note")
            _ = try context.fetch(fetch, as: Note.self)
            #expect(reader.take() == [])
            fetch.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(fetch, as: Note.self)
            #expect(reader.take() == ["b"])
        }
    }

    @Test func `a value that a primitive setter set is noticed later (§2.3.13)`() throws {
        try withNote { _, context, note in
            let reader = try Reader(note)
            note.setPrimitiveValue("b", of: Note.text)
            #expect(reader.take() == [])
            note.count = 2
            context.processPendingChanges()
            #expect(reader.take() == ["b"])
        }
    }

    @Test
    func
        `an object that leaves its context calls its observers, and again when it is back (§2.3.14)`()
        throws
    {
        try withNote { _, context, note in
            let reader = try Reader(note)
            context.delete(note)
            try context.save()
            #expect(reader.take() == [nil])
            context.undo()
            #expect(reader.take() == ["a"])
            note.text = "b"
            #expect(reader.take() == ["b"])
            context.reset()
            #expect(reader.take() == [nil])
        }
    }

    @Test func `an object whose store is removed calls its observers (§2.3.14)`() throws {
        try withNote { store, context, note in
            let reader = try Reader(note)
            try store.coordinator.removePersistentStore(store.coordinator.persistentStores[0])
            context.performAndWait { context.takePendingUpdates() }
            #expect(reader.take() == [nil])
        }
    }

    @Test(arguments: ["undo", "redo", "child"])
    func `no observer sees an object in between (§2.3.11)`(_ operation: String) throws {
        try withNote { _, context, note in
            note.text = "b"
            note.count = 2
            context.processPendingChanges()
            if operation == "redo" { context.undo() }
            let seen = Recorder<String>()
            let observations = try ["text", "count"].map { key in
                try note.observe(key) { note in
                    seen.values.append("\((note as! Note).text) \((note as! Note).count)")
                }
            }
            let id = note.objectID
            switch operation {
            case "undo": context.undo()
            case "redo": context.redo()
            default:
                let child = ManagedObjectContext(.privateQueue, parent: context)
                try child.performAndWait {
                    let note = child.object(with: id) as! Note
                    note.text = "a"
                    note.count = 1
                    try child.save()
                }
            }
            let expected = operation == "redo" ? "b 2" : "a 1"
            #expect(seen.values == [expected, expected])
            withExtendedLifetime(observations) {}
        }
    }

    @Test func `an observer may change objects and end observations (§2.3.11)`() throws {
        try withNote { _, context, note in
            note.text = "b"
            var second: PropertyObservation?
            var calls = 0
            let first = try note.observe("text") { note in
                second?.cancel()
                (note as! Note).count += 1
                try? context.save()
            }
            second = try note.observe("text") { _ in calls += 1 }
            context.rollback()
            #expect(note.count == 2 && !context.hasChanges && calls == 0)
            first.cancel()
        }
    }
}

extension ManagedObject {
    fileprivate var isDetached: Bool { managedObjectContext == nil }
}
