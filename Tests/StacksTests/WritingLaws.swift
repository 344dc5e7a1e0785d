import ObjectGraph
import Stacks
import TestSupport
import Testing

@Suite(.serialized) struct `Laws: no update is lost` {
    @Test(arguments: LawCase.all)
    func `changes of different properties both survive`(_ lawCase: LawCase) throws {
        let test = try StackUnderTest(lawCase, mergePolicy: .mergeByPropertyObjectTrump)
        try test.write { _ = $0.insertBook("Dune") }
        let (first, second) = (try test.openBook(), try test.openBook())

        try first.save(in: test) { $0.year = 1965 }
        try second.save(in: test) { $0.rating = 4.5 }

        #expect(try test.read { try $0.book("Dune").year } == 1965)
        #expect(try test.read { try $0.book("Dune").rating } == 4.5)
    }

    @Test(arguments: LawCase.all)
    func `two changes of one property end as the stack promises`(_ lawCase: LawCase) throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertBook("Dune") }
        let (first, second) = (try test.openBook(), try test.openBook())

        try first.save(in: test) { $0.loanCount += 1 }
        switch lawCase.kind.concurrentChanges {
        case .detected:
            #expect {
                try second.save(in: test) { $0.loanCount += 1 }
            } throws: {
                if case SaveError.mergeConflicts(let conflicts) = $0 {
                    conflicts.count == 1
                } else {
                    false
                }
            }
            #expect(try test.read { try $0.book("Dune").loanCount } == 1)
        case .lastSaveWins:
            try second.save(in: test) { $0.loanCount += 1 }
            #expect(try test.read { try $0.book("Dune").loanCount } == 1)
        case .impossible:
            try second.save(in: test) { $0.loanCount += 1 }
            #expect(try test.read { try $0.book("Dune").loanCount } == 2)
        }
    }

    @Test(arguments: LawCase.all.filter { $0.kind.concurrentChanges == .detected })
    func `the merge policy decides a conflict`(_ lawCase: LawCase) throws {
        let policies: [(MergePolicy, Int)] = [
            (.mergeByPropertyStoreTrump, 1), (.mergeByPropertyObjectTrump, 2), (.overwrite, 2),
            (.rollback, 1),
        ]
        for (policy, winner) in policies {
            let test = try StackUnderTest(lawCase, mergePolicy: policy)
            try test.write { _ = $0.insertBook("Dune") }
            let (first, second) = (try test.openBook(), try test.openBook())

            try first.save(in: test) { $0.loanCount = 1 }
            try second.save(in: test) { $0.loanCount = 2 }

            #expect(try test.read { try $0.book("Dune").loanCount } == winner, "\(policy)")
        }
    }

    @Test(arguments: LawCase.all.filter { $0.kind.concurrentChanges != .lastSaveWins })
    func `writers that try again after a conflict count to the full sum`(
        _ lawCase: LawCase
    ) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertBook("Dune") }

        try await onThreads(4) { _ in
            for _ in 0..<25 { try test.increment() }
        }

        #expect(try test.read { try $0.book("Dune").loanCount } == 100)
    }

    @Test(arguments: LawCase.all)
    func `writers that take turns count to the full sum`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertBook("Dune") }

        for turn in 0..<20 {
            if turn.isMultiple(of: 2) {
                try test.write { try $0.book("Dune").loanCount += 1 }
            } else {
                try await test.prepareView()
                try await test.writeInView { try $0.book("Dune").loanCount += 1 }
            }
        }

        #expect(try test.read { try $0.book("Dune").loanCount } == 20)
    }

    @Test(arguments: LawCase.all)
    func `many workers at once lose nothing`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)

        try await onThreads(4) { writer in
            let worker = try test.stack.makeWorkerContext()
            for number in 0..<50 {
                worker.performAndWait { _ = worker.insertBook("\(writer)/\(number)") }
                try test.stack.saveToDisk(worker)
            }
        }

        let expected = (0..<4).flatMap { writer in (0..<50).map { "\(writer)/\($0)" } }.sorted()
        #expect(try test.read { try $0.titles() } == expected)
        #expect(try await test.readView { try $0.titles() } == expected)
        if lawCase.place == .file {
            #expect(try test.readFile { try $0.titles() } == expected)
        }
    }

    @Test(arguments: LawCase.all)
    func `workers go on with their objects while others save to disk`(
        _ lawCase: LawCase
    ) async throws {
        let test = try StackUnderTest(lawCase)

        try await onThreads(4) { writer in
            let worker = try test.stack.makeWorkerContext()
            for number in 0..<25 {
                try worker.performAndWait {
                    let book = worker.insertBook("\(writer)/\(number)")
                    try worker.save()
                    worker.refresh(book, mergeChanges: false)
                    book.loanCount += 1
                    try worker.save()
                }
                try test.stack.saveToDisk(worker)
            }
        }

        let counts = try test.read { try $0.all(Book.self, by: "title").map(\.loanCount) }
        #expect(counts == Array(repeating: 1, count: 100))
    }
}

@Suite(.serialized) struct `Laws: an error leaves the stack usable` {
    @Test(arguments: LawCase.all)
    func `an invalid object stops its own save only`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        let worker = try test.stack.makeWorkerContext()
        worker.performAndWait { _ = Book(context: worker) }

        #expect {
            try test.stack.saveToDisk(worker)
        } throws: {
            if case SaveError.validation = $0 { true } else { false }
        }
        worker.performAndWait { worker.rollback() }
        try test.write { _ = $0.insertBook("Dune") }
        try await test.writeInView { _ = $0.insertBook("Emma") }

        #expect(try test.read { try $0.titles() } == ["Dune", "Emma"])
    }

    @Test(arguments: LawCase.onDisk)
    func `a row that the store refuses can be rolled back`(_ lawCase: LawCase) async throws {
        let test = try StackUnderTest(lawCase)
        try test.write { _ = $0.insertTopic("desert") }
        let worker = try test.stack.makeWorkerContext()
        worker.performAndWait { _ = worker.insertTopic("desert") }

        #expect {
            try test.stack.saveToDisk(worker)
        } throws: {
            if case SaveError.constraintConflicts = $0 { true } else { false }
        }
        for level in sequence(first: worker, next: \.parent) {
            level.performAndWait { level.rollback() }
        }
        try test.write { _ = $0.insertTopic("sand") }
        try await test.writeInView { _ = $0.insertTopic("spice") }

        #expect(
            try test.readFile { try $0.all(Topic.self, by: "name").map(\.name) }
                == ["desert", "sand", "spice"])
    }
}

/// A worker that has read a book and keeps it realised.
private struct OpenBook {
    let worker: ManagedObjectContext
    let held = Held<Book>()

    func save(
        in test: StackUnderTest, _ change: @escaping @Sendable (Book) -> Void
    ) throws {
        worker.performAndWait { change(held.objects!) }
        try test.stack.saveToDisk(worker)
    }
}

extension StackUnderTest {
    /// A new worker with the only book realised in it.
    fileprivate func openBook() throws -> OpenBook {
        let open = OpenBook(worker: try stack.makeWorkerContext())
        try open.worker.performAndWait {
            open.held.objects = try open.worker.book("Dune")
            #expect(open.held.objects?.loanCount == 0)
        }
        return open
    }

    /// Adds one to the loan count of the only book, and tries again until no other writer
    /// interferes.
    fileprivate func increment() throws {
        while true {
            let worker = try stack.makeWorkerContext()
            do {
                try worker.performAndWait {
                    try worker.book("Dune").loanCount += 1
                    try worker.save()
                }
                return
            } catch SaveError.mergeConflicts {
                worker.performAndWait { worker.rollback() }
            }
        }
    }
}
