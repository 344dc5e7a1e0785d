import Foundation
import ObjectGraph
import TestSupport
import Testing

/// The samples of Documentation/ObjectGraph.md, each with what it leads to.
@Suite struct `Guide` {
    let temporary = TemporaryFolder()
    var file: URL { temporary.url("library.sqlite") }

    @Test func `shows the code of these files`() throws {
        let samples = try PackageFile("Documentation/ObjectGraph.md").samples
        var files = try [
            "GuideTests", "GuideTests+Composites", "GuideTests+Contexts",
            "GuideTests+DerivedAttributes", "GuideTests+JSON", "GuideTests+LargeValues",
            "GuideTests+Lists", "GuideTests+Migration", "GuideTests+OwnStores",
            "GuideTests+PostgreSQL",
            "GuideTests+RemoteChanges", "GuideTests+Search", "OwnStores",
        ].map {
            try PackageFile("Tests/ObjectGraphTests/Guide/\($0).swift")
        }
        files += try ["MigrationKitTests", "TimelineTests", "SpanTracingTests"].map {
            try PackageFile("Tests/\($0)/GuideSampleTests.swift")
        }
        let others = samples.filter { sample in !files.contains { $0.contains(sample: sample) } }

        #expect(samples.count == 46)
        #expect(others.isEmpty)
    }

    func makeContext() throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: try makeModel())
        try coordinator.addPersistentStore(.sqlite(at: file))
        return ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// Runs the body on the queue of a new context, on a coordinator that knows of no other.
    func run(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
        let context = try makeContext()
        try context.performAndWait { try body(context) }
    }

    /// Saves an author with two books.
    func saveAuthor(in context: ManagedObjectContext) throws -> ManagedObjectID {
        try context.performAndWait {
            let author = Author(context: context)
            author.name = "Ursula K. Le Guin"
            for (title, year) in [("The Dispossessed", 1974), ("Lavinia", 2008)] {
                let book = Book(context: context)
                (book.title, book.year, book.author) = (title, year, author)
            }
            try context.save()
            return author.objectID
        }
    }

    func rename(
        _ id: ManagedObjectID, _ name: String, in context: ManagedObjectContext
    ) throws {
        try context.performAndWait {
            (context.object(with: id) as? Author)?.name = name
            try context.save()
        }
    }

    func name(
        of id: ManagedObjectID, in context: ManagedObjectContext
    ) -> String? {
        context.performAndWait { (context.object(with: id) as? Author)?.name }
    }
}

// MARK: - The model

// Not formatted, since the guide has each property on a line.
// swift-format-ignore
extension `Guide` {
    final class Author: ManagedObject {
        static let name: Attribute<String> = Attribute("name")
        static let books: OrderedToMany<Book> = OrderedToMany("books", inverse: Book.author, deleteRule: .cascade)
        override class var managedProperties: [any ManagedProperty] { [name, books] }

        var name: String { get { self[Self.name] } set { self[Self.name] = newValue } }
        var books: [Book] { get { self[Self.books] } set { self[Self.books] = newValue } }
    }

    final class Book: ManagedObject {
        static let number: Attribute<UUID> = Attribute("number")
        static let title: Attribute<String> = Attribute(
            "title", validationRules: [ValidationRule("length <= 200", .message("A title is too long."))])
        static let year: Attribute<Int?> = Attribute("year", .integer32)
        static let bought: Attribute<Date?> = Attribute("bought")
        static let isLent: Attribute<Bool> = Attribute("isLent", default: false)
        static let cover: Transformable<Cover> = Transformable("cover", .codable(Cover.self))
        static let author: ToOne<Author> = ToOne("author")
        static let related: ToMany<Book> = ToMany("related", inverse: related)
        override class var managedProperties: [any ManagedProperty] {
            [number, title, year, bought, isLent, cover, author, related]
        }

        var title: String { get { self[Self.title] } set { self[Self.title] = newValue } }
        var year: Int? { get { self[Self.year] } set { self[Self.year] = newValue } }
        var author: Author? { get { self[Self.author] } set { self[Self.author] = newValue } }
        override func awakeFromInsert() { self[Self.number] = UUID() }
    }

    struct Cover: Codable, Hashable, Sendable { var colour: String }

    func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(Author.self, uniquenessConstraints: [["name"]]),
            EntityDescription(Book.self, indexes: [FetchIndexDescription("byTitle", on: "title")]),
        ])
    }
}

extension `Guide` {
    @Test func `every property can be read back`() throws {
        let (number, bought) = (UUID(), Date(timeIntervalSinceReferenceDate: -1))
        let cover = Cover(colour: "blue")
        let context = try makeContext()
        let id = try context.performAndWait {
            let author = Author(context: context)
            author.name = "Stanisław Lem"
            let book = Book(context: context)
            (book.title, book.year, book.author) = ("Solaris", 1961, author)
            book[Book.number] = number
            book[Book.bought] = bought
            book[Book.isLent] = true
            book[Book.cover] = cover
            try context.save()
            return book.objectID
        }
        try run { context in
            let book = try #require(try context.existingObject(with: id) as? Book)
            #expect(book.title == "Solaris" && book.year == 1961 && book[Book.number] == number)
            #expect(book[Book.bought] == bought && book[Book.isLent] && book[Book.cover] == cover)
            #expect(book.author?.name == "Stanisław Lem" && book.author?.books == [book])
            #expect(book[Book.related].isEmpty)
        }
    }
}

// MARK: - Model files

extension `Guide` {
    private func writeModel(to group: URL) throws {
        let folder = group.appending(path: "Library.xcdatamodel", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = """
            <model>
                <entity name="Author" representedClassName=".Author">
                    <attribute name="name" attributeType="String"/>
                    <relationship name="books" optional="YES" toMany="YES" ordered="YES" \
            deletionRule="Cascade" destinationEntity="Book" inverseName="author"/>
                </entity>
                <entity name="Book" representedClassName=".Book">
                    <attribute name="title" attributeType="String" colour="red"/>
                    <relationship name="author" optional="YES" maxCount="1" \
            deletionRule="Nullify" destinationEntity="Author" inverseName="books"/>
                </entity>
            </model>
            """
        try Data(text.utf8).write(to: folder.appending(path: "contents"))
    }

    @Test func `a model is read from a file`() throws {
        let url = temporary.url("Library.xcdatamodeld")
        try writeModel(to: url)

        let model = try ManagedObjectModel(contentsOf: url, classes: [Author.self, Book.self])
        let leftOut = model.warnings.filter { $0.file != nil }
        let versions = try ModelFile(url).versions
        let oldest = try ManagedObjectModel(contentsOf: url, version: versions[0])
        let text = try model.xcdatamodelContents()

        #expect(model.entitiesByName["Book"]?.managedObjectClass == Book.self)
        #expect(leftOut.map(\.line) == [7])
        #expect(versions == ["Library"])
        #expect(oldest.versionChecksum == model.versionChecksum)
        #expect(text.contains("ordered=\"YES\""))
    }

    @Test func `a model is read from a store`() throws {
        _ = try makeContext()

        let stored = try PersistentStoreCoordinator.model(
            ofStoreAt: file, classes: [Author.self, Book.self])

        #expect(stored.entityVersionHashesByName == (try makeModel()).entityVersionHashesByName)
        #expect(stored.entitiesByName["Book"]?.managedObjectClass == Book.self)
    }
}

// MARK: - Stores, objects and queues

extension `Guide` {
    @Test func `a store is opened by a coordinator, or by a container`() async throws {
        let folder = temporary.url("data")

        let coordinator = PersistentStoreCoordinator(model: try makeModel())
        try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)

        let container = PersistentContainer(name: "Library", model: try makeModel(), folder: folder)
        try container.loadPersistentStores()
        let count = try await container.performBackgroundTask { try Author.count(in: $0) }

        #expect(context.coordinator.persistentStores.map(\.url) == [file])
        #expect(count == 0)
    }

    @Test func `objects are inserted, changed and deleted`() throws {
        try run { context in
            let author = Author(context: context)
            author.name = "Ursula K. Le Guin"
            let book = Book(context: context)
            book.title = "The Dispossessed"
            book.author = author
            try context.save()

            book.year = 1974
            context.delete(author)
            try context.save()

            #expect(try Author.count(in: context) == 0)
            #expect(try Book.count(in: context) == 0)
        }
    }

    @Test func `an identifier crosses from one context to another`() async throws {
        let context = try makeContext()
        let other = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        let id = try await context.perform {
            let author = Author(context: context)
            author.name = "Stanisław Lem"
            try context.save()
            return author.objectID
        }
        let name = other.performAndWait { (other.object(with: id) as? Author)?.name }

        var request = Author.fetchRequest()
        request.sortKeys = [.ascending("name")]
        let names = try await other.perform { [request] in try other.fetch(request).map(\.name) }
        let count = await other.perform { other.registeredObjects.count }

        #expect(name == "Stanisław Lem" && names == ["Stanisław Lem"] && count <= 1)
    }
}

// MARK: - Fetches and relationships

extension `Guide` {
    @Test func `objects are fetched, counted and found`() throws {
        let context = try makeContext()
        _ = try saveAuthor(in: context)
        try context.performAndWait {
            var request = FetchRequest(entityName: "Book", sortKeys: [.ascending("title")])
            request.predicate = try ObjectPredicate("year < %@ AND title LIKE %@", 1980, "The *")
            request.fetchBatchSize = 100
            let titles = try context.fetch(request, as: Book.self).map(\.title)
            let all = try Book.all(in: context, sortedBy: [.ascending("title")])
            let count = try context.count(for: request)
            let newest = try Book.findFirst(in: context, sortedBy: [.descending("year")])

            #expect(titles == ["The Dispossessed"] && count == 1)
            #expect(all.map(\.title) == ["Lavinia", "The Dispossessed"])
            #expect(newest?.title == "Lavinia")
        }
    }

    @Test func `dictionaries have columns, groups and aggregates`() throws {
        let context = try makeContext()
        _ = try saveAuthor(in: context)
        try context.performAndWait {
            var request = FetchRequest(entityName: "Book", sortKeys: [.ascending("author.name")])
            request.propertiesToFetch = [
                "author.name",
                FetchedProperty(name: "books", expression: .function("count:", [.evaluatedObject])),
            ]
            request.propertiesToGroupBy = ["author.name"]
            let rows = try context.fetchDictionaries(request)

            #expect(rows.count == 1 && rows[0]["books"]?.integer == 2)
            #expect(rows[0]["author.name"]?.string == "Ursula K. Le Guin")
        }
    }

    @Test func `both ends of a relationship change at once`() throws {
        try run { context in
            let author = Author(context: context)
            let (first, second) = (Book(context: context), Book(context: context))
            let third = Book(context: context)

            first.author = author
            author.books.insert(second, at: 0)
            author.add(third, to: Author.books)
            first.add(second, to: Book.related)

            #expect(author.books == [second, first, third] && second.author == author)
            #expect(second[Book.related] == [first])
        }
    }
}

// MARK: - Batch requests and errors

extension `Guide` {
    @Test func `batch requests change rows, and contexts merge them`() throws {
        let context = try makeContext()
        let view = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        _ = try saveAuthor(in: context)
        @Sendable func lentBooks() throws -> [Bool] {
            try view.performAndWait {
                try Book.all(in: view, sortedBy: [.ascending("year")]).map { $0[Book.isLent] }
            }
        }
        #expect(try lentBooks() == [false, false])
        try context.performAndWait {
            let names: [[String: AttributeValue]] = [["name": "Jane Austen"], ["name": "Homer"]]
            try context.execute(BatchInsertRequest(entityName: "Author", objects: names))

            let lending = BatchUpdateRequest(
                entityName: "Book", propertiesToUpdate: ["isLent": .constant(true)])
            let lentCount = try context.execute(lending, mergingInto: [view]).count

            #expect(lentCount == 2)
            let authorCount = try Author.count(in: context)
            #expect(authorCount == 3)
        }
        #expect(try lentBooks() == [true, true])
    }

    @Test func `values that encode themselves are inserted`() throws {
        try run { context in
            struct Person: Codable {
                var name: String
            }
            let people = [Person(name: "Jane Austen"), Person(name: "Homer")]
            try context.execute(BatchInsertRequest(entityName: "Author", encoding: people))

            let authorCount = try Author.count(in: context)
            #expect(authorCount == 2)
        }
    }

    @Test func `a history brings a view up to date`() throws {
        func open(_ name: String) throws -> ManagedObjectContext {
            let coordinator = PersistentStoreCoordinator(model: try makeModel())
            var description = PersistentStoreDescription.sqlite(at: file)
            description.tracksHistory = true
            try coordinator.addPersistentStore(description)
            return ManagedObjectContext(.privateQueue, coordinator: coordinator, name: name)
        }
        let (view, other) = (try open("view"), try open("other"))
        let id = try saveAuthor(in: other)
        #expect(name(of: id, in: view) == "Ursula K. Le Guin")
        var token: PersistentHistoryToken? = try view.coordinator.currentPersistentHistoryToken()
        try rename(id, "U. K. Le Guin", in: other)

        var request = PersistentHistoryRequest(after: token.map { .token($0) })
        request.transactionPredicate = try ObjectPredicate("author != 'view'")
        for transaction in try view.fetchHistory(request) {
            ManagedObjectContext.mergeChanges(transaction.objectChanges, into: [view])
            token = transaction.token
        }

        #expect(name(of: id, in: view) == "U. K. Le Guin")
        #expect(token == (try view.coordinator.currentPersistentHistoryToken()))
    }

    @Test func `a save says what is wrong`() throws {
        try run { context in
            _ = Book(context: context)
            var sentences: [String] = []

            do {
                try context.save()
            } catch SaveError.validation(let errors) {
                sentences = errors.map(\.description)
            }

            #expect(sentences == ["Book.title is mandatory and has no value."])
        }
    }
}
