import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

private typealias Author = TestSupport.Author

@Suite struct `fetchBatchSize (§3.9)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    @Test(arguments: [1, 7, 10, 20, 1000], [0, 1, 2])
    func `n objects cost 1 + ceil(n / size) statements (§3.9.1, §3.9.3, §14.6)`(
        size: Int, depth: Int
    ) throws {
        let context = fixture.context(depth: depth)
        try context.performAndWait {
            let statements = try fixture.statements {
                let authors = try context.authors { $0.fetchBatchSize = size }
                #expect(authors.count == 20)
                #expect(authors.map(\.name) == (0..<20).map { "Author \($0)" })
            }
            #expect(statements == 1 + (20 + size - 1) / size)
        }
    }

    @Test(arguments: [0, 1, 2])
    func `an index loads its batch alone, at any depth (§3.9.2, §3.9.4)`(depth: Int) throws {
        let context = fixture.context(depth: depth)
        try context.performAndWait {
            var authors: FetchedObjects<Author>?
            let first = try fixture.recorder.statements {
                authors = try context.authors { $0.fetchBatchSize = 3 }
                #expect(authors!.count == 20)
            }
            #expect(first == ["SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR"])
            let second = fixture.recorder.statements { #expect(authors![7].name == "Author 7") }
            let keys = try (6...8).map {
                try context.author(bornIn: 1900 + $0).objectID.reference
            }
            #expect(
                second == [
                    "SELECT OGRows(t0.ZBIRTHYEAR, t0.ZNAME, t0.Z_OPT, t0.Z_PK) FROM ZAUTHOR t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← '[\(keys.map(String.init).joined(separator: ","))]'"
                ])
            // The latest batches are still registered; earlier ones are read again.
            fixture.expect(0) { for index in 6...8 { _ = authors![index].name } }
            fixture.expect(4) { for index in [0, 3, 9, 12] { _ = authors![index] } }
            fixture.expect(0) { _ = authors!.first }
        }
    }

    @Test(arguments: [true, false])
    func `the objects of a batch are faults with rows, or realised (§3.9.2)`(asFaults: Bool) throws
    {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors {
                $0.fetchBatchSize = 5
                $0.returnsObjectsAsFaults = asFaults
            }
            #expect(authors[6].isFault == asFaults)
            fixture.expect(0) { #expect(authors[6].name == "Author 6") }
        }
    }

    @Test func `without property values a batch costs nothing, and each object does (§3.9.2)`()
        throws
    {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors {
                $0.fetchBatchSize = 5
                $0.includesPropertyValues = false
            }
            fixture.expect(0) { _ = Array(authors) }
            fixture.expect(1) { _ = authors[6].name }
        }
    }

    @Test func `an array of the result loads all of it (§3.9.6)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors { $0.fetchBatchSize = 5 }
            fixture.expect(4) { #expect(Array(authors).count == 20) }
        }
    }

    @Test(arguments: [0, 1, 2])
    func `batches find new objects after they were saved (§2.1.4, §3.9.6)`(depth: Int) throws {
        let context = fixture.context(depth: depth)
        let parents = Array(sequence(first: context, next: \.parent).dropFirst())
        try context.performAndWait {
            // One new object here, others only in the parents; more new ones would be read at once.
            for context in [context] + parents {
                context.performAndWait {
                    let author = Author(context: context)
                    author.birthYear = 2000
                    author.name = "new"
                }
            }
            let authors = try context.authors { $0.fetchBatchSize = 2 }
            for context in [context] + parents {
                try context.performAndWait { try context.save() }
            }
            let count = 20 + 1 + depth
            #expect(authors.count == count)
            #expect(
                authors.suffix(count - 20).map(\.name) == Array(repeating: "new", count: count - 20)
            )
            #expect(Set(authors).count == count)
        }
    }

    @Test func `only the last batches are kept (§3.9.4)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors { $0.fetchBatchSize = 2 }
            for author in authors { _ = author.name }
            // Four batches of two.
            #expect(context.registeredObjects.count == 8)
        }
    }

    @Test func `the batch read longest ago leaves first (§3.9.4)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors { $0.fetchBatchSize = 2 }
            for index in 0..<10 { _ = authors[index].name }
            fixture.expect(0) { for index in 2..<10 { _ = authors[index].name } }
        }
    }

    @Test func `a limit is divided into batches (§3.9.8)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let statements = try fixture.statements {
                let authors = try context.authors {
                    $0.fetchBatchSize = 4
                    ($0.fetchOffset, $0.fetchLimit) = (2, 10)
                }
                #expect(authors.map(\.birthYear) == (1902..<1912).map(Optional.init))
            }
            #expect(statements == 1 + 3)
        }
    }

    @Test(arguments: [0, 1, 2])
    func `unsaved changes leave it in batches (§3.9.7, §14.6)`(depth: Int) throws {
        let context = fixture.context(depth: depth)
        try context.performAndWait {
            let gone = try context.author(bornIn: 1903)
            context.delete(gone)
            let new = Author(context: context)
            (new.name, new.birthYear) = ("New", 1910)
            // It sorts last, so that no other row must be read to find its place.
            let last = Author(context: context)
            (last.name, last.birthYear) = ("Last", 2000)
            context.processPendingChanges()
            let request = FetchRequest(
                entityName: "Author", predicate: try ObjectPredicate("birthYear < 2000"))
            let statements = try fixture.statements {
                var batched = request
                batched.fetchBatchSize = 10
                let authors = try context.fetch(batched, as: Author.self)
                #expect(authors.count == 20)
                #expect(Set(authors.map(\.name)).count == 20)
                #expect(authors.contains(new))
                #expect(!authors.contains(gone))
            }
            #expect(statements == 1 + 2)
        }
    }

    @Test func `a place among sorted objects is found by reading few of them (§3.9.7)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            for number in 0..<1000 {
                let author = Author(context: context)
                (author.name, author.birthYear) = ("More \(number)", 2000 + number)
            }
            try context.save()
            context.reset()
            let new = Author(context: context)
            (new.name, new.birthYear) = ("New", 2500)
            context.processPendingChanges()
            let statements = try fixture.statements {
                let authors = try context.authors { $0.fetchBatchSize = 10 }
                #expect(authors.count == 1021)
                #expect(authors[20 + 501] === new)
            }
            #expect(statements <= 1 + 11 + 1)
        }
    }

    @Test func `rows deleted meanwhile are inaccessible faults (§14.6)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors { $0.fetchBatchSize = 5 }
            #expect(authors[0].name == "Author 0")
            try fixture.execute("DELETE FROM ZAUTHOR WHERE ZBIRTHYEAR = 1906")
            #expect(authors.count == 20)
            #expect(authors[6].name == "")
            #expect(authors[6].isDeleted)
            #expect(authors[7].name == "Author 7")
        }
    }

    @Test func `identifiers, counts and dictionaries know no batches (§3.9.7)`() throws {
        let context = fixture.context()
        let request = FetchFixture.authors { $0.fetchBatchSize = 2 }
        try context.performAndWait {
            try fixture.expect(1) { _ = try context.fetchObjectIDs(request) }
            try fixture.expect(1) { _ = try context.fetchDictionaries(request) }
            try fixture.expect(1) { _ = try context.count(for: request) }
        }
    }
}
