import Foundation
import ObjectGraph
import TestSupport
import Testing

@Suite struct `Several stores (§11.1)` {
    let folder = TemporaryFolder()
    let coordinator: PersistentStoreCoordinator
    let people: PersistentStoreHandle
    let themes: PersistentStoreHandle

    init() throws {
        let library = try makeLibraryModel()
        let names = Set(library.entitiesByName.keys)
        let model = try ManagedObjectModel(
            entities: Array(library.entitiesByName.values),
            configurations: ["themes": ["Specimen"], "people": names.subtracting(["Specimen"])])
        coordinator = PersistentStoreCoordinator(model: model)
        var description = PersistentStoreDescription.sqlite(at: folder.url("people.sqlite"))
        description.configuration = "people"
        people = try coordinator.addPersistentStore(description)
        description = .sqlite(at: folder.url("themes.sqlite"))
        description.configuration = "themes"
        themes = try coordinator.addPersistentStore(description)
    }

    @Test func `an object goes to the store whose configuration has its entity (§11.1.2)`() throws {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = "Lem"
            let specimen = Specimen(context: context)
            try context.save()
            #expect(author.objectID.storeIdentifier == people.identifier)
            #expect(specimen.objectID.storeIdentifier == themes.identifier)
            #expect(try Specimen.count(in: context) == 1)
        }
    }

    @Test func `a configuration that is not in the model is refused (§11.1.1)`() throws {
        var description = PersistentStoreDescription.inMemory()
        description.configuration = "nothing"
        let error = #expect(throws: StoreError.self) {
            try coordinator.addPersistentStore(description)
        }
        #expect(error?.reason == .unknownConfiguration("nothing"))
    }

    @Test func `removing a store invalidates its objects alone (§11.1.1, §4.5.1)`() throws {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let posted = Recorder<ContextNotification>()
        try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = "Lem"
            let specimen = Specimen(context: context)
            try context.save()
            let id = specimen.objectID
            specimen[Specimen.string] = "unsaved"
            author.name = "changed"
            context.processPendingChanges()
            let observation = context.observe { posted.values.append($0) }
            try coordinator.removePersistentStore(themes)
            try context.save()
            observation.cancel()
            #expect(posted.values.first == .objectsDidChange(ObjectChanges(invalidated: [id])))
            #expect(specimen.managedObjectContext == nil && specimen[Specimen.string] == nil)
            #expect(context.registeredObject(for: id) == nil && !context.hasChanges)
            _ = #expect(throws: FetchError.noSuchObject(id)) {
                try context.existingObject(with: id)
            }
            #expect(try names(in: people, context) == ["changed"])
        }
    }

    @Test func `an entity that no store holds cannot be saved (§11.1.4)`() throws {
        try coordinator.removePersistentStore(themes)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            _ = Specimen(context: context)
            let count = try Specimen.count(in: context)
            #expect(count == 1)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .noStore(entity: "Specimen") && error?.code == 134020)
        }
    }

    @Test func `a fetch is a union over stores, or over those it names (§11.1.2)`() throws {
        let second = try coordinator.addPersistentStore(.inMemory())
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            TestSupport.Author(context: context).name = "first"
            let other =
                try context.insertObject(entityName: "Author", into: second) as! TestSupport.Author
            other.name = "second"
            try context.save()
            #expect(
                try TestSupport.Author.all(in: context, sortedBy: [.descending("name")]).map(\.name)
                    == ["second", "first"])
            var request = FetchRequest(entityName: "Author")
            request.affectedStores = [second.identifier]
            #expect(
                try context.fetch(request, as: TestSupport.Author.self).map(\.name) == ["second"])
        }
    }

    @Test(arguments: [true, false])
    func `an identifier names no row of another store (§11.1.6)`(isInMemory: Bool) throws {
        let (context, second) = try withSecondStore { isInMemory ? .inMemory() : .sqlite(at: $0) }
        try context.performAndWait {
            var ids: [ManagedObjectID] = []
            for (store, name) in [(people, "first"), (second, "second")] {
                let author =
                    try context.insertObject(entityName: "Author", into: store)
                    as! TestSupport.Author
                author.name = name
                let book =
                    try context.insertObject(entityName: "Book", into: store) as! TestSupport.Book
                book.title = name
                book.author = author
                try context.save()
                ids.append(author.objectID)
            }
            context.reset()
            // Primary keys begin at 1 in each store.
            func found(_ entity: String, _ format: String, _ argument: any PredicateArgument) throws
                -> [String]
            {
                try context.fetch(
                    FetchRequest(
                        entityName: entity, predicate: try ObjectPredicate(format, argument)),
                    as: ManagedObject.self
                ).map { try $0.value(forKey: entity == "Book" ? "title" : "name") as? String ?? "" }
                    .sorted()
            }
            #expect(try found("Author", "SELF == %@", ids[1]) == ["second"])
            #expect(try found("Author", "SELF != %@", ids[1]) == ["first"])
            #expect(try found("Author", "SELF IN %@", [ids[0]]) == ["first"])
            #expect(try found("Author", "SELF IN %@", ids) == ["first", "second"])
            #expect(try found("Author", "NOT SELF IN %@", [ids[0]]) == ["second"])
            #expect(try found("Book", "author == %@", ids[0]) == ["first"])
        }
    }

    /// A context, and another store with the entities of `people`.
    private func withSecondStore(
        _ type: (URL) -> PersistentStoreDescription = { .sqlite(at: $0) }
    ) throws -> (context: ManagedObjectContext, second: PersistentStoreHandle) {
        var description = type(folder.url("second.sqlite"))
        description.configuration = "people"
        let second = try coordinator.addPersistentStore(description)
        return (ManagedObjectContext(.privateQueue, coordinator: coordinator), second)
    }

    private func names(
        in store: PersistentStoreHandle, _ context: ManagedObjectContext
    ) throws -> [String] {
        var request = FetchRequest(entityName: "Author", sortKeys: [.ascending("name")])
        request.affectedStores = [store.identifier]
        return try context.fetch(request, as: TestSupport.Author.self).map(\.name)
    }

    @Test func `a batch insert goes to the store of new objects, or to one it names (§6.1.2)`()
        throws
    {
        let (context, second) = try withSecondStore()
        try context.performAndWait {
            var request = BatchInsertRequest(
                entityName: "Author", objects: [["name": .string("Lem")]])
            let result = try context.execute(request, resultType: .objectIDs)
            #expect(result.objectIDs.map(\.storeIdentifier) == [people.identifier])
            request.affectedStores = [second.identifier]
            #expect(try context.execute(request).count == 1)
            #expect(try names(in: people, context) == ["Lem"])
            #expect(try names(in: second, context) == ["Lem"])
            request.affectedStores = [themes.identifier]
            let error = #expect(throws: StoreError.self) { try context.execute(request) }
            #expect(error?.reason == .noStore(entity: "Author"))
        }
    }

    @Test
    func `a batch request changes the stores that hold its entity, or that it names (§6.1.2)`()
        throws
    {
        let (context, second) = try withSecondStore()
        try context.performAndWait {
            for store in [people, second] {
                let author = try context.insertObject(entityName: "Author", into: store)
                try author.setValue("Lem", forKey: "name")
            }
            try context.save()
            context.reset()
            var update = BatchUpdateRequest(
                entityName: "Author", propertiesToUpdate: ["name": .constant(.string("new"))])
            #expect(try context.execute(update).count == 2)
            update.affectedStores = [second.identifier]
            update.propertiesToUpdate = ["name": .constant(.string("second"))]
            #expect(try context.execute(update).count == 1)
            #expect(try names(in: people, context) == ["new"])
            #expect(try names(in: second, context) == ["second"])
            var deleted = FetchRequest(entityName: "Author")
            deleted.affectedStores = [people.identifier]
            let delete = BatchDeleteRequest(fetchRequest: deleted)
            #expect(try context.execute(delete).count == 1)
            #expect(try TestSupport.Author.count(in: context) == 1)
        }
    }

    @Test func `a store that runs no batch requests keeps them from all (§6.1.2, §6.1.4)`() throws {
        let (context, second) = try withSecondStore { _ in .inMemory() }
        try context.performAndWait {
            for store in [people, second] {
                let author = try context.insertObject(entityName: "Author", into: store)
                try author.setValue("Lem", forKey: "name")
            }
            try context.save()
            let error = #expect(throws: StoreError.self) {
                try context.execute(
                    BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Author")))
            }
            #expect(error?.code == 134091)
            #expect(try TestSupport.Author.count(in: context) == 2)
        }
    }

    @Test func `a store of a configuration migrates to one that has its entities (§11.5.4)`() throws
    {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            TestSupport.Author(context: context).name = "Lem"
            try context.save()
        }
        func migrate(to configuration: String) throws -> PersistentStoreHandle {
            var description = PersistentStoreDescription.sqlite(
                at: folder.url("new-\(configuration).sqlite"))
            description.configuration = configuration
            return try coordinator.migratePersistentStore(people, to: description)
        }
        let error = #expect(throws: StoreError.self) { try migrate(to: "themes") }
        #expect(error?.code == 134091)
        let moved = try migrate(to: "people")
        #expect(coordinator.persistentStores == [themes, moved])
        let fresh = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let authors = try fresh.performAndWait { try names(in: moved, fresh) }
        #expect(authors == ["Lem"])
    }

    @Test func `an identifier is found by the identifier of its store (§11.1.6)`() throws {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let id = try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = "Lem"
            try context.save()
            return author.objectID
        }
        #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation) == id)
        let stranger = URL(string: "x-coredata://\(UUID().uuidString)/Author/p1")!
        #expect(coordinator.managedObjectID(forURIRepresentation: stranger) == nil)
    }

    @Test func `a key of another entity of the table is no object (§11.1.6)`() throws {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let book = TestSupport.Book(context: context)
            book.title = "Solaris"
            try context.save()
            let text = book.objectID.uriRepresentation.absoluteString
            let wrong = try #require(
                coordinator.managedObjectID(
                    forURIRepresentation: URL(
                        string: text.replacing("/Book/", with: "/Magazine/"))!))
            let other = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            let child = ManagedObjectContext(.privateQueue, parent: context)
            for context in [other, child] {
                context.performAndWait {
                    _ = #expect(throws: FetchError.self) { try context.existingObject(with: wrong) }
                }
            }
            // The object of the row replaces the object that was made for the wrong identifier.
            try other.performAndWait {
                let ghost = other.object(with: wrong)
                let found = try TestSupport.Book.findFirst(in: other)
                #expect(found?.title == "Solaris")
                #expect(ghost.managedObjectContext == nil)
            }
        }
    }
}
