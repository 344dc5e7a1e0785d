import Foundation
import ObjectGraph

/// The settings with which a stack is opened.
public struct StackConfiguration: Sendable {
    public enum Location: Sendable, Hashable {
        /// In a SQLite file, which is created if it is missing.
        case sqlite(URL)
        /// In a SQLite database in memory, for as long as the stack is open. Works like a file with
        /// one reader.
        case sqliteInMemory
        /// In memory without SQLite, for as long as the stack is open. Takes no batch requests
        /// (spec §11.3).
        case inMemory
        /// In a store of any type, such as one that the program has registered, at a URL that means
        /// something to it. Takes no batch requests (spec §11.6).
        case other(PersistentStoreDescription.StoreType, URL?)
        /// In a store on a server, at its URL, which several openings share.
        case server(PersistentStoreDescription.StoreType, URL)
    }

    public enum Opening: Sendable, Hashable {
        /// When the stack is made; its initializer throws if that fails.
        case eager
        /// On first use; other callers wait.
        case lazy
    }

    public var model: ManagedObjectModel
    public var location: Location
    public var opening: Opening
    public var lockPolicy: LockPolicy

    /// SQLite pragmas by name, set on every connection of the stack; other stores ignore them.
    public var pragmas: [String: String]

    /// Whether the store keeps a history of its changes; only SQLite does.
    public var tracksHistory: Bool

    /// The merge policy of every context of the stack.
    public var mergePolicy: MergePolicy

    public init(
        model: ManagedObjectModel, location: Location, opening: Opening = .eager,
        lockPolicy: LockPolicy = .pooled, pragmas: [String: String] = [:],
        tracksHistory: Bool = false, mergePolicy: MergePolicy = .error
    ) {
        self.model = model
        self.location = location
        self.opening = opening
        self.lockPolicy = lockPolicy
        self.pragmas = pragmas
        self.tracksHistory = tracksHistory
        self.mergePolicy = mergePolicy
    }
}

extension StackConfiguration {
    /// Makes a coordinator and opens the store in it.
    ///
    /// - Parameter postsRemoteChanges: Whether the coordinator posts what others write (spec
    ///   §10.5).
    /// - Throws: `StoreError` if it cannot be opened.
    public func openCoordinator(
        postsRemoteChanges: Bool = false
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model, lockPolicy: lockPolicy)
        var description = storeDescription
        description.postsRemoteChanges = postsRemoteChanges
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    var storeDescription: PersistentStoreDescription {
        var description: PersistentStoreDescription =
            switch location {
            case .sqlite(let url): .sqlite(at: url)
            case .sqliteInMemory: .sqliteInMemory()
            case .inMemory: .inMemory()
            case .other(let type, let url): PersistentStoreDescription(type: type, url: url)
            case .server(let type, let url): PersistentStoreDescription(type: type, url: url)
            }
        description.pragmas = pragmas
        description.tracksHistory = tracksHistory
        return description
    }

    /// Empties the store's file, or its place on a server, if there is one. No stack may have it
    /// open.
    func destroyStore() throws {
        if case .server = location {
            return try PersistentStoreCoordinator.destroyPersistentStore(storeDescription)
        }
        // Only a regular file: a device such as /dev/null would be deleted.
        guard let url = location.url, location.fileType == .typeRegular else { return }
        try PersistentStoreCoordinator.destroyPersistentStore(at: url)
    }

    /// A context on a coordinator, with the merge policy of the stack.
    public func makeContext(
        _ type: ManagedObjectContext.ConcurrencyType, on coordinator: PersistentStoreCoordinator,
        name: String
    ) -> ManagedObjectContext {
        let context = ManagedObjectContext(type, coordinator: coordinator, name: name)
        prepare(context)
        return context
    }

    /// A context below another one, with the merge policy of the stack.
    public func makeContext(
        _ type: ManagedObjectContext.ConcurrencyType, below parent: ManagedObjectContext,
        name: String
    ) -> ManagedObjectContext {
        let context = ManagedObjectContext(type, parent: parent, name: name)
        prepare(context)
        return context
    }

    func prepare(_ context: ManagedObjectContext) {
        context.mergePolicy = mergePolicy
    }
}

extension StackConfiguration.Location {
    /// Whether two openings see the same rows.
    var isShareable: Bool {
        if case .server = self { return true }
        guard case .sqlite = self else { return false }
        // A path without a file becomes one, or is /dev/null/NAME. The engine refuses a folder.
        return [nil, .typeRegular, .typeDirectory].contains(fileType)
    }

    /// Where the store is; nil in memory, and for what is not a file.
    fileprivate var url: URL? {
        switch self {
        case .sqlite(let url): url
        case .other(_, let url?): url.isFileURL ? url : nil
        case .sqliteInMemory, .inMemory, .other, .server: nil
        }
    }

    /// `nil` if nothing exists at the path.
    fileprivate var fileType: FileAttributeType? {
        guard let url else { return nil }
        let path = url.resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType
    }
}

extension StackConfiguration.Location: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sqlite(let url): url.path
        case .sqliteInMemory: "a SQLite database in memory"
        case .inMemory: "a store in memory"
        case .other(let type, let url):
            "a store of type \(type.rawValue)" + (url.map { " at \($0.path)" } ?? "")
        case .server(let type, let url):
            "a store of type \(type.rawValue) in \(url.path) on \(url.host() ?? "this machine")"
        }
    }
}
