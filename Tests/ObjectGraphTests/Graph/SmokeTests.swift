import Foundation
import ObjectGraph
import TestSupport
import Testing

final class Author: ManagedObject {
    static let name = Attribute<String>("name")
    static let age = Attribute<Int?>("age")
    static let books = ToMany<Book>("books")
    var name: String {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var books: Set<Book> {
        get { self[Self.books] }
        set { self[Self.books] = newValue }
    }
}

final class Book: ManagedObject {
    static let title = Attribute<String>("title")
    static let author = ToOne<Author>("author")
    static let tags = ToMany<Tag>("tags")
    var title: String {
        get { self[Self.title] }
        set { self[Self.title] = newValue }
    }
    var author: Author? {
        get { self[Self.author] }
        set { self[Self.author] = newValue }
    }
    var tags: Set<Tag> {
        get { self[Self.tags] }
        set { self[Self.tags] = newValue }
    }
}

final class Tag: ManagedObject {
    static let name = Attribute<String>("name")
    static let books = ToMany<Book>("books")
}

func smokeModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
        EntityDescription(
            name: "Author", managedObjectClass: Author.self,
            attributes: [
                AttributeDescription("name", .string, isOptional: false),
                AttributeDescription("age", .integer32),
            ],
            relationships: [.toMany("books", "Book", inverse: "author", deleteRule: .cascade)]),
        EntityDescription(
            name: "Book", managedObjectClass: Book.self,
            attributes: [AttributeDescription("title", .string)],
            relationships: [
                .toOne("author", "Author", inverse: "books"),
                .toMany("tags", "Tag", inverse: "books"),
            ]),
        EntityDescription(
            name: "Tag", managedObjectClass: Tag.self,
            attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("books", "Book", inverse: "tags")]),
    ])
}

@Suite struct Smoke {
    @Test func `round trip`() throws {
        let folder = TemporaryFolder()
        let url = folder.url("a.sqlite")
        let coordinator = PersistentStoreCoordinator(model: try smokeModel())
        try coordinator.addPersistentStore(.sqlite(at: url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let author = Author(context: context)
            author.name = "Ursula"
            author[Author.age] = 88
            let tag = Tag(context: context)
            tag[Tag.name] = "sf"
            for number in 0..<10 {
                let book = Book(context: context)
                book.title = "Book \(number)"
                book.author = author
                if number < 3 { book.tags = [tag] }
            }
            try context.save()
            #expect(!context.hasChanges)
            #expect(author.books.count == 10)
            #expect(author.objectID.isTemporaryID == false)
        }
        let other = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try other.performAndWait {
            let books = try other.fetch(
                FetchRequest(
                    entityName: "Book",
                    predicate: try ObjectPredicate(
                        "author.name == %@ AND title != %@", "Ursula", "Book 3"),
                    sortKeys: [.descending("title")]), as: Book.self)
            #expect(
                books.map(\.title) == [
                    "Book 9", "Book 8", "Book 7", "Book 6", "Book 5", "Book 4", "Book 2", "Book 1",
                    "Book 0",
                ])
            #expect(books[8].tags.count == 1)
            #expect(books[0].author?.name == "Ursula")
            let author = books[0].author!
            #expect(author.books.count == 10)
            other.delete(author)
            try other.save()
            #expect(try other.count(for: FetchRequest(entityName: "Book")) == 0)
        }
    }

    @Test func `nested contexts`() throws {
        let folder = TemporaryFolder()
        let coordinator = PersistentStoreCoordinator(model: try smokeModel())
        try coordinator.addPersistentStore(.sqlite(at: folder.url("a.sqlite")))
        let root = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let child = ManagedObjectContext(.privateQueue, parent: root)
        try child.performAndWait {
            let author = Author(context: child)
            author.name = "Ursula"
            for number in 0..<10 {
                let book = Book(context: child)
                book.title = "Book \(number)"
                book.author = author
            }
            try child.save()
            #expect(author.books.count == 10)
            #expect(author.objectID.isTemporaryID)
            try root.performAndWait {
                #expect(root.insertedObjects.count == 11)
                try root.save()
                #expect(!root.hasChanges)
            }
            let books = try child.fetch(
                FetchRequest(
                    entityName: "Book",
                    predicate: try ObjectPredicate("author.name == %@", "Ursula"),
                    sortKeys: [.descending("title")]), as: Book.self)
            #expect(books.count == 10)
            #expect(books[0].author === author)
            #expect(author.objectID.isTemporaryID == false)
            books[0].title = "new"
            try child.save()
            try root.performAndWait { try root.save() }
        }
        #expect(
            try root.performAndWait {
                try root.count(
                    for: FetchRequest(
                        entityName: "Book", predicate: try ObjectPredicate("title == %@", "new")))
            } == 1)
    }
}
