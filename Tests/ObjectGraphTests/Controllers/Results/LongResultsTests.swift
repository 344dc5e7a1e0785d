import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Controllers of lists whose first screen is there before all identities are read.
@Suite struct `Results controllers of long lists (§10.1)` {
    private let fixture: FetchFixture
    private let context: ManagedObjectContext

    init() throws {
        fixture = try FetchFixture()
        context = fixture.context()
        try fixture.execute("DELETE FROM ZPUBLICATION")
        try fixture.addBooks(1...6000)
    }

    private func controller(
        sections: Bool = false
    ) throws -> FetchedResultsController<Publication> {
        var request = FetchRequest(
            entityName: "Publication",
            sortKeys: (sections ? [.ascending("year")] : []) + [.ascending("title")])
        request.fetchBatchSize = 20
        return FetchedResultsController(
            request, in: context, sectionedBy: sections ? .keyPath("year") : nil)
    }

    private func path(_ item: Int, _ section: Int = 0) -> IndexPath {
        IndexPath(item: item, section: section)
    }

    private func book(_ title: String) -> Book {
        let book = Book(context: context)
        book.title = title
        return book
    }

    /// Follows a controller and keeps nothing.
    private final class Follower: FetchedResultsChangeDelegate {
        var inserted: [IndexPath] = []
        var failures: [any Error] = []
        var fetchesAgain = false

        func controllerWillChangeContent(_: FetchedResultsController<Publication>) {}
        func controllerDidChangeContent(_: FetchedResultsController<Publication>) {}
        func controller(
            _: FetchedResultsController<Publication>, didChange: FetchedResultsSection<Publication>,
            _: FetchedResultsSectionChange
        ) {}

        func controller(
            _ controller: FetchedResultsController<Publication>, didChange object: Publication,
            _ change: FetchedResultsChange
        ) {
            if case .insert(let path) = change { inserted.append(path) }
        }

        func controller(
            _ controller: FetchedResultsController<Publication>, didFailWith error: any Error
        ) {
            failures.append(error)
            if fetchesAgain { try? controller.performFetch() }
        }
    }

    @Test func `the first screen needs no items (§10.1.8)`() throws {
        try context.performAndWait {
            let books = try controller()
            try books.performFetch()
            #expect(books.count == 6000)
            fixture.expect(0) {
                #expect((try? books.object(at: path(19)))?.title == "00000020")
            }
            #expect(try books.object(at: path(5999)).title == "00006000")
            #expect(throws: FetchedResultsError.self) { try books.object(at: path(6000)) }
            #expect(books.list?.fetched != nil)
        }
    }

    @Test func `sections need no items (§10.1.8)`() throws {
        try context.performAndWait {
            let books = try controller(sections: true)
            try books.performFetch()
            #expect(books.sections?.map(\.name) == (0...9).map(String.init))
            #expect(books.sections?.allSatisfy { $0.numberOfObjects == 600 } == true)
            #expect(try books.object(at: path(599, 9)).title == "00005999")
            #expect(books.sections?[3].objects.count == 600)
            #expect(books.list?.fetched != nil)
        }
    }

    @Test func `an event finds its place, and what is shown stays (§10.1.8, §10.2.1)`() throws {
        try context.performAndWait {
            let books = try controller()
            let follower = Follower()
            books.delegate = follower
            try books.performFetch()
            let shown = try books.object(at: path(5990))
            _ = book("00003000a")
            context.processPendingChanges()
            #expect(follower.inserted == [path(3000)])
            #expect(books.count == 6001)
            // Its batch is held: nothing is read.
            fixture.expect(0) { #expect((try? books.object(at: path(5991))) === shown) }
            #expect(books.indexPath(for: shown) == path(5991))
        }
    }

    @Test func `an event of another entity makes no items (§10.1.8)`() throws {
        try context.performAndWait {
            let books = try controller()
            let follower = Follower()
            books.delegate = follower
            try books.performFetch()
            Author(context: context).name = "somebody"
            context.processPendingChanges()
            #expect(books.list?.fetched != nil)
        }
    }

    @Test func `an object is found, and a snapshot has all (§10.1.8, §10.3.6)`() throws {
        try context.performAndWait {
            let books = try controller(sections: true)
            try books.performFetch()
            let last = try books.object(at: path(599, 9))
            #expect(books.indexPath(for: last) == path(599, 9))
            try books.performFetch()
            let snapshot = try #require(books.snapshot)
            #expect(snapshot.sections.map(\.objectIDs.count) == Array(repeating: 600, count: 10))
            #expect(snapshot.sections[9].objectIDs[599] == last.objectID)
        }
    }

    @Test func `a place whose object was deleted shows a new one without a delegate (§10.2.3)`()
        throws
    {
        try context.performAndWait {
            let books = try controller()
            try books.performFetch()
            let gone = try books.object(at: path(3))
            context.delete(gone)
            try context.save()
            #expect(try books.object(at: path(3)) !== gone)
            #expect(try books.object(at: path(3)).objectID.reference == 4)
            #expect(try books.object(at: path(4)).title == "00000005")
        }
    }

    @Test
    func `identities that cannot be read end the content, and the delegate is told (§10.2.11)`()
        throws
    {
        try fixture.execute("UPDATE ZPUBLICATION SET Z_ENT = 99 WHERE Z_PK = 5900")
        try context.performAndWait {
            context.faultHandler = { _, _ in }
            for makesEvent in [true, false] {
                let books = try controller()
                let follower = Follower()
                books.delegate = follower
                try books.performFetch()
                #expect(try books.object(at: path(0)).title == "00000001")
                let first = try books.object(at: path(0))
                if makesEvent {
                    _ = book("x")
                    context.processPendingChanges()
                } else {
                    #expect(books.indexPath(for: first) == nil)
                }
                #expect(follower.failures.first is StoreError)
                #expect(books.fetchedObjects == nil)
                context.rollback()
            }
        }
    }

    @Test func `a delegate that then fetches again has the content of that fetch (§10.2.11)`()
        throws
    {
        try fixture.execute("UPDATE ZPUBLICATION SET Z_ENT = 99 WHERE Z_PK = 5900")
        try context.performAndWait {
            context.faultHandler = { _, _ in }
            let books = try controller()
            let follower = Follower()
            follower.fetchesAgain = true
            books.delegate = follower
            try books.performFetch()
            let first = try books.object(at: path(0))
            #expect(books.snapshot == nil)
            #expect(books.indexPath(for: first) == nil)
            #expect(follower.failures.count == 2)
            #expect(books.count == 6000)
            try fixture.execute(
                "UPDATE ZPUBLICATION SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book')"
            )
            try books.performFetch()
            #expect(books.indexPath(for: first) == path(0))
            #expect(books.snapshot?.sections[0].objectIDs.count == 6000)
        }
    }

    @Test func `sections that need each object are not made of unread ones (§10.1.8)`() throws {
        try fixture.execute("UPDATE ZPUBLICATION SET Z_ENT = 99 WHERE Z_PK = 5900")
        context.performAndWait {
            context.faultHandler = { _, _ in }
            var request = FetchRequest(
                entityName: "Publication", sortKeys: [.ascending("title")])
            request.fetchBatchSize = 20
            let books = FetchedResultsController<Publication>(
                request, in: context,
                sectionedBy: .function("uppercase:", [.keyPath("title")]))
            #expect(throws: StoreError.self) { try books.performFetch() }
            #expect(!context.hasChanges)
        }
    }
}
