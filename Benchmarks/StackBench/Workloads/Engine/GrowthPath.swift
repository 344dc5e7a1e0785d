import Measuring
import ObjectGraph

/// A path through the engine that uses a list. Each path prepares its books, measures one operation
/// on all of them, and leaves the expected rows in the store.
struct GrowthPath: Sendable {
    var name: String
    fileprivate var work: @Sendable (GrowthStage) throws -> Void

    static func named(_ name: String) -> GrowthPath? { all.first { $0.name == name } }

    /// Runs the path with `rowCount` rows in a new store and checks the store's rows.
    func run(
        _ rowCount: Int, _ worker: WorkerContext, _ verifier: inout Verifier,
        measure: (() throws -> Void) throws -> Void
    ) throws {
        try withoutActuallyEscaping(measure) { measure in
            let stage = try GrowthStage(rowCount, worker, verifier, measure: measure)
            try stage.context.performAndWait { try work(stage) }
            try stage.coordinator.removePersistentStores()
            verifier = stage.verifier
            let found = try StoreReader(worker.storeURL).integers(
                "SELECT COUNT(*), COALESCE(SUM(ZNUMBER), 0), COUNT(ZSHELF) FROM ZBOOK")
            verifier.check("books", found[0], equals: stage.expected.count)
            verifier.check("their numbers", found[1], equals: stage.expected.numbers)
            verifier.check("books on a shelf", found[2], equals: stage.expected.shelved)
        }
    }

    static let all = writing + reading + changing + relating
}

// MARK: - New objects

extension GrowthPath {
    private static let writing = [
        GrowthPath(name: "insert") { stage in
            try stage.measure { stage.insertBooks() }
            try stage.context.save()
        },
        GrowthPath(name: "save") { stage in
            stage.insertBooks()
            try stage.measure { try stage.context.save() }
        },
        GrowthPath(name: "save-child") { stage in
            let child = ManagedObjectContext(.privateQueue, parent: stage.context)
            try child.performAndWait {
                stage.insertBooks(into: child)
                try stage.measure { try child.save() }
            }
            try stage.context.save()
        },
        GrowthPath(name: "save-unique") { stage in
            for number in 0..<stage.rowCount {
                Label(context: stage.context)[Label.code] = "L-\(number)"
            }
            try stage.measure { try stage.context.save() }
        },
    ]
}

// MARK: - Reading

extension GrowthPath {
    private static let reading = [
        GrowthPath(name: "fetch") { stage in
            try stage.storeBooks()
            try stage.measure { stage.read(try stage.fetchBooks()) }
        },
        GrowthPath(name: "fetch-registered") { stage in
            try stage.storeBooks()
            let books = try stage.fetchBooks()
            try stage.measure { stage.read(try stage.fetchBooks()) }
            withExtendedLifetime(books) {}
        },
        GrowthPath(name: "fetch-changed") { stage in
            try stage.storeBooks()
            // Each book has a change, so it is found and sorted in memory.
            for book in try stage.fetchBooks() { book[Book.title] = "changed" }
            try stage.measure { stage.read(try stage.fetchBooks()) }
            try stage.context.save()
        },
        GrowthPath(name: "fetch-batches") { stage in
            try stage.storeBooks()
            try stage.measure { stage.read(try stage.fetchBooks(batchSize: 20)) }
        },
        GrowthPath(name: "fault") { stage in
            try stage.storeBooks()
            var request = FetchRequest(entityName: "Book")
            request.includesPropertyValues = false
            let identifiers = try stage.context.fetchObjectIDs(request)
            try stage.measure {
                stage.read(
                    identifiers.lazy.compactMap { stage.context.object(with: $0) as? Book })
            }
        },
    ]
}

// MARK: - Changes

extension GrowthPath {
    private static let changing = [
        GrowthPath(name: "update") { stage in
            let books = try loadBooks(stage)
            try stage.measure {
                for book in books { book[Book.number] += 1 }
                try stage.context.save()
            }
            stage.expected.numbers += stage.rowCount
        },
        GrowthPath(name: "delete") { stage in
            let books = try loadBooks(stage)
            try stage.measure {
                for book in books { stage.context.delete(book) }
                try stage.context.save()
            }
            stage.expected = .init(count: 0, numbers: 0, shelved: 0)
        },
        GrowthPath(name: "rollback") { stage in
            let books = try loadBooks(stage)
            for book in books { book[Book.number] += 1 }
            try stage.measure { stage.context.rollback() }
        },
        GrowthPath(name: "refresh") { stage in
            let books = try loadBooks(stage)
            try stage.measure {
                stage.context.refreshAllObjects()
                stage.read(books)
            }
        },
        GrowthPath(name: "undo") { stage in
            let books = try loadBooks(stage)
            stage.context.undoManager = UndoManager()
            try stage.measure {
                for book in books { book[Book.number] += 1 }
                stage.context.undo()
            }
            stage.read(books)
        },
        GrowthPath(name: "undo-delete") { stage in
            let books = try loadBooks(stage)
            stage.context.undoManager = UndoManager()
            try stage.measure {
                for book in books { stage.context.delete(book) }
                stage.context.undo()
            }
            stage.read(books)
        },
        GrowthPath(name: "undo-each") { stage in
            let books = try loadBooks(stage)
            stage.context.undoManager = UndoManager()
            try stage.measure {
                for book in books {
                    book[Book.number] += 1
                    stage.context.processPendingChanges()
                }
                for _ in books { stage.context.undo() }
            }
            stage.read(books)
        },
        GrowthPath(name: "undo-insert") { stage in
            stage.context.undoManager = UndoManager()
            try stage.measure {
                stage.insertBooks()
                stage.context.undo()
            }
            stage.expected = .init(count: 0, numbers: 0, shelved: 0)
        },
        GrowthPath(name: "merge") { stage in
            let books = try loadBooks(stage)
            let changes = try changeElsewhere(stage)
            try stage.measure { stage.context.mergeChanges(changes) }
            withExtendedLifetime(books) {}
        },
    ]

    private static func loadBooks(_ stage: GrowthStage) throws -> [Book] {
        try stage.storeBooks()
        return Array(try stage.fetchBooks())
    }

    /// Deletes every third book, changes every other third, and inserts as many as it deletes.
    private static func changeElsewhere(_ stage: GrowthStage) throws -> ObjectChanges {
        let other = ManagedObjectContext(.privateQueue, coordinator: stage.coordinator)
        return try other.performAndWait {
            var changes = ObjectChanges()
            var added: [Book] = []
            for (index, book) in try stage.fetchBooks(in: other).enumerated() {
                switch index % 3 {
                case 0:
                    let new = Book(context: other)
                    new.take(book[Book.number])
                    added.append(new)
                    changes.deleted.append(book.objectID)
                    other.delete(book)
                case 1:
                    changes.updated.append(book.objectID)
                    book[Book.title] = "changed"
                default: break
                }
            }
            try other.save()
            changes.inserted = added.map(\.objectID)
            return changes
        }
    }
}

// MARK: - To-many relationships

extension GrowthPath {
    private static let relating = [
        GrowthPath(name: "to-many-walk") { stage in
            try stage.storeBooks(isShelved: true)
            let shelf = try stage.fetchShelf()
            try stage.measure { stage.read(shelf[Shelf.books]) }
        },
        GrowthPath(name: "to-many-append") { stage in
            let books = try loadBooks(stage)
            let shelf = Shelf(context: stage.context)
            try stage.measure {
                for book in books { shelf.add(book, to: Shelf.books) }
                try stage.context.save()
            }
            stage.expected.shelved = stage.rowCount
        },
        GrowthPath(name: "to-many-remove") { stage in
            try stage.storeBooks(isShelved: true)
            let shelf = try stage.fetchShelf()
            let books = shelf[Shelf.books]
            try stage.measure {
                for book in books { shelf.remove(book, from: Shelf.books) }
                try stage.context.save()
            }
            stage.expected.shelved = 0
        },
        GrowthPath(name: "to-many-order") { stage in
            let books = try loadBooks(stage)
            let shelf = Shelf(context: stage.context)
            try stage.measure {
                shelf[Shelf.row] = books
                try stage.context.save()
            }
        },
        GrowthPath(name: "cascade") { stage in
            try stage.storeBooks(isShelved: true)
            let shelf = try stage.fetchShelf()
            try stage.measure {
                stage.context.delete(shelf)
                try stage.context.save()
            }
            stage.expected = .init(count: 0, numbers: 0, shelved: 0)
        },
    ]
}
