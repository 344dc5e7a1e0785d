import TestSupport
import Testing

@testable import ObjectGraph

/// Pairs of join tables that are written 64 at a time.
@Suite struct `Pairs written together` {
    private func makeLibrary(isOrdered: Bool) throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Book", attributes: [AttributeDescription("number", .integer64)],
                    relationships: [.toMany("tags", "Tag", inverse: "books", isOrdered: isOrdered)]
                ),
                EntityDescription(
                    name: "Tag", attributes: [AttributeDescription("number", .integer64)],
                    relationships: [.toMany("books", "Book", inverse: "tags")]),
            ]))
    }

    private func insertBooks(
        _ count: Int, _ context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let tags = try (0..<3).map { try context.insert("Tag", ["number": $0]) }
        return try (0..<count).map {
            let book = try context.insert("Book", ["number": $0])
            try book.setValue($0.isMultiple(of: 2) ? tags : tags.reversed(), forKey: "tags")
            return book
        }
    }

    // BEGIN, 64 books, 3 tags, 192 pairs, COMMIT. With an order, the pairs are those of the other
    // end, then come a query for the places and the pairs with their places.
    @Test(arguments: [(false, 7), (true, 11)])
    func `a statement takes 64 pairs`(isOrdered: Bool, expected: Int64) throws {
        let fixture = try makeLibrary(isOrdered: isOrdered)
        try fixture.run { context in
            _ = try insertBooks(64, context)
            try context.obtainPermanentIDs(for: Array(context.insertedObjects))
        }
        let count = try fixture.statements { try fixture.run { try $0.save() } }
        #expect(count == expected)
        #expect(try fixture.pairCount == 192)
    }

    @Test(arguments: [false, true])
    func `pairs are removed together, and those that are gone are no error`(
        isOrdered: Bool
    ) throws {
        let fixture = try makeLibrary(isOrdered: isOrdered)
        try fixture.run { context in
            let books = try insertBooks(50, context)
            try context.save()
            for book in books.dropLast() { try book.setValue(nil, forKey: "tags") }
            try context.save()
        }
        #expect(try fixture.pairCount == 3)
    }

    @Test func `many sources keep their orders, old and new (§1.5.2)`() throws {
        let fixture = try makeLibrary(isOrdered: true)
        try fixture.run { context in
            let books = try insertBooks(50, context)
            try context.save()
            for book in books {
                let tags = try #require(try book.value(forKey: "tags") as? [ManagedObject])
                try book.setValue([tags[2], tags[0], tags[1]], forKey: "tags")
            }
            try context.save()
            context.reset()
            for book in try context.all("Book", by: "number") {
                let number = try #require(try book.value(forKey: "number") as? Int64)
                let tags = try #require(try book.value(forKey: "tags") as? [ManagedObject])
                let numbers = try tags.map { try $0.value(forKey: "number") as? Int64 }
                #expect(numbers == (number.isMultiple(of: 2) ? [2, 0, 1] : [0, 2, 1]))
            }
        }
    }

    @Test func `a pair that another context has added stays`() throws {
        let fixture = try makeLibrary(isOrdered: false)
        let other = fixture.makeContext()
        try fixture.run { context in
            let book = try insertBooks(1, context)[0]
            try book.setValue(nil, forKey: "tags")
            try context.save()
            let ids = try context.all("Tag", by: "number").map(\.objectID)
            let bookID = book.objectID
            try other.performAndWait {
                let added = ids.map { other.object(with: $0) }
                try other.object(with: bookID).setValue(added, forKey: "tags")
                try other.save()
            }
            try book.setValue(ids.map { context.object(with: $0) }, forKey: "tags")
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
        #expect(try fixture.pairCount == 3)
    }
}

extension StoreFixture {
    fileprivate var pairCount: Int {
        get throws {
            let table = try sql(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Z\\_%TAGS' ESCAPE '\\'"
            )
            let count = try sql("SELECT count(*) FROM \(table[0][0] ?? "")")[0][0]
            return Int(count ?? "") ?? -1
        }
    }
}
