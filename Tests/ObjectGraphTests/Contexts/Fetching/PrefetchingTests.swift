import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

private typealias Author = TestSupport.Author

private let authorColumns = "t0.ZBIRTHYEAR, t0.ZNAME, t0.Z_OPT, t0.Z_PK"
private let publicationColumns =
    "t0.ZISSUE, t0.ZPAGECOUNT, t0.ZAUTHOR, t0.ZRATING, t0.ZLOANCOUNT, t0.ZYEAR, t0.ZTITLE, t0.Z_ENT, t0.Z_OPT, t0.Z_PK"

@Suite struct `Relationship faults (§3.3)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    @Test func `the contents are read on their own, with their rows (§3.3.1)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors()[2]
            let book = try #require(author.publications.first { $0.title == "Title 2.0" })
            context.refreshAllObjects()
            _ = (author.name, book.title)
            fixture.recorder.expect([
                "SELECT \(publicationColumns) FROM ZPUBLICATION t0 WHERE t0.ZAUTHOR = ? ← \(author.objectID.reference)"
            ]) { #expect(author.publications.count == 3) }
            fixture.recorder.expect([
                "SELECT OGRow(t0.ZNAME, t0.Z_OPT, t0.Z_PK) FROM Z_2TOPICS t1 JOIN ZTOPIC t0 ON t0.Z_PK = t1.Z_6TOPICS WHERE t1.Z_2PUBLICATIONS = ? ← \(book.objectID.reference)"
            ]) { #expect(book.topics.count == 2) }
        }
    }

    @Test func `the rows of many members are not read along (§3.3.1)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors()[0]
            for number in 0..<5 {
                let book = Book(context: context)
                book.title = "\(number)" + String(repeating: "x", count: 8_000)
                book.author = author
            }
            try context.save()
            context.reset()
            let found = try context.authors()[0]
            fixture.expect(2) { #expect(found.publications.count == 8) }
            fixture.expect(8) { for member in found.publications { _ = member.title } }
        }
    }

    @Test func `members that are read in one turn share a slab`() throws {
        let context = fixture.context()
        func slab() throws -> RowSlab {
            try context.performAndWait {
                let members = try context.authors().prefix(2).flatMap(\.publications)
                let slab = try #require(members.first?.slab)
                #expect(members.count > 3 && members.allSatisfy { $0.slab === slab })
                return slab
            }
        }
        let first = try slab()
        context.performAndWait { context.reset() }
        #expect(try slab() !== first)
    }

    @Test func `contents that have been read are not prefetched again`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors()
            for author in authors { for member in author.publications { _ = member.title } }
            try fixture.expect(1) {
                _ = try context.authors { $0.relationshipKeyPathsForPrefetching = ["publications"] }
            }
        }
    }

    @Test func `a prefetch leaves out what has been moved away here`() throws {
        let (context, other) = (fixture.context(), fixture.context())
        try context.performAndWait {
            let authors = try context.authors()
            let book = try #require(authors[0].publications.first)
            book.author = authors[1]
            let (bookID, thirdID) = (book.objectID, authors[2].objectID)
            try other.performAndWait {
                let book = try #require(other.object(with: bookID) as? Publication)
                book.author = try #require(other.object(with: thirdID) as? Author)
                try other.save()
            }
            context.refreshAllObjects()
            _ = try context.authors { $0.relationshipKeyPathsForPrefetching = ["publications"] }
            #expect(authors.filter { $0.publications.contains(book) } == [authors[1]])
        }
    }

    @Test func `members are faults whose rows are known (§3.3.2)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors()[0]
            let members = author.publications
            #expect(members.allSatisfy { $0.isFault })
            fixture.expect(0) { for member in members { _ = member.title } }
        }
    }

    @Test func `a member that was saved elsewhere meanwhile has its newest values (§3.3.2)`() throws
    {
        let (context, other) = (fixture.context(), fixture.context())
        try context.performAndWait {
            let author = try context.authors()[0]
            let member = try #require(author.publications.first)
            let id = member.objectID
            try other.performAndWait {
                try #require(other.object(with: id) as? Publication).title = "New"
                try other.save()
            }
            #expect(member.title == "New")
        }
    }

    @Test func `the owner fires before its contents are read (§3.3.3)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors { $0.includesPropertyValues = false }[0]
            fixture.expect(2) { _ = author.publications }
            #expect(!author.isFault)
        }
    }

    @Test func `identifiers come without objects (§3.3.4)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors()[0]
            let registered = context.registeredObjects.count
            var ids: [ManagedObjectID] = []
            try fixture.expect(1) {
                ids = try author.objectIDs(forRelationshipNamed: "publications")
            }
            #expect(context.registeredObjects.count == registered)
            #expect(Set(ids) == Set(author.publications.map(\.objectID)))
            #expect(Set(ids.map(\.entityName)) == ["Book", "Magazine"])
            // With unsaved members, the identifiers are those in memory.
            let book = Book(context: context)
            book.author = author
            #expect(
                try author.objectIDs(forRelationshipNamed: "publications").contains(book.objectID))
            #expect(throws: PropertyError.self) {
                try author.objectIDs(forRelationshipNamed: "name")
            }
        }
    }

    @Test(arguments: [nil, Duration.zero])
    func `contents stay until they are refreshed, however old (§3.3.5)`(
        _ stalenessInterval: Duration?
    ) throws {
        let context = fixture.context()
        try context.performAndWait {
            context.stalenessInterval = stalenessInterval
            let author = try context.authors()[0]
            #expect(author.publications.count == 3)
            let key = author.objectID.reference
            try fixture.execute("UPDATE ZPUBLICATION SET ZAUTHOR = NULL WHERE ZAUTHOR = \(key)")
            fixture.expect(0) { #expect(author.publications.count == 3) }
            context.refresh(author, mergeChanges: true)
            #expect(author.publications.isEmpty)
        }
    }
}

@Suite struct `Batch faulting and prefetching (§3.4)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    @Test func `a fetch of given objects fills their faults in one statement (§3.4.1)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let faults = Array(try context.authors { $0.includesPropertyValues = false })
            let request = FetchFixture.authors {
                $0.predicate = try! ObjectPredicate("SELF IN %@", faults)
                $0.returnsObjectsAsFaults = false
            }
            let statements = try fixture.statements {
                let fetched = Array(try context.fetch(request, as: Author.self))
                #expect(fetched == faults)
                for fault in faults { #expect(!fault.isFault && fault.name != "") }
            }
            #expect(statements == 1)
        }
    }

    @Test(arguments: [0, 1, 2])
    func `each step of a key path is one statement, at any depth (§3.4.2)`(depth: Int) throws {
        let context = fixture.context(depth: depth)
        try context.performAndWait {
            let request = FetchFixture.authors {
                $0.relationshipKeyPathsForPrefetching = ["publications.topics", "publications"]
                $0.fetchLimit = 2
            }
            var authors: FetchedObjects<Author>?
            let statements = try fixture.recorder.statements {
                authors = try context.fetch(request)
            }
            let owners = authors!.map(\.objectID.reference)
            #expect(
                statements[0]
                    == "SELECT \(authorColumns) FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR LIMIT ? ← 2")
            #expect(
                statements[1]
                    == "SELECT \(publicationColumns), t0.ZAUTHOR FROM ZPUBLICATION t0 WHERE t0.ZAUTHOR IN (SELECT value FROM json_each(?)) ← '[\(owners.map(String.init).joined(separator: ","))]'"
            )
            #expect(
                statements[2].hasPrefix(
                    "SELECT t0.ZNAME, t0.Z_OPT, t0.Z_PK, t1.Z_2PUBLICATIONS FROM Z_2TOPICS t1 JOIN ZTOPIC t0 ON t0.Z_PK = t1.Z_6TOPICS WHERE t1.Z_2PUBLICATIONS IN (SELECT value FROM json_each(?)) ← "
                ))
            #expect(statements.count == 3)
            let later = fixture.recorder.statements {
                for author in authors! {
                    #expect(author.publications.count == 3)
                    for publication in author.publications {
                        #expect(publication.title.hasPrefix("Title"))
                        #expect(publication.topics.allSatisfy { $0.name != "" })
                    }
                }
            }
            #expect(later == [])
        }
    }

    @Test func `a to-one step reads each destination once (§3.4.2, §3.7.13)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            var request = FetchRequest(
                entityName: "Book", predicate: try ObjectPredicate("year < 1953"))
            request.relationshipKeyPathsForPrefetching = ["author"]
            var books: FetchedObjects<Book>?
            let statements = try fixture.recorder.statements {
                books = try context.fetch(request)
            }
            #expect(statements.count == 2)
            #expect(
                statements[1].hasPrefix(
                    "SELECT OGRows(\(authorColumns)) FROM ZAUTHOR t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?)) ← "
                ))
            let later = fixture.statements {
                for book in books! { #expect(book.author!.name != "") }
            }
            #expect(later == 0)
        }
    }

    @Test func `owners that are faults are read together (§3.4.2)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            var request = FetchRequest(entityName: "Book")
            request.includesPropertyValues = false
            request.relationshipKeyPathsForPrefetching = ["author"]
            try fixture.expect(3) { _ = try context.fetch(request, as: Book.self) }
        }
    }

    @Test func `what is prefetched are faults with their rows (§3.4.3)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors {
                $0.relationshipKeyPathsForPrefetching = ["publications"]
                $0.returnsObjectsAsFaults = false
            }
            #expect(authors.allSatisfy { !$0.isFault })
            #expect(authors.allSatisfy { $0.publications.allSatisfy { $0.isFault } })
        }
    }

    @Test func `with a batch size each batch prefetches its own (§3.4.4)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            // Enough objects for the context to unregister unreferenced ones.
            for number in 0..<1100 { Topic(context: context).name = "Topic \(number)" }
            try context.save()
            var request = FetchRequest(entityName: "Book", sortKeys: [.ascending("title")])
            request.fetchBatchSize = 10
            request.relationshipKeyPathsForPrefetching = ["author"]
            let books = try context.fetch(request, as: Book.self)
            fixture.expect(2) { _ = books[0] }
            context.sweep()
            fixture.expect(0) { for book in books.prefix(10) { _ = book.author!.name } }
            fixture.expect(2) { _ = books[10] }
        }
    }

    @Test func `unsaved members are there besides (§3.4.2)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.author(bornIn: 1900)
            Book(context: context).author = author
            let authors = try context.authors {
                $0.relationshipKeyPathsForPrefetching = ["publications"]
            }
            #expect(authors[0].publications.count == 4)
        }
    }
}
