import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

private typealias Author = TestSupport.Author

@Suite struct `The row cache (§3.1)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    /// The identifier of the author born in 1900, without his row in the cache.
    private func authorID() throws -> ManagedObjectID {
        let context = fixture.context()
        return try context.performAndWait {
            try context.fetchObjectIDs(
                FetchFixture.authors {
                    $0.includesPropertyValues = false
                    $0.fetchLimit = 1
                })[0]
        }
    }

    @Test func `contexts of a coordinator share it (§3.1.1)`() throws {
        let (first, second) = (fixture.context(), fixture.context())
        let id = try authorID()
        first.performAndWait { first.retainsRegisteredObjects = true }
        let firing = first.performAndWait { fixture.statements { _ = first.author(id).name } }
        let again = second.performAndWait { fixture.statements { _ = second.author(id).name } }
        #expect(firing == 1)
        #expect(again == 0)
    }

    /// An operation that puts a row into the cache.
    enum Writer: CaseIterable {
        case fetch, identifiers, fault, prefetch, save
    }

    @Test(arguments: Writer.allCases)
    func `fetches, faults, prefetches and saves write to it (§3.1.3)`(writer: Writer) throws {
        let (context, reader) = (fixture.context(), fixture.context())
        let id = try context.performAndWait { () -> ManagedObjectID in
            context.retainsRegisteredObjects = true
            switch writer {
            case .fetch: return try context.authors()[0].objectID
            case .identifiers: return try context.fetchObjectIDs(FetchFixture.authors())[0]
            case .fault:
                let author = context.author(try authorID())
                #expect(author.name == "Author 0")
                return author.objectID
            case .prefetch:
                var request = FetchRequest(
                    entityName: "Book", predicate: try ObjectPredicate("title == 'Title 3.0'"))
                request.relationshipKeyPathsForPrefetching = ["author"]
                return try context.fetch(request, as: Book.self)[0].author!.objectID
            case .save:
                let author = Author(context: context)
                author.name = "New"
                try context.save()
                return author.objectID
            }
        }
        let statements = reader.performAndWait {
            fixture.statements { #expect(reader.author(id).name != "") }
        }
        #expect(statements == 0)
    }

    @Test func `a row goes with the last object of it (§3.1.4)`() throws {
        let (first, second, third) = (fixture.context(), fixture.context(), fixture.context())
        let id = try authorID()
        func read(in context: ManagedObjectContext) -> Int {
            context.performAndWait {
                fixture.statements { #expect(context.author(id).name == "Author 0") }
            }
        }
        #expect(read(in: first) == 1)
        #expect(read(in: second) == 0)
        first.performAndWait { first.reset() }
        #expect(read(in: third) == 0)
        for context in [second, third] { context.performAndWait { context.reset() } }
        #expect(read(in: first) == 1)
    }

    @Test func `a row stays for the parent of the child that has made it (§3.1.4)`() throws {
        let (parent, other) = (fixture.context(), fixture.context())
        let child = ManagedObjectContext(.privateQueue, parent: parent)
        let id = try child.performAndWait {
            let author = Author(context: child)
            author.name = "New"
            try child.obtainPermanentIDs(for: [author])
            try child.save()
            return author.objectID
        }
        try parent.performAndWait {
            let author = parent.author(id)
            try parent.save()
            other.performAndWait {
                #expect(other.author(id).name == "New")
                other.reset()
            }
            parent.refresh(author, mergeChanges: false)
            fixture.expect(0) { #expect(author.name == "New") }
        }
    }

    @Test func `turning into a fault leaves the row (§3.1.5, §14.5)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors()[0]
            #expect(author.name == "Author 0")
            context.refresh(author, mergeChanges: false)
            #expect(author.isFault)
            fixture.expect(0) { #expect(author.name == "Author 0") }
        }
    }

    @Test(arguments: [(Duration?.none, 0), (.seconds(3600), 0), (.zero, 1)])
    func `a row may be as old as the context allows (§3.1.6, §14.5)`(
        _ interval: Duration?, _ statements: Int
    ) throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors()[0]
            _ = author.name
            context.stalenessInterval = interval
            context.refresh(author, mergeChanges: false)
            fixture.expect(statements) { _ = author.name }
            // A realised object keeps its values.
            fixture.expect(0) { _ = author.name }
        }
    }
}
