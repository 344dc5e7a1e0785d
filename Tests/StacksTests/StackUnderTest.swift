import Dispatch
import Foundation
import ObjectGraph
import Stacks
import Synchronization
import TestSupport
import Testing

/// A stack or variant, a lock policy and a kind of store to test the laws on.
struct LawCase: Sendable, CustomTestStringConvertible {
    enum Place: String {
        case file = "on disk"
        case sqliteInMemory = "SQLite in memory"
        case inMemory = "in memory"
        // Stores of one's own, as in the guide: an incremental and an atomic one.
        case dictionary = "in a dictionary"
        case json = "in a JSON file"
        case binary = "in a binary file"
        case postgreSQL = "in PostgreSQL"

        /// Whether batch requests run and values are kept unique.
        var isSQL: Bool { [.file, .sqliteInMemory, .postgreSQL].contains(self) }
    }

    let kind: StackKind
    var lockPolicy = LockPolicy.pooled
    var place = Place.file

    static let onDisk = cases(.file)
    /// The cases whose rows are there after the stack was closed.
    static let lasting =
        onDisk + cases(.json, [.pooled]) + cases(.binary, [.pooled]) + onServer
    /// The cases that take batch requests and keep values unique.
    static let inSQL = onDisk + cases(.sqliteInMemory) + onServer
    static let all =
        inSQL + cases(.inMemory) + cases(.dictionary) + cases(.json, [.pooled])

    /// Empty without a server; see `scripts/postgresql`.
    static let onServer = ServerSchema.server == nil ? [] : cases(.postgreSQL, [.pooled])

    private static func cases(
        _ place: Place, _ lockPolicies: [LockPolicy] = LockPolicy.allCases
    ) -> [LawCase] {
        // The documented example of a new stack must obey the laws too.
        let kinds = (StackKind.all + [.privateView]).filter {
            [.file, .postgreSQL].contains(place) || !$0.traits.contains(.opensStoreTwice)
        }
        return kinds.flatMap { kind in
            lockPolicies.map { LawCase(kind: kind, lockPolicy: $0, place: place) }
        }
    }

    var testDescription: String { "\(kind.name), \(lockPolicy.rawValue), \(place.rawValue)" }
}

/// An open stack over the library model in a folder of its own.
///
/// The law suites are serialized: each open stack has about a dozen files open, and systems
/// commonly allow a process 1,024.
struct StackUnderTest: Sendable {
    let stack: any PersistenceStack
    private let folder = TemporaryFolder()
    private let schema: ServerSchema?

    init(
        _ lawCase: LawCase, opening: StackConfiguration.Opening = .eager,
        mergePolicy: MergePolicy = .error, pragmas: [String: String] = [:]
    ) throws {
        schema = lawCase.place == .postgreSQL ? ServerSchema() : nil
        let location: StackConfiguration.Location =
            switch lawCase.place {
            case .postgreSQL: .server(schema!.type, schema!.url)
            case .file: .sqlite(folder.url("library.sqlite"))
            case .sqliteInMemory: .sqliteInMemory
            case .inMemory: .inMemory
            case .dictionary: .other("Dictionary", nil)
            case .json: .other("JSON", folder.url("library.json"))
            case .binary: .other(.binary, folder.url("library.binary"))
            }
        registerStores()
        stack = try lawCase.kind.make(
            StackConfiguration(
                model: makeLibraryModel(), location: location, opening: opening,
                lockPolicy: lawCase.lockPolicy, pragmas: pragmas, mergePolicy: mergePolicy))
    }

    /// Does work in a new worker and saves it to disk.
    func write<T: Sendable>(
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) throws -> T {
        let worker = try stack.makeWorkerContext()
        let result = try worker.performAndWait { try work(worker) }
        try stack.saveToDisk(worker)
        return result
    }

    /// Does work in the view context and saves it to disk; uses a worker if the view only reads.
    func writeInView<T: Sendable>(
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        if stack.kind.traits.contains(.viewOnlyReads) { return try write(work) }
        let view = try stack.viewContext
        let result = try await view.perform(schedule: .enqueued) { try work(view) }
        try stack.saveToDisk(view)
        return result
    }

    /// Reads in a new worker.
    func read<T: Sendable>(
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) throws -> T {
        let worker = try stack.makeWorkerContext()
        return try worker.performAndWait { try work(worker) }
    }

    /// Does what the kind asks for before its view shows what was saved.
    func prepareView() async throws {
        switch stack.kind.visibility {
        case .immediately, .afterMerge: break
        case .afterRemoteChange: try stack.settle()
        case .afterRefetch: try await stack.refreshView()
        }
    }

    /// Reads in the view context, as soon as the stack promises that it shows saved changes.
    func readView<T: Sendable>(
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        try await prepareView()
        let view = try stack.viewContext
        return try await view.perform(schedule: .enqueued) { try work(view) }
    }

    /// Reads the file without the stack, through a new coordinator.
    func readFile<T: Sendable>(
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) throws -> T {
        let description: PersistentStoreDescription
        switch stack.configuration.location {
        case .sqlite(let url): description = .sqlite(at: url)
        case .server(let type, let url): description = .init(type: type, url: url)
        default: preconditionFailure("a store in memory has no file")
        }
        let coordinator = PersistentStoreCoordinator(model: stack.configuration.model)
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait { try work(context) }
    }
}

/// Objects that a test keeps realised in a context between two blocks on its queue.
final class Held<Objects>: @unchecked Sendable {
    // @unchecked Sendable: tests touch the objects only on the queue of their context.
    var objects: Objects?
}

/// A flag that is raised once and visible to every thread.
final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .relaxed) }

    func raise() { state.store(true, ordering: .relaxed) }
}

/// Runs the work on `count` threads at once and returns when all have ended.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
        for index in 0..<count {
            group.addTask {
                try await withCheckedThrowingContinuation { continuation in
                    DispatchQueue(label: "thread \(index)").async {
                        continuation.resume(with: Result { try work(index) })
                    }
                }
            }
        }
        try await group.waitForAll()
    }
}

extension ManagedObjectContext {
    /// All objects of an entity, sorted by the key.
    func all<T: ManagedObject>(_ type: T.Type, by key: String) throws -> [T] {
        try Array(
            fetch(FetchRequest(entityName: "\(type)", sortKeys: [.ascending(key)]), as: type))
    }

    /// The objects whose key has the value. They are read from the store even if the context has
    /// them already.
    func all<T: ManagedObject>(
        _ type: T.Type, where key: String, is value: AttributeValue
    ) throws -> [T] {
        var request = FetchRequest(
            entityName: "\(type)",
            predicate: .comparison(.init(.keyPath(key), .equal, .constant(value))))
        request.shouldRefreshRefetchedObjects = true
        return try Array(fetch(request, as: type))
    }

    func book(_ title: String) throws -> Book {
        try #require(try all(Book.self, where: "title", is: .string(title)).first)
    }

    func author(_ name: String) throws -> Author {
        try #require(try all(Author.self, where: "name", is: .string(name)).first)
    }

    func topic(_ name: String) throws -> Topic {
        try #require(try all(Topic.self, where: "name", is: .string(name)).first)
    }

    @discardableResult
    func insertBook(_ title: String) -> Book {
        let book = Book(context: self)
        book.title = title
        return book
    }

    @discardableResult
    func insertAuthor(_ name: String) -> Author {
        let author = Author(context: self)
        author.name = name
        return author
    }

    @discardableResult
    func insertTopic(_ name: String) -> Topic {
        let topic = Topic(context: self)
        topic.name = name
        return topic
    }

    func titles() throws -> [String] { try all(Publication.self, by: "title").map(\.title) }
}
