import ObjectGraph
import Testing

@Suite struct `Saving to an in-memory store (§5.3, §11.3)` {
    let library: InMemoryStoreLibrary

    init() throws {
        library = try InMemoryStoreLibrary()
    }

    /// Two contexts have read Emma. The first has saved another number of pages; the second has
    /// changed it too and added a new work.
    private func conflictingContext() throws -> ManagedObjectContext {
        let first = library.newContext()
        let second = library.newContext()
        try second.performAndWait {
            try second.work("Emma")[Work.pages] = 2
            let new = Work(context: second)
            new[Work.title] = "New"
        }
        try first.performAndWait {
            try first.work("Emma")[Work.pages] = 1
            try first.save()
        }
        return second
    }

    @Test func `a row of another version is a conflict, and nothing is saved`() throws {
        let context = try conflictingContext()
        let error = #expect(throws: SaveError.self) {
            try context.performAndWait { try context.save() }
        }
        guard case .mergeConflicts(let conflicts) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.oldVersion) == [1])
        #expect(conflicts.map(\.newVersion) == [2])
        #expect(try library.titles(ObjectPredicate("pages == 1 OR title == 'New'")) == ["Emma"])
    }

    @Test func `a merge policy settles a conflict`() throws {
        let context = try conflictingContext()
        try context.performAndWait {
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
        #expect(
            try library.titles(ObjectPredicate("pages == 2 OR title == 'New'")) == ["Emma", "New"])
    }

    @Test func `uniqueness constraints are ignored`() throws {
        let context = library.newContext()
        let count = try context.performAndWait {
            let writer = Writer(context: context)
            writer[Writer.name] = "Austen"
            try context.save()
            return try context.count(for: FetchRequest(entityName: "Writer"))
        }
        #expect(count == 3)
    }

    @Test func `keys reserved ahead of the save are kept`() throws {
        let context = library.newContext()
        try context.performAndWait {
            let work = Work(context: context)
            work[Work.title] = "Early"
            try context.obtainPermanentIDs(for: [work])
            let other = Work(context: context)
            other[Work.title] = "Late"
            let id = work.objectID
            try context.save()
            #expect(work.objectID == id)
            #expect(work.objectID != other.objectID)
        }
        #expect(try library.titles().count == 6)
    }

    @Test func `batch requests are refused (§6.1.4)`() {
        let context = library.newContext()
        func expectRefusal(_ body: @Sendable () throws -> Void) {
            let error = #expect(throws: StoreError.self) { try context.performAndWait(body) }
            guard case .unsupported = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        expectRefusal {
            try context.execute(BatchInsertRequest(entityName: "Work", objects: [["title": "x"]]))
        }
        expectRefusal {
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Work", propertiesToUpdate: ["pages": .constant(1)]))
        }
        expectRefusal {
            try context.execute(
                BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Work")))
        }
    }

    @Test func `each store is empty at first and has an identifier of its own`() throws {
        let coordinator = try InMemoryStoreLibrary.emptyCoordinator()
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let count = try context.performAndWait {
            try context.count(for: FetchRequest(entityName: "Work"))
        }
        #expect(count == 0)
        let stores = coordinator.persistentStores + library.coordinator.persistentStores
        #expect(Set(stores.map(\.identifier)).count == 2)
        #expect(stores.allSatisfy { $0.url == nil })
    }

    @Test func `removing the store drops its rows`() throws {
        let coordinator = library.coordinator
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
        try coordinator.addPersistentStore(.inMemory())
        #expect(try library.titles().isEmpty)
    }
}
