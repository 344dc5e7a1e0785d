import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

private typealias Author = TestSupport.Author

/// How long generations live, and what stores have them.
@Suite struct `Generations of stores (§4.7)` {
    let fixture: GenerationFixture
    var view: ManagedObjectContext { fixture.view }

    init() throws { fixture = try GenerationFixture() }

    private var token: QueryGenerationToken? { view.performAndWait { view.queryGenerationToken } }

    private func readReason(_ context: ManagedObjectContext) -> StoreError.Reason? {
        do {
            _ = try fixture.names(context)
            return nil
        } catch {
            return (error as? StoreError)?.reason
        }
    }

    // MARK: - What a generation costs, and when it ends

    @Test func `pinning costs two statements at the next read (§4.7.2)`() throws {
        _ = try fixture.names(view)
        let unpinned = try fixture.library.statements { _ = try fixture.names(view) }
        let setting = try fixture.library.statements {
            try view.performAndWait { try view.setQueryGeneration(from: .current) }
        }
        let first = try fixture.library.statements { _ = try fixture.names(view) }
        let second = try fixture.library.statements { _ = try fixture.names(view) }
        #expect(setting == 0)
        #expect(first == unpinned + 2)
        #expect(second == unpinned)
    }

    @Test func `the WAL cannot be emptied until no context and no token has it (§4.7.13)`() throws {
        try fixture.truncateWAL()
        try fixture.pin()
        var token = token
        let other = fixture.library.context()
        try other.performAndWait { [token] in try other.setQueryGeneration(from: token) }
        try fixture.write()
        #expect(throws: SQLiteError.self) { try fixture.truncateWAL() }
        try view.performAndWait { try view.setQueryGeneration(from: nil) }
        #expect(throws: SQLiteError.self) { try fixture.truncateWAL() }
        try other.performAndWait { try other.setQueryGeneration(from: nil) }
        #expect(token != nil)
        #expect(throws: SQLiteError.self) { try fixture.truncateWAL() }
        token = nil
        try fixture.truncateWAL()
    }

    @Test func `a context gives its generation back when it moves or is released (§4.7.13)`() throws
    {
        try fixture.pin()
        try fixture.write()
        try view.performAndWait { try view.save() }
        try fixture.truncateWAL()
        do {
            let other = fixture.library.context()
            try other.performAndWait {
                try other.setQueryGeneration(from: .current)
                _ = try other.count(for: FetchRequest(entityName: "Author"))
            }
            try fixture.write()
            #expect(throws: SQLiteError.self) { try fixture.truncateWAL() }
        }
        try fixture.truncateWAL()
    }

    @Test func `closing the store ends its generations (§4.7.13, §4.7.11)`() throws {
        try fixture.pin()
        try fixture.write()
        let coordinator = fixture.library.coordinator
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
        // The last connection has removed the WAL.
        let wal = fixture.library.folder.path("library.sqlite-wal")
        #expect(!FileManager.default.fileExists(atPath: wal))
        #expect(readReason(view) == .generationUnavailable)
    }

    @Test func `a store has at most 32 generations at a time (§4.7.14)`() throws {
        var contexts: [ManagedObjectContext] = []
        for _ in 0..<ConnectionPool.maximumPinnedCount {
            let context = fixture.library.context()
            try context.performAndWait { try context.setQueryGeneration(from: .current) }
            _ = try fixture.names(context)
            contexts.append(context)
        }
        // Sharing one needs no other.
        let first = contexts[0]
        let token = first.performAndWait { first.queryGenerationToken }
        try view.performAndWait { try view.setQueryGeneration(from: token) }
        #expect(readReason(view) == nil)
        try view.performAndWait { try view.setQueryGeneration(from: .current) }
        #expect(readReason(view) == .tooManyGenerations(limit: 32))
        // A fault reports it, and stays one.
        let reported = Recorder<any Error>()
        view.performAndWait {
            view.faultHandler = { _, error in reported.values.append(error) }
        }
        let id = try fixture.writer.performAndWait {
            try fixture.writer.author(bornIn: 1900).objectID
        }
        view.performAndWait {
            let author = view.author(id)
            #expect(author.name == "" && author.isFault)
        }
        #expect((reported.values.first as? StoreError)?.reason == .tooManyGenerations(limit: 32))
        contexts.removeLast()
        #expect(readReason(view) == nil)
        view.performAndWait { #expect(view.author(id).name == "Author 0") }
    }

    @Test func `a generation that SQLite has ended is an error (§4.7.15)`() throws {
        try fixture.pin()
        let record = try #require(token?.generation?.record(number: 1))
        // As after an error that makes SQLite roll back.
        try #require(record.store as? SQLiteStore).read { $0.rollback() }
        #expect(readReason(view) == .generationUnavailable)
        try view.performAndWait { try view.setQueryGeneration(from: .current) }
        #expect(readReason(view) == nil)
    }

    @Test func `the token of another coordinator is refused (§4.7.15)`() throws {
        let other = ManagedObjectContext(
            .privateQueue, coordinator: try fixture.otherCoordinator())
        try other.performAndWait { try other.setQueryGeneration(from: .current) }
        _ = try fixture.names(other)
        let foreign = other.performAndWait { other.queryGenerationToken }
        try fixture.pin()
        let own = token
        let error = #expect(throws: StoreError.self) {
            try view.performAndWait { try view.setQueryGeneration(from: foreign) }
        }
        #expect(error?.reason == .foreignGeneration)
        #expect(token == own)
        // Until it has read, a token names no store.
        try view.performAndWait { try view.setQueryGeneration(from: .current) }
    }

    // MARK: - Stores that come and go

    @Test func `a store that is added later is not read (§4.7.11)`() throws {
        let coordinator = fixture.library.coordinator
        try fixture.pin()
        let before = try fixture.names(view)
        let later = try coordinator.addPersistentStore(
            .sqlite(at: fixture.library.folder.url("later.sqlite")))
        let writer = fixture.writer
        let id = try writer.performAndWait {
            let author = try writer.insertObject(entityName: "Author", into: later)
            try author.setValue("Elsewhere", forKey: "name")
            try writer.save()
            return author.objectID
        }
        #expect(try fixture.names(view) == before)
        let error = #expect(throws: StoreError.self) {
            try view.performAndWait { _ = try view.existingObject(with: id) }
        }
        #expect(error?.reason == .generationUnavailable)
        try view.performAndWait { try view.setQueryGeneration(from: .current) }
        #expect(try fixture.names(view).contains("Elsewhere"))
        #expect(view.performAndWait { view.author(id).name } == "Elsewhere")
    }

    @Test func `reads of a store that was removed fail until the context moves (§4.7.11)`() throws {
        let coordinator = fixture.library.coordinator
        let second = try coordinator.addPersistentStore(
            .sqlite(at: fixture.library.folder.url("second.sqlite")))
        try fixture.pin()
        let token = token
        try coordinator.removePersistentStore(second)
        #expect(readReason(view) == .generationUnavailable)
        let request = FetchRequest(entityName: "Author")
        view.performAndWait {
            #expect(throws: StoreError.self) { try view.count(for: request) }
            #expect(throws: StoreError.self) { try view.fetchDictionaries(request) }
            #expect(throws: StoreError.self) { try view.explain(request) }
        }
        // Other stores of the generation can be read.
        var ofFirst = request
        ofFirst.affectedStores = [coordinator.persistentStores[0].identifier]
        let count = try view.performAndWait { [ofFirst] in try view.count(for: ofFirst) }
        #expect(count == 20)
        let error = #expect(throws: StoreError.self) {
            try view.performAndWait { try view.setQueryGeneration(from: token) }
        }
        #expect(error?.reason == .generationUnavailable)
        try view.performAndWait { try view.setQueryGeneration(from: .current) }
        #expect(readReason(view) == nil)
    }

    // MARK: - Stores without generations

    @Test(arguments: [
        PersistentStoreDescription.inMemory(), .sqliteInMemory(), rollbackJournal(),
    ])
    func `a store without a WAL can be pinned and shows its newest state (§4.7.12, §11.3.6)`(
        _ description: PersistentStoreDescription
    ) throws {
        let folder = TemporaryFolder()
        var description = description
        if description.pragmas["journal_mode"] != nil {
            description.url = folder.url("library.sqlite")
        }
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        try coordinator.addPersistentStore(description)
        let view = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let writer = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try view.performAndWait { try view.setQueryGeneration(from: .current) }
        #expect(try fixture.names(view).isEmpty)
        let id = try writer.performAndWait {
            let author = Author(context: writer)
            author.name = "Lem"
            try writer.save()
            return author.objectID
        }
        #expect(try fixture.names(view) == ["Lem"])
        try writer.performAndWait {
            writer.author(id).name = "Stanisław Lem"
            try writer.save()
        }
        view.performAndWait {
            view.refreshAllObjects()
            #expect(view.author(id).name == "Stanisław Lem")
            #expect(view.queryGenerationToken != nil)
        }
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
    }

    private static func rollbackJournal() -> PersistentStoreDescription {
        var description = PersistentStoreDescription.sqlite(at: URL(filePath: "/"))
        description.pragmas["journal_mode"] = "DELETE"
        return description
    }

    @Test func `a store for reading only has generations (§4.7.12)`() throws {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        var description = PersistentStoreDescription.sqlite(
            at: fixture.library.folder.url("library.sqlite"))
        description.isReadOnly = true
        try coordinator.addPersistentStore(description)
        let reader = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try reader.performAndWait { try reader.setQueryGeneration(from: .current) }
        let before = try fixture.names(reader)
        try fixture.write()
        #expect(try fixture.names(reader) == before)
    }
}
