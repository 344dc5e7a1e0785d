import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

private typealias Author = TestSupport.Author

@Suite struct `What a fetch does (§3.6)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    /// A change of the author born in 1900 by another context.
    private func renameBehind() throws {
        try fixture.execute("UPDATE ZAUTHOR SET ZNAME = 'Newer', Z_OPT = Z_OPT + 1 WHERE Z_PK = 1")
    }

    @Test func `a limit may be the largest number`() throws {
        let store = try StoreFixture(AttributeDescription("name", .string))
        try store.run { context in
            for name in ["a", "b"] { try context.insert("Thing", ["name": name]) }
            try context.save()
            try context.insert("Thing", ["name": "c"])
            var request = FetchRequest(entityName: "Thing")
            (request.fetchOffset, request.fetchLimit) = (1, .max)
            #expect(try context.fetch(request, as: ManagedObject.self).count == 2)
        }
    }

    @Test func `the store is always asked (§3.6.1)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let all = Array(try context.authors())
            try fixture.expect(1) {
                let again = Array(try context.authors())
                #expect(again == all)
            }
        }
    }

    @Test func `the same row is the same object (§3.6.3)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let first = try context.author(bornIn: 1907)
            #expect(try context.authors()[7] === first)
            #expect(
                try context.authors {
                    $0.includesPropertyValues = false
                    $0.fetchBatchSize = 5
                }[7] === first)
        }
    }

    @Test func `unsaved values stay (§3.6.4)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.author(bornIn: 1900)
            author.name = "Mine"
            try renameBehind()
            for refreshes in [false, true] {
                _ = try context.authors { $0.shouldRefreshRefetchedObjects = refreshes }
                #expect(author.name == "Mine")
            }
            #expect(author.isUpdated)
        }
    }

    @Test
    func `a realised clean object stays as it is, the cache is newer (§3.6.2, §3.6.5, §14.2)`()
        throws
    {
        let (context, other) = (fixture.context(), fixture.context())
        try context.performAndWait {
            let author = try context.author(bornIn: 1900)
            #expect(author.name == "Author 0")
            try renameBehind()
            _ = try context.authors()
            #expect(author.name == "Author 0")
            // The difference shows as a conflict.
            author.birthYear = 1901
            #expect(throws: SaveError.self) { try context.save() }
            let id = author.objectID
            let elsewhere = other.performAndWait {
                fixture.statements {
                    #expect(other.author(id).name == "Newer")
                }
            }
            #expect(elsewhere == 0)
        }
    }

    @Test func `a fault reads the newer row (§3.6.6, §14.2)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors()[0]
            try renameBehind()
            _ = try context.authors()
            #expect(author.isFault)
            fixture.expect(0) { #expect(author.name == "Newer") }
        }
    }

    @Test(arguments: [0, 5])
    func `clean objects take the new values if asked to (§3.6.7, §3.7.15, §14.2)`(batchSize: Int)
        throws
    {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.author(bornIn: 1900)
            #expect(author.publications.count == 3)
            try renameBehind()
            try fixture.execute("UPDATE ZPUBLICATION SET ZAUTHOR = 2 WHERE ZAUTHOR = 1")
            let fetched = try context.authors {
                $0.shouldRefreshRefetchedObjects = true
                $0.fetchBatchSize = batchSize
            }
            #expect(fetched[0] === author)
            #expect(author.name == "Newer")
            #expect(author.publications.count == 0)
        }
    }

    /// A mistake in a request.
    private static let mistakes: [@Sendable (inout FetchRequest) throws -> Void] = [
        { $0.entityName = "Nobody" },
        { $0.predicate = try ObjectPredicate("age > 3") },
        { $0.predicate = try ObjectPredicate("publications.title == 'x'") },
        { $0.sortKeys = [.ascending("age")] },
        { $0.sortKeys = [.ascending("publications")] },
        { $0.relationshipKeyPathsForPrefetching = ["publications.titles"] },
        { $0.fetchLimit = -1 },
        { $0.fetchOffset = -1 },
        { $0.fetchBatchSize = -1 },
    ]

    @Test(arguments: mistakes.indices)
    func `mistakes are found before any statement (§3.6.9)`(index: Int) throws {
        let context = fixture.context()
        var request = FetchFixture.authors()
        try Self.mistakes[index](&request)
        let mistaken = request
        context.performAndWait {
            let statements = fixture.statements {
                #expect(throws: FetchError.self) {
                    _ = try context.fetch(mistaken, as: ManagedObject.self)
                }
            }
            #expect(statements == 0)
        }
    }
}

@Suite struct `Properties of a request (§3.7)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    private func years(_ change: (inout FetchRequest) -> Void) throws -> [Int] {
        let context = fixture.context()
        let request = FetchFixture.authors(change)
        return try context.performAndWait {
            try context.fetch(request, as: Author.self).map { $0.birthYear! }
        }
    }

    @Test func `limit and offset cut the sorted results (§3.7.2, §3.7.3, §3.7.4)`() throws {
        #expect(try years { $0.fetchLimit = 2 } == [1900, 1901])
        #expect(
            try years {
                $0.sortKeys = [.descending("birthYear")]
                $0.fetchLimit = 2
                $0.fetchOffset = 1
            } == [1918, 1917])
        #expect(try years { $0.fetchOffset = 18 } == [1918, 1919])
        #expect(try years { $0.fetchOffset = 30 } == [])
    }

    @Test func `without property values each object costs a statement (§3.7.7)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            var authors: FetchedObjects<Author>?
            let statements = try fixture.recorder.statements {
                authors = try context.authors { $0.includesPropertyValues = false }
            }
            #expect(
                statements == ["SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR t0 ORDER BY t0.ZBIRTHYEAR"])
            fixture.expect(20) { for author in authors! { _ = author.name } }
        }
    }

    @Test(arguments: [true, false])
    func `objects are faults with their rows, or realised (§3.7.6)`(asFaults: Bool) throws {
        let context = fixture.context()
        try context.performAndWait {
            let authors = try context.authors { $0.returnsObjectsAsFaults = asFaults }
            #expect(authors.allSatisfy { $0.isFault == asFaults })
            fixture.expect(0) { for author in authors { _ = author.name } }
            // The option affects objects only.
            let ids = try context.fetchObjectIDs(
                FetchFixture.authors { $0.returnsObjectsAsFaults = asFaults })
            #expect(ids == authors.map(\.objectID))
        }
    }

    @Test func `descendants are included unless told otherwise (§3.7.8)`() throws {
        let context = fixture.context()
        try context.performAndWait { () throws in
            var request = FetchRequest(entityName: "Publication")
            #expect(try context.count(for: request) == 60)
            request.includesSubentities = false
            #expect(try context.count(for: request) == 0)
            #expect(try context.fetchObjectIDs(request) == [])
        }
    }

    @Test func `distinct dictionaries (§3.7.11)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            var request = FetchRequest(entityName: "Book", sortKeys: [.ascending("year")])
            request.propertiesToFetch = ["year"]
            #expect(try context.fetchDictionaries(request).count == 40)
            request.returnsDistinctResults = true
            let years = try context.fetchDictionaries(request).map { $0["year"]!.integer! }
            #expect(years == (1950..<1970).map(Int64.init))
        }
    }

    @Test func `only the affected stores are asked (§3.7.14)`() throws {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        let stores = try ["one", "two"].map {
            try coordinator.addPersistentStore(.sqlite(at: fixture.folder.url($0)))
        }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            func insert(_ year: Int, into store: PersistentStoreHandle) throws {
                let author = try context.insertObject(entityName: "Author", into: store)
                try author.setValue("Born in \(year)", forKey: "name")
                try author.setValue(year, forKey: "birthYear")
            }
            for year in 1900..<1910 { try insert(year, into: stores[year % 2]) }
            try context.save()
            // Unsaved objects belong to a store, too.
            try insert(1910, into: stores[0])
            try insert(1911, into: stores[1])
            func years(_ change: (inout FetchRequest) -> Void) throws -> [Int] {
                try context.authors(change).map { $0.birthYear! }
            }
            #expect(
                try years { $0.affectedStores = [stores[1].identifier] }
                    == [1901, 1903, 1905, 1907, 1909, 1911])
            #expect(try years { $0.affectedStores = [] } == [])
            // A page is cut from the results of all stores together.
            for batchSize in [0, 3] {
                for includesPending in [true, false] {
                    let page = try years {
                        $0.fetchBatchSize = batchSize
                        $0.includesPendingChanges = includesPending
                        ($0.fetchOffset, $0.fetchLimit) = (3, 4)
                    }
                    #expect(page == [1903, 1904, 1905, 1906])
                }
            }
            let request = FetchFixture.authors { ($0.fetchOffset, $0.fetchLimit) = (9, 5) }
            #expect(try context.count(for: request) == 3)
            #expect(try context.fetchObjectIDs(request).count == 3)
            #expect(try context.fetchDictionaries(request).count == 1)
            let child = ManagedObjectContext(.privateQueue, parent: context)
            let childYears = try child.performAndWait {
                try child.authors { ($0.fetchOffset, $0.fetchLimit) = (3, 4) }.map { $0.birthYear! }
            }
            #expect(childYears == [1903, 1904, 1905, 1906])
        }
    }

    @Test func `each result type has its statement (§3.7.16, §3.7.17, §3.7.18, §3.7.19)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let request = FetchRequest(
                entityName: "Author", predicate: try ObjectPredicate("birthYear > 1909"))
            let columns = "t0.ZBIRTHYEAR, t0.ZNAME, t0.Z_OPT, t0.Z_PK"
            func statements(_ body: () throws -> Int) throws -> [String] {
                try fixture.recorder.statements {
                    let count = try body()
                    #expect(count == 10)
                }
            }
            let rest = " FROM ZAUTHOR t0 WHERE t0.ZBIRTHYEAR > ? ← 1909"
            #expect(
                try statements { try context.fetch(request, as: Author.self).count }
                    == ["SELECT OGRows(\(columns))" + rest])
            #expect(
                try statements { try context.fetchObjectIDs(request).count }
                    == ["SELECT OGRows(\(columns))" + rest])
            var bare = request
            bare.includesPropertyValues = false
            #expect(
                try statements { try context.fetchObjectIDs(bare).count }
                    == ["SELECT t0.Z_PK, t0.Z_ENT" + rest])
            let registered = context.registeredObjects.count
            #expect(
                try statements { try context.fetchDictionaries(request).count }
                    == ["SELECT t0.ZNAME, t0.ZBIRTHYEAR" + rest])
            #expect(context.registeredObjects.count == registered)
            #expect(
                try statements { try context.count(for: request) } == ["SELECT COUNT(*)" + rest])
        }
    }

    @Test func `a count is capped by the limit and knows no batches (§3.7.20)`() throws {
        let context = fixture.context()
        try context.performAndWait { () throws in
            for pending in [false, true] {
                if pending { Author(context: context).name = "New" }
                let all = pending ? 21 : 20
                func count(_ change: (inout FetchRequest) -> Void) throws -> Int {
                    try context.count(for: FetchFixture.authors(change))
                }
                #expect(try count { $0.fetchBatchSize = 3 } == all)
                #expect(try count { $0.fetchLimit = 7 } == 7)
                #expect(try count { $0.fetchOffset = 15 } == all - 15)
                #expect(try count { ($0.fetchOffset, $0.fetchLimit) = (15, 100) } == all - 15)
                #expect(try count { $0.fetchOffset = 100 } == 0)
            }
        }
    }
}

/// Every combination of the options of a fetch, against results computed by hand.
@Suite struct `Combinations of a request's properties (§3.7, §3.8, §3.9)` {
    struct Combination: Sendable, CustomTestStringConvertible {
        let depth: Int
        let batchSize: Int
        let isSorted: Bool
        let flags: Int

        var testDescription: String { "depth \(depth), batch \(batchSize), \(isSorted), \(flags)" }

        static let all = [0, 1, 2].flatMap { depth in
            [0, 1, 4, 100].flatMap { batchSize in
                [true, false].flatMap { isSorted in
                    (0..<32).map { flags in
                        Combination(
                            depth: depth, batchSize: batchSize, isSorted: isSorted, flags: flags)
                    }
                }
            }
        }

        func has(_ flag: Int) -> Bool { flags & (1 << flag) != 0 }
    }

    @Test
    func `are the same (§3.7.9, §3.8.1, §3.8.2, §3.8.3, §3.8.4, §14.7, §14.9)`()
        throws
    {
        let fixture = try FetchFixture()
        for depth in 0...2 {
            let context = fixture.context(depth: depth)
            try context.performAndWait {
                let unsaved = try change(in: context)
                for combination in Combination.all where combination.depth == depth {
                    try check(combination, context, unsaved)
                }
            }
        }
    }

    /// Deletes the first book, retitles the second so that it no longer matches, changes the year
    /// of the last, and inserts a new one.
    ///
    /// - Returns: The titles of books before and after these changes, by year.
    private func change(
        in context: ManagedObjectContext
    ) throws -> (saved: [String], unsaved: [String]) {
        let books = try context.fetch(
            FetchRequest(
                entityName: "Book", predicate: try ObjectPredicate("title ENDSWITH '.0'"),
                sortKeys: [.ascending("year")]), as: Book.self)
        let saved = books.map(\.title)
        let last = books[19]
        context.delete(books[0])
        books[1].title = "Out"
        last.year = 1955
        let new = Book(context: context)
        (new.title, new.year) = ("New.0", 1960)
        var unsaved = Array(saved[2..<19])
        unsaved.insert("New.0", at: unsaved.firstIndex(of: "Title 10.0")! + 1)
        unsaved.insert(last.title, at: unsaved.firstIndex(of: "Title 5.0")! + 1)
        return (saved, unsaved)
    }

    private func check(
        _ combination: Combination, _ context: ManagedObjectContext,
        _ titles: (saved: [String], unsaved: [String])
    ) throws {
        var request = FetchRequest(
            entityName: combination.has(1) ? "Book" : "Publication",
            predicate: try ObjectPredicate("title ENDSWITH '.0'"))
        if combination.isSorted { request.sortKeys = [.ascending("year"), .descending("title")] }
        request.fetchBatchSize = combination.batchSize
        request.includesPendingChanges = combination.has(0)
        request.includesPropertyValues = combination.has(2)
        request.returnsObjectsAsFaults = combination.has(3)
        request.shouldRefreshRefetchedObjects = combination.has(4)
        let all = combination.has(0) ? titles.unsaved : titles.saved
        // If a fetch excludes pending changes, its objects still have theirs, so this compares
        // committed titles.
        func title(_ object: Publication) -> String {
            combination.has(0)
                ? object.title : object.committedValues(forKeys: ["title"])["title"] as! String
        }
        for (offset, limit) in combination.isSorted ? [(0, 0), (0, 3), (2, 5), (15, 9)] : [(0, 0)] {
            (request.fetchOffset, request.fetchLimit) = (offset, limit)
            var expected = Array(all.dropFirst(offset))
            if limit > 0 { expected = Array(expected.prefix(limit)) }
            let objects = try context.fetch(request, as: Publication.self)
            var found = objects.map(title)
            if !combination.isSorted { (found, expected) = (found.sorted(), expected.sorted()) }
            #expect(found == expected, "\(combination.testDescription) \(offset) \(limit)")
            #expect(try context.count(for: request) == expected.count)
            #expect(try context.fetchObjectIDs(request).count == expected.count)
            if combination.isSorted {
                #expect(try context.fetchObjectIDs(request) == objects.map(\.objectID))
            }
        }
    }
}
