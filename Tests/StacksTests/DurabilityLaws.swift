import Foundation
import ObjectGraph
import Stacks
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `Laws: what is saved to disk stays there` {
    @Test(arguments: LawCase.lasting)
    func `everything is there after close and reopen (§11.3.10, §11.7.1)`(_ lawCase: LawCase) throws
    {
        let test = try StackUnderTest(lawCase)
        try test.write { context in
            let book = context.insertBook("Dune")
            context.insertAuthor("Herbert").publications = [book]
            context.insertTopic("desert").publications = [book]
            let specimen = Specimen(context: context)
            specimen[Specimen.integer16] = -3
            specimen[Specimen.double] = 0.1
            specimen[Specimen.boolean] = true
            specimen[Specimen.date] = Date(timeIntervalSinceReferenceDate: 12.5)
            specimen[Specimen.data] = Data([0, 1, 2])
            specimen[Specimen.uri] = URL(string: "https://example.org/a")
        }
        try test.stack.close()

        let reopened = try lawCase.kind.make(test.stack.configuration)
        let worker = try reopened.makeWorkerContext()
        try worker.performAndWait {
            let book = try worker.book("Dune")
            #expect(book.author?.name == "Herbert")
            #expect(book.topics.map(\.name) == ["desert"])
            let specimen = try #require(
                try worker.fetch(FetchRequest(entityName: "Specimen"), as: Specimen.self).first)
            #expect(specimen[Specimen.integer16] == -3)
            #expect(specimen[Specimen.double] == 0.1)
            #expect(specimen[Specimen.boolean] == true)
            #expect(specimen[Specimen.date] == Date(timeIntervalSinceReferenceDate: 12.5))
            #expect(specimen[Specimen.data] == Data([0, 1, 2]))
            #expect(specimen[Specimen.uri] == URL(string: "https://example.org/a"))
            #expect(specimen[Specimen.string] == nil)
        }
        try reopened.close()
    }

    @Test(arguments: LawCase.onDisk)
    func `a save is in the file when it returns`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)

        try test.write { _ = $0.insertBook("Dune") }
        #expect(try test.readFile { try $0.count(for: FetchRequest(entityName: "Book")) } == 1)

        try await test.writeInView { _ = $0.insertBook("Emma") }
        #expect(try test.readFile { try $0.count(for: FetchRequest(entityName: "Book")) } == 2)
    }

    @Test(arguments: LawCase.onDisk)
    func `bulk work is in the file when it returns, or not at all`(
        _ lawCase: LawCase
    ) async throws {
        struct Interruption: Error {}
        let test = try StackUnderTest(lawCase)

        try await test.stack.performBatch { context in
            for number in 0..<100 { context.insertBook("Book \(number)") }
        }
        await #expect(throws: Interruption.self) {
            try await test.stack.performBatch { context in
                context.insertBook("one too many")
                throw Interruption()
            }
        }
        try test.write { _ = $0.insertBook("Emma") }

        #expect(try test.readFile { try $0.count(for: FetchRequest(entityName: "Book")) } == 101)
    }

    @Test(arguments: LawCase.all)
    func `a reset empties the store and replaces the contexts`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        let oldView = try test.stack.viewContext
        let oldWorker = try test.stack.makeWorkerContext()
        try test.write { _ = $0.insertBook("Dune") }

        try test.stack.reset()

        #expect(try test.stack.viewContext !== oldView)
        #expect(try await test.readView { try $0.titles() } == [])
        #expect(throws: StackError.foreignContext(name: oldWorker.name, stack: test.stack.name)) {
            try test.stack.saveToDisk(oldWorker)
        }
        try test.write { _ = $0.insertBook("Emma") }
        #expect(try await test.readView { try $0.titles() } == ["Emma"])
    }

    /// TEST_RESETS sets the number of resets; the default is 5.
    @Test(arguments: LawCase.onDisk)
    func `work that a reset meets half-way fails, and the process goes on`(
        _ lawCase: LawCase
    ) async throws {
        let test = try StackUnderTest(lawCase)
        let resets = ProcessInfo.processInfo.environment["TEST_RESETS"].flatMap { Int($0) } ?? 5
        let isOver = Flag()

        try await onThreads(3) { thread in
            if thread == 0 {
                defer { isOver.raise() }
                for _ in 0..<resets {
                    Thread.sleep(forTimeInterval: 0.01)
                    try test.stack.reset()
                }
            }
            // Work in progress may fail here; only that the process goes on is tested.
            while !isOver.isRaised { try? work(test.stack) }
        }

        try test.write { _ = $0.insertBook("Emma") }
        #expect(try test.read { try $0.titles() }.contains("Emma"))
    }

    /// Inserts, changes and connects objects, with saves in between.
    private func work(_ stack: any PersistenceStack) throws {
        let worker = try stack.makeWorkerContext()
        try worker.performAndWait {
            worker.faultHandler = { _, _ in }
            let author = worker.insertAuthor("Herbert")
            for number in 0..<20 {
                let book = worker.insertBook("Dune \(number)")
                book.author = author
                if number.isMultiple(of: 5) { try worker.save() }
            }
            for book in author.publications { book.title += "!" }
            if let book = author.publications.first { worker.delete(book) }
        }
        try stack.saveToDisk(worker)
    }

    @Test(arguments: StackKind.all)
    func `a closed stack says so`(_ kind: StackKind) throws {
        let test = try StackUnderTest(LawCase(kind: kind))
        let worker = try test.stack.makeWorkerContext()

        try test.stack.close()
        try test.stack.close()

        let closed = StackError.closed(stack: kind.name)
        #expect(throws: closed) { try test.stack.viewContext }
        #expect(throws: closed) { try test.stack.makeWorkerContext() }
        #expect(throws: closed) { try test.stack.reset() }
        #expect(test.stack.coordinators.isEmpty)
        #expect(throws: StackError.self) { try test.stack.saveToDisk(worker) }
    }

    @Test(arguments: LawCase.onDisk)
    func `pragmas and lock policy hold on every coordinator`(_ lawCase: LawCase) throws {
        let test = try StackUnderTest(lawCase, pragmas: ["synchronous": "FULL"])
        _ = try test.stack.viewContext

        for coordinator in test.stack.coordinators {
            #expect(coordinator.lockPolicy == lawCase.lockPolicy)
            for store in coordinator.persistentStores {
                #expect(try coordinator.pragma("synchronous", of: store) == "2")
                #expect(try coordinator.pragma("journal_mode", of: store) == "wal")
            }
        }
    }

    @Test(arguments: LawCase.all)
    func `the counters of all coordinators are added`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)

        try test.write { _ = $0.insertBook("Dune") }
        try await test.writeInView { _ = $0.insertBook("Emma") }

        #expect(test.stack.counters.saves == 2)
    }

    @Test(arguments: StackKind.all)
    func `a lazy stack opens its store on first use, an eager one at once`(
        _ kind: StackKind
    ) throws {
        let lazy = try StackUnderTest(LawCase(kind: kind), opening: .lazy)
        #expect(lazy.stack.coordinators.isEmpty)

        let worker = try lazy.stack.makeWorkerContext()

        #expect(lazy.stack.coordinators.contains { $0 === worker.coordinator })
        #expect(try !StackUnderTest(LawCase(kind: kind)).stack.coordinators.isEmpty)
    }
}
