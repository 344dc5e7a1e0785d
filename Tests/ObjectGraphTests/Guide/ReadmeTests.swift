import Foundation
import ObjectGraph
import TestSupport
import Testing

// Not formatted, since the README has each accessor on a line.
// swift-format-ignore
@Suite struct `The sample of the README` {
    final class Author: ManagedObject {
        static let name: Attribute<String> = Attribute("name")
        static let books: ToMany<Book> = ToMany("books", inverse: Book.author, deleteRule: .cascade)
        override class var managedProperties: [any ManagedProperty] { [name, books] }
        var name: String { get { self[Self.name] } set { self[Self.name] = newValue } }
    }

    final class Book: ManagedObject {
        static let author: ToOne<Author> = ToOne("author")
        override class var managedProperties: [any ManagedProperty] { [author] }
        var author: Author? { get { self[Self.author] } set { self[Self.author] = newValue } }
    }

    func makeLibrary(at file: URL) throws -> ManagedObjectContext {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(Author.self), EntityDescription(Book.self),
        ])
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let author = Author(context: context)
            author.name = "Ursula K. Le Guin"
            Book(context: context).author = author
            try context.save()
        }
        return context
    }

    @Test func `saves an author with a book`() throws {
        let folder = TemporaryFolder()
        let context = try makeLibrary(at: folder.url("library.sqlite"))
        try context.performAndWait {
            let book = try Book.findFirst(in: context)
            #expect(book?.author?.name == "Ursula K. Le Guin")
            #expect(book?.author?[Author.books].count == 1)
        }
    }

    @Test func `is the code of this file`() throws {
        let samples = try PackageFile("README.md").samples
        let file = try PackageFile("Tests/ObjectGraphTests/Guide/ReadmeTests.swift")
        let others = samples.filter { !file.contains(sample: $0) }

        #expect(samples.count == 1)
        #expect(others.isEmpty)
    }
}
