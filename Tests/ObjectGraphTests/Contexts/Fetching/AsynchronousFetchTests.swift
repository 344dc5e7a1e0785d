import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

private typealias Author = TestSupport.Author

@Suite struct `Asynchronous fetches (§3.10)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    @Test(arguments: [0, 6])
    func `the result comes on the context's queue (§3.10.1, §3.10.2)`(batchSize: Int) async throws {
        let context = fixture.context()
        let progress = FetchProgress(estimatedResultCount: 20)
        let names = try await context.fetch(
            FetchFixture.authors { $0.fetchBatchSize = batchSize }, as: Author.self,
            progress: progress
        ) { authors in
            #expect(context.isOnQueue)
            return authors.map(\.name)
        }
        #expect(names == (0..<20).map { "Author \($0)" })
        #expect(progress.rowCount == 20)
        #expect(progress.fractionCompleted == 1)
    }

    @Test func `the context can be used meanwhile, and what it has unsaved takes part (§3.10.2)`()
        async throws
    {
        let context = fixture.context()
        // The statement does not end before the context has been used.
        let gate = try Gate(of: fixture)
        async let years = context.fetch(gate.request(), as: Author.self) { authors in
            authors.map { $0.birthYear ?? 0 }
        }
        await gate.isReading()
        try context.performAndWait {
            let author = Author(context: context)
            (author.name, author.birthYear) = ("New", 1850)
            context.delete(try context.author(bornIn: 1901))
            gate.open()
        }
        #expect(try await years == [1850, 1900] + Array(1902..<1920))
    }

    @Test func `a page is right though there is more unsaved than before (§3.10.2)`() async throws {
        let context = fixture.context()
        let gate = try Gate(of: fixture)
        async let years = context.fetch(gate.request(limit: 2), as: Author.self) { authors in
            authors.map { $0.birthYear ?? 0 }
        }
        await gate.isReading()
        try context.performAndWait {
            for year in 1900..<1903 { context.delete(try context.author(bornIn: year)) }
            gate.open()
        }
        #expect(try await years == [1903, 1904])
    }

    @Test(arguments: [true, false])
    func `cancelling ends the statement (§3.10.3, §3.10.5)`(byTask: Bool) async throws {
        let context = fixture.context()
        let progress = FetchProgress()
        try context.performAndWait {
            for number in 0..<3000 { Topic(context: context).name = "Topic \(number)" }
            try context.save()
        }
        let gate = try Gate(of: fixture)
        let task = Task {
            try await context.fetch(gate.request("Topic"), as: Topic.self, progress: progress) {
                $0.count
            }
        }
        await gate.isReading()
        if byTask { task.cancel() } else { progress.cancel() }
        gate.open()
        let error = try await #require(throws: StoreError.self) { try await task.value }
        #expect(error.reason == .cancelled)
        #expect(error.code == 3072)
        #expect(error.sqlite?.isInterruption == true)
        #expect(progress.isCancelled)
        #expect(progress.rowCount < 3000)
        // The reader still serves others.
        #expect(try context.performAndWait { try context.authors().count } == 20)
    }

    @Test func `what was cancelled before reads nothing (§3.10.3)`() async throws {
        let context = fixture.context()
        let progress = FetchProgress()
        progress.cancel()
        let statements = fixture.coordinator.counters.statements
        await #expect(throws: StoreError.self) {
            try await context.fetch(FetchFixture.authors(), as: Author.self, progress: progress) {
                $0.count
            }
        }
        #expect(fixture.coordinator.counters.statements == statements)
    }

    @Test func `a context with a parent refuses it (§3.10.4)`() async throws {
        let context = fixture.context(depth: 1)
        let error = try await #require(throws: FetchError.self) {
            try await context.fetch(FetchFixture.authors(), as: Author.self) { $0.count }
        }
        #expect(error.code == 134091)
    }

    @Test func `errors of the request and of the body come back (§3.10.1)`() async throws {
        let context = fixture.context()
        await #expect(throws: FetchError.unknownEntity("Nobody")) {
            try await context.fetch(FetchRequest(entityName: "Nobody")) { $0.count }
        }
        await #expect(throws: CancellationError.self) {
            try await context.fetch(FetchFixture.authors(), as: Author.self) { _ -> Int in
                throw CancellationError()
            }
        }
    }

    @Test(arguments: [false, true])
    func `a pinned context reads its generation, even if it moves meanwhile (§4.7.16)`(
        moves: Bool
    ) async throws {
        let (context, writer) = (fixture.context(), fixture.context())
        try context.performAndWait { try context.setQueryGeneration(from: .current) }
        // The generation gets the reader that has the gate.
        let gate = try Gate(of: fixture)
        let request = try gate.request()
        async let names = context.fetch(request, as: Author.self) { $0.map(\.name) }
        await gate.isReading()
        try writer.performAndWait {
            for author in try Author.all(in: writer) { author.name += "!" }
            try writer.save()
        }
        if moves { try context.performAndWait { try context.setQueryGeneration(from: .current) } }
        gate.open()
        #expect(try await names == (0..<20).map { "Author \($0)" + (moves ? "!" : "") })
    }
}

/// A gate that stops a statement of the fixture's store when it begins to read, until the gate is
/// opened.
private final class Gate: Sendable {
    private let begun = AsyncStream.makeStream(of: Void.self)
    private let released = DispatchSemaphore(value: 0)

    /// Replaces, on each reader, the function that the requests' predicate calls.
    init(of fixture: FetchFixture) throws {
        let store = try #require(fixture.coordinator.records[0].store as? SQLiteStore)
        let (begun, released) = (begun.continuation, released)
        let isHeld = Once()
        try store.pool.read { connection in
            try connection.register(function: "OGUppercase", argumentCount: 1, deterministic: false)
            { arguments in
                if isHeld.take() {
                    begun.finish()
                    released.wait()
                }
                return .argument(arguments[0])
            }
        }
    }

    /// A request that reaches the gate with its first row.
    func request(_ entityName: String = "Author", limit: Int = 0) throws -> FetchRequest {
        var request = FetchRequest(
            entityName: entityName, predicate: try ObjectPredicate("uppercase:(name) != 'x'"),
            sortKeys: [.ascending(entityName == "Author" ? "birthYear" : "name")])
        request.fetchLimit = limit
        return request
    }

    func isReading() async { for await _ in begun.stream {} }
    func open() { released.signal() }
}

/// A flag that becomes true once.
private final class Once: Sendable {
    private let taken = Atomic<Bool>(false)
    func take() -> Bool { !taken.exchange(true, ordering: .relaxed) }
}
