import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Sequences of a property's values (§2.3)` {
    private func makeNote(
        _ text: String
    ) async throws -> (store: StoreFixture, id: ManagedObjectID) {
        let store = try undoable()
        let id = try await store.context.perform {
            let note = store.context.makeNote(text)
            try store.context.save()
            return note.objectID
        }
        return (store, id)
    }

    private func texts(_ store: StoreFixture, _ id: ManagedObjectID) async throws
        -> AsyncStream<String>
    {
        await store.context.perform {
            (store.context.object(with: id) as! Note).values(for: Note.text)
        }
    }

    @Test func `it begins with the present value and goes on with each later one (§2.3.15)`()
        async throws
    {
        let (store, id) = try await makeNote("a")
        var values = try await texts(store, id).makeAsyncIterator()
        #expect(await values.next() == "a")
        await store.context.perform { (store.context.object(with: id) as! Note).text = "b" }
        #expect(await values.next() == "b")
        await store.context.perform { store.context.undo() }
        #expect(await values.next() == "a")
    }

    @Test func `of several values that wait the newest is kept (§2.3.15)`() async throws {
        let (store, id) = try await makeNote("a")
        var values = try await texts(store, id).makeAsyncIterator()
        await store.context.perform {
            for number in 0..<100 {
                (store.context.object(with: id) as! Note).text = "\(number)"
            }
        }
        #expect(await values.next() == "99")
    }

    @Test func `a transformable attribute has a sequence too (§2.3.15)`() async throws {
        let (store, id) = try await makeNote("a")
        let colours = await store.context.perform {
            (store.context.object(with: id) as! Note).values(for: Note.colour)
        }
        var values = colours.makeAsyncIterator()
        #expect(await values.next() == .some(nil))
        await store.context.perform {
            (store.context.object(with: id) as! Note).colour = Colour(red: 1)
        }
        #expect(await values.next() == Colour(red: 1))
    }

    @Test(arguments: ["delete", "reset", "rollback"])
    func `it ends when the object leaves its context (§2.3.16)`(_ departure: String) async throws {
        let store = try StoreFixture.notebook()
        let sequence = try await store.context.perform {
            let note = store.context.makeNote("a")
            if departure != "rollback" { try store.context.save() }
            return note.values(for: Note.text)
        }
        var values = sequence.makeAsyncIterator()
        #expect(await values.next() == "a")
        try await store.context.perform {
            switch departure {
            case "delete":
                for note in try store.context.notes() { store.context.delete(note) }
                try store.context.save()
            case "reset": store.context.reset()
            default: store.context.rollback()
            }
        }
        #expect(await values.next() == nil)
    }

    @Test func `it ends with its context (§2.3.16)`() async throws {
        let store = try StoreFixture.notebook()
        var context: ManagedObjectContext? = store.makeContext()
        let sequence = await context!.perform { [context] in
            context!.makeNote("a").values(for: Note.text)
        }
        context = nil
        var values: [String] = []
        for await value in sequence { values.append(value) }
        #expect(values == ["a"])
    }

    @Test func `a sequence that is released observes no more (§2.3.16)`() async throws {
        let (store, id) = try await makeNote("a")
        for await value in try await texts(store, id) {
            #expect(value == "a")
            break
        }
        // The end of the sequence reached the queue before this does.
        await store.context.perform(schedule: .enqueued) {
            #expect(store.context.propertyObservers.isEmpty)
            #expect(!store.context.object(with: id).state.flags.contains(.observed))
        }
    }

    @Test func `an object without a context has an empty sequence (§2.3.16)`() async throws {
        let store = try StoreFixture.notebook()
        let sequence = await store.context.perform {
            let note = store.context.makeNote("a")
            store.context.reset()
            return note.values(for: Note.text)
        }
        for await _ in sequence { Issue.record("The object has no values.") }
    }
}
