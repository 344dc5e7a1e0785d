import ObjectGraph
import TestSupport
import Testing

@Suite struct `Limited fetches over unsaved changes (§3.8)` {
    private typealias Author = TestSupport.Author

    private let folder = TemporaryFolder()

    /// A context with saved authors born in 1900…1999, some of them changed or deleted since, and
    /// new ones.
    private func makeContext() throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        try coordinator.addPersistentStore(.sqlite(at: folder.url("store.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            for year in 1900..<2000 { add(year, to: context) }
            try context.save()
            let authors = try context.fetch(
                FetchRequest(entityName: "Author", sortKeys: [.ascending("birthYear")]),
                as: Author.self)
            context.delete(authors[0])
            context.delete(authors[3])
            authors[1].birthYear = 2050
            authors[90].birthYear = 1850
            add(1902, to: context)
            add(2100, to: context)
        }
        return context
    }

    private func add(_ year: Int, to context: ManagedObjectContext) {
        let author = Author(context: context)
        author.name = "Born in \(year)"
        author.birthYear = year
    }

    @Test(arguments: [(0, 1), (0, 5), (1, 3), (3, 10), (95, 50), (200, 5)])
    func `give the part of the whole that was asked for (§3.8.5, §3.8.9)`(offset: Int, limit: Int)
        throws
    {
        let context = try makeContext()
        try context.performAndWait {
            var request = FetchRequest(
                entityName: "Author", sortKeys: [.ascending("birthYear"), .ascending("name")])
            let all = try context.fetch(request, as: Author.self).map(\.birthYear)
            request.fetchOffset = offset
            request.fetchLimit = limit
            let part = try context.fetch(request, as: Author.self).map(\.birthYear)
            #expect(part == Array(all.dropFirst(offset).prefix(limit)))
        }
    }

    @Test func `only what has changed itself is looked at again (§3.8.6)`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let book = Book(context: context)
            book.title = "Clean"
            book.author = try context.fetch(
                FetchRequest(
                    entityName: "Author", predicate: try ObjectPredicate("birthYear == 1950")),
                as: Author.self)[0]
            try context.save()
            book.author!.birthYear = 3000
            let request = FetchRequest(
                entityName: "Book", predicate: try ObjectPredicate("author.birthYear == 3000"))
            #expect(try context.count(for: request) == 0)
            book.title = "Changed"
            #expect(try context.count(for: request) == 1)
        }
    }

    @Test func `dictionaries show what is stored (§3.8.7, §14.7)`() throws {
        let context = try makeContext()
        try context.performAndWait { () throws in
            let request = FetchRequest(
                entityName: "Author", predicate: try ObjectPredicate("birthYear >= 1900"))
            #expect(try context.fetchDictionaries(request).count == 100)
            #expect(try context.count(for: request) == 99)
        }
    }

    @Test func `what has changed is judged in memory, the rest by SQL (§3.8.8)`() throws {
        let context = try makeContext()
        try context.performAndWait {
            for title in ["Changed", "Clean"] { Book(context: context).title = title }
            try context.save()
            let request = FetchRequest(
                entityName: "Book", predicate: try ObjectPredicate("author.name != 'Lem'"))
            // No author: in memory this differs from any author, but not in SQL (§7.4.4).
            #expect(try context.count(for: request) == 0)
            let books = try context.fetch(
                FetchRequest(entityName: "Book", sortKeys: [.ascending("title")]), as: Book.self)
            books[0].title = "Changed again"
            #expect(try Array(context.fetch(request, as: Book.self)) == [books[0]])
        }
    }

    @Test func `read as many rows more as have unsaved changes`() throws {
        let context = try makeContext()
        try context.performAndWait {
            var request = FetchRequest(
                entityName: "Author", sortKeys: [.ascending("birthYear")])
            request.fetchOffset = 2
            request.fetchLimit = 5
            context.coordinator.resetCounters()
            _ = try context.fetch(request, as: Author.self)
            #expect(context.coordinator.counters.rowsRead == 2 + 5 + 4)
        }
    }
}
