import Foundation

/// How to open a store: where, and with which settings.
public struct PersistentStoreDescription: Sendable {
    /// The name of a kind of store: one of the engine's, or one that the program has registered.
    public struct StoreType: RawRepresentable, Sendable, Hashable, Codable,
        ExpressibleByStringLiteral
    {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral name: String) { self.init(rawValue: name) }

        public static let sqlite: Self = "SQLite"
        public static let inMemory: Self = "InMemory"
        public static let binary: Self = "Binary"
    }

    public var type: StoreType

    /// Where the store is: a file for SQLite and binary stores, anything for a type of the program.
    /// Unused by the in-memory type.
    ///
    /// For SQLite, nil keeps the database in memory. `/dev/null/NAME` also does, under a name that
    /// all coordinators of the process share as long as one of them has it open (spec §11.3).
    public var url: URL?

    /// The address of a server with all that it has of secrets, which `url` has not.
    package var address: SecretText?

    /// Settings by name for a store type of the program, which gets them with this description. The
    /// engine's own types ignore them.
    public var options: [String: AttributeValue] = [:]

    /// Whether the file is only read: not created, written or changed in any way.
    public var isReadOnly = false

    /// How long to wait for a lock that another connection holds.
    public var timeout = Duration.seconds(240)

    /// How many connections can read at a time, at least 1. The one writer is not included.
    public var maximumReaderCount = 4

    /// The configuration of the model whose entities the store holds; nil means all (spec §1.10).
    public var configuration: String?

    /// The `versionChecksum` that the model must have; nil means any.
    public var expectedModelChecksum: String?

    /// Whether to open a file that was written with another model, if it has the tables and columns
    /// that the model needs.
    public var ignoresModelVersions = false

    /// How a file that was written with another model is brought to the program's when it is opened.
    /// By default it is, if the changes say what becomes of its rows (spec §9.1, §9.2).
    public var migration = MigrationOptions()

    /// Whether the store keeps a history of who changed what (spec §10.4). Ignored by types that
    /// keep none, in memory and binary.
    ///
    /// The first time, tables are added to the store. A history that Core Data has begun goes on.
    public var tracksHistory = false

    /// Whether to write to a store that has a history without `tracksHistory`.
    ///
    /// Those who follow the history do not learn of such changes: other processes of the app, its
    /// extensions, its synchronisation with a server. False opens such a store for reading only.
    public var writesWithoutHistory = false

    /// Whether the coordinator posts `remoteChange` after transactions of all who write to the
    /// store: itself, other coordinators, other processes (spec §10.5).
    ///
    /// Writers need not set this. It costs one more connection, and nothing for those who write.
    public var postsRemoteChanges = false

    /// The greatest size of a value, in bytes, that stays in its row if its attribute has
    /// `allowsExternalStorage`. A larger one goes to a file of its own, in a hidden folder beside
    /// the store (spec §8.6). Ignored in memory. A negative size counts as 0.
    public var externalStorageThresholdBytes = 100 * 1024

    /// Whether SQLite rebuilds the file when it is opened, to free unused space.
    public var vacuumsWhenOpened = false

    /// Whether SQLite gathers statistics for its planner when the file is opened.
    public var analyzesWhenOpened = false

    /// SQLite settings by name, applied on every connection. They follow the store's own settings,
    /// and replace those of the same name.
    public var pragmas: [String: String] = [:]

    /// Whether one connection does all work, and SQLite refuses a file that another one has open.
    var isExclusive = false

    /// The name of the SQLite VFS; nil means the default one.
    var vfs: String?

    /// The folder for large values, if it is that of another store, which this one will replace.
    var supportFolder: URL?

    /// The calls to the file system besides those of SQLite.
    var fileCalls = FileCalls()

    /// Called after each SQL statement with its text and duration, for debugging and tests. Nil
    /// costs nothing.
    public var statementObserver: (@Sendable (String, Duration) -> Void)?

    /// A store of any type, such as one that the program has registered.
    public init(
        type: StoreType, url: URL? = nil, options: [String: AttributeValue] = [:]
    ) {
        self.type = type
        self.url = url
        self.options = options
    }

    /// A store in a SQLite file, in WAL mode with `synchronous` NORMAL and a page cache of up to 32
    /// MiB for each connection.
    public static func sqlite(at url: URL) -> Self { Self(type: .sqlite, url: url) }

    /// A SQLite database without a file. It has everything a file has except several readers. It is
    /// gone when the store is removed. The URL `/dev/null` means the same (spec §11.3).
    public static func sqliteInMemory() -> Self { Self(type: .sqlite, url: nil) }

    /// A store without a file that evaluates requests itself (spec §11.3).
    public static func inMemory() -> Self { Self(type: .inMemory, url: nil) }

    /// A store in a file that is read as a whole when the store is opened, and replaced as a whole by
    /// each save; for small stores (spec §11.3).
    ///
    /// The first save makes the file. It cannot be shared: a save throws if another program or
    /// coordinator has written the file since.
    public static func binary(at url: URL) -> Self { Self(type: .binary, url: url) }

    /// The URL under which others can open the same database; nil for a database in memory without
    /// a name.
    var location: URL? { url?.path == "/dev/null" ? nil : url }

    /// The file to open; nil for a database in memory.
    var file: URL? { location?.nameInMemory == nil ? location : nil }
}

extension URL {
    /// The path of a URL in `/dev/null/`; nil for all other URLs.
    var nameInMemory: String? {
        pathComponents.count > 3 && pathComponents.prefix(3) == ["/", "dev", "null"] ? path : nil
    }
}
