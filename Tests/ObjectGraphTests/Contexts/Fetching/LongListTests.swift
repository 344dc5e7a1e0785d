import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Lists whose first page is there before all identities are read.
@Suite struct `Long lists (§3.9)` {
    private let fixture: FetchFixture
    private let context: ManagedObjectContext

    init() throws {
        fixture = try FetchFixture()
        context = fixture.context()
        try fixture.execute("DELETE FROM ZPUBLICATION")
    }

    private func books(_ change: (inout FetchRequest) -> Void = { _ in }) -> FetchRequest {
        var request = FetchRequest(entityName: "Publication", sortKeys: [.ascending("title")])
        request.fetchBatchSize = 20
        change(&request)
        return request
    }

    private func list(_ request: FetchRequest) throws -> FetchedObjects<Publication> {
        try context.fetch(request)
    }

    private func expectCount(_ count: Int, _ request: FetchRequest) throws {
        let found = try list(request)
        #expect(found.count == count)
    }

    /// Empties the WAL; fails if something still reads an earlier state after the timeout.
    private func truncateWAL(_ timeout: Duration = .zero) throws {
        var configuration = SQLiteConfiguration(
            path: fixture.folder.path("library.sqlite"), mode: .readWrite)
        configuration.busyTimeout = timeout
        let connection = try Connection(configuration)
        try connection.checkpoint(.truncate)
        try connection.close()
    }

    @Test func `the first batch, and the count from the same state (§3.9.10)`() throws {
        try fixture.addBooks(1...6000)
        try context.performAndWait {
            var books: FetchedObjects<Publication>?
            let request = self.books()
            let statements = try fixture.recorder.statements { books = try list(request) }
            // The statement of the identities is logged when it ends, perhaps later.
            #expect(statements.first == "SELECT COUNT(*) FROM ZPUBLICATION t0")
            #expect(statements.dropFirst().first?.contains("json_each") == true)
            #expect(books!.count == 6000)
            #expect(books!.map(\.objectID.reference) == Array(1...6000))
        }
    }

    @Test func `the first batch is there when the list is (§3.9.10)`() throws {
        try fixture.addBooks(1...6000)
        try context.performAndWait {
            let books = try list(books())
            fixture.expect(0) { #expect(books[19].title == "00000020") }
        }
    }

    @Test func `a merge and a refresh reach the first batch before it is used (§3.9.10)`() throws {
        try fixture.addBooks(1...6000)
        try context.performAndWait {
            let books = try list(books())
            let other = fixture.context()
            try other.performAndWait {
                let found = try other.fetch(self.books(), as: Publication.self)
                found[5].title = "later"
                other.delete(found[6])
                try other.save()
            }
            context.refreshAllObjects()
            #expect(books[5].title == "later")
            let kept = try context.existingObject(with: books[7].objectID)
            #expect(kept === books[7])
            let deleted = books[6].objectID
            #expect(throws: (any Error).self) { try context.existingObject(with: deleted) }
        }
    }

    @Test func `a merge from another process reaches the first batch (§3.9.10)`() throws {
        try fixture.addBooks(1...6000)
        try context.performAndWait {
            let books = try list(self.books { $0.returnsObjectsAsFaults = false })
            try fixture.execute(
                "UPDATE ZPUBLICATION SET ZTITLE = '00000006b', Z_OPT = 2 WHERE Z_PK = 6")
            let first = self.books { ($0.fetchLimit, $0.includesPropertyValues) = (6, false) }
            let changed = try context.fetchObjectIDs(first)[5]
            ManagedObjectContext.mergeChanges(
                ObjectChanges(updated: [changed]), into: [context])
            #expect(books[5].title == "00000006b")
            // The version is the new one, so that this is no conflict.
            books[5].title = "00000006c"
            try context.save()
        }
    }

    @Test func `a first batch that cannot be read is reported when it is used (§3.9.10)`() throws {
        try fixture.addBooks(1...6000)
        try fixture.execute("UPDATE ZPUBLICATION SET ZAUTHOR = -7 WHERE Z_PK = 3")
        let reports = Recorder<any Error>()
        try context.performAndWait {
            context.faultHandler = { _, error in reports.values.append(error) }
            let books = try list(books())
            #expect(reports.values.isEmpty)
            _ = books[0].title
            #expect(!reports.values.isEmpty)
            #expect(books[20].title == "00000021")
        }
    }

    @Test func `a batch may be larger than any list (§3.9.10)`() throws {
        try fixture.addBooks(1...6000)
        try context.performAndWait {
            try expectCount(6000, self.books { $0.fetchBatchSize = .max })
        }
    }

    @Test func `a batch with key paths to prefetch is read when it is needed (§3.9.10)`() throws {
        try fixture.addBooks(1...6000)
        try context.performAndWait {
            let request = self.books { $0.relationshipKeyPathsForPrefetching = ["author"] }
            var books: FetchedObjects<Publication>?
            let statements = try fixture.recorder.statements { books = try list(request) }
            #expect(!statements.contains { $0.contains("json_each") })
            #expect(books![19].title == "00000020")
            _ = books!.last
        }
    }

    @Test func `short lists and sorted ones are read at once (§3.9.10)`() throws {
        try fixture.addBooks(1...60)
        try context.performAndWait {
            try fixture.expect(1) { try expectCount(60, books()) }
            try fixture.addBooks(61...1000)
            let sorted = books { $0.sortKeys = [.descending("year"), .ascending("title")] }
            try fixture.expect(1) { try expectCount(1000, sorted) }
            // Nothing is left after the first batch.
            let page = books { $0.fetchBatchSize = 1000 }
            try fixture.expect(1) { try expectCount(1000, page) }
            let limited = books { ($0.fetchBatchSize, $0.fetchLimit) = (100, 100) }
            try fixture.expect(1) { try expectCount(100, limited) }
        }
    }

    @Test func `a predicate that no index answers is evaluated once (§3.9.10)`() throws {
        try fixture.addBooks(1...4000)
        try context.performAndWait {
            let late = books { $0.predicate = try? ObjectPredicate("year > 4") }
            try fixture.expect(1) { try expectCount(2000, late) }
            // The index of the titles finds and counts these.
            let last = books { $0.predicate = try? ObjectPredicate("title > '00002000'") }
            let statements = try fixture.recorder.statements { try expectCount(2000, last) }
            #expect(statements.contains { $0.hasPrefix("SELECT COUNT(*)") })
        }
    }

    @Test func `counts repeat however far a list is read (§3.9.10)`() throws {
        try fixture.addBooks(1...20_000)
        try context.performAndWait {
            func rowsRead(_ body: (FetchedObjects<Publication>) -> Void) throws -> Int64 {
                fixture.coordinator.resetCounters()
                body(try list(books()))
                return fixture.coordinator.counters.rowsRead
            }
            // The identities, the count, and the first batch.
            for _ in 0..<5 {
                let ofDropped = try rowsRead { _ in }
                #expect(ofDropped == 20_001 + 20)
            }
            let ofLast = try rowsRead { _ = $0[19_999] }
            #expect(ofLast == 20_001 + 20 + 20)
        }
    }

    @Test func `unsaved changes take part in a long list (§3.9.7, §3.9.10)`() throws {
        try fixture.addBooks(1...1000)
        try context.performAndWait {
            let book = Book(context: context)
            book.title = "00000500a"
            let books = try list(books())
            #expect(books.count == 1001)
            #expect(books[500] === book)
        }
    }

    @Test func `others write, checkpoint and vacuum, and the list stays (§3.9.11)`() throws {
        try fixture.addBooks(1...20_000)
        try context.performAndWait {
            let books = try list(books())
            try fixture.execute("DELETE FROM ZPUBLICATION WHERE Z_PK % 2 = 0")
            try fixture.addBooks(30_001...31_000)
            try fixture.execute("UPDATE ZPUBLICATION SET ZTITLE = 'x' || ZTITLE WHERE Z_PK % 3 = 0")
            try fixture.execute("PRAGMA wal_checkpoint(PASSIVE); VACUUM")
            #expect(books.count == 20_000)
            for key in [20_000, 1, 10_000, 999] {
                #expect(books[key - 1].objectID.reference == Int64(key))
            }
            #expect(books[38].title == "x00000039")
            #expect(books[39].title == "")
            #expect(books[39].isDeleted)
        }
    }

    @Test func `nothing is pinned after the last identity was read (§3.9.12)`() throws {
        try fixture.addBooks(1...20_000)
        try context.performAndWait {
            let books = try list(books())
            _ = books.last
            try fixture.execute("DELETE FROM ZPUBLICATION WHERE Z_PK = 1")
            context.refreshAllObjects()
            try truncateWAL()
            #expect(books.count == 20_000)
        }
    }

    @Test func `nothing is pinned after the list was dropped (§3.9.12)`() throws {
        try fixture.addBooks(1...50_000)
        try context.performAndWait {
            for _ in 0..<10 {
                _ = try list(books())
                try fixture.execute("UPDATE ZPUBLICATION SET ZYEAR = 1 WHERE Z_PK = 1")
            }
        }
        try truncateWAL(.seconds(60))
    }

    @Test func `a list keeps its identities when its store is removed (§3.9.12)`() throws {
        try fixture.addBooks(1...20_000)
        let store = fixture.coordinator.persistentStores[0]
        try context.performAndWait {
            let books = try list(books())
            try fixture.coordinator.removePersistentStore(store)
            try truncateWAL()
            context.faultHandler = { _, _ in }
            #expect(books.count == 20_000)
            #expect(books[19_999].objectID.reference == 20_000)
        }
    }

    @Test func `many lists at once are all whole (§3.9.12)`() throws {
        try fixture.addBooks(1...6000)
        try context.performAndWait {
            let lists = try (0..<20).map { _ in try list(books()) }
            for books in lists { #expect(books[5999].title == "00006000") }
        }
    }

    @Test func `an identity that cannot be read is reported and not saved (§3.9.13)`() throws {
        try fixture.addBooks(1...7000)
        try fixture.execute("UPDATE ZPUBLICATION SET Z_ENT = 99 WHERE Z_PK = 6000")
        let reports = Recorder<any Error>()
        try context.performAndWait {
            context.faultHandler = { _, error in reports.values.append(error) }
            let books = try list(books())
            #expect(books[0].title == "00000001")
            #expect(books.count == 7000)
            let unread = books[6500]
            #expect(reports.values.first is StoreError)
            let author = Author(context: context)
            author.name = unread.title
            #expect(throws: SaveError.self) { try context.save() }
            context.rollback()
        }
    }

    @Test func `random lists with writers equal a fetch of their state (§3.9.11)`() throws {
        var random = SeededGenerator.fromEnvironment()
        var last = 8000
        try fixture.addBooks(1...last)
        for round in 0..<30 {
            var request = books { $0.fetchBatchSize = Int.random(in: 1...300, using: &random) }
            if Bool.random(using: &random) { request.sortKeys = [.descending("title")] }
            if Int.random(in: 0..<3, using: &random) == 0 { request.sortKeys = [] }
            if Bool.random(using: &random) {
                let number = Int.random(in: 0...10, using: &random)
                request.predicate =
                    try Bool.random(using: &random)
                    ? ObjectPredicate("year < %@", number)
                    : ObjectPredicate("title > %@", "0000\(number)")
            }
            request.fetchOffset = [0, 0, 100].randomElement(using: &random)!
            request.fetchLimit = [0, 0, 50, 700, 6000].randomElement(using: &random)!
            let writes = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                [
                    "DELETE FROM ZPUBLICATION WHERE Z_PK % 97 = \(round)",
                    "UPDATE ZPUBLICATION SET ZTITLE = 'a' || ZTITLE WHERE Z_PK % 31 = 1",
                    "PRAGMA wal_checkpoint(PASSIVE)",
                ].randomElement(using: &random)!
            }
            let places = (0..<20).map { _ in Double.random(in: 0..<1, using: &random) }
            let (asked, added, seed) = (request, last + 1...last + 100, random.seed)
            last = added.upperBound
            try context.performAndWait {
                let expected = try context.fetchObjectIDs(asked)
                let found = try list(asked)
                for write in writes { try fixture.execute(write) }
                try fixture.addBooks(added)
                #expect(found.count == expected.count, "TEST_SEED=\(seed), round \(round)")
                for place in places where !expected.isEmpty {
                    let position = Int(place * Double(expected.count))
                    #expect(
                        found[position].objectID == expected[position],
                        "TEST_SEED=\(seed), round \(round)")
                }
            }
        }
    }

    @Test func `each list is one state while another thread writes (§3.9.11)`() async throws {
        try fixture.addBooks(1...6000)
        // Each state has 6,000 consecutive keys.
        let writing = Task.detached { [fixture] in
            let connection = try Connection(
                SQLiteConfiguration(path: fixture.folder.path("library.sqlite")))
            for key in 1...300 {
                try connection.execute(
                    """
                    UPDATE ZPUBLICATION SET Z_PK = Z_PK + 6000,
                        ZTITLE = printf('%08d', Z_PK + 6000) WHERE Z_PK = \(key)
                    """)
            }
            try connection.close()
        }
        try context.performAndWait {
            for _ in 0..<40 {
                let keys = try list(books()).map(\.objectID.reference)
                #expect(keys == Array(keys[0]..<keys[0] + 6000))
            }
        }
        try await writing.value
    }
}

extension FetchFixture {
    /// Adds books with these keys. Their titles sort as the keys.
    func addBooks(_ keys: ClosedRange<Int>) throws {
        try execute(
            """
            WITH RECURSIVE n(i) AS (
                SELECT \(keys.lowerBound) UNION ALL
                SELECT i + 1 FROM n WHERE i < \(keys.upperBound))
            INSERT INTO ZPUBLICATION (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZLOANCOUNT, ZRATING, ZYEAR)
            SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), 1,
                printf('%08d', i), 0, 0.0, i % 10 FROM n
            """)
    }
}
