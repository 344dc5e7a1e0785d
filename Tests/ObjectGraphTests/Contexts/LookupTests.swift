import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Looking up by identifier (§2.13)` {
    private func saved() throws -> (StoreFixture, ManagedObjectID) {
        let store = try StoreFixture.notebook()
        let id = try store.run { context in
            let note = context.makeNote("a")
            try context.save()
            let id = note.objectID
            context.reset()
            return id
        }
        return (store, id)
    }

    @Test func `registeredObject reads nothing (§2.13.1)`() throws {
        let (store, id) = try saved()
        try store.run { context in
            let before = context.coordinator.counters.statements
            #expect(context.registeredObject(for: id) == nil)
            #expect(context.coordinator.counters.statements == before)
            let note = try context.existingObject(with: id)
            #expect(context.registeredObject(for: id) === note)
        }
    }

    @Test func `object(with:) never fails and never reads (§2.13.2)`() throws {
        let (store, id) = try saved()
        try store.run { context in
            let before = context.coordinator.counters.statements
            #expect(context.object(with: id).isFault)
            #expect(context.coordinator.counters.statements == before)
            let missing = try #require(
                context.coordinator.managedObjectID(
                    forURIRepresentation: URL(
                        string: "x-coredata://\(id.storeIdentifier!)/Note/p99999")!))
            let note = try #require(context.object(with: missing) as? Note)
            #expect(note.isFault && !note.isDeleted)
            #expect(note.text == "")
            #expect(note.isDeleted)
        }
    }

    @Test func `the context can be told not to delete it (§2.13.2)`() throws {
        let (store, id) = try saved()
        store.run { context in
            let reports = Journal()
            context.shouldDeleteInaccessibleFaults = false
            context.faultHandler = { _, _ in reports.report() }
            let missing = ManagedObjectID(scope: id.scope, reference: 99999)
            let note = context.object(with: missing) as? Note
            #expect(note?.text == "")
            #expect(note?.isDeleted == false)
            #expect(!reports.take().isEmpty)
        }
    }

    @Test func `existingObject reads, and throws for a missing row (§2.13.3)`() throws {
        let (store, id) = try saved()
        try store.run { context in
            let note = try context.existingObject(with: id)
            #expect(!note.isFault)
            let missing = ManagedObjectID(scope: id.scope, reference: 99999)
            #expect(throws: FetchError.noSuchObject(missing)) {
                _ = try context.existingObject(with: missing)
            }
        }
    }

    @Test func `a new object is found by its temporary identifier (§2.13.4)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        let id = try store.run { context throws in
            let note = context.makeNote("new")
            #expect(context.object(with: note.objectID) === note)
            #expect(try context.existingObject(with: note.objectID) === note)
            return note.objectID
        }
        try child.performAndWait { () throws in
            #expect((try child.existingObject(with: id) as? Note)?.text == "new")
        }
    }
}
