import Measuring
import ObjectGraph

/// A new store of books and a context: the start of each path of the growth workload.
final class GrowthStage: @unchecked Sendable {
    // @unchecked Sendable: a path uses it only on its context's queue.

    let rowCount: Int
    let context: ManagedObjectContext
    let coordinator: PersistentStoreCoordinator
    /// Checks the values that a path has read.
    var verifier: Verifier
    /// The rows that the store must have at the end.
    var expected = Books(count: 0, numbers: 0, shelved: 0)
    private let measureWork: (() throws -> Void) throws -> Void

    struct Books: Hashable {
        var count: Int
        /// The sum of the numbers.
        var numbers: Int
        /// How many have a shelf.
        var shelved: Int
    }

    init(
        _ rowCount: Int, _ worker: WorkerContext, _ verifier: Verifier,
        measure: @escaping (() throws -> Void) throws -> Void
    ) throws {
        self.rowCount = rowCount
        self.verifier = verifier
        measureWork = measure
        worker.removeStore()
        coordinator = try worker.openCoordinator(try Book.makeModel())
        context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// Runs the measured work, including the end of its event.
    func measure(_ work: () throws -> Void) throws {
        try measureWork {
            try work()
            context.processPendingChanges()
        }
    }

    // MARK: Books

    /// The sum of the numbers of all books when they are inserted.
    var numbers: Int { (0..<rowCount).reduce(0, +) }

    /// Inserts all books and expects them in the store.
    @discardableResult
    func insertBooks(into context: ManagedObjectContext? = nil) -> [Book] {
        expected.count = rowCount
        expected.numbers = numbers
        return (0..<rowCount).map { number in
            let book = Book(context: context ?? self.context)
            book.take(number)
            return book
        }
    }

    /// Inserts all books and saves them in another context.
    ///
    /// - Parameter isShelved: whether all books are on one shelf.
    func storeBooks(isShelved: Bool = false) throws {
        let writer = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try writer.performAndWait {
            let books = insertBooks(into: writer)
            if isShelved {
                let shelf = Shelf(context: writer)
                for book in books { book[Book.shelf] = shelf }
                expected.shelved = rowCount
            }
            try writer.save()
        }
    }

    /// Fetches all stored books, sorted by number.
    func fetchBooks(in context: ManagedObjectContext? = nil, batchSize: Int = 0) throws
        -> FetchedObjects<Book>
    {
        var request = FetchRequest(entityName: "Book", sortKeys: [.ascending("number")])
        request.returnsObjectsAsFaults = false
        request.fetchBatchSize = batchSize
        return try (context ?? self.context).fetch(request)
    }

    func fetchShelf() throws -> Shelf {
        let shelves = try context.fetch(FetchRequest(entityName: "Shelf"), as: Shelf.self)
        return shelves[0]
    }

    /// Reads the number of each book and checks the sum.
    func read(_ books: some Sequence<Book>) {
        var sum = 0
        for book in books { sum += book[Book.number] }
        verifier.check("numbers read", sum, equals: numbers)
    }
}

final class Book: ManagedObject {
    static let number = Attribute<Int>("number")
    static let title = Attribute<String>("title")
    static let shelf = ToOne<Shelf>("shelf")

    func take(_ number: Int) {
        self[Self.number] = number
        self[Self.title] = "The book with the number \(number)"
    }

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Book", managedObjectClass: Book.self,
                attributes: [
                    AttributeDescription("number", .integer64, isOptional: false),
                    AttributeDescription("title", .string, isOptional: false),
                ],
                relationships: [
                    .toOne("shelf", "Shelf", inverse: "books"),
                    .toOne("display", "Shelf", inverse: "row"),
                ]),
            EntityDescription(
                name: "Shelf", managedObjectClass: Shelf.self,
                relationships: [
                    .toMany("books", "Book", inverse: "shelf", deleteRule: .cascade),
                    .toMany("row", "Book", inverse: "display", isOrdered: true),
                ]),
            EntityDescription(
                name: "Label", managedObjectClass: Label.self,
                attributes: [AttributeDescription("code", .string, isOptional: false)],
                uniquenessConstraints: [["code"]]),
        ])
    }
}

final class Shelf: ManagedObject {
    static let books = ToMany<Book>("books")
    static let row = OrderedToMany<Book>("row")
}

/// A label with a unique code.
final class Label: ManagedObject {
    static let code = Attribute<String>("code")
}
