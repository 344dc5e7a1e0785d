import ObjectGraph
import TestSupport
import Testing

@Suite struct `Merging what others saved (§4.3, §4.4)` {
    let fixture: ContextFixture
    let view: ManagedObjectContext
    let worker: ManagedObjectContext

    init() throws {
        fixture = try ContextFixture()
        view = fixture.context()
        worker = fixture.context()
    }

    /// The changes that the worker's save in the body posts.
    private func saved(_ body: @Sendable () throws -> Void) throws -> ObjectChanges {
        let posted = Recorder<ObjectChanges>()
        let observation = worker.observe {
            if case .didSave(let changes) = $0 { posted.values.append(changes) }
        }
        try worker.performAndWait {
            try body()
            try worker.save()
        }
        observation.cancel()
        return try #require(posted.values.last)
    }

    @Test
    func
        `merged inserts are faults and not inserted objects (§4.4.1, §4.4.2, §4.4.6, §4.4.9, §4.5.5, §14.20)`()
        throws
    {
        let changes = try saved { TestSupport.Author(context: worker).name = "Lem" }
        let posted = Recorder<ContextNotification>()
        view.performAndWait {
            let observation = view.observe { posted.values.append($0) }
            view.mergeChanges(changes)
            observation.cancel()
            #expect(view.insertedObjects.isEmpty && !view.hasChanges)
            #expect(view.registeredObject(for: changes.inserted[0])?.isFault == true)
        }
        #expect(
            posted.values == [
                .objectsDidChange(ObjectChanges(inserted: changes.inserted)),
                .didMerge(ObjectChanges(inserted: changes.inserted)),
            ])
    }

    @Test
    func `merged updates refresh realised objects and keep local changes (§4.4.3, §4.4.6, §4.5.5)`()
        throws
    {
        let id = try fixture.saveAuthor("Lem", birthYear: 1900)
        try view.performAndWait {
            let author = view.author(id)
            author.name = "local"
            let changes = try saved { worker.author(id).birthYear = 1921 }
            let posted = Recorder<ContextNotification>()
            let observation = view.observe { posted.values.append($0) }
            view.mergeChanges(changes)
            observation.cancel()
            #expect(author.name == "local" && author.birthYear == 1921)
            #expect(
                posted.values == [
                    .objectsDidChange(ObjectChanges(refreshed: [id])),
                    .didMerge(ObjectChanges(updated: [id], refreshed: [id])),
                ])
            try view.save()
        }
    }

    @Test func `a merge of what is not here changes no object (§4.4.6)`() throws {
        let id = try fixture.saveAuthor("Lem")
        let posted = Recorder<ContextNotification>()
        view.performAndWait {
            let observation = view.observe { posted.values.append($0) }
            view.mergeChanges(ObjectChanges(updated: [id], deleted: [id]))
            observation.cancel()
        }
        #expect(posted.values == [.didMerge(ObjectChanges())])
    }

    @Test func `parents are told before their children (§4.4.8)`() throws {
        let id = try fixture.saveAuthor("Lem")
        let child = fixture.child(of: view)
        view.performAndWait { #expect(view.author(id).name == "Lem") }
        child.performAndWait { child.author(id).birthYear = 1921 }
        let other = ManagedObjectContext(
            .privateQueue, coordinator: try fixture.otherCoordinator())
        try other.performAndWait {
            other.author(id).name = "new"
            try other.save()
        }
        ManagedObjectContext.mergeChanges(ObjectChanges(updated: [id]), into: [child, view])
        child.performAndWait {
            let author = child.author(id)
            #expect(author.name == "new" && author.birthYear == 1921)
        }
    }

    @Test func `merged deletes are deleted objects until the next save (§4.4.4)`() throws {
        let id = try fixture.saveAuthor("Lem")
        try view.performAndWait {
            let author = view.author(id)
            #expect(author.name == "Lem")
            let changes = try saved { worker.delete(worker.author(id)) }
            view.mergeChanges(changes)
            #expect(view.deletedObjects == [author])
            try view.save()
            #expect(author.managedObjectContext == nil && view.deletedObjects.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a rollback does not bring back what others have deleted (§4.4.10)`(
        isDeletedHereToo: Bool
    ) throws {
        let id = try fixture.saveAuthor("Lem", birthYear: 1921)
        try view.performAndWait {
            let author = view.author(id)
            #expect(author.name == "Lem")
            if isDeletedHereToo { view.delete(author) }
            view.mergeChanges(try saved { worker.delete(worker.author(id)) })
            #expect(author.name == "Lem" && author.isDeleted)
            view.rollback()
            #expect(!view.hasChanges)
            #expect(author.birthYear == nil && author.isDeleted)
            #expect(throws: FetchError.noSuchObject(id)) { try view.existingObject(with: id) }
            try view.save()
            #expect(author.managedObjectContext == nil)
        }
        #expect(try fixture.storedAuthors().isEmpty)
    }

    @Test func `what others have deleted cannot be inserted again (§4.4.10)`() throws {
        let id = try fixture.saveAuthor("Lem", birthYear: 1921)
        try view.performAndWait {
            let author = view.author(id)
            #expect(author.name == "Lem")
            view.mergeChanges(try saved { worker.delete(worker.author(id)) })
            view.insert(author)
            #expect(author.birthYear == nil && author.isDeleted)
            try view.save()
        }
        #expect(try fixture.storedAuthors().isEmpty)
    }

    @Test func `a merge updates the relationships that point at what came and went (§4.4.5)`()
        throws
    {
        let id = try fixture.saveAuthor("Lem")
        try view.performAndWait {
            let author = view.author(id)
            #expect(author.publications.isEmpty)
            let changes = try saved {
                let book = TestSupport.Book(context: worker)
                book.title = "Solaris"
                book.author = worker.author(id)
            }
            view.mergeChanges(changes)
            #expect(author.publications.map(\.title) == ["Solaris"])
        }
    }

    /// An author with a book, which the view has read.
    private func authorWithBook() throws -> ManagedObjectID {
        let id = try fixture.saveAuthor("Lem")
        try worker.performAndWait {
            let book = TestSupport.Book(context: worker)
            book.title = "Solaris"
            book.author = worker.author(id)
            try worker.save()
        }
        view.performAndWait {
            #expect(view.author(id).publications.map(\.title) == ["Solaris"])
        }
        return id
    }

    @Test func `what others have deleted leaves relationships (§4.4.5, §4.4.8)`() throws {
        let id = try authorWithBook()
        let deleted = try worker.performAndWait {
            try worker.execute(
                BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Book")),
                resultType: .objectIDs)
        }
        ManagedObjectContext.mergeChanges(
            ObjectChanges(deleted: deleted.objectIDs), into: [view])
        try view.performAndWait {
            let author = view.author(id)
            #expect(author.publications.isEmpty)
            try view.save()
            view.delete(author)
            try view.save()
        }
        #expect(try fixture.storedAuthors() == [])
    }

    @Test func `unsaved objects let go of what others have deleted (§4.4.5)`() throws {
        let id = try fixture.saveAuthor("Lem")
        try view.performAndWait {
            let book = TestSupport.Book(context: view)
            book.title = "Solaris"
            book.author = view.author(id)
            view.mergeChanges(try saved { worker.delete(worker.author(id)) })
            #expect(book.author == nil)
            try view.save()
            view.refresh(book, mergeChanges: false)
            #expect(book.author == nil && book.title == "Solaris")
        }
    }

    @Test func `a member that others moved away is deleted without a merge (§2.6.7)`() throws {
        let id = try authorWithBook()
        let otherID = try fixture.saveAuthor("Borges")
        view.performAndWait {
            view.reset()
            #expect(view.author(id).publications.count == 1)
        }
        _ = try saved {
            for book in worker.author(id).publications { book.author = worker.author(otherID) }
        }
        try view.performAndWait {
            let author = view.author(id)
            for book in author.publications { view.delete(book) }
            try view.save()
            author.publications = []
            #expect(author.publications.isEmpty)
            view.refresh(author, mergeChanges: false)
            view.delete(author)
            try view.save()
        }
    }

    @Test func `siblings merge by themselves when told to (§4.3.1, §4.3.2)`() async throws {
        let id = try fixture.saveAuthor("Lem")
        view.performAndWait { _ = view.author(id).name }
        view.automaticallyMergesChangesFromParent = true
        _ = try saved { worker.author(id).name = "Stanisław Lem" }
        // The merge is in the queue before this.
        let name = await view.perform(schedule: .enqueued) { view.author(id).name }
        #expect(name == "Stanisław Lem")
    }

    @Test func `a batch request is merged only by telling of it (§4.3.3, §4.4.8, §14.21)`() throws {
        let id = try fixture.saveAuthor("Lem")
        view.automaticallyMergesChangesFromParent = true
        let held = view.performAndWait { ObjectBox(object: view.author(id)) }
        view.performAndWait { #expect(view.author(id).name == "Lem") }
        let result = try worker.performAndWait {
            try worker.execute(
                BatchUpdateRequest(
                    entityName: "Author", propertiesToUpdate: ["name": .constant(.string("new"))]),
                resultType: .objectIDs)
        }
        view.performAndWait { #expect(view.author(id).name == "Lem") }
        ManagedObjectContext.mergeChanges(
            ObjectChanges(updated: result.objectIDs), into: [view])
        view.performAndWait {
            #expect(view.author(id) === held.object && view.author(id).name == "new")
        }
    }

    @Test
    func `two coordinators on one file see each other's rows after a remote merge (§4.4.7, §14.1)`()
        throws
    {
        let id = try fixture.saveAuthor("Lem")
        let other = ManagedObjectContext(
            .privateQueue, coordinator: try fixture.otherCoordinator())
        other.performAndWait { #expect(other.author(id).name == "Lem") }
        let changes = try saved { worker.author(id).name = "new" }
        other.performAndWait {
            other.refreshAllObjects()
            #expect(other.author(id).name == "Lem", "its own row cache still has the old row")
        }
        ManagedObjectContext.mergeChanges(changes, into: [other])
        other.performAndWait { #expect(other.author(id).name == "new") }
    }

    @Test func `only values cross between queues (§14.35)`() throws {
        // The content of a notification is Sendable, unlike objects; otherwise this would not
        // compile.
        func cross<Value: Sendable>(_ value: Value.Type) -> Bool { true }
        #expect(cross(ContextNotification.self) && cross(ObjectChanges.self))
    }
}
