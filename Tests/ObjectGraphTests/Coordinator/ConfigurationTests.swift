import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Authors and their publications in one store, topics in another.
@Suite struct `Stores by configuration (§1.10)` {
    let folder = TemporaryFolder()
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext

    init() throws {
        coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(
                entities: [
                    EntityDescription(
                        name: "Note", attributes: [AttributeDescription("text", .string)],
                        relationships: [.toOne("tag", "Tag", inverse: "notes")]),
                    EntityDescription(
                        name: "Tag", attributes: [AttributeDescription("text", .string)],
                        relationships: [.toMany("notes", "Note", inverse: "tag")]),
                ],
                configurations: ["Notes": ["Note"], "Tags": ["Tag"]]))
        context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    private func add(_ configuration: String?, _ name: String) throws -> PersistentStoreHandle {
        var description = PersistentStoreDescription.sqlite(at: folder.url(name))
        description.configuration = configuration
        return try coordinator.addPersistentStore(description)
    }

    @Test func `a store takes the entities of its configuration only (§1.10.1)`() throws {
        let notes = try add("Notes", "notes.sqlite")
        #expect(
            try Set(coordinator.metadata(for: notes).versionHashes.keys) == ["Note"])
        try context.performAndWait {
            _ = #expect(throws: StoreError.self) {
                try context.insertObject(entityName: "Tag", into: notes)
            }
            try context.insert("Tag")
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == 134020)
        }
    }

    @Test func `a new object goes to the first store that takes it, or to another (§1.10.2)`()
        throws
    {
        let tags = try add("Tags", "tags.sqlite")
        let notes = try add("Notes", "notes.sqlite")
        let all = try add(nil, "all.sqlite")
        try context.performAndWait {
            let objects = [
                try context.insert("Note"), try context.insert("Tag"),
                try context.insertObject(entityName: "Tag", into: all),
            ]
            try context.save()
            #expect(
                objects.map(\.objectID.storeIdentifier)
                    == [notes, tags, all].map(\.identifier))
        }
    }

    @Test func `without a store for one object all identifiers stay temporary (§2.1.5)`() throws {
        _ = try add("Notes", "notes.sqlite")
        try context.performAndWait {
            let (note, tag) = (try context.insert("Note"), try context.insert("Tag"))
            #expect(throws: StoreError.self) {
                try context.obtainPermanentIDs(for: [note, tag])
            }
            #expect(note.objectID.isTemporaryID)
            #expect(context.object(with: note.objectID) === note)
            context.delete(tag)
            try context.save()
            #expect(context.object(with: note.objectID) === note)
        }
    }

    @Test func `a relationship cannot lead into the store of another configuration (§1.10.3)`()
        throws
    {
        _ = try add("Notes", "notes.sqlite")
        _ = try add("Tags", "tags.sqlite")
        try context.performAndWait {
            let note = try context.insert("Note")
            try note.setValue(try context.insert("Tag"), forKey: "tag")
            let errors = try context.validationErrors()
            #expect(Set(errors.map(\.code)) == [133010])
            try note.setValue(nil, forKey: "tag")
            try context.save()
        }
    }

    @Test func `a relationship into the store of another configuration is empty (§1.10.3)`() throws
    {
        _ = try add("Notes", "notes.sqlite")
        _ = try add("Tags", "tags.sqlite")
        try context.performAndWait {
            context.faultHandler = { _, error in Issue.record(error) }
            let tags = try (0..<3).map { _ in try context.insert("Tag") }
            try context.save()
            context.reset()
            let found = try context.all("Tag")
            #expect(found.count == tags.count)
            #expect(try (found[0].value(forKey: "notes") as? Set<ManagedObject>)?.isEmpty == true)
            context.delete(found[0])
            try context.save()
            let request = BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Tag"))
            #expect(try context.execute(request).count == 2)
        }
    }
}
