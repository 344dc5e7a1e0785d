import ObjectGraph
import TestSupport
import Testing

@Suite struct `Conflicts and merge policies (§5.3, §5.4)` {
    let fixture: ContextFixture
    let id: ManagedObjectID

    init() throws {
        fixture = try ContextFixture()
        id = try fixture.saveAuthor("Lem", birthYear: 1900)
    }

    /// Changes the row in another context, through the same coordinator or another one.
    private func change(
        elsewhere: Bool = false, _ body: @Sendable (TestSupport.Author) -> Void
    ) throws {
        let context = ManagedObjectContext(
            .privateQueue,
            coordinator: elsewhere ? try fixture.otherCoordinator() : fixture.coordinator)
        try context.performAndWait {
            body(context.author(id))
            try context.save()
        }
    }

    @Test
    func `a newer cached row is a conflict (§5.1.5, §5.3.1, §5.3.2, §5.3.4, §5.4.1, §14.15)`()
        throws
    {
        let context = fixture.context()
        try context.performAndWait {
            context.author(id).name = "mine"
            try change { $0.name = "theirs" }
            fixture.coordinator.resetCounters()
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .mergeConflicts(let conflicts)? = error else { return }
            #expect(error?.code == 133020)
            let conflict = conflicts[0]
            #expect(conflict.objectID == id)
            #expect(conflict.objectSnapshot["name"] == .string("Lem"))
            #expect(conflict.cachedSnapshot?["name"] == .string("theirs"))
            #expect(conflict.persistedSnapshot == nil)
            #expect((conflict.oldVersion, conflict.newVersion) == (1, 2))
            #expect(fixture.coordinator.counters.transactions == 0)
            #expect(context.updatedObjects.count == 1 && context.author(id).name == "mine")
        }
    }

    @Test
    func
        `a newer row in the file is a conflict of the second level (§5.3.1, §5.3.3, §11.3.8, §14.15)`()
        throws
    {
        let context = fixture.context()
        try context.performAndWait {
            context.author(id).name = "mine"
            try change(elsewhere: true) { $0.name = "theirs" }
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .mergeConflicts(let conflicts)? = error else { return }
            #expect(conflicts[0].cachedSnapshot == nil)
            #expect(conflicts[0].persistedSnapshot?["name"] == .string("theirs"))
        }
    }

    /// The worked example: name and year changed here, year and name of another kind there.
    @Test(arguments: [
        (MergePolicy.mergeByPropertyObjectTrump, "mine", 1, 20.5),
        (.mergeByPropertyStoreTrump, "mine", 2, 20.5), (.overwrite, "mine", 1, 10.0),
        (.rollback, "old", 2, 20.5),
    ])
    func
        `each policy decides by property (§5.1.8, §5.4.2, §5.4.3, §5.4.4, §5.4.5, §5.4.6, §5.4.7, §5.4.8, §14.16)`(
            _ policy: MergePolicy, _ title: String, _ year: Int, _ rating: Double
        ) throws
    {
        let setup = fixture.context()
        let book = try setup.performAndWait {
            let book = TestSupport.Book(context: setup)
            (book.title, book.year, book.rating) = ("old", 0, 10)
            try setup.save()
            return book.objectID
        }
        let context = fixture.context(policy)
        try context.performAndWait {
            let mine = context.object(with: book) as! TestSupport.Book
            (mine.title, mine.year) = ("mine", 1)
            _ = try setup.performAndWait {
                try setup.execute(
                    BatchUpdateRequest(
                        entityName: "Book",
                        propertiesToUpdate: [
                            "year": .constant(.integer(2)), "rating": .constant(.double(20.5)),
                        ]))
            }
            try context.save()
            #expect((mine.title, mine.year, mine.rating) == (title, year, rating))
        }
        let reader = ManagedObjectContext(
            .privateQueue, coordinator: try fixture.otherCoordinator())
        try reader.performAndWait {
            let stored = try #require(try TestSupport.Book.findFirst(in: reader))
            #expect((stored.title, stored.year, stored.rating) == (title, year, rating))
        }
    }

    @Test func `a store in memory knows the first level (§5.3.7)`() throws {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        try coordinator.addPersistentStore(.inMemory())
        let (mine, theirs) = (
            ManagedObjectContext(.privateQueue, coordinator: coordinator),
            ManagedObjectContext(.privateQueue, coordinator: coordinator)
        )
        try mine.performAndWait {
            let author = TestSupport.Author(context: mine)
            author.name = "Lem"
            try mine.save()
            author.name = "mine"
            let saved = author.objectID
            try theirs.performAndWait {
                theirs.author(saved).name = "theirs"
                try theirs.save()
            }
            let error = #expect(throws: SaveError.self) { try mine.save() }
            guard case .mergeConflicts(let conflicts)? = error else { return }
            #expect(conflicts[0].cachedSnapshot?["name"] == .string("theirs"))
        }
    }

    /// The author of a book merges like any other property. For its topics, the additions and
    /// removals of both sides count, except those that the policy discards.
    @Test(arguments: [
        (MergePolicy.mergeByPropertyObjectTrump, "here", Set(["kept", "new here", "new there"])),
        (.mergeByPropertyStoreTrump, "there", Set(["kept", "new here", "new there"])),
        (.overwrite, "here", Set(["kept", "new here", "new there"])),
        (.rollback, "there", Set(["kept", "lost here", "new there"])),
    ])
    func `a to-one is a property, a many-to-many a difference (§5.4.9)`(
        _ policy: MergePolicy, _ author: String, _ topics: Set<String>
    ) throws {
        let context = fixture.context(policy)
        let setup = fixture.context()
        @Sendable func makeTopic(_ name: String, in context: ManagedObjectContext) -> Topic {
            let topic = Topic(context: context)
            topic.name = name
            return topic
        }
        let id = try setup.performAndWait {
            let book = TestSupport.Book(context: setup)
            book.title = "Solaris"
            book.topics = Set(
                ["kept", "lost here", "lost there"].map { makeTopic($0, in: setup) })
            try setup.save()
            return book.objectID
        }
        @Sendable func change(_ side: String, in context: ManagedObjectContext) {
            let book = context.object(with: id) as! TestSupport.Book
            book.author = TestSupport.Author(context: context)
            book.author?.name = side
            book.topics = book.topics.filter { $0.name != "lost \(side)" }
            book.topics.insert(makeTopic("new \(side)", in: context))
        }
        @Sendable func expectOutcome(_ book: TestSupport.Book) {
            #expect(book.author?.name == author)
            #expect(Set(book.topics.map(\.name)) == topics)
        }
        try context.performAndWait {
            change("here", in: context)
            try setup.performAndWait {
                change("there", in: setup)
                try setup.save()
            }
            try context.save()
            #expect(!context.hasChanges)
            expectOutcome(context.object(with: id) as! TestSupport.Book)
        }
        let reader = ManagedObjectContext(
            .privateQueue, coordinator: try fixture.otherCoordinator())
        try reader.performAndWait {
            expectOutcome(try #require(try TestSupport.Book.findFirst(in: reader)))
        }
    }

    @Test(arguments: [
        (MergePolicy.mergeByPropertyStoreTrump, ["b", "a"]), (.rollback, ["a", "b"]),
    ])
    func `an order is a change of the object that has it (§5.4.9)`(
        _ policy: MergePolicy, _ order: [String]
    ) throws {
        let store = try StoreFixture.notebook()
        let other = store.makeContext()
        try store.run { context in
            context.mergePolicy = policy
            let tag = Tag(context: context)
            tag.notes = ["a", "b"].map { context.makeNote($0) }
            try context.save()
            let id = tag.objectID
            try other.performAndWait {
                (other.object(with: id) as! Tag).name = "theirs"
                try other.save()
            }
            tag.notes.reverse()
            try context.save()
            #expect(tag.notes.map(\.text) == order)
        }
        try other.performAndWait {
            other.refreshAllObjects()
            let stored = try other.all("Tag") as! [Tag]
            #expect(stored.map { $0.notes.map(\.text) } == [order])
        }
    }

    @Test(arguments: [
        (MergePolicy.mergeByPropertyStoreTrump, false), (.rollback, false), (.overwrite, true),
        (.mergeByPropertyObjectTrump, true),
    ])
    func `a row that is gone takes its object with it, or comes back (§5.3.9)`(
        _ policy: MergePolicy, _ comesBack: Bool
    ) throws {
        let context = fixture.context(policy)
        try context.performAndWait {
            let author = context.author(id)
            author.birthYear = 1921
            let other = fixture.context()
            try other.performAndWait {
                other.delete(other.author(id))
                try other.save()
            }
            try context.save()
            #expect((author.managedObjectContext == nil) == !comesBack)
        }
        #expect(try fixture.storedAuthors() == (comesBack ? ["Lem"] : []))
    }

    @Test func `deleting what is gone already is no conflict (§5.3.8)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            context.delete(context.author(id))
            let other = fixture.context()
            try other.performAndWait {
                other.delete(other.author(id))
                try other.save()
            }
            try context.save()
        }
    }

    /// Both contexts have deleted the author and saved. Then the first has inserted it again and
    /// saved, and the second has inserted it again and inserted another one.
    private func bringBackTwice(
        _ first: ManagedObjectContext, _ second: ManagedObjectContext
    ) throws {
        for context in [first, second] {
            context.performAndWait {
                context.undoManager = UndoManager()
                context.delete(context.author(id))
                context.processPendingChanges()
            }
        }
        for context in [first, second] { try context.performAndWait { try context.save() } }
        try first.performAndWait {
            first.undo()
            first.author(id).name = "theirs"
            try first.save()
        }
        second.performAndWait {
            second.undo()
            second.author(id).name = "mine"
            TestSupport.Author(context: second).name = "new"
        }
    }

    @Test(arguments: [
        (MergePolicy.mergeByPropertyObjectTrump, "mine"), (.overwrite, "mine"),
        (.mergeByPropertyStoreTrump, "theirs"), (.rollback, "theirs"),
    ])
    func `a row that two contexts bring back is settled alone (§5.3.9)`(
        _ policy: MergePolicy, _ name: String
    ) throws {
        try fixture.saveAuthor("bystander")
        let (first, second) = (fixture.context(), fixture.context(policy))
        try bringBackTwice(first, second)
        try second.performAndWait {
            try second.save()
            #expect(second.author(id).name == name && !second.hasChanges)
        }
        let fresh = fixture.context()
        let names = try fresh.performAndWait {
            try TestSupport.Author.all(in: fresh, sortedBy: [.ascending("name")]).map(\.name)
        }
        #expect(names == ["bystander", name, "new"].sorted())
    }

    @Test func `a row that two contexts bring back is a conflict about it alone (§5.3.9)`() throws {
        let (first, second) = (fixture.context(), fixture.context())
        try bringBackTwice(first, second)
        second.performAndWait {
            let error = #expect(throws: SaveError.self) { try second.save() }
            guard case .mergeConflicts(let conflicts)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(conflicts.map(\.objectID) == [id])
            #expect(second.insertedObjects.count == 2)
        }
    }

    @Test func `an unchanged object can be checked as well (§5.3.5)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            context.detectConflicts(for: context.author(id))
            TestSupport.Author(context: context).name = "new"
            try change { $0.name = "theirs" }
            #expect(throws: SaveError.self) { try context.save() }
            context.refreshAllObjects()
            context.detectConflicts(for: context.author(id))
            try context.save()
        }
    }

    @Test func `a custom policy may go on where the built-in one ends (§5.4.10)`() throws {
        final class LatestYear: MergePolicy, @unchecked Sendable {
            // @unchecked Sendable: without state of its own.
            override func resolve(
                _ conflicts: [MergeConflict], in context: ManagedObjectContext
            ) throws {
                try super.resolve(conflicts, in: context)
                for conflict in conflicts {
                    let years = [conflict.objectSnapshot, conflict.cachedSnapshot ?? [:]]
                        .compactMap { $0["birthYear"]?.integerValue }
                    context.author(conflict.objectID).birthYear = (years.max() ?? 0) + 1
                }
            }
        }
        let context = fixture.context(LatestYear(.mergeByPropertyObjectTrump))
        try context.performAndWait {
            context.author(id).name = "mine"
            try change { $0.birthYear = 1950 }
            try context.save()
            #expect(context.author(id).birthYear == 1951 && context.author(id).name == "mine")
        }
    }

    @Test func `a deletion that a policy takes back and changes is one update (§5.4.10)`() throws {
        final class Reviving: MergePolicy, @unchecked Sendable {
            // @unchecked Sendable: without state of its own.
            override func resolve(
                _ conflicts: [MergeConflict], in context: ManagedObjectContext
            ) throws {
                try super.resolve(conflicts, in: context)
                for conflict in conflicts { context.author(conflict.objectID).birthYear = 1921 }
            }
        }
        let context = fixture.context(Reviving(.mergeByPropertyStoreTrump))
        try context.performAndWait {
            let author = context.author(id)
            author.name = "mine"
            context.delete(author)
            try change { $0.name = "theirs" }
            try context.save()
            #expect(author.name == "theirs" && author.birthYear == 1921 && !context.hasChanges)
        }
    }

    @Test
    func `what a policy throws the save throws, with the context as before (§5.4.11, §14.14)`()
        throws
    {
        struct Refusal: Error {}
        final class Refusing: MergePolicy, @unchecked Sendable {
            // @unchecked Sendable: without state of its own.
            override func resolve(
                _ conflicts: [MergeConflict], in context: ManagedObjectContext
            ) throws {
                try super.resolve(conflicts, in: context)
                throw Refusal()
            }
        }
        let context = fixture.context(Refusing(.rollback))
        try context.performAndWait {
            let author = context.author(id)
            author.name = "mine"
            let new = TestSupport.Author(context: context)
            new.name = "new"
            try change { $0.name = "theirs" }
            #expect(throws: Refusal.self) { try context.save() }
            #expect(author.name == "mine" && author.isUpdated)
            #expect(new.objectID.isTemporaryID && context.insertedObjects == [new])
        }
    }

    /// Calls a closure after, or instead of, the built-in policy.
    private final class Observed: MergePolicy, @unchecked Sendable {
        // @unchecked Sendable: the count is only used in saves of one context.
        let settles: Bool
        let overtake: @Sendable (Int) throws -> Void
        private(set) var count = 0

        init(settles: Bool, overtake: @escaping @Sendable (Int) throws -> Void = { _ in }) {
            self.settles = settles
            self.overtake = overtake
            super.init(.mergeByPropertyObjectTrump)
        }

        override func resolve(
            _ conflicts: [MergeConflict], in context: ManagedObjectContext
        ) throws {
            count += 1
            if settles { try super.resolve(conflicts, in: context) }
            try overtake(count)
        }
    }

    @Test func `a save goes on while others save the same row again and again (§5.4.13)`() throws {
        let policy = Observed(settles: true) { count in
            if count < 30 { try change { $0.birthYear = count } }
        }
        let context = fixture.context(policy)
        try context.performAndWait {
            context.author(id).name = "mine"
            try change { $0.birthYear = 0 }
            try context.save()
            #expect(context.author(id).birthYear == 29 && context.author(id).name == "mine")
        }
        #expect(policy.count == 30)
    }

    @Test func `a policy that settles nothing ends the save (§5.4.13)`() throws {
        let policy = Observed(settles: false)
        let context = fixture.context(policy)
        try context.performAndWait {
            context.author(id).name = "mine"
            try change { $0.name = "theirs" }
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .unresolvedConflicts? = error else {
                Issue.record("\(error as Any)"); return
            }
            #expect(context.author(id).name == "mine")
        }
        #expect(policy.count == 9)
    }

    @Test func `a batch request makes the coordinator conflict with itself (§5.3.6, §14.22)`()
        throws
    {
        let context = fixture.context()
        try context.performAndWait {
            context.author(id).name = "mine"
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Author",
                    propertiesToUpdate: ["birthYear": .constant(.integer(2))]))
            #expect(throws: SaveError.self) { try context.save() }
        }
    }

    @Test func `a deletion that a policy takes back leaves no note of what it has cut (§5.4.5)`()
        throws
    {
        let store = try StoreFixture.notebook()
        let other = store.makeContext()
        try store.run { context in
            context.mergePolicy = .rollback
            let tag = Tag(context: context)
            let note = context.makeNote("a")
            tag.notes = [note]
            try context.save()
            let (tagID, noteID) = (tag.objectID, note.objectID)
            try other.performAndWait {
                (other.object(with: tagID) as! Tag).name = "theirs"
                try other.save()
            }
            context.delete(tag)
            try context.save()
            #expect(!tag.isDeleted && tag.notes.isEmpty)
            try other.performAndWait {
                other.refreshAllObjects()
                (other.object(with: tagID) as! Tag).notes = [other.object(with: noteID) as! Note]
                try other.save()
            }
            // Changed objects apply their unsaved member changes to the newest members.
            tag.name = "mine"
            context.refreshAllObjects()
            #expect(tag.notes == [note])
        }
    }
}

extension AttributeValue {
    fileprivate var integerValue: Int? {
        if case .integer(let value) = self { Int(value) } else { nil }
    }
}
