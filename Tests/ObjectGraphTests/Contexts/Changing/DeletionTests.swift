import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Deletion (§2.6)` {
    @Test func `delete marks the object, which stays usable (§2.6.1)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            note.text = "b"
            context.delete(note)
            #expect(context.updatedObjects.isEmpty)
            #expect(context.deletedObjects == [note])
            #expect(note.text == "b" && note.isDeleted)
            #expect(note.managedObjectContext === context)
        }
    }

    @Test func `rules are applied at the end of the event, or by the save (§2.6.2, §14.12)`() throws
    {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            try context.save()
            context.delete(notebook)
            #expect(!note.isDeleted)
            context.processPendingChanges()
            #expect(note.isDeleted)
            context.rollback()

            context.propagatesDeletesAtEndOfEvent = false
            context.delete(notebook)
            context.processPendingChanges()
            #expect(!note.isDeleted)
            try context.save()
            #expect(note.managedObjectContext == nil)
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE") == [["0"]])
    }

    @Test func `emptying a to-many reads its members together, however many there are`() throws {
        let counts = try [5, 50].map { memberCount in
            let store = try StoreFixture.notebook()
            return try store.run { context in
                let notebook = Notebook(context: context)
                for number in 0..<memberCount { context.makeNote("\(number)", in: notebook) }
                try context.save()
                context.reset()
                let found = try #require(
                    try context.fetch(FetchRequest(entityName: "Notebook"), as: Notebook.self).first
                )
                return store.statements { found.notes = [] }
            }
        }

        #expect(counts[0] == counts[1])
    }

    @Test func `a batch delete follows a chain of 20,000 cascades (§6.4.2)`() throws {
        let store = try StoreFixture(
            AttributeDescription("number", .integer64),
            relationships: [
                .toOne("next", "Thing", inverse: "previous", deleteRule: .cascade),
                .toOne("previous", "Thing", inverse: "next"),
            ])
        try store.run { context in
            var last: ManagedObject?
            for number in 0..<20_000 {
                let thing = try context.insert("Thing")
                try thing.setValue(Int64(number), forKey: "number")
                try thing.setValue(last, forKey: "previous")
                last = thing
            }
            try context.save()
            context.reset()
            let first = FetchRequest(
                entityName: "Thing", predicate: try ObjectPredicate("number == 0"))
            try context.execute(BatchDeleteRequest(fetchRequest: first))
        }
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["0"]])
    }

    @Test(arguments: ["read", "refreshed", "prefetched"])
    func `others do not bring back a member that was cut off here (§2.6.2)`(_ by: String) throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a")
            try context.save()
            note.notebook = notebook
            context.delete(note)
            context.processPendingChanges()
            try store.addElsewhere([note], to: notebook)
            if by != "read" { context.refreshAllObjects() }
            if by == "prefetched" {
                var request = FetchRequest(entityName: "Notebook")
                request.relationshipKeyPathsForPrefetching = ["notes"]
                _ = try context.fetch(request)
            }
            #expect(notebook.notes.isEmpty && note.notebook == nil && note.isDeleted)
            context.rollback()
            context.refreshAllObjects()
            #expect(notebook.notes == [note] && note.notebook === notebook)
        }
    }

    @Test(arguments: [true, false])
    func `what others have given an owner is with it after a rollback (§2.8)`(
        _ isDeleted: Bool
    ) throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a")
            try context.save()
            let first = Notebook(context: context)
            note.notebook = first
            if isDeleted { context.delete(note) }
            context.processPendingChanges()
            try store.addElsewhere([note], to: notebook)
            context.refreshAllObjects()
            #expect(notebook.notes.isEmpty)
            context.rollback()
            #expect(notebook.notes == [note] && note.notebook === notebook)
        }
    }

    @Test func `a deleted object that others have given an owner leaves it with the save (§2.6.2)`()
        throws
    {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a")
            try context.save()
            context.delete(note)
            context.processPendingChanges()
            try store.addElsewhere([note], to: notebook)
            context.refreshAllObjects()
            #expect(notebook.notes == [note] && note.isDeleted)
            try context.save()
            #expect(notebook.notes.isEmpty && note.managedObjectContext == nil)
        }
    }

    @Test func `a deletion that the store wins over moves no other member (§5.4.2)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.mergePolicy = .mergeByPropertyStoreTrump
            let notebook = Notebook(context: context)
            let notes = ["a", "b"].map { context.makeNote($0) }
            try context.save()
            notes[0].notebook = notebook
            context.refreshAllObjects()
            context.delete(notebook)
            context.processPendingChanges()
            try store.addElsewhere(notes, to: notebook)
            let rows = try store.sql("SELECT * FROM ZNOTE ORDER BY Z_PK")
            try context.save()
            #expect(try store.sql("SELECT * FROM ZNOTE ORDER BY Z_PK") == rows)
            #expect(notebook.notes.map(\.text) == ["a", "b"])
        }
    }

    @Test func `a new object that is deleted leaves no trace (§2.6.3)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let journal = Journal()
            let observation = context.observe { notification in
                if case .didSave(let changes) = notification {
                    if changes.inserted.count != 1 || !changes.deleted.isEmpty { journal.report() }
                }
            }
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            note.tags = [Tag(context: context)]
            context.delete(note)
            for tag in note.tags { context.delete(tag) }
            context.processPendingChanges()
            #expect(note.managedObjectContext == nil)
            #expect(context.deletedObjects.isEmpty)
            #expect(context.insertedObjects == [notebook])
            #expect(notebook.notes.isEmpty)
            try context.save()
            #expect(journal.take().isEmpty)
            observation.cancel()
        }
        #expect(try store.sql("SELECT count(*) FROM ZNOTE") == [["0"]])
        #expect(try store.sql("SELECT count(*) FROM Z_1TAGS") == [["0"]])
    }

    @Test func `an object inserted and deleted leaves nothing to save (§2.6.3)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            context.delete(context.makeNote("a"))
            context.processPendingChanges()
            #expect(!context.hasChanges)
        }
    }

    @Test func `deleting twice does nothing (§2.6.5)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            context.delete(note)
            context.processPendingChanges()
            context.delete(note)
            #expect(context.deletedObjects == [note])
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `deleting another context's object stops the program (§2.6.5)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture.notebook()
            store.run { context in
                store.makeContext().delete(context.makeNote("a"))
            }
        }
        #expect(result.message.contains("look it up by its objectID"), "\(result.message)")
    }

    @Test func `insert revives, without what was cut (§2.6.6)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let notebook = Notebook(context: context)
            let note = context.makeNote("a", in: notebook)
            try context.save()
            context.delete(note)
            context.processPendingChanges()
            context.insert(note)
            #expect(!note.isDeleted && context.deletedObjects.isEmpty)
            #expect(note.notebook == nil)
            try context.save()
            context.delete(note)
            context.insert(note)
            try context.save()
            context.reset()
            #expect(try context.notes().map(\.text) == ["a"])
        }
    }

    @Test func `what a new object takes with it is deleted by the same save (§5.1.2)`() throws {
        let store = try StoreFixture(
            .init("name", .string),
            relationships: [.toOne("part", "Thing", deleteRule: .cascade)])
        try store.run { context in
            let part = try context.insert("Thing")
            try context.save()
            context.delete(try context.insert("Thing", ["part": part]))
            try context.save()
            #expect(!context.hasChanges && part.managedObjectContext == nil)
        }
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["0"]])
    }

    @Test func `a deleted object leaves relationships without an inverse (§2.6.3, §2.6.7)`() throws
    {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Shelf", attributes: [AttributeDescription("name", .string)],
                    relationships: [.toMany("things", "Thing", deleteRule: .cascade)]),
                EntityDescription(
                    name: "Thing", attributes: [AttributeDescription("name", .string)]),
            ]))
        try store.run { context in
            let shelf = try context.insert("Shelf")
            let things = try (0..<3).map { _ in try context.insert("Thing") }
            try shelf.setValue(things, forKey: "things")
            func members() throws -> Set<ManagedObject>? {
                try shelf.value(forKey: "things") as? Set<ManagedObject>
            }
            context.delete(things[0])
            context.processPendingChanges()
            #expect(try members() == [things[1], things[2]])
            try context.save()
            context.delete(things[1])
            try context.save()
            #expect(try members() == [things[2]])
            context.delete(shelf)
            try context.save()
        }
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["0"]])
    }

    @Test func `a deleted object is detached and reads as nil (§2.6.7)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            note.notebook = Notebook(context: context)
            note.mood = "glad"
            try context.save()
            context.delete(note)
            try context.save()
            #expect(note.managedObjectContext == nil)
            #expect(note.text == "" && note.count == 0 && note.mood == nil && note.colour == nil)
            #expect(note.notebook == nil && note.tags.isEmpty)
        }
    }
}
