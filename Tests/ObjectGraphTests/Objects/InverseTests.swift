import Testing

@testable import ObjectGraph

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
