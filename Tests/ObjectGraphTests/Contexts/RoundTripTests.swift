import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Objects from one context to the next` {
    private typealias Author = TestSupport.Author

    @Test func `what one saves another fetches, follows and deletes`() throws {
        let store = try StoreFixture(makeLibraryModel())
        try store.run { context in
            let author = Author(context: context)
            author.name = "Ursula"
            let topic = Topic(context: context)
            topic.name = "sf"
            for number in 0..<10 {
                let book = Book(context: context)
                book.title = "Book \(number)"
                book.author = author
                if number < 3 { book.topics = [topic] }
            }
            try context.save()
        }
        let other = store.makeContext()
        try other.performAndWait {
            let books = try other.fetch(
                FetchRequest(
                    entityName: "Book",
                    predicate: try ObjectPredicate(
                        "author.name == %@ AND title != %@", "Ursula", "Book 3"),
                    sortKeys: [.descending("title")]), as: Book.self)
            #expect(books.map(\.title) == [9, 8, 7, 6, 5, 4, 2, 1, 0].map { "Book \($0)" })
            #expect(books[8].topics.count == 1)
            let author = try #require(books[0].author)
            #expect(author.publications.count == 10)
            other.delete(author)
            try other.save()
            #expect(try other.count(for: FetchRequest(entityName: "Book")) == 0)
        }
    }

    @Test func `a child's objects reach the store through its parent`() throws {
        let store = try StoreFixture(makeLibraryModel())
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try child.performAndWait {
            let author = Author(context: child)
            author.name = "Ursula"
            for number in 0..<10 {
                let book = Book(context: child)
                book.title = "Book \(number)"
                book.author = author
            }
            try child.save()
            #expect(author.publications.count == 10)
            try store.run { context in
                #expect(context.insertedObjects.count == 11)
                try context.save()
                #expect(!context.hasChanges)
            }
            let books = try child.fetch(
                FetchRequest(
                    entityName: "Book", predicate: try ObjectPredicate("author.name == 'Ursula'"),
                    sortKeys: [.descending("title")]), as: Book.self)
            #expect(books.count == 10 && books[0].author === author)
            books[0].title = "new"
            try child.save()
            try store.run { try $0.save() }
        }
        #expect(try store.sql("SELECT count(*) FROM ZPUBLICATION WHERE ZTITLE = 'new'") == [["1"]])
    }
}
