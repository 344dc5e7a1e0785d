import Foundation
import ObjectGraph
import TestSupport
import Testing

/// The classes in the folder `Library`, which modelgen has made of `Library.xcdatamodeld`.
@Suite struct `Generated classes` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let file = folder.appending(path: "Library.xcdatamodeld")

    private static let stamps = ValueTransformer(
        "StampTransformer", of: Stamp.self, transform: { Data([$0.code]) },
        reverse: { Stamp(code: $0.first ?? 0) })

    private let temporary = TemporaryFolder()
    private let context: ManagedObjectContext

    init() throws {
        let coordinator = PersistentStoreCoordinator(
            model: try .library(transformers: [Self.stamps]))
        try coordinator.addPersistentStore(.sqlite(at: temporary.url("Library.sqlite")))
        context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    private func insertNovel(_ isbn: String, by author: Author? = nil) -> Novel {
        let novel = Novel(context: context)
        novel.isbn = isbn
        novel.author = author
        return novel
    }

    private func insertAuthor(_ name: String) -> Author {
        let author = Author(context: context)
        author.name = name
        return author
    }

    @Test func `the files are those that modelgen makes`() throws {
        let run = try ModelgenProcess(
            Self.file.path, "--output", Self.folder.appending(path: "Library").path, "--check")
        #expect(run.exitCode == 0, "\(run.errors)")
    }

    @Test func `the model is that of the file`() throws {
        let transformers = [Self.stamps, .codable(Cover.self)]
        let expected = try ManagedObjectModel(
            contentsOf: Self.file, classes: [Author.self, Book.self, Novel.self, LibraryTag.self],
            transformers: transformers)
        let model = try ManagedObjectModel.library(transformers: transformers)

        #expect(expected.warnings.isEmpty)
        // The file gives the class with a dot: the module of the program.
        #expect(
            try model.xcdatamodelContents()
                == expected.xcdatamodelContents().replacing("\".Book\"", with: "\"Book\""))
        #expect(model.entityVersionHashesByName == expected.entityVersionHashesByName)
    }

    @Test func `properties are saved and read again`() throws {
        try context.performAndWait {
            let novel = insertNovel("1")
            novel.class = "fiction"
            novel.binding = 3
            novel.cover = Cover(colour: "red")
            novel.stamp = Stamp(code: 7)
            novel.tags = ["old", "blue"]
            novel.weight = 0.5
            novel.pages = 342
            try context.save()
            context.refresh(novel, mergeChanges: false)

            #expect(novel.class == "fiction" && novel.binding == 3)
            #expect(novel.cover == Cover(colour: "red") && novel.stamp == Stamp(code: 7))
            #expect(novel.tags == ["old", "blue"] && novel.weight == 0.5 && novel.pages == 342)
            #expect(novel.price == Decimal(string: "9.99") && !novel.isLent && novel.scan == nil)
            #expect(novel.since == Date(timeIntervalSinceReferenceDate: 631_152_000))
            #expect(Novel.entityName == "Novel" && LibraryTag.entityName == "Tag")
        }
    }

    @Test func `an attribute has the cases of an enumeration`() throws {
        try context.performAndWait {
            let novel = insertNovel("1")
            #expect(novel.genre == .novel)
            novel.genre = .poem
            #expect(novel[Book.genre] == 2)

            novel[Book.genre] = 99
            try context.save()
            context.refresh(novel, mergeChanges: false)
            #expect(novel.genre == nil)
            #expect(novel[Book.genre] == 99)
        }
    }

    @Test func `members are added to relationships and removed`() {
        context.performAndWait {
            let (first, second) = (insertAuthor("A"), insertAuthor("B"))
            first.addToFriends([first, second])
            first.removeFromFriends(first)
            #expect(first.friends == [second] && second.friends == [first])
            first.removeFromFriends([second])
            first.addToFriends(second)
            #expect(second.friends == [first])

            let books = ["1", "2", "3", "4"].map { insertNovel($0) }
            first.addToBooks(books[0])
            first.addToBooks([books[1], books[2]])
            first.insertIntoBooks(books[3], at: 1)
            #expect(first.books.map(\.isbn) == ["1", "4", "2", "3"])
            first.removeFromBooks(at: 0)
            first.removeFromBooks(books[1])
            first.replaceBooks(at: 0, with: books[0])
            #expect(first.books.map(\.isbn) == ["1", "3"])
            first.removeFromBooks([books[0], books[2]])
            #expect(first.books.isEmpty && books[0].author == nil)
        }
    }

    @Test func `objects are found by constraints and indexes`() throws {
        try context.performAndWait {
            let author = insertAuthor("A")
            let (first, second) = (insertNovel("1", by: author), insertNovel("2"))
            second.genre = .poem
            try context.save()

            #expect(try Author.find(name: "A", in: context) == author)
            #expect(try Book.find(isbn: "2", in: context) == second)
            #expect(try Novel.find(isbn: "3", in: context) == nil)
            #expect(try Book.findAll(genre: .novel, since: first.since, in: context) == [first])
            #expect(try author.novels == [first])
            context.refresh(author, mergeChanges: true)
            #expect(author.bookCount == 1)
        }
    }

    @Test func `request templates are functions`() throws {
        try context.performAndWait {
            let author = insertAuthor("A")
            let novels = [insertNovel("1", by: author), insertNovel("2", by: author)]
            novels[1].since = .distantFuture
            try context.save()

            #expect(
                try Book.booksOfAuthors(authors: [author], day: .distantPast, in: context) == [])
            let day = Date(timeIntervalSinceReferenceDate: 1e9)
            #expect(
                try Book.booksOfAuthors(authors: [author], day: day, in: context) == [novels[0]])
            #expect(try Book.everything(in: context).count == 2)
            #expect(try Author.famous(count: 1, in: context) == [author])
            #expect(try Author.famous(count: 2, in: context) == [])
        }
    }

    // MARK: - The guide

    @Test func `a program uses the model and the classes`() throws {
        let (folder, stamps) = (temporary.url, Self.stamps)
        let container = PersistentContainer(
            name: "Library", model: try .library(transformers: [stamps]), folder: folder)
        try container.loadPersistentStores()
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let author = try Author.find(name: "Lem", in: context) ?? Author(context: context)
            author.name = "Lem"
            let novel = Novel(context: context)
            novel.isbn = "978-0-15-602760-1"
            novel.genre = .novel
            author.addToBooks(novel)
            try context.save()
        }
        #expect(try context.performAndWait { try Book.everything(in: context).count } == 1)
    }

    @Test func `the sample of the guide is in this file`() throws {
        let samples = try PackageFile("Documentation/ModelGeneration.md").samples
        let file = try PackageFile("Tests/ModelgenTests/GeneratedClassTests.swift")
        #expect(samples.count == 1)
        #expect(samples.allSatisfy(file.contains(sample:)))
    }
}
