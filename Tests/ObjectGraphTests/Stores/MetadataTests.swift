import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Metadata (§11.1)` {
    let fixture: ContextFixture
    let values: [String: AttributeValue] = [
        "text": .string("a"), "number": .integer(3), "real": .double(1.5), "flag": .boolean(true),
        "data": .data(Data([1, 2])), "date": .date(Date(timeIntervalSinceReferenceDate: 5)),
    ]

    init() throws { fixture = try ContextFixture() }

    @Test func `what is set while a save commits is written by the next one (§11.1.9)`() throws {
        let state = MetadataState(MetadataList(versionHashes: [:]), hasUnwrittenNote: false)
        state.setValues(values)
        let written = try #require(state.unwritten)
        state.setValues([:])

        state.noteWritten(written)

        #expect(state.unwritten?.list.values == [:])
    }

    private func stored() throws -> StoreMetadata {
        try PersistentStoreCoordinator.metadataForPersistentStore(at: fixture.url)
    }

    @Test
    func `what is set is written by the next save, even one of nothing else (§11.1.8, §11.1.9)`()
        throws
    {
        try fixture.coordinator.setMetadata(values, for: fixture.store)
        #expect(try fixture.coordinator.metadata(for: fixture.store).values == values)
        #expect(try stored().values.isEmpty)
        let context = fixture.context()
        try context.performAndWait {
            #expect(!context.hasChanges)
            try context.save()
        }
        #expect(try stored().values == values)
    }

    @Test func `a save of objects writes them along (§11.1.8)`() throws {
        try fixture.coordinator.setMetadata(["a": .integer(1)], for: fixture.store)
        try fixture.saveAuthor("Lem")
        #expect(try stored().values == ["a": .integer(1)])
    }

    @Test func `a save of another store writes them too (§11.1.8)`() throws {
        let second = try fixture.coordinator.addPersistentStore(.inMemory())
        try fixture.coordinator.setMetadata(values, for: fixture.store)
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.insertObject(entityName: "Author", into: second)
            try author.setValue("Lem", forKey: "name")
            try context.save()
        }
        #expect(try stored().values == values)
    }

    @Test func `a save of equal values writes them too (§11.1.8)`() throws {
        let id = try fixture.saveAuthor("Lem")
        try fixture.coordinator.setMetadata(values, for: fixture.store)
        let context = fixture.context()
        try context.performAndWait {
            context.author(id).name = "Lem"
            #expect(context.hasChanges)
            try context.save()
        }
        #expect(try stored().values == values)
    }

    @Test func `those of a store for reading cannot be set (§11.1.8, §11.4.1)`() throws {
        try fixture.coordinator.removePersistentStore(fixture.store)
        var description = PersistentStoreDescription.sqlite(at: fixture.url)
        description.isReadOnly = true
        let store = try fixture.coordinator.addPersistentStore(description)
        let error = #expect(throws: StoreError.self) {
            try fixture.coordinator.setMetadata(values, for: store)
        }
        #expect(error?.reason == .readOnly)
        #expect(try fixture.coordinator.metadata(for: store).values.isEmpty)
    }

    @Test func `a file can be asked and changed without a model (§11.1.8)`() throws {
        try fixture.coordinator.removePersistentStore(fixture.store)
        let before = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        try PersistentStoreCoordinator.setMetadata(values, forPersistentStoreAt: fixture.url)
        let metadata = try stored()
        #expect(metadata.values == values && metadata.identifier == fixture.store.identifier)
        #expect(metadata.versionHashes == (try makeLibraryModel()).entityVersionHashesByName)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path) == before)
    }

    @Test func `the engine's own keys cannot be taken (§11.1.8)`() throws {
        try PersistentStoreCoordinator.setMetadata(
            ["NSStoreModelVersionHashes": .string("gone")], forPersistentStoreAt: fixture.url)
        #expect(try !stored().versionHashes.isEmpty)
    }

    @Test func `a missing file is not made (§11.1.8)`() throws {
        let url = fixture.folder.url("nothing.sqlite")
        #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator.metadataForPersistentStore(at: url)
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}
