import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Properties by their names (§2)` {
    private static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Shelf", attributes: [AttributeDescription("room", .string)],
            relationships: [.toMany("books", "Book", inverse: "shelf", isOrdered: true)]),
        EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription("small", .integer16),
                AttributeDescription("middle", .integer32),
                AttributeDescription("large", .integer64), AttributeDescription("single", .float),
                AttributeDescription("real", .double), AttributeDescription("price", .decimal),
                AttributeDescription("isLent", .boolean), AttributeDescription("title", .string),
                AttributeDescription("passing", .undefined, isTransient: true),
            ],
            relationships: [.toOne("shelf", "Shelf", inverse: "books")]),
    ])

    private func store() throws -> StoreFixture { try StoreFixture(Self.model) }

    @Test func `an integer attribute takes integers of every width`() throws {
        try store().run { context in
            let book = try context.insert("Book")
            let fives: [Any] = [
                5, Int8(5), Int16(5), Int32(5), Int64(5), UInt(5), UInt8(5), UInt16(5), UInt32(5),
                UInt64(5), NSNumber(value: 5), NSNumber(value: UInt64(5)), NSNumber(value: 5.0),
                NSDecimalNumber(string: "5"),
            ]
            for five in fives {
                for key in ["small", "middle", "large"] {
                    try book.setValue(nil, forKey: key)
                    try book.setValue(five, forKey: key)
                    let found = try book.value(forKey: key) as? any BinaryInteger
                    #expect(found.map { Int($0) } == 5, "\(type(of: five))")
                }
                for key in ["single", "real", "price"] {
                    try book.setValue(five, forKey: key)
                    let property = try #require(book.binding.entity.property(named: key))
                    #expect(book.attributeValue(of: property).double == 5)
                }
            }
            for one in [1, UInt8(1), NSNumber(value: true), NSNumber(value: 1)] as [Any] {
                try book.setValue(one, forKey: "isLent")
                #expect(try book.value(forKey: "isLent") as? Bool == true)
            }
            try book.setValue(NSNumber(value: 2.5), forKey: "real")
            #expect(try book.value(forKey: "real") as? Double == 2.5)
            try book.setValue(NSDecimalNumber(string: "2.50"), forKey: "price")
            #expect(try book.value(forKey: "price") as? Decimal == Decimal(string: "2.5"))
        }
    }

    @Test func `a number that does not fit is refused`() throws {
        try store().run { context in
            let book = try context.insert("Book")
            let numbers: [(Any, String)] = [
                (UInt64.max, "large"), (NSNumber(value: UInt64.max), "large"),
                (NSNumber(value: 2.5), "small"), (NSNumber(value: 5), "title"),
                (UInt8(2), "isLent"),
            ]
            for (number, key) in numbers {
                #expect(throws: PropertyError.self) { try book.setValue(number, forKey: key) }
                #expect(try book.value(forKey: key) == nil)
            }
        }
    }

    @Test func `a value comes as the attribute's own type`() throws {
        try store().run { context in
            let book = try context.insert(
                "Book", ["small": 1, "middle": 2, "large": 3, "single": 0.5, "real": 1.5])
            func check() throws {
                #expect(try book.value(forKey: "small") as? Int16 == 1)
                #expect(try book.value(forKey: "middle") as? Int32 == 2)
                #expect(try book.value(forKey: "large") as? Int64 == 3)
                #expect(try book.value(forKey: "single") as? Float == 0.5)
                #expect(try book.value(forKey: "real") as? Double == 1.5)
            }
            try check()
            #expect(book.changedValues()["small"] as? Int16 == 1)
            try context.save()
            try check()
            #expect(book.committedValues(forKeys: ["single"])["single"] as? Float == 0.5)
        }
    }

    @Test func `values of several keys at once`() throws {
        try store().run { context in
            let shelf = try context.insert("Shelf")
            let book = try context.insert("Book")
            try book.setValuesForKeys(["title": "Dune", "small": 3, "shelf": shelf, "real": nil])
            let values = try book.dictionaryWithValues(forKeys: ["title", "small", "real", "shelf"])
            #expect(values.keys.contains("real") && values["real"].flatMap { $0 } == nil)
            #expect(values["title"] as? String == "Dune" && values["small"] as? Int16 == 3)
            #expect(values["shelf"] as? ManagedObject === shelf)
            for wrong in [["title": "x", "colour": 1], ["title": "x", "small": "y"]]
                as [[String: Any?]]
            {
                #expect(throws: PropertyError.self) { try book.setValuesForKeys(wrong) }
            }
            #expect(try book.value(forKey: "title") as? String == "Dune", "all or nothing")
            #expect(throws: PropertyError.self) {
                try book.dictionaryWithValues(forKeys: ["title", "colour"])
            }
        }
    }

    @Test func `a key path leads through relationships`() throws {
        try store().run { context in
            let shelf = try context.insert("Shelf", ["room": "hall"])
            let books = try ["b", "a"].enumerated().map {
                try context.insert("Book", ["title": $1, "small": $0 + 1, "shelf": shelf])
            }
            let stray = try context.insert("Book")
            #expect(try books[0].value(forKeyPath: "shelf.room") as? String == "hall")
            #expect(try books[0].value(forKeyPath: "title") as? String == "b")
            #expect(try books[0].value(forKeyPath: "shelf") as? ManagedObject === shelf)
            #expect(try stray.value(forKeyPath: "shelf.room") == nil)
            #expect(try shelf.value(forKeyPath: "books.title") as? [String] == ["b", "a"])
            #expect(try shelf.value(forKeyPath: "books.small") as? [Int16] == [1, 2])
            #expect(try shelf.value(forKeyPath: "books") as? [ManagedObject] == books)
            #expect(try books[1].value(forKeyPath: "shelf.books.@count") as? Int64 == 2)
            #expect(try shelf.value(forKeyPath: "books.@sum.small") as? Double == 3)
            #expect(try shelf.value(forKeyPath: "books.@max.small") as? Int16 == 2)
            #expect(try shelf.value(forKeyPath: "objectID") as? ManagedObjectID == shelf.objectID)
            for wrong in [
                "shelf.colour", "title.x", "shelf.books.shelf.books", "books.@best.x", "",
            ] {
                #expect(throws: FetchError.self) { try books[0].value(forKeyPath: wrong) }
                #expect(throws: FetchError.self) { try stray.value(forKeyPath: wrong) }
            }
        }
    }
}

@Suite struct `Typed requests and descriptions (§1.2, §13.1)` {
    let fixture: ContextFixture

    init() throws {
        fixture = try ContextFixture()
        for name in ["Borges", "Calvino", "Lem"] { try fixture.saveAuthor(name) }
    }

    @Test func `a class makes the request for its objects (§13.1.1)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.fetch(TestSupport.Author.fetchRequest())
            #expect(Set(authors.map(\.name)) == ["Borges", "Calvino", "Lem"])
            var request = TestSupport.Author.fetchRequest()
            request.predicate = try ObjectPredicate("name > %@", "C")
            request.sortKeys = [.descending("name")]
            request.fetchLimit = 1
            #expect(try context.fetch(request).map(\.name) == ["Lem"])
            request.fetchLimit = 0
            #expect(try context.count(for: request) == 2)
            #expect(try request.request(in: context.model).entityName == "Author")
        }
    }

    @Test func `a request for a class of no entity is refused (§13.1.5)`() throws {
        final class Stranger: ManagedObject {}
        let context = fixture.context()
        context.performAndWait {
            _ = #expect(throws: FetchError.unknownEntity("Stranger")) {
                try context.fetch(Stranger.fetchRequest())
            }
        }
    }

    @Test func `a description knows what it inherits (§1.2.2, §1.2.4)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let book = try context.insertObject(entityName: "Book")
            let entities = context.model.entitiesByName
            let publication = try #require(entities["Publication"])
            let author = try #require(entities["Author"])
            #expect(book.entity.attributesByName["title"] != nil)
            #expect(book.entity.relationshipsByName["author"]?.destination == "Author")
            #expect(book.entity.isKind(of: publication) && book.entity.isKind(of: book.entity))
            #expect(!publication.isKind(of: book.entity) && !book.entity.isKind(of: author))
            #expect(book.objectID.entity.name == "Book")
            #expect(book.objectID.entity.attributesByName.keys == book.entity.attributesByName.keys)
        }
    }

    @Test func `a coordinator knows its stores by their files (§11.1)`() throws {
        let coordinator = fixture.coordinator
        let store = try #require(coordinator.persistentStore(for: fixture.url))
        #expect(store == fixture.store)
        #expect(coordinator.url(for: store)?.lastPathComponent == "library.sqlite")
        #expect(coordinator.persistentStore(for: fixture.folder.url("other.sqlite")) == nil)
        let memory = try coordinator.addPersistentStore(.inMemory())
        #expect(coordinator.url(for: memory) == nil)
        try coordinator.removePersistentStore(store)
        #expect(coordinator.persistentStore(for: fixture.url) == nil)
        #expect(coordinator.url(for: store) == nil)
    }
}
