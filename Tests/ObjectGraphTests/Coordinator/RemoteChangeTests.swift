import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite(.timeLimit(.minutes(5))) struct `Remote changes (§10.5)` {
    @Test
    func `a save and a batch request of the coordinator post store and URL (§10.5.1, §4.5.8)`()
        async throws
    {
        let listener = try Listener()
        var changes = listener.changes()

        try listener.insert("Lem")
        try await changes.wait(for: 1)
        try listener.insertRow("Borges")
        let change = try await changes.wait(for: 2)

        #expect(change.store == listener.store)
        #expect(change.store.url == listener.url)
        #expect(change.store.identifier == listener.store.identifier)
    }

    @Test(arguments: ["WAL", "DELETE", "TRUNCATE", "PERSIST", "MEMORY"])
    func `another coordinator need not post them itself (§10.5.2)`(_ journal: String) async throws {
        let listener = try Listener(journal: journal)
        let writer = try listener.other(isListening: false)
        var changes = listener.changes()
        var ownChanges = writer.changes()

        for count in 1...5 {
            try writer.insert("Author \(count)")
            try await changes.wait(for: count)
        }

        try writer.coordinator.removePersistentStore(writer.store)
        let last = await ownChanges.next()
        #expect(last == .storesWillChange(StoreChanges(removed: [writer.store])))
    }

    @Test func `another process need not post them itself (§10.5.2)`() async throws {
        let listener = try Listener()
        var changes = listener.changes()

        async let process = #expect(processExitsWith: .success) {
            [url = listener.url as URL] in
            try Listener(at: url, isListening: false).insert("Lem")
        }
        try await changes.wait(for: 1)
        _ = await process
    }

    @Test func `observers hold up no save, and get one change for many (§10.5.3)`() async throws {
        let listener = try Listener()
        let writer = try listener.other(isListening: false)
        let isSaved = DispatchSemaphore(value: 0)
        let callCount = Atomic(0)
        var changes = listener.changes()
        let observation = listener.coordinator.observe { notification in
            guard case .remoteChange = notification else { return }
            if callCount.add(1, ordering: .relaxed).oldValue == 0 { isSaved.wait() }
        }

        for count in 1...100 {
            try (count.isMultiple(of: 2) ? listener : writer).insert("Author \(count)")
        }
        isSaved.signal()
        try await changes.wait(for: 100)

        let calls = callCount.load(ordering: .relaxed)
        #expect(calls < 100)
        withExtendedLifetime(observation) {}
    }

    @Test func `the last change is posted after its commit (§10.5.4)`() async throws {
        var generator = SeededGenerator.fromEnvironment()
        let listener = try Listener()
        let writer = try listener.other(isListening: false)
        var changes = listener.changes()
        var count = 0
        for _ in 0..<40 {
            // From a page to several megabytes, which SQLite writes in several parts.
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                count += 1
                let size = 1 << Int.random(in: 0...22, using: &generator)
                try writer.insert(String(repeating: "x", count: size))
            }
            try await changes.wait(for: count)
        }
    }

    @Test func `a transaction that is rolled back posts nothing (§10.5.5)`() async throws {
        let listener = try Listener()
        let writer = try listener.other(isListening: false)
        let first = try Connection(SQLiteConfiguration(path: listener.url.path))
        var changes = listener.changes()

        try first.begin(.immediate)
        try first.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1")
        first.rollback()
        try first.close()
        try writer.coordinator.removePersistentStore(writer.store)
        try listener.insert("Lem")

        #expect(try await changes.wait(for: 1).store == listener.store)
        #expect(changes.count <= 2, "the reservation of keys and the save")
    }

    @Test func `a store without the option posts none (§10.5.6)`() async throws {
        #expect(!PersistentStoreDescription.sqlite(at: URL(filePath: "/x")).postsRemoteChanges)
        let listener = try Listener()
        let silent = try Listener(
            at: listener.folder.url("silent.sqlite"), isListening: false,
            on: listener.coordinator)
        var changes = listener.changes()

        try silent.insertRow("Borges")
        try listener.insertRow("Lem")
        try await changes.wait(for: 2)

        #expect(changes.stores == [listener.store])
    }

    @Test func `the WAL can be emptied while a store is watched (§10.5.7)`() async throws {
        let listener = try Listener()
        let writer = try listener.other(isListening: false)
        var changes = listener.changes()
        var configuration = SQLiteConfiguration(path: listener.url.path)
        configuration.busyTimeout = .seconds(60)
        let other = try Connection(configuration)
        for count in 1...10 {
            try writer.insert("Author \(count)")
            try await changes.wait(for: count)
            let frames = try other.checkpoint(.truncate)
            #expect(frames.walFrameCount == 0)
        }
        let wal = FileState(path: listener.url.path + "-wal")
        #expect(wal != nil && !FileState.hasContent(path: listener.url.path + "-wal"))
    }

    @Test func `a store for reading only posts what others write (§10.5.8)`() async throws {
        let writer = try Listener(isListening: false)
        let listener = try writer.other(isReadOnly: true)
        var changes = listener.changes()

        try writer.insert("Lem")
        try await changes.wait(for: 1)
    }

    @Test func `of many stores only the written ones post (§10.5.9)`() async throws {
        let listeners = try (0..<40).map { _ in try Listener() }
        let neighbours = try (0..<10).map {
            try Listener(at: listeners[0].folder.url("\($0).sqlite"))
        }
        let written = [listeners[7], neighbours[3]]
        var changes = (listeners + neighbours).map { $0.changes() }

        for listener in written {
            let index = (listeners + neighbours).firstIndex { $0 === listener }!
            try listener.insert("Lem")
            try await changes[index].wait(for: 1)
        }
        for listener in listeners + neighbours {
            try listener.coordinator.removePersistentStore(listener.store)
        }
        for index in changes.indices {
            await changes[index].finish()
            let isWritten = written.contains { $0 === (listeners + neighbours)[index] }
            #expect((changes[index].count > 0) == isWritten)
        }
    }

    @Test func `a change carries the newest place of a history (§10.5.16)`() async throws {
        let folder = TemporaryFolder()
        var description = PersistentStoreDescription.sqlite(at: folder.url("history.sqlite"))
        description.tracksHistory = true
        let listener = try Listener(description)
        let silent = try Listener()
        var changes = listener.changes()
        var silentChanges = silent.changes()

        for count in 1...3 {
            try listener.insert("Author \(count)")
            let newest = { try listener.coordinator.currentPersistentHistoryToken() }
            // A change that was posted for the keys has an earlier place.
            while try await changes.wait(for: count).historyToken != newest() {}
        }
        try silent.insert("Lem")
        #expect(try await silentChanges.wait(for: 1).historyToken == nil)
    }

    @Test func `stores in memory post within the process (§10.5.10)`() async throws {
        let private1 = try Listener(.sqliteInMemory())
        let private2 = try Listener(.inMemory())
        let named = URL(filePath: "/dev/null/\(UUID().uuidString)")
        let shared = try Listener(at: named)
        let writer = try Listener(at: named, isListening: false)

        for (listener, writer) in [
            (private1, private1), (private2, private2), (shared, shared), (shared, writer),
        ] {
            var changes = listener.changes()
            let count = try listener.count() + 1
            try writer.insert("Author \(count)")
            let change = try await changes.wait(for: count)
            #expect(change.store == listener.store)
        }
    }
}

/// A coordinator with a store of the library, which may be shared with others.
final class Listener: Sendable {
    let folder: TemporaryFolder
    let url: URL
    private let journal: String
    let coordinator: PersistentStoreCoordinator
    let store: PersistentStoreHandle
    let context: ManagedObjectContext

    /// - Parameter url: nil for a store in a new folder.
    init(
        at url: URL? = nil, isListening: Bool = true, isReadOnly: Bool = false,
        journal: String = "WAL", on coordinator: PersistentStoreCoordinator? = nil,
        _ description: PersistentStoreDescription? = nil
    ) throws {
        folder = TemporaryFolder()
        self.url = url ?? folder.url("library.sqlite")
        self.journal = journal
        var description = description ?? .sqlite(at: self.url)
        description.postsRemoteChanges = isListening
        description.isReadOnly = isReadOnly
        if !isReadOnly, description.location != nil {
            description.pragmas["journal_mode"] = journal
        }
        self.coordinator = try coordinator ?? PersistentStoreCoordinator(model: makeLibraryModel())
        store = try self.coordinator.addPersistentStore(description)
        context = ManagedObjectContext(.privateQueue, coordinator: self.coordinator)
    }

    convenience init(_ description: PersistentStoreDescription) throws {
        try self.init(at: nil, isListening: true, description)
    }

    /// Another coordinator on the same file.
    func other(isListening: Bool = true, isReadOnly: Bool = false) throws -> Listener {
        try Listener(
            at: url, isListening: isListening, isReadOnly: isReadOnly, journal: journal)
    }

    func insert(_ name: String) throws {
        try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = name
            try context.save()
        }
    }

    /// Inserts an author into this store by a batch request, whatever stores the coordinator has.
    func insertRow(_ name: String) throws {
        var request = BatchInsertRequest(entityName: "Author", objects: [["name": .string(name)]])
        request.affectedStores = [store.identifier]
        try context.performAndWait { [request] in _ = try context.execute(request) }
    }

    func count() throws -> Int {
        try context.performAndWait { try TestSupport.Author.count(in: context) }
    }

    func changes() -> RemoteChanges { RemoteChanges(self) }
}

/// The remote changes of a listener's coordinator from now on.
struct RemoteChanges {
    /// A notification, and the number of authors when it was delivered.
    private typealias Delivery = (notification: CoordinatorNotification, authorCount: Int?)

    private var deliveries: AsyncStream<Delivery>.Iterator
    private let observation: Observation
    private(set) var count = 0
    private(set) var stores: Set<PersistentStoreHandle> = []

    init(_ listener: Listener) {
        let (stream, continuation) = AsyncStream<Delivery>.makeStream()
        deliveries = stream.makeAsyncIterator()
        observation = listener.coordinator.observe { [weak listener] notification in
            guard case .remoteChange = notification else {
                continuation.yield((notification, nil))
                return
            }
            continuation.yield((notification, try? listener?.count()))
        }
    }

    /// The next notification of any kind.
    mutating func next() async -> CoordinatorNotification? {
        let notification = await deliveries.next()?.notification
        if case .remoteChange(let change) = notification {
            count += 1
            stores.insert(change.store)
        }
        return notification
    }

    /// Waits for a change after which so many authors are stored.
    @discardableResult
    mutating func wait(for authorCount: Int) async throws -> RemoteChange {
        while let delivery = await deliveries.next() {
            guard case .remoteChange(let change) = delivery.notification else { continue }
            count += 1
            stores.insert(change.store)
            if delivery.authorCount == authorCount { return change }
        }
        throw CancellationError()
    }

    /// Reads until a store was removed.
    mutating func finish() async {
        while let notification = await next() {
            if case .storesDidChange = notification { return }
        }
    }

    /// Waits for the end of the changes of a store.
    mutating func waitForEnd() async -> PersistentStoreHandle? {
        while let notification = await next() {
            if case .remoteChangesDidEnd(let store) = notification { return store }
        }
        return nil
    }
}
