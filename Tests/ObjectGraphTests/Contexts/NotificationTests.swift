import ObjectGraph
import TestSupport
import Testing

@Suite struct `Notifications (§4.5)` {
    @Test
    func
        `a save posts in this order (§4.5.2, §4.5.3, §4.5.4, §4.5.10, §4.5.11, §5.1.2, §5.1.10, §14.13)`()
        throws
    {
        let fixture = try ContextFixture()
        let context = fixture.context()
        let posted = Recorder<ContextNotification>()
        try context.performAndWait {
            let observation = context.observe { posted.values.append($0) }
            let author = TestSupport.Author(context: context)
            author.name = "Lem"
            let temporary = author.objectID
            try context.save()
            observation.cancel()
            #expect(
                posted.values == [
                    .objectsDidChange(ObjectChanges(inserted: [temporary])), .willSave,
                    .didSave(ObjectChanges(inserted: [author.objectID])),
                ])
        }
    }

    @Test func `reset posts what it invalidates (§4.5.1)`() throws {
        let fixture = try ContextFixture()
        let id = try fixture.saveAuthor("Lem")
        let context = fixture.context()
        let posted = Recorder<ContextNotification>()
        context.performAndWait {
            _ = context.author(id)
            let observation = context.observe { posted.values.append($0) }
            context.reset()
            observation.cancel()
        }
        #expect(
            posted.values == [
                .objectsDidChange(ObjectChanges(invalidated: [id], invalidatesAll: true))
            ])
    }

    @Test func `notifications are an asynchronous sequence too (§4.5.9)`() async throws {
        let fixture = try ContextFixture()
        let context = fixture.context()
        var notifications = context.notifications.makeAsyncIterator()
        try await context.perform {
            TestSupport.Author(context: context).name = "Lem"
            try context.save()
        }
        guard case .objectsDidChange? = await notifications.next() else {
            Issue.record("nothing changed")
            return
        }
        #expect(await notifications.next() == .willSave)
    }

    @Test func `the coordinator tells of its stores (§4.5.6, §4.5.7)`() throws {
        let fixture = try ContextFixture()
        let posted = Recorder<CoordinatorNotification>()
        let observation = fixture.coordinator.observe { posted.values.append($0) }
        let added = try fixture.coordinator.addPersistentStore(.inMemory())
        try fixture.coordinator.removePersistentStore(added)
        observation.cancel()
        let (come, gone) = (StoreChanges(added: [added]), StoreChanges(removed: [added]))
        #expect(
            posted.values == [
                .storesWillChange(come), .storesDidChange(come), .storesWillChange(gone),
                .willRemoveStore(added), .storesDidChange(gone),
            ])
    }

    @Test func `a context has a name, an author of its transactions and a queue (§4.6.1)`() throws {
        let fixture = try ContextFixture()
        let context = ManagedObjectContext(
            .privateQueue, coordinator: fixture.coordinator, name: "import")
        context.performAndWait {
            context.transactionAuthor = "the importer"
            #expect(context.name == "import" && context.transactionAuthor == "the importer")
        }
    }
}
