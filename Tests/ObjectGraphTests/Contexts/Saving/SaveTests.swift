import ObjectGraph
import TestSupport
import Testing

@Suite struct `Saving (§5.1, §5.2, §5.6)` {
    @Test func `a save without changes writes nothing, and says so (§5.1.1)`() throws {
        let fixture = try ContextFixture()
        let context = fixture.context()
        let posted = Recorder<ContextNotification>()
        try context.performAndWait {
            let observation = context.observe { posted.values.append($0) }
            try context.save()
            observation.cancel()
        }
        #expect(posted.values == [.willSave, .didSave(ObjectChanges())])
        #expect(fixture.coordinator.counters.saves == 0)
    }

    @Test func `an equal value is no change to be written or told (§5.1.13, §14.10, §14.11)`()
        throws
    {
        let fixture = try ContextFixture()
        let id = try fixture.saveAuthor("Lem")
        let context = fixture.context()
        let posted = Recorder<ContextNotification>()
        try context.performAndWait {
            let author = context.author(id)
            author.name = "Lem"
            #expect(author.isUpdated && context.hasChanges && !author.hasPersistentChangedValues)
            let observation = context.observe { posted.values.append($0) }
            fixture.coordinator.resetCounters()
            try context.save()
            observation.cancel()
            #expect(!context.hasChanges)
        }
        #expect(fixture.coordinator.counters.transactions == 0)
        #expect(posted.values.last == .didSave(ObjectChanges()))
    }

    @Test func `an update writes the changed columns and the version (§5.2.1, §5.2.2)`() throws {
        let folder = TemporaryFolder()
        let statements = Recorder<String>()
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        var description = PersistentStoreDescription.sqlite(at: folder.url("library.sqlite"))
        description.statementObserver = { sql, _ in statements.values.append(sql) }
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = "Lem"
            try context.save()
            author.birthYear = 1921
            try context.save()
        }
        let update = try #require(statements.values.last { $0.hasPrefix("UPDATE ZAUTHOR") })
        #expect(
            update
                == "UPDATE ZAUTHOR SET ZBIRTHYEAR = 1921, Z_OPT = 2 WHERE Z_PK = 1 AND IFNULL(Z_OPT, 0) = 1"
        )
    }

    @Test func `a one-to-many change is written where the key is (§5.2.3)`() throws {
        let statements = Recorder<String>()
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        var description = PersistentStoreDescription.sqliteInMemory()
        description.statementObserver = { sql, _ in statements.values.append(sql) }
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = "Lem"
            let book = TestSupport.Book(context: context)
            book.title = "Solaris"
            try context.save()
            statements.values = []
            author.publications = [book]
            try context.save()
        }
        let updates = statements.values.filter { $0.hasPrefix("UPDATE") }.map {
            $0.prefix { $0 != "=" }
        }
        #expect(
            Set(updates) == ["UPDATE ZPUBLICATION SET ZAUTHOR ", "UPDATE ZAUTHOR SET Z_OPT "])
    }

    @Test(arguments: [false, true])
    func `the same changes make the same join table (§5.1.15)`(migrates: Bool) throws {
        func pairs() throws -> [[String?]] {
            let store = try StoreFixture(makeLibraryModel(), inMemory: migrates)
            try store.run { context in
                let topics = (0..<20).map { number in
                    let topic = Topic(context: context)
                    topic.name = "topic \(number)"
                    return topic
                }
                for number in 0..<10 {
                    let book = TestSupport.Book(context: context)
                    book.title = "book \(number)"
                    // The topics are added in the order of a set, which varies.
                    book.topics = Set(topics)
                }
                try context.save()
            }
            if migrates {
                try store.coordinator.migratePersistentStore(
                    store.coordinator.persistentStores[0],
                    to: .sqlite(at: store.folder.url("store.sqlite")))
            }
            return try store.sql("SELECT rowid, * FROM Z_2TOPICS ORDER BY rowid")
        }
        let first = try pairs()
        #expect(first.count == 200)
        #expect(try pairs() == first)
    }

    @Test func `objects take over what was written (§5.1.9)`() throws {
        let fixture = try ContextFixture()
        let id = try fixture.saveAuthor("Borges")
        let context = fixture.context()
        try context.performAndWait {
            let (new, gone) = (TestSupport.Author(context: context), context.author(id))
            new.name = "Lem"
            context.delete(gone)
            try context.save()
            #expect(!new.objectID.isTemporaryID && !new.hasChanges && new.changedValues().isEmpty)
            #expect(new.committedValues(forKeys: ["name"])["name"] as? String == "Lem")
            #expect(gone.managedObjectContext == nil)
            // The row cache has the written rows, so no fault reads them.
            fixture.coordinator.resetCounters()
            let other = fixture.context()
            let saved = new.objectID
            other.performAndWait { #expect(other.author(saved).name == "Lem") }
            #expect(fixture.coordinator.counters.statements == 0)
        }
    }

    @Test func `nothing is deleted where no row was found (§3.5.2, §5.3.8)`() throws {
        let fixture = try ContextFixture()
        let (worker, view) = (fixture.context(), fixture.context())
        let id = worker.performAndWait { TestSupport.Author(context: worker).objectID }
        try view.performAndWait {
            let author = view.author(id)
            #expect(author.name == "" && author.isDeleted)
            try view.save()
            #expect(!view.hasChanges && author.managedObjectContext == nil)
        }
        ManagedObjectContext.mergeChanges(ObjectChanges(deleted: [id]), into: [view])
    }

    @Test func `a save that refers to what was never saved throws (§5.1.12)`() throws {
        let fixture = try ContextFixture()
        let (worker, view) = (fixture.context(), fixture.context())
        let id = worker.performAndWait { TestSupport.Author(context: worker).objectID }
        try view.performAndWait {
            let book = TestSupport.Book(context: view)
            book.title = "Solaris"
            book.author = view.author(id)
            let error = #expect(throws: SaveError.self) { try view.save() }
            #expect(error?.code == 133000 && book.isInserted && book.objectID.isTemporaryID)
            book.author = nil
            try view.save()
            #expect(!book.objectID.isTemporaryID)
        }
    }

    @Test func `everything that is not valid is reported at once (§5.6.1, §5.6.2)`() throws {
        let fixture = try ContextFixture()
        let context = fixture.context()
        context.performAndWait {
            let objects = [TestSupport.Author(context: context), Topic(context: context)]
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .validation(let errors)? = error else { return }
            #expect(error?.code == 1560)
            #expect(errors.map(\.code) == [1570, 1570])
            #expect(Set(errors.map(\.objectID)) == Set(objects.map(\.objectID)))
            #expect(context.insertedObjects.count == 2)
        }
    }

    @Test func `without a store a save throws (§5.1.14)`() throws {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        context.performAndWait {
            TestSupport.Author(context: context).name = "Lem"
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .noStores && error?.code == 134030)
            #expect(context.insertedObjects.count == 1)
        }
    }

    @Test func `a save of two stores writes both or none (§5.1.11)`() throws {
        let fixture = try ContextFixture()
        let second = try fixture.coordinator.addPersistentStore(.sqliteInMemory())
        let context = fixture.context()
        try context.performAndWait {
            TestSupport.Author(context: context).name = "first"
            let other =
                try context.insertObject(entityName: "Topic", into: second) as! Topic
            other.name = "second"
            try context.save()
            #expect(other.objectID.storeIdentifier == second.identifier)
            // The second store fails, so the first must not have the changes either.
            let duplicate = try context.insertObject(entityName: "Topic", into: second) as! Topic
            duplicate.name = "second"
            TestSupport.Author(context: context).name = "third"
            #expect(throws: SaveError.self) { try context.save() }
            #expect(context.insertedObjects.count == 2)
        }
        #expect(try fixture.storedAuthors() == ["first"])
    }

    @Test func `a disk that is full leaves file and context as they were (§5.6.3)`() throws {
        let folder = TemporaryFolder()
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        var description = PersistentStoreDescription.sqlite(at: folder.url("library.sqlite"))
        description.pragmas = ["max_page_count": "40"]
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = String(repeating: "long ", count: 100_000)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .diskFull && error?.code == 13)
            #expect(error?.sqlite?.code == 13)
            #expect(context.insertedObjects == [author] && author.objectID.isTemporaryID)
            author.name = "short"
            try context.save()
        }
    }
}
