import Foundation
import ObjectGraph
import Stacks
import Synchronization
import TestSupport
import Testing

/// `REMOTE_ROWS=300000 swift test --filter 'another process imports'` imports more rows, and prints
/// how long after a commit the notification came and the view had merged it.
@Suite(.timeLimit(.minutes(30))) struct `Two processes (§10.5)` {
    private static let environment = ProcessInfo.processInfo.environment["REMOTE_ROWS"]
    private static let rowCount = environment.flatMap { Int($0) } ?? 3000

    @Test func `a view follows what another process imports (§10.5.15)`() async throws {
        let folder = TemporaryFolder()
        let configuration = StackConfiguration(
            model: try makeLibraryModel(), location: .sqlite(folder.url("library.sqlite")),
            tracksHistory: true)
        let stack = try StackKind.isolatedBatchHistory.make(configuration)
        let shown = try ShownBooks(stack)

        async let importer = #expect(processExitsWith: .success) {
            [folder = folder.url as URL, rowCount = Self.rowCount as Int] in
            try Importer.run(in: folder, rowCount: rowCount)
        }
        await shown.wait(untilInserted: Self.rowCount)
        _ = await importer

        let coordinator = try configuration.openCoordinator()
        let context = configuration.makeContext(.privateQueue, on: coordinator, name: "check")
        let stored = try context.performAndWait {
            try context.all(Book.self, by: "title").map { "\($0.title) \($0.loanCount)" }
        }
        #expect(stored.count > Self.rowCount / 2)
        #expect(try await shown.takeAll() == stored)
        if Self.environment != nil {
            let commits = try Commit.read(folder.url("commits"))
            print("commit → notification:", shown.delays(of: commits, \.transaction, \.changes))
            print("commit → merged view:", shown.delays(of: commits, \.rowCount, \.mergesSeen))
        }
        try stack.close()
    }
}

/// A commit of the importer.
private struct Commit {
    let nanoseconds: Int
    let transaction: Int
    /// All rows that were inserted up to this commit.
    let rowCount: Int

    static func read(_ url: URL) throws -> [Commit] {
        try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
            let numbers = line.split(separator: " ").map { Int($0)! }
            return Commit(
                nanoseconds: numbers[0], transaction: numbers[1], rowCount: numbers[2])
        }
    }
}

/// The other process.
private enum Importer {
    private static let rowsPerSave = 100

    static func run(in folder: URL, rowCount: Int) throws {
        let configuration = StackConfiguration(
            model: try makeLibraryModel(),
            location: .sqlite(folder.appending(path: "library.sqlite")), tracksHistory: true)
        let coordinator = try configuration.openCoordinator()
        let context = configuration.makeContext(.privateQueue, on: coordinator, name: "import")
        let store = coordinator.persistentStores[0].identifier
        var commits = ""
        for start in stride(from: 0, to: rowCount, by: rowsPerSave) {
            let end = min(rowCount, start + rowsPerSave)
            try context.performAndWait {
                for number in start..<end { context.insertBook("Book \(number)") }
                if start > 0 {
                    try context.book("Book \(start - 1)").loanCount = start
                    context.delete(try context.book("Book \(start - 2)"))
                }
                try context.save()
                context.reset()
            }
            let time = monotonicNanoseconds()
            let token = try coordinator.currentPersistentHistoryToken()
            commits += "\(time) \(token.transactionNumbers[store] ?? 0) \(end)\n"
        }
        try commits.write(
            to: folder.appending(path: "commits"), atomically: true, encoding: .utf8)
    }
}

/// The books that the view shows, kept by what it merges.
private final class ShownBooks: Sendable {
    /// What was seen at a time.
    typealias Sight = (nanoseconds: Int, number: Int)

    private let view: ManagedObjectContext
    private let books = Held<[ManagedObjectID: Book]>()
    private let insertedCount = Atomic(0)
    private let sights = Mutex<(changes: [Sight], merges: [Sight])>(([], []))
    private let observations = Mutex<[Observation]>([])
    private let merges: AsyncStream<Void>

    var changes: [Sight] { sights.withLock { $0.changes } }
    var mergesSeen: [Sight] { sights.withLock { $0.merges } }

    init(_ stack: any PersistenceStack) throws {
        view = try stack.viewContext
        let (merges, continuation) = AsyncStream<Void>.makeStream()
        self.merges = merges
        view.performAndWait { books.objects = [:] }
        let own = [
            stack.coordinators[0].observe { [weak self] notification in
                guard case .remoteChange(let change) = notification else { return }
                let number = change.historyToken?.transactionNumbers[change.store.identifier]
                let sight = (monotonicNanoseconds(), Int(number ?? 0))
                self?.sights.withLock { $0.changes.append(sight) }
            },
            view.observe { [weak self] notification in
                guard case .didMerge(let changes) = notification else { return }
                self?.take(changes)
                continuation.yield()
            },
        ]
        observations.withLock { $0 = own }
    }

    /// Called on the view's queue.
    private func take(_ changes: ObjectChanges) {
        for id in changes.deleted { books.objects?[id] = nil }
        for id in changes.inserted {
            // Nil if a later transaction has deleted it.
            books.objects?[id] = try? view.existingObject(with: id) as? Book
        }
        let count = insertedCount.add(changes.inserted.count, ordering: .relaxed).newValue
        let time = monotonicNanoseconds()
        sights.withLock { $0.merges.append((time, count)) }
    }

    func wait(untilInserted count: Int) async {
        for await _ in merges where insertedCount.load(ordering: .relaxed) >= count { return }
    }

    /// The books by title, which are then no longer kept.
    func takeAll() async throws -> [String] {
        await view.perform { [books] in
            defer { books.objects = nil }
            return books.objects!.values.sorted { $0.title < $1.title }
                .map { "\($0.title) \($0.loanCount)" }
        }
    }

    /// How long after each commit something was first seen that includes it.
    func delays(
        of commits: [Commit], _ number: (Commit) -> Int, _ sights: (ShownBooks) -> [Sight]
    ) -> String {
        var rest = sights(self)[...]
        let delays = commits.compactMap { commit -> Int? in
            rest = rest.drop { $0.number < number(commit) }
            return rest.first.map { max(0, $0.nanoseconds - commit.nanoseconds) }
        }.sorted()
        guard !delays.isEmpty else { return "nothing was seen" }
        let median = Duration.nanoseconds(delays[delays.count / 2])
        let ninetieth = Duration.nanoseconds(delays[delays.count * 9 / 10])
        return "median \(median), 90 % \(ninetieth), \(delays.count) of \(commits.count) commits"
    }
}

/// The same clock in all processes.
private func monotonicNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
