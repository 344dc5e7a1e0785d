import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// The place of a store's file: in a missing or read-only folder, or moved.
@Suite struct `Places of stores (§11.1, §11.4)` {
    let folder = TemporaryFolder()
    var url: URL { folder.url("library.sqlite") }

    private func coordinator() throws -> PersistentStoreCoordinator {
        PersistentStoreCoordinator(model: try makeLibraryModel())
    }

    /// Makes a store with one author and closes it.
    private func makeStore(at url: URL, _ name: String = "Lem") throws {
        let coordinator = try coordinator()
        let store = try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            TestSupport.Author(context: context).name = name
            try context.save()
        }
        try coordinator.removePersistentStore(store)
    }

    private func names(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait {
            try TestSupport.Author.all(in: context).map(\.name)
        }
    }

    // MARK: - Missing folders

    @Test func `a missing folder is made, however the store is opened (§11.2.2)`() throws {
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.sqlite(at: folder.url("a/b/library.sqlite")))
        let container = PersistentContainer(
            name: "library", model: try makeLibraryModel(), folder: folder.url("c/d"))
        try container.loadPersistentStores()
        for path in ["a/b/library.sqlite", "c/d/library.sqlite"] {
            #expect(FileManager.default.fileExists(atPath: folder.path(path)))
        }
    }

    @Test func `a folder is not made for a reader (§11.4.1)`() throws {
        var description = PersistentStoreDescription.sqlite(at: folder.url("a/library.sqlite"))
        description.isReadOnly = true
        let error = #expect(throws: StoreError.self) {
            try coordinator().addPersistentStore(description)
        }
        #expect(error?.reason == .missingFile)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a")))
    }

    @Test func `a folder that cannot be made is an error (§5.6.4)`() throws {
        try Data().write(to: folder.url("a"))
        let error = #expect(throws: StoreError.self) {
            try coordinator().addPersistentStore(.sqlite(at: folder.url("a/library.sqlite")))
        }
        #expect(error?.reason == .cannotOpen && error?.code == 256)
    }

    // MARK: - Folders that cannot be written

    /// Opens a closed store whose WAL cannot be made, as in a folder that cannot be written.
    private func openWithoutWAL() throws -> PersistentStoreCoordinator {
        try makeStore(at: url)
        try FileManager.default.createDirectory(
            at: folder.url("library.sqlite-wal"), withIntermediateDirectories: false)
        let coordinator = try coordinator()
        var description = PersistentStoreDescription.sqlite(at: url)
        description.isReadOnly = true
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    @Test func `a closed store is read where its WAL cannot be made (§11.4.1)`() throws {
        let coordinator = try openWithoutWAL()
        #expect(try names(coordinator) == ["Lem"])
        #expect(
            try PersistentStoreCoordinator.metadataForPersistentStore(at: url).identifier
                == coordinator.persistentStores[0].identifier)
        #expect(!FileManager.default.fileExists(atPath: folder.path("library.sqlite-shm")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        context.performAndWait {
            TestSupport.Author(context: context).name = "Borges"
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .readOnly)
        }
    }

    @Test func `a WAL that could be made is not done without (§11.4.1)`() throws {
        try makeStore(at: url)
        // As if no file descriptor were left: SQLite cannot open the WAL, which may exist.
        try FileManager.default.createSymbolicLink(
            at: folder.url("library.sqlite-wal"),
            withDestinationURL: folder.url("missing/library.sqlite-wal"))
        var description = PersistentStoreDescription.sqlite(at: url)
        description.isReadOnly = true
        let error = #expect(throws: StoreError.self) {
            try coordinator().addPersistentStore(description)
        }
        #expect(error?.reason == .cannotOpen && error?.url == url)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a closed store is read in a folder that cannot be written (§11.4.1)`() throws {
        try makeStore(at: url)
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        defer {
            try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        }
        var description = PersistentStoreDescription.sqlite(at: url)
        let error = #expect(throws: StoreError.self) {
            try coordinator().addPersistentStore(description)
        }
        #expect(error?.reason == .readOnly)
        #expect(error?.description.contains("open it with isReadOnly") == true)
        description.isReadOnly = true
        let reader = try coordinator()
        try reader.addPersistentStore(description)
        #expect(try names(reader) == ["Lem"])
    }

    @Test func `what somebody writes to it then is an error, and no wrong value (§11.4.1)`() throws
    {
        let coordinator = try openWithoutWAL()
        let content = try Data(contentsOf: url)
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: content)
        try handle.close()
        let error = #expect(throws: StoreError.self) { try names(coordinator) }
        #expect(error?.reason == .fileChanged && error?.code == 134030)
    }

    // MARK: - Files that go away

    @Test(arguments: ["deleted", "moved", "replaced"])
    func `a save notices that the file is not there any more (§11.5)`(_ event: String) throws {
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = "Lem"
            try context.save()
            if event == "moved" {
                try FileManager.default.moveItem(at: url, to: folder.url("moved.sqlite"))
            } else {
                try FileManager.default.removeItem(at: url)
            }
            let other = folder.url("other.sqlite")
            if event == "replaced" {
                try makeStore(at: other, "Borges")
                try FileManager.default.moveItem(at: other, to: url)
            }
            author.birthYear = 1921
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .fileChanged && error?.url == url)
            #expect(error?.description.contains("add it again") == true)
            #expect(error?.description.contains("repeat the fetch or save") == true)
            #expect(author.isUpdated)
            let request = BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Author"))
            #expect(throws: StoreError.self) { try context.execute(request) }
        }
    }

    @Test(arguments: ["deleted", "moved", "replaced"])
    func `the first fetch notices that the file is not there any more (§11.5)`(
        _ event: String
    ) throws {
        let other = folder.url("other.sqlite")
        try makeStore(at: other, "Borges")
        try makeStore(at: url)
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.sqlite(at: url))
        try FileManager.default.moveItem(at: url, to: folder.url("moved.sqlite"))
        if event == "deleted" {
            try FileManager.default.removeItem(at: folder.url("moved.sqlite"))
        }
        if event == "replaced" { try FileManager.default.moveItem(at: other, to: url) }
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try names(coordinator) }
            #expect(error?.reason == .fileChanged && error?.url == url)
        }
    }

    @Test func `readers that are open go on with the file that they have (§11.5)`() throws {
        let other = folder.url("other.sqlite")
        try makeStore(at: other, "Borges")
        try makeStore(at: url)
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.sqlite(at: url))
        #expect(try names(coordinator) == ["Lem"])
        try FileManager.default.removeItem(at: url)
        try FileManager.default.moveItem(at: other, to: url)
        #expect(try names(coordinator) == ["Lem"])
    }
}
