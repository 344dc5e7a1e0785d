import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Files of stores (§11.5)` {
    let fixture: ContextFixture

    init() throws {
        fixture = try ContextFixture()
        try fixture.saveAuthor("Lem")
    }

    private func authors(in url: URL) throws -> [String] {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait { try TestSupport.Author.all(in: context).map(\.name) }
    }

    @Test func `a coordinator knows its stores by their files (§11.1)`() throws {
        let coordinator = fixture.coordinator
        let store = try #require(coordinator.persistentStore(for: fixture.url))
        #expect(store == fixture.store)
        #expect(coordinator.url(for: store)?.lastPathComponent == "library.sqlite")
        #expect(coordinator.persistentStore(for: fixture.folder.url("other.sqlite")) == nil)
        let memory = try coordinator.addPersistentStore(.inMemory())
        #expect(coordinator.url(for: memory) == nil)
        try coordinator.removePersistentStore(store)
        #expect(coordinator.persistentStore(for: fixture.url) == nil)
        #expect(coordinator.url(for: store) == nil)
    }

    @Test func `destroying empties the file for others too (§11.5.2)`() throws {
        try fixture.coordinator.removePersistentStore(fixture.store)
        try PersistentStoreCoordinator.destroyPersistentStore(at: fixture.url)
        #expect(FileManager.default.fileExists(atPath: fixture.url.path))
        #expect(try authors(in: fixture.url) == [])
    }

    @Test func `a store that is open is removed before it is destroyed (§11.5.2)`() throws {
        try fixture.coordinator.destroyPersistentStore(fixture.store)
        #expect(fixture.coordinator.persistentStores.isEmpty)
        #expect(try fixture.storedAuthors() == [])
    }

    @Test func `there must be a file to destroy (§11.5.2)`() throws {
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator.destroyPersistentStore(
                at: fixture.folder.url("nothing.sqlite"))
        }
        #expect(error?.reason == .missingFile && error?.code == 260)
    }

    @Test func `a file that is locked is destroyed by force (§11.4.9)`() throws {
        let connection = try Connection(SQLiteConfiguration(path: fixture.url.path))
        try connection.execute("BEGIN EXCLUSIVE")
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator.destroyPersistentStore(
                at: fixture.url, timeout: .zero)
        }
        #expect(error?.reason == .timeout)
        try PersistentStoreCoordinator.destroyPersistentStore(
            at: fixture.url, timeout: .zero, isForced: true)
        #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
        try connection.execute("ROLLBACK")
    }

    @Test func `a file that is no database can be destroyed (§11.5.2)`() throws {
        let url = fixture.folder.url("text")
        try Data("This is no database, but it is long enough.".utf8).write(to: url)
        try PersistentStoreCoordinator.destroyPersistentStore(at: url)
        #expect(try authors(in: url) == [])
    }

    @Test func `replacing makes a backup and restores it (§11.5.3, §11.5.5)`() throws {
        let backup = fixture.folder.url("backup.sqlite")
        try PersistentStoreCoordinator.replacePersistentStore(at: backup, with: fixture.url)
        try fixture.saveAuthor("Borges")
        #expect(try authors(in: backup) == ["Lem"])
        try fixture.coordinator.removePersistentStore(fixture.store)
        try PersistentStoreCoordinator.replacePersistentStore(at: fixture.url, with: backup)
        #expect(try authors(in: fixture.url) == ["Lem"])
        #expect(
            try PersistentStoreCoordinator.metadataForPersistentStore(at: fixture.url).identifier
                == fixture.store.identifier)
    }

    @Test func `a copy is not opened beside its original (§11.1.3)`() throws {
        let backup = fixture.folder.url("backup.sqlite")
        try PersistentStoreCoordinator.replacePersistentStore(at: backup, with: fixture.url)
        let error = #expect(throws: StoreError.self) {
            try fixture.coordinator.addPersistentStore(.sqlite(at: backup))
        }
        #expect(error?.reason == .alreadyOpen)
        #expect(fixture.coordinator.persistentStores == [fixture.store])
        try fixture.coordinator.removePersistentStore(fixture.store)
        try fixture.coordinator.addPersistentStore(.sqlite(at: backup))
    }

    @Test func `what is no store replaces nothing (§11.5.3)`() throws {
        let text = fixture.folder.url("text")
        try Data("This is no database, but it is long enough.".utf8).write(to: text)
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator.replacePersistentStore(at: fixture.url, with: text)
        }
        #expect(error?.reason == .notADatabase)
        #expect(try fixture.storedAuthors() == ["Lem"])
    }

    @Test(arguments: [true, false])
    func `migrating copies everything into a store of any type (§11.5.4)`(_ toMemory: Bool) throws {
        let context = fixture.context()
        let old = try context.performAndWait {
            let book = TestSupport.Book(context: context)
            book.title = "Solaris"
            book.author = try TestSupport.Author.findFirst(in: context)
            let topic = Topic(context: context)
            topic.name = "oceans"
            book.topics = [topic]
            try context.save()
            return book.objectID
        }
        let url = fixture.folder.url("new.sqlite")
        let made = try fixture.coordinator.migratePersistentStore(
            fixture.store, to: toMemory ? .inMemory() : .sqlite(at: url))
        #expect(made.identifier != fixture.store.identifier)
        #expect(fixture.coordinator.persistentStores == [made])
        let fresh = fixture.context()
        try fresh.performAndWait {
            let book = try #require(try TestSupport.Book.findFirst(in: fresh))
            #expect(book.author?.name == "Lem" && book.topics.map(\.name) == ["oceans"])
            #expect(book.objectID != old)
            let another = TestSupport.Book(context: fresh)
            another.title = "Fiasco"
            try fresh.save()
            #expect(try TestSupport.Book.count(in: fresh) == 2)
        }
        #expect(try authors(in: fixture.url) == ["Lem"])
    }

    @Test func `a migration that is refused leaves nothing behind (§11.5.4)`() throws {
        let url = fixture.folder.url("new.sqlite")
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            Topic(context: context).name = "oceans"
            try context.save()
        }
        let error = #expect(throws: StoreError.self) {
            try fixture.coordinator.migratePersistentStore(fixture.store, to: .sqlite(at: url))
        }
        #expect(error?.code == 134091)
        #expect(try authors(in: url) == [])
        #expect(fixture.coordinator.persistentStores == [fixture.store])
    }
}

@Suite struct `Migrating equal values (§11.5.4)` {
    @Test func `values that are to be unique and are not are refused (§5.6)`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Thing", attributes: [AttributeDescription("name", .string)],
                uniquenessConstraints: [["name"]])
        ])
        let store = try StoreFixture(model, inMemory: true)
        try store.run { context in
            for _ in 0..<2 { try context.insert("Thing", ["name": "same"]) }
            try context.save()
        }
        let error = #expect(throws: StoreError.self) {
            try store.coordinator.migratePersistentStore(
                store.coordinator.persistentStores[0],
                to: .sqlite(at: store.folder.url("new.sqlite")))
        }
        #expect(error?.reason == .uniquenessViolated)
    }
}
