import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Objects without a class (§1.13)` {
    static let library = """
        <entity name="Author" representedClassName=".Author">
            <attribute name="name" attributeType="String"/>
            <relationship name="publications" optional="YES" toMany="YES" deletionRule="Cascade" \
        destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" representedClassName=".Book">
            <attribute name="title" attributeType="String" defaultValueString="untitled"/>
            <attribute name="pageCount" optional="YES" attributeType="Integer 32"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Author" inverseName="publications" inverseEntity="Author"/>
        </entity>
        """

    @Test func `have values and relationships by key (§1.13.7)`() throws {
        let store = try StoreFixture(ModelFolder.model(Self.library))
        try store.run { context in
            let author = try context.insert("Author", ["name": "Ursula"])
            let book = try context.insert("Book", ["author": author, "pageCount": 300])
            try context.save()
            context.reset()
            let found = try #require(try context.all("Book").first)
            #expect(type(of: found) == ManagedObject.self)
            #expect(found != book)
            #expect(try found.value(forKey: "title") as? String == "untitled")
            #expect(found[Book.pageCount] == 300)
            let its = try #require(try found.value(forKey: "author") as? ManagedObject)
            #expect(try its.value(forKey: "name") as? String == "Ursula")
            context.delete(its)
            try context.save()
            #expect(try context.all("Book").isEmpty)
        }
    }

    @Test func `cannot be fetched as a class, and the error says why (§1.13.7)`() throws {
        let store = try StoreFixture(ModelFolder.model(Self.library))
        try store.run { context in
            let mismatch = try #require(throws: FetchError.self) {
                _ = try context.fetch(FetchRequest(entityName: "Book"), as: Book.self)
            }
            #expect(mismatch == .classMismatch(entity: "Book", expected: "Book"))
            #expect(mismatch.description.contains("give the entity the class"))
            let unknown = try #require(throws: FetchError.self) { _ = try Book.all(in: context) }
            #expect(unknown.description.contains("give the entity its class"))
        }
    }

    @Test func `cannot be made as a class, and the message says why (§1.13.7)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture(
                ModelFolder.model(`Objects without a class (§1.13)`.library))
            store.run { context in _ = Book(context: context) }
        }
        #expect(result.message.contains("in classes when the model is read from a file"))
    }

    @Test func `are no destinations of a class, and the message says why (§1.13.7)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture(
                ModelFolder.model(`Objects without a class (§1.13)`.library, classes: [Book.self]))
            store.run { context in _ = Book(context: context)[Book.author] }
        }
        #expect(result.message.contains("give 'Author' the class Author"), "\(result.message)")
    }

    @Test func `with their classes the same model has typed objects (§1.13.7)`() throws {
        let store = try StoreFixture(
            ModelFolder.model(Self.library, classes: [Author.self, Book.self]))
        try store.run { context in
            let author = Author(context: context)
            author.name = "Ursula"
            let book = Book(context: context)
            #expect(book.title == "untitled")
            book.author = author
            try context.save()
            context.reset()
            #expect(try Book.all(in: context).first?.author?.name == "Ursula")
        }
    }
}
