import ObjectGraph
import Stacks
import TestSupport
import Testing

@Suite(.serialized) struct `Laws: what one context has saved, the next one sees` {
    @Test(arguments: LawCase.all)
    func `a worker sees what another worker has saved`(_ lawCase: LawCase) throws {
        let test = try StackUnderTest(lawCase)

        try test.write { _ = $0.insertBook("Dune") }

        #expect(try test.read { try $0.titles() } == ["Dune"])
    }

    @Test(arguments: LawCase.all)
    func `a worker sees what the view has saved`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)

        try await test.writeInView { _ = $0.insertBook("Dune") }

        #expect(try test.read { try $0.titles() } == ["Dune"])
    }

    @Test(arguments: LawCase.all)
    func `the view shows inserted objects`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        #expect(try await test.readView { try $0.titles() } == [])

        try test.write { _ = $0.insertBook("Dune") }

        #expect(try await test.readView { try $0.titles() } == ["Dune"])
    }

    @Test(arguments: LawCase.all)
    func `the view's objects take changed values`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertBook("Dune") }
        let held = Held<Book>()
        #expect(
            try await test.readView {
                held.objects = try $0.book("Dune")
                return held.objects?.loanCount
            } == 0)

        try test.write { try $0.book("Dune").loanCount = 7 }

        #expect(
            try await test.readView { context in
                // A stack that promises only a refetch has to fetch first.
                if lawCase.kind.visibility == .afterRefetch { _ = try context.titles() }
                return held.objects?.loanCount
            } == 7)
        try await test.readView { _ in held.objects = nil }
    }

    @Test(arguments: LawCase.all.filter { $0.kind.visibility == .afterRefetch })
    func `without merges the view's objects stay as they are until refreshed`(
        _ lawCase: LawCase
    ) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertBook("Dune") }
        let view = try test.stack.viewContext
        let held = Held<Book>()
        #expect(
            try await view.perform {
                held.objects = try view.book("Dune")
                return held.objects?.loanCount
            } == 0)

        try test.write { try $0.book("Dune").loanCount = 7 }

        #expect(await view.perform(schedule: .enqueued) { held.objects?.loanCount } == 0)
        try await test.readView { _ in held.objects = nil }
    }

    @Test(arguments: LawCase.all)
    func `deletions reach the view`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { context in
            context.insertAuthor("Herbert").publications = [context.insertBook("Dune")]
            context.insertBook("Emma")
        }
        let held = Held<[Publication]>()
        #expect(
            try await test.readView {
                held.objects = try $0.all(Publication.self, by: "title")
                return held.objects?.map(\.title)
            } == ["Dune", "Emma"])

        try test.write { try $0.delete($0.author("Herbert")) }

        #expect(try await test.readView { try $0.titles() } == ["Emma"])
        #expect(
            try await test.readView { try $0.count(for: FetchRequest(entityName: "Author")) } == 0)
        try await test.readView { _ in held.objects = nil }
    }

    @Test(arguments: LawCase.all)
    func `changed relationships reach the view`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { context in
            let book = context.insertBook("Good Omens")
            context.insertAuthor("Gaiman").publications = [book]
            context.insertAuthor("Pratchett")
            context.insertTopic("angels")
            context.insertTopic("demons").publications = [book]
        }
        let held = Held<([Author], Book)>()
        let before = try await test.readView { context in
            held.objects = (
                try context.all(Author.self, by: "name"), try context.book("Good Omens")
            )
            return Relations(held.objects!)
        }
        #expect(before == Relations(author: "Gaiman", bookCounts: [1, 0], topics: ["demons"]))

        try test.write { context in
            let book = try context.book("Good Omens")
            book.author = try context.author("Pratchett")
            book.topics = [try context.topic("angels")]
        }

        let after = try await test.readView { context in
            if lawCase.kind.visibility == .afterRefetch {
                _ = try context.titles()
                _ = try context.all(Author.self, by: "name")
            }
            return Relations(held.objects!)
        }
        #expect(after == Relations(author: "Pratchett", bookCounts: [0, 1], topics: ["angels"]))
        try await test.readView { _ in held.objects = nil }
    }

    @Test(arguments: LawCase.inSQL)
    func `rows changed by batch requests are seen after a refresh`(
        _ lawCase: LawCase
    ) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { context in
            context.insertBook("Dune")
            context.insertBook("Emma")
        }
        #expect(try await test.readView { try $0.titles() } == ["Dune", "Emma"])

        let changed = try await test.stack.performBatch { context in
            try context.execute(
                BatchInsertRequest(
                    entityName: "Book", objects: [["title": "Lolita"], ["title": "Ulysses"]])
            ).count
                + context.execute(
                    BatchUpdateRequest(
                        entityName: "Book", propertiesToUpdate: ["loanCount": .constant(3)])
                ).count
        }
        try await test.stack.refreshView()

        #expect(changed == 6)
        let view = try test.stack.viewContext
        let books = try await view.perform {
            try view.all(Book.self, by: "title").map { "\($0.title) \($0.loanCount)" }
        }
        #expect(books == ["Dune 3", "Emma 3", "Lolita 3", "Ulysses 3"])
    }
}

@Suite(.serialized) struct `Laws: the main queue may use every context directly` {
    // On Linux the main queue has no thread of its own while a program waits in `dispatchMain`.
    @Test(arguments: LawCase.all) @MainActor
    func `code on the main queue enters the view and workers without waiting for itself`(
        _ lawCase: LawCase
    ) throws {
        let test = try StackUnderTest(lawCase)
        let view = try test.stack.viewContext

        let editor =
            lawCase.kind.traits.contains(.viewOnlyReads) ? try test.stack.makeWorkerContext() : view
        editor.performAndWait { _ = editor.insertBook("Dune") }
        try test.stack.saveToDisk(editor)
        view.performAndWait { _ = view.registeredObjects }
        try test.write { _ = $0.insertBook("Emma") }

        #expect(try test.read { try $0.titles() } == ["Dune", "Emma"])
    }
}

/// The values of relationships at one moment.
private struct Relations: Sendable, Equatable {
    var author: String?
    var bookCounts: [Int]
    var topics: [String]

    init(author: String?, bookCounts: [Int], topics: [String]) {
        self.author = author
        self.bookCounts = bookCounts
        self.topics = topics
    }

    init(_ objects: ([Author], Book)) {
        author = objects.1.author?.name
        bookCounts = objects.0.map(\.publications.count)
        topics = objects.1.topics.map(\.name).sorted()
    }
}
