import Foundation
import ObjectGraph
import Stacks
import Synchronization
import TestSupport
import Testing

extension LawCase {
    /// The cases whose kind promises the trait.
    static func all(with trait: StackKind.Trait) -> [LawCase] {
        all.filter { $0.kind.traits.contains(trait) }
    }
}

@Suite(.serialized) struct `Laws: what some stacks do by themselves` {
    @Test(arguments: LawCase.all(with: .savesPropagate))
    func `a plain save of a worker reaches the store without a further call`(
        _ lawCase: LawCase
    ) throws {
        let test = try StackUnderTest(lawCase)
        let worker = try test.stack.makeWorkerContext()

        for title in ["Dune", "Emma"] {
            try worker.performAndWait {
                worker.insertBook(title)
                try worker.save()
            }
        }
        try test.stack.settle()

        #expect(test.stack.counters.saves > 0)
        #expect(
            try !test.stack.viewContext.performAndWait { try test.stack.viewContext.hasChanges })
        if lawCase.place == .file {
            #expect(try test.readFile { try $0.titles() } == ["Dune", "Emma"])
        }
    }

    @Test(arguments: LawCase.all(with: .savesPropagate).filter(\.place.isSQL))
    func `settling throws what a save failed with that nobody called`(_ lawCase: LawCase) throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertTopic("desert") }
        try test.stack.settle()
        let worker = try test.stack.makeWorkerContext()

        try worker.performAndWait {
            worker.insertTopic("desert")
            try worker.save()
        }

        #expect {
            try test.stack.settle()
        } throws: {
            if case SaveError.constraintConflicts = $0 { true } else { false }
        }
        try test.stack.settle()
    }

    @Test(arguments: LawCase.all(with: .mergesIntoWorkers))
    func `workers' objects take what the view has saved`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertBook("Dune") }
        let worker = try test.stack.makeWorkerContext()
        let held = Held<Book>()
        try worker.performAndWait {
            held.objects = try worker.book("Dune")
            #expect(held.objects?.loanCount == 0)
        }

        try await test.writeInView { try $0.book("Dune").loanCount = 7 }

        #expect(await worker.perform(schedule: .enqueued) { held.objects?.loanCount } == 7)
        await worker.perform { held.objects = nil }
    }

    @Test(arguments: [(StackKind.shared, 0), (.sharedReadFirst, 1)])
    func `observers of faults notice a merge if the view reads the objects first`(
        _ kind: StackKind, noticed: Int
    ) async throws {
        let test = try StackUnderTest(LawCase(kind: kind))
        try test.write { _ = $0.insertBook("Dune") }
        let held = Held<(book: Book, observation: PropertyObservation)>()
        let count = Atomic(0)
        try await test.readView { view in
            let book = try view.book("Dune")
            let observation = try book.observe("loanCount") { _ in
                count.add(1, ordering: .relaxed)
            }
            view.refresh(book, mergeChanges: false)
            held.objects = (book, observation)
        }

        try test.write { try $0.book("Dune").loanCount = 7 }
        try test.stack.settle()

        #expect(try await test.readView { _ in held.objects?.book.loanCount } == 7)
        #expect(count.load(ordering: .relaxed) == noticed)
        try await test.readView { _ in held.objects = nil }
    }

    @Test(arguments: LawCase.all(with: .followsHistory), [false, true])
    func `the view takes over saves and batch requests without a call (§10.5.14)`(
        _ lawCase: LawCase, isBatch: Bool
    ) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { context in
            context.insertBook("Dune")
            context.insertBook("Emma")
        }
        let held = Held<[Book]>()
        try await test.readView {
            held.objects = try $0.all(Book.self, by: "title")
            #expect(held.objects?.map(\.loanCount) == [0, 0])
        }
        let view = try test.stack.viewContext
        let notifications = view.notifications

        if isBatch {
            _ = try await test.stack.performBatch { context in
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Book", propertiesToUpdate: ["loanCount": .constant(7)]))
            }
        } else {
            try test.write { for book in try $0.all(Book.self, by: "title") { book.loanCount = 7 } }
        }

        for await notification in notifications {
            guard case .didMerge = notification else { continue }
            let counts = await view.perform { held.objects?.map(\.loanCount) }
            if counts == [7, 7] { break }
        }
        try await test.readView { _ in held.objects = nil }
    }

    @Test(arguments: LawCase.all(with: .followsHistory))
    func `the view is refreshed when history that it has not merged was deleted (§10.5.14)`(
        _ lawCase: LawCase
    ) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertBook("Dune") }
        let held = Held<Book>()
        try await test.readView {
            held.objects = try $0.book("Dune")
            #expect(held.objects?.loanCount == 0)
        }

        let view = try test.stack.viewContext
        // While the view's queue is busy it cannot merge.
        try view.performAndWait {
            try test.write { try $0.book("Dune").loanCount = 7 }
            let worker = try test.stack.makeWorkerContext()
            try worker.performAndWait { try worker.deleteHistory(before: .date(.distantFuture)) }
        }

        #expect(try await test.readView { _ in held.objects?.loanCount } == 7)
        try await test.readView { _ in held.objects = nil }
    }

    @Test(arguments: LawCase.all(with: .followsHistory))
    func `a list has what such a history inserted and deleted (§10.5.14)`(
        _ lawCase: LawCase
    ) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { context in
            for title in ["Dune", "Emma"] { context.insertBook(title) }
        }
        final class Delegate: FetchedResultsSnapshotDelegate, Sendable {
            func controller(
                _ controller: FetchedResultsController<Book>,
                didChangeContentWith snapshot: FetchedResultsSnapshot
            ) {}
        }
        let delegate = Delegate()
        let held = Held<FetchedResultsController<Book>>()
        let view = try test.stack.viewContext
        try view.performAndWait {
            let list = FetchedResultsController<Book>(
                FetchRequest(entityName: "Book", sortKeys: [.ascending("title")]), in: view)
            list.delegate = delegate
            try list.performFetch()
            #expect(list.fetchedObjects?.map(\.title) == ["Dune", "Emma"])
            held.objects = list
            // While the view's queue is busy it cannot merge.
            try test.write { context in
                context.delete(try context.book("Dune"))
                context.insertBook("Fiesta")
            }
            let worker = try test.stack.makeWorkerContext()
            try worker.performAndWait { try worker.deleteHistory(before: .date(.distantFuture)) }
        }
        try await test.readView { _ in
            #expect(held.objects?.fetchedObjects?.map(\.title) == ["Emma", "Fiesta"])
            held.objects = nil
        }
    }

    @Test(arguments: LawCase.all(with: .viewOnlyReads))
    func `a view that only reads is not saved`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        let view = try test.stack.viewContext
        await view.perform { _ = view.insertBook("Dune") }

        #expect(throws: StackError.readOnlyView(stack: lawCase.kind.name)) {
            try test.stack.saveToDisk(view)
        }
        #expect(try test.read { try $0.titles() } == [])
    }
}

@Suite(.serialized) struct `Laws: a store that is opened twice is shared` {
    private static let kinds = StackKind.all.filter { $0.traits.contains(.opensStoreTwice) }
    private static let privatePlaces: [StackConfiguration.Location] = [
        .inMemory, .sqliteInMemory, .other("Dictionary", nil), .sqlite(URL(filePath: "/dev/null")),
        .sqlite(URL(filePath: "/dev/zero")),
    ]

    @Test(arguments: kinds, privatePlaces)
    func `places that each opening has for itself are refused`(
        _ kind: StackKind, _ location: StackConfiguration.Location
    ) {
        let expected = StackError.storeNotShared(stack: kind.name, location: "\(location)")
        for opening in [StackConfiguration.Opening.eager, .lazy] {
            #expect(throws: expected) {
                try kind.make(
                    StackConfiguration(
                        model: makeLibraryModel(), location: location, opening: opening))
            }
        }
        #expect("\(expected)".contains("use a SQLite file, or the URL /dev/null/NAME"))
    }

    @Test(arguments: kinds) func `a link to such a place is refused too`(_ kind: StackKind) throws {
        let folder = TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            at: folder.url("link.sqlite"), withDestinationURL: URL(filePath: "/dev/null"))

        #expect(throws: StackError.self) {
            try kind.make(
                StackConfiguration(
                    model: makeLibraryModel(), location: .sqlite(folder.url("link.sqlite"))))
        }
    }

    @Test(arguments: kinds)
    func `a database in memory with a name is shared`(_ kind: StackKind) async throws {
        let stack = try kind.make(
            StackConfiguration(
                model: makeLibraryModel(),
                location: .sqlite(URL(filePath: "/dev/null/\(UUID().uuidString)"))))

        try await stack.performBatch { _ = $0.insertBook("Dune") }

        let view = try stack.viewContext
        #expect(try await view.perform { try view.titles() } == ["Dune"])
        try stack.close()
    }
}
