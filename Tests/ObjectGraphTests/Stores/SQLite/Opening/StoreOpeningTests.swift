import Foundation
import ObjectGraph
import TestSupport
import Testing

/// A store that cannot be opened throws a typed error and is unchanged.
@Suite struct `Opening stores (§11.1, §11.3, §11.4)` {
    let folder = TemporaryFolder()
    var url: URL { folder.url("library.sqlite") }

    private func coordinator() throws -> PersistentStoreCoordinator {
        PersistentStoreCoordinator(model: try makeLibraryModel())
    }

    /// Makes a store with one author and closes it.
    private func makeStore(at url: URL) throws {
        let coordinator = try coordinator()
        let store = try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            TestSupport.Author(context: context).name = "Lem"
            try context.save()
        }
        try coordinator.removePersistentStore(store)
    }

    /// The folder's files with their contents.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            files[name] = (try? Data(contentsOf: folder.url(name))) ?? Data()
        }
        return files
    }

    private func expectRefusal(
        _ reason: StoreError.Reason, code: Int, isReadOnly: Bool = false
    ) throws {
        let before = try files()
        var description = PersistentStoreDescription.sqlite(at: url)
        description.isReadOnly = isReadOnly
        let error = #expect(throws: StoreError.self) {
            try coordinator().addPersistentStore(description)
        }
        #expect(error?.reason == reason && error?.code == code, "\(String(describing: error))")
        #expect(error?.url == url)
        #expect(try files() == before)
    }

    @Test func `a file that is no database (§5.6.4)`() throws {
        try Data("This is no database, but it is long enough.".utf8).write(to: url)
        try expectRefusal(.notADatabase, code: 259)
    }

    @Test func `a file that was cut off (§5.6.4)`() throws {
        try makeStore(at: url)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 5000)
        try handle.close()
        try expectRefusal(.notADatabase, code: 259)
    }

    @Test func `opening a store and reading it writes nothing`() throws {
        try makeStore(at: url)
        let before = try files()
        let coordinator = try coordinator()
        let store = try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let names = try context.performAndWait {
            try TestSupport.Author.all(in: context).map(\.name)
        }
        #expect(names == ["Lem"])
        #expect(try files()["library.sqlite-wal"] == Data())
        try coordinator.removePersistentStore(store)
        #expect(try files() == before)
    }

    @Test func `a database with other tables (§5.6.5)`() throws {
        let other = folder.url("other.sqlite")
        try makeStore(at: other)
        try PersistentStoreCoordinator.destroyPersistentStore(at: other)
        let foreign = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Stranger", attributes: [AttributeDescription("name", .string)])
            ]))
        let store = try foreign.addPersistentStore(.sqlite(at: url))
        try foreign.removePersistentStore(store)
        let before = try files()
        let error = #expect(throws: MigrationError.self) {
            try coordinator().addPersistentStore(.sqlite(at: url))
        }
        guard case .notInferable(let obstacles)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(obstacles.map(\.reason) == [.unrelatedModels] && error?.code == 134190)
        #expect(try files() == before)
    }

    @Test func `a missing file is not made for a reader (§11.4.1)`() throws {
        try expectRefusal(.missingFile, code: 260, isReadOnly: true)
    }

    @Test func `a folder is no file (§5.6.4)`() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        let error = #expect(throws: StoreError.self) {
            try coordinator().addPersistentStore(.sqlite(at: url))
        }
        #expect(error?.reason == .cannotOpen && error?.code == 256)
    }

    @Test func `a store has its URL, in the order of adding (§11.1.7)`() throws {
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.sqlite(at: url))
        try coordinator.addPersistentStore(.inMemory())
        try coordinator.addPersistentStore(.sqlite(at: folder.url("other.sqlite")))
        #expect(
            coordinator.persistentStores.map(\.url) == [url, nil, folder.url("other.sqlite")])
    }

    @Test func `rows are loaded when they are needed (§11.3.1)`() throws {
        try makeStore(at: url)
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            var request = FetchRequest(entityName: "Author")
            request.includesPropertyValues = false
            let id = try #require(try context.fetchObjectIDs(request).first)
            coordinator.resetCounters()
            let author = context.author(id)
            #expect(coordinator.counters.rowsRead == 0)
            #expect(author.name == "Lem")
            #expect(coordinator.counters.rowsRead == 1)
        }
    }

    @Test func `a named store in memory is shared by coordinators (§11.3.7)`() throws {
        let url = URL(filePath: "/dev/null/\(UUID().uuidString)")
        let (first, second) = (try coordinator(), try coordinator())
        let store = try first.addPersistentStore(.sqlite(at: url))
        #expect(try second.addPersistentStore(.sqlite(at: url)).identifier == store.identifier)
        let error = #expect(throws: StoreError.self) {
            try first.addPersistentStore(.sqlite(at: url))
        }
        #expect(error?.reason == .alreadyOpen)
        let (writer, reader) = (
            ManagedObjectContext(.privateQueue, coordinator: first),
            ManagedObjectContext(.privateQueue, coordinator: second)
        )
        try writer.performAndWait {
            writer.retainsRegisteredObjects = true
            TestSupport.Author(context: writer).name = "Lem"
            try writer.save()
        }
        try reader.performAndWait {
            let authors = try TestSupport.Author.all(in: reader)
            #expect(authors.map(\.name) == ["Lem"])
            authors[0].name = "Stanisław Lem"
            try reader.save()
        }
        try writer.performAndWait {
            let author = try #require(try TestSupport.Author.findFirst(in: writer))
            author.birthYear = 1921
            #expect(throws: SaveError.self) { try writer.save() }
        }
        for coordinator in [first, second] {
            for store in coordinator.persistentStores {
                try coordinator.removePersistentStore(store)
            }
        }
        let third = try coordinator()
        try third.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: third)
        let count = try context.performAndWait { try TestSupport.Author.count(in: context) }
        #expect(count == 0)
    }

    @Test func `a WAL that cannot be recovered in its place is in a copy (§11.4.1)`() throws {
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.sqlite(at: folder.url("open.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            TestSupport.Author(context: context).name = "Lem"
            try context.save()
        }
        // The state after a crash: a file, and a WAL that no program has checkpointed.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                at: folder.url("open.sqlite\(suffix)"), to: folder.url("library.sqlite\(suffix)"))
        }
        // A folder at the path of the WAL's index prevents the index.
        try FileManager.default.createDirectory(
            at: folder.url("library.sqlite-shm"), withIntermediateDirectories: false)
        let before = try files()
        #expect(
            try PersistentStoreCoordinator.metadataForPersistentStore(at: url).identifier
                == coordinator.persistentStores[0].identifier)
        var description = PersistentStoreDescription.sqlite(at: url)
        description.isReadOnly = true
        let reader = try self.coordinator()
        #expect(try reader.addPersistentStore(description).url == url)
        let reading = ManagedObjectContext(.privateQueue, coordinator: reader)
        try reading.performAndWait {
            let names = try TestSupport.Author.all(in: reading).map(\.name)
            #expect(names == ["Lem"])
        }
        #expect(try files() == before)
    }

    @Test func `versions can be ignored (§11.4.7)`() throws {
        try makeStore(at: url)
        let other = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Author",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("birthYear", .integer32),
                ])
        ])
        var description = PersistentStoreDescription.sqlite(at: url)
        description.migration.isAutomatic = false
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator(model: other).addPersistentStore(description)
        }
        #expect(error?.code == 134100)
        description.ignoresModelVersions = true
        let coordinator = PersistentStoreCoordinator(model: other)
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let authors = try context.all("Author")
            #expect(try authors.map { try $0.value(forKey: "name") as? String } == ["Lem"])
        }
    }

    @Test func `a model that lacks an entity of the file is refused even so (§11.4.7)`() throws {
        try makeStore(at: url)
        let other = try ManagedObjectModel(entities: [
            EntityDescription(name: "Account", attributes: [AttributeDescription("name", .string)]),
            EntityDescription(name: "Author", attributes: [AttributeDescription("name", .string)]),
        ])
        var description = PersistentStoreDescription.sqlite(at: url)
        description.ignoresModelVersions = true
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator(model: other).addPersistentStore(description)
        }
        #expect(error?.reason == .missingEntity("Account") && error?.code == 134020)
    }

    @Test func `the model must have the checksum that is expected (§11.4.10)`() throws {
        let model = try makeLibraryModel()
        var description = PersistentStoreDescription.sqlite(at: url)
        description.expectedModelChecksum = "another"
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator(model: model).addPersistentStore(description)
        }
        #expect(error?.reason == .unexpectedModel(checksum: "another") && error?.code == 134100)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        description.expectedModelChecksum = model.versionChecksum
        try PersistentStoreCoordinator(model: model).addPersistentStore(description)
    }

    @Test func `one file cannot be opened twice in one coordinator (§11.1.3)`() throws {
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.sqlite(at: url))
        let error = #expect(throws: StoreError.self) {
            try coordinator.addPersistentStore(.sqlite(at: url))
        }
        #expect(error?.reason == .alreadyOpen && error?.code == 134080)
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test(arguments: [true, false])
    func `a store that is open for reading only refuses a save (§11.4.1)`(_ isFile: Bool) throws {
        try makeStore(at: url)
        let coordinator = try coordinator()
        var description: PersistentStoreDescription = isFile ? .sqlite(at: url) : .inMemory()
        description.isReadOnly = true
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let count = try TestSupport.Author.count(in: context)
            #expect(count == (isFile ? 1 : 0))
            TestSupport.Author(context: context).name = "new"
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .readOnly && error?.code == 134030)
            #expect(context.insertedObjects.count == 1)
        }
    }

    @Test func `settings are made on every connection and can be read back (§11.4.2, §11.4.3)`()
        throws
    {
        let coordinator = try coordinator()
        var description = PersistentStoreDescription.sqlite(at: url)
        description.pragmas = ["synchronous": "FULL", "journal_mode": "DELETE"]
        description.vacuumsWhenOpened = true
        description.analyzesWhenOpened = true
        let store = try coordinator.addPersistentStore(description)
        #expect(try coordinator.pragma("synchronous", of: store) == "2")
        #expect(try coordinator.pragma("journal_mode", of: store) == "delete")
    }

    @Test func `a lock that is held too long is a timeout (§11.4.4)`() throws {
        try makeStore(at: url)
        let coordinators = (try coordinator(), try coordinator())
        var description = PersistentStoreDescription.sqlite(at: url)
        description.timeout = .zero
        try coordinators.0.addPersistentStore(description)
        try coordinators.1.addPersistentStore(description)
        let (first, second) = (
            ManagedObjectContext(.privateQueue, coordinator: coordinators.0),
            ManagedObjectContext(.privateQueue, coordinator: coordinators.1)
        )
        try first.performAndWait {
            _ = try first.execute(
                BatchInsertRequest(entityName: "Author") { row in
                    second.performAndWait {
                        TestSupport.Author(context: second).name = "waits"
                        let error = #expect(throws: StoreError.self) { try second.save() }
                        #expect(error?.reason == .timeout && error?.code == 134090)
                        #expect(error?.sqlite?.isBusy == true)
                    }
                    return true
                })
        }
        try second.performAndWait { try second.save() }
    }

    // An alarm in each process ends it if it waits forever. A time limit of the test would also
    // count its wait for other tests.
    @Test func `a row handler that would wait for its own store stops the process`() async {
        let fetchUnderLock = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            alarm(60)
            let folder = TemporaryFolder()
            let coordinator = PersistentStoreCoordinator(
                model: try makeLibraryModel(), lockPolicy: .serialized)
            try coordinator.addPersistentStore(.sqlite(at: folder.url("library.sqlite")))
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.insertRow { _ = try TestSupport.Author.count(in: context) }
        }
        let saveInHandler = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            alarm(60)
            let fixture = try ContextFixture()
            let context = fixture.context()
            try context.insertRow {
                TestSupport.Author(context: context).name = "Lem"
                try context.save()
            }
        }
        for message in [fetchUnderLock.message, saveInHandler.message] {
            #expect(message.contains("Fetch what it needs before the batch insert"), "\(message)")
        }
    }

    @Test(arguments: [true, false])
    func `a SQLite store in memory (§11.3.4, §11.3.5, §11.3.9, §14.34)`(
        _ byURL: Bool
    ) throws {
        let coordinator = try coordinator()
        let store = try coordinator.addPersistentStore(
            byURL ? .sqlite(at: URL(filePath: "/dev/null")) : .sqliteInMemory())
        #expect(store.url == nil)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            for _ in 0..<2 { Topic(context: context).name = "space" }
            #expect(throws: SaveError.self) { try context.save() }
            context.rollback()
            try context.execute(
                BatchInsertRequest(entityName: "Author", objects: [["name": .string("Lem")]]))
            let error = #expect(throws: StoreError.self) {
                try context.execute(
                    BatchInsertRequest(entityName: "Author", objects: [["name": .null]]))
            }
            #expect(error?.reason == .missingMandatoryValue(attribute: "name", entity: "Author"))
            #expect(try TestSupport.Author.count(in: context) == 1)
        }
        try coordinator.removePersistentStore(store)
        try coordinator.addPersistentStore(.sqliteInMemory())
        let count = try context.performAndWait { try TestSupport.Author.count(in: context) }
        #expect(count == 0)
    }

    @Test
    func `an in-memory store has no constraints and no batch requests (§11.3.4, §11.3.5, §14.34)`()
        throws
    {
        let coordinator = try coordinator()
        try coordinator.addPersistentStore(.inMemory())
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            for _ in 0..<2 { Topic(context: context).name = "space" }
            try context.save()
            let error = #expect(throws: StoreError.self) {
                try context.execute(
                    BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Topic")))
            }
            #expect(error?.code == 134091)
        }
    }

    @Test func `objects of a removed store can no longer be read (§11.1.1)`() throws {
        let coordinator = try coordinator()
        let store = try coordinator.addPersistentStore(.inMemory())
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let id = try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = "Lem"
            try context.save()
            return author.objectID
        }
        try coordinator.removePersistentStore(store)
        context.performAndWait {
            let error = #expect(throws: FetchError.self) { try context.existingObject(with: id) }
            #expect(error?.code == 133000)
        }
    }
}

extension ManagedObjectContext {
    /// Runs the body in the handler of a batch insert.
    fileprivate func insertRow(_ body: @escaping @Sendable () throws -> Void) throws {
        try performAndWait {
            _ = try execute(
                BatchInsertRequest(entityName: "Author") { _ in
                    try body()
                    return true
                })
        }
    }
}
