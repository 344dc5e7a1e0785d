import TestSupport
import Testing

@testable import ObjectGraph

/// Writes are one statement a row, so only reads are counted.
@Suite struct `Reads of deletions and conflicts` {
    private typealias Author = TestSupport.Author
    private typealias Book = TestSupport.Book

    /// Expects the body, which gets a number of objects, to return the same for few as for many.
    private func expectSame<Result: Equatable>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (Int) throws -> Result
    ) throws {
        let (few, many) = (try body(10), try body(1000))
        #expect(few == many, sourceLocation: sourceLocation)
    }

    // MARK: - Deletions

    /// Owners with a card, and two boxes with one item each. All share a place and a label.
    private static func storehouse() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Owner",
                relationships: [
                    .toMany("boxes", "Box", inverse: "owner", deleteRule: .cascade),
                    .toOne("card", "Card", inverse: "owner", deleteRule: .cascade),
                    .toOne("place", "Place", inverse: "owners"),
                    .toMany("debts", "Debt", inverse: "owner", deleteRule: .deny),
                ]),
            EntityDescription(
                name: "Box",
                relationships: [
                    .toOne("owner", "Owner", inverse: "boxes"),
                    .toMany("items", "Item", inverse: "box", deleteRule: .cascade),
                ]),
            EntityDescription(
                name: "Item",
                relationships: [
                    .toOne("box", "Box", inverse: "items"),
                    .toMany("labels", "Label", inverse: "items"),
                ]),
            EntityDescription(
                name: "Card", relationships: [.toOne("owner", "Owner", inverse: "card")]),
            EntityDescription(
                name: "Place",
                relationships: [.toMany("owners", "Owner", inverse: "place")]),
            EntityDescription(
                name: "Label", relationships: [.toMany("items", "Item", inverse: "labels")]),
            EntityDescription(
                name: "Debt", relationships: [.toOne("owner", "Owner", inverse: "debts")]),
        ])
    }

    private struct Storehouse {
        let folder = TemporaryFolder()
        let recorder = StatementRecorder()
        let coordinator: PersistentStoreCoordinator

        init(ownerCount: Int) throws {
            coordinator = PersistentStoreCoordinator(
                model: try storehouse(), debug: recorder.debug)
            try coordinator.addPersistentStore(.sqlite(at: folder.url("store.sqlite")))
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.performAndWait {
                let place = try context.insert("Place")
                let label = try context.insert("Label")
                for _ in 0..<ownerCount {
                    let owner = try context.insert(
                        "Owner", ["place": place, "card": try context.insert("Card")])
                    for _ in 0..<2 {
                        let box = try context.insert("Box", ["owner": owner])
                        try context.insert("Item", ["box": box, "labels": Set([label])])
                    }
                }
                try context.save()
            }
        }

        /// The number of reads of the body, which gets a context.
        func reads(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws -> Int {
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            return try context.performAndWait { try recorder.reads { try body(context) } }
        }
    }

    // With undo, `delete` reads each fault, since its values are to be restored.
    @Test(arguments: [(true, false), (false, false), (false, true)])
    func `a cascade reads each relationship of a level once, however many objects there are`(
        areFaults: Bool, undoes: Bool
    ) throws {
        try expectSame { ownerCount in
            let store = try Storehouse(ownerCount: ownerCount)
            return try store.reads { context in
                if undoes { context.undoManager = UndoManager() }
                var request = FetchRequest(entityName: "Owner")
                request.includesPropertyValues = !areFaults
                let owners = try Array(context.fetch(request, as: ManagedObject.self))
                #expect(owners.count == ownerCount)
                for owner in owners { context.delete(owner) }
                try context.save()
                for name in ["Owner", "Box", "Item", "Card"] {
                    #expect(try context.count(for: FetchRequest(entityName: name)) == 0)
                }
            }
        }
    }

    @Test func `a deny rule reads the members of all objects at once`() throws {
        try expectSame { ownerCount in
            let store = try Storehouse(ownerCount: ownerCount)
            return try store.reads { context in
                let owners = try context.all("Owner")
                let debt = try context.insert("Debt", ["owner": owners[0]])
                try context.save()
                for owner in owners { context.delete(owner) }
                let errors = try context.validationErrors()
                #expect(errors.map(\.objectID) == [owners[0].objectID])
                #expect(!debt.isDeleted)
            }
        }
    }

    @Test func `deleted faults without relationships are read at once`() throws {
        try expectSame { count in
            let library = try Library(bookCount: 1)
            let context = library.fixture.context()
            return try context.performAndWait {
                let made = (0..<count).map { _ in Specimen(context: context) }
                try context.save()
                let ids = made.map(\.objectID)
                context.reset()
                for id in ids { context.delete(context.object(with: id)) }
                let reads = try library.recorder.reads { try context.save() }
                #expect(try context.count(for: FetchRequest(entityName: "Specimen")) == 0)
                return reads
            }
        }
    }

    @Test func `the owners that deleted members leave are read at once`() throws {
        try expectSame { ownerCount in
            let store = try Storehouse(ownerCount: ownerCount)
            return try store.reads { context in
                for box in try context.all("Box") { context.delete(box) }
                try context.save()
                #expect(try context.count(for: FetchRequest(entityName: "Item")) == 0)
                #expect(try context.count(for: FetchRequest(entityName: "Owner")) == ownerCount)
            }
        }
    }

    // MARK: - Conflicts

    private struct Library {
        let recorder = StatementRecorder()
        let fixture: ContextFixture
        let bookIDs: [ManagedObjectID]

        init(bookCount: Int) throws {
            fixture = try ContextFixture(debug: recorder.debug)
            let context = fixture.context()
            bookIDs = try context.performAndWait {
                let books = (0..<bookCount).map { number in
                    let author = Author(context: context)
                    author.name = "Author \(number)"
                    let book = Book(context: context)
                    (book.title, book.author) = ("old", author)
                    return book
                }
                try context.save()
                return books.map(\.objectID)
            }
        }

        /// Changes all books in another context, through the same coordinator or another one.
        func change(
            elsewhere: Bool, _ body: @Sendable (ManagedObjectContext, Book) -> Void
        ) throws {
            let context = ManagedObjectContext(
                .privateQueue,
                coordinator: elsewhere ? try fixture.otherCoordinator() : fixture.coordinator)
            try context.performAndWait {
                for book in try Book.all(in: context) { body(context, book) }
                try context.save()
            }
        }

        /// The number of reads of a save of the context.
        func readsOfSave(of context: ManagedObjectContext) throws -> Int {
            let fails = context.mergePolicy.kind == .error
            return try recorder.reads {
                do {
                    try context.save()
                    #expect(!fails)
                } catch SaveError.mergeConflicts(let conflicts) {
                    #expect(fails && conflicts.count == bookIDs.count)
                }
            }
        }
    }

    @Test(arguments: [true, false], MergePolicy.Kind.allCases)
    func `the newest rows of all objects that conflict are read at once`(
        elsewhere: Bool, kind: MergePolicy.Kind
    ) throws {
        try expectSame { bookCount in
            let library = try Library(bookCount: bookCount)
            let context = library.fixture.context(MergePolicy(kind))
            return try context.performAndWait {
                for book in try Book.all(in: context) { book.title = "mine" }
                try library.change(elsewhere: elsewhere) { _, book in book.title = "theirs" }
                let reads = try library.readsOfSave(of: context)
                guard kind != .error else { return reads }
                let titles = try Book.all(in: context).map(\.title)
                #expect(Set(titles) == [kind.storeWins ? "theirs" : "mine"])
                return reads
            }
        }
    }

    @Test(arguments: [true, false], MergePolicy.Kind.allCases)
    func `all rows that are gone are found so at once`(
        elsewhere: Bool, kind: MergePolicy.Kind
    ) throws {
        try expectSame { bookCount in
            let library = try Library(bookCount: bookCount)
            let context = library.fixture.context(MergePolicy(kind))
            return try context.performAndWait {
                for book in try Book.all(in: context) { book.title = "mine" }
                try library.change(elsewhere: elsewhere) { $0.delete($1) }
                let reads = try library.readsOfSave(of: context)
                guard kind != .error else { return reads }
                let count = try context.count(for: FetchRequest(entityName: "Book"))
                #expect(count == (kind.storeWins ? 0 : bookCount))
                return reads
            }
        }
    }
}

extension StatementRecorder {
    /// The number of statements of the body that read rows. The checks of a write return 1.
    fileprivate func reads(_ body: () throws -> Void) rethrows -> Int {
        try statements(body).count { $0.hasPrefix("SELECT") && !$0.hasPrefix("SELECT 1 ") }
    }
}
