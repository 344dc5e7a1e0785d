import Testing

@testable import ObjectGraph

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
