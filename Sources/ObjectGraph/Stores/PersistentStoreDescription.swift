import Foundation

/// How to open a store: where, and with which settings.
public struct PersistentStoreDescription: Sendable {
    public enum StoreType: String, Sendable, Codable {
        case sqlite = "SQLite"
        case inMemory = "InMemory"
    }

    public var type: StoreType

    /// The SQLite file. Nil keeps the database in memory; `/dev/null/NAME` does too, under a name by which all coordinators
    /// of the process share it as long as one of them has it open (spec §11.3). Unused by the in-memory type.
    public var url: URL?

    /// Whether the file must not be written, made or changed in any way.
    public var isReadOnly = false

    /// How long to wait for a lock that another connection holds.
    public var timeout = Duration.seconds(240)

    /// How many connections may read at a time, at least 1. The one writer is not counted.
    public var maximumReaderCount = 4

    /// The configuration of the model whose entities the store holds; nil means all (spec §1.10).
    public var configuration: String?

    /// The `versionChecksum` that the model must have; nil means any.
    public var expectedModelChecksum: String?

    /// Whether the file is opened though it was written with another model, as long as its tables will do.
    public var ignoresModelVersions = false

    /// Whether SQLite rebuilds the file when it is opened, so that it takes no more room than it needs.
    public var vacuumsWhenOpened = false

    /// Whether SQLite gathers statistics for its planner when the file is opened.
    public var analyzesWhenOpened = false

    /// SQLite settings by name, made on every connection after the store's own, or in the place of those of the same name.
    public var pragmas: [String: String] = [:]

    /// The name of the SQLite VFS; nil means the default one.
    var vfs: String?

    /// Called after each SQL statement with its text, for debugging and tests; nil costs nothing.
    public var statementObserver: (@Sendable (String, Duration) -> Void)?

    /// A store in a SQLite file, in WAL mode with `synchronous` NORMAL and a page cache of up to 32 MiB a connection.
    public static func sqlite(at url: URL) -> Self { Self(type: .sqlite, url: url) }

    /// A SQLite database without a file, which keeps all that a file does but several readers. It is gone when the store is
    /// removed; the URL `/dev/null` means the same (spec §11.3).
    public static func sqliteInMemory() -> Self { Self(type: .sqlite, url: nil) }

    /// A store without a file that evaluates requests itself (spec §11.3).
    public static func inMemory() -> Self { Self(type: .inMemory, url: nil) }

    /// What others can open as well; nil for a database in memory without a name.
    var location: URL? { url?.path == "/dev/null" ? nil : url }

    /// The file to open; nil for a database in memory.
    var file: URL? { location?.nameInMemory == nil ? location : nil }

    func connectionConfiguration(_ debug: DebugOptions) -> SQLiteConfiguration {
        var configuration =
            location.map {
                SQLiteConfiguration($0, mode: isReadOnly ? .readOnly : .readWriteCreate)
            } ?? .memory
        configuration.busyTimeout = timeout
        configuration.vfs = vfs
        if !isReadOnly {
            // Spec §8.1.
            configuration.pragmasOfNewFiles = [("page_size", "4096"), ("auto_vacuum", "2")]
            let own = [
                ("journal_mode", "WAL"), ("synchronous", "NORMAL"),
                // 32 MiB: with SQLite's 2 MiB an import into a table with several indexes writes each page many times.
                ("cache_size", "-32768"),
            ]
            // Made first, WAL would be taken back again for another mode, for which the connection must be alone.
            let replaced = Set(pragmas.keys.map { $0.lowercased() })
            configuration.pragmas = own.filter { !replaced.contains($0.0) }
        }
        configuration.pragmas += pragmas.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if let synchronous = debug.synchronous {
            configuration.pragmas.append(("synchronous", "\(synchronous)"))
        }
        let log = debug.sqlLevel > 0 ? StatementLog(options: debug) : nil
        if log != nil || statementObserver != nil {
            configuration.trace = { [statementObserver] event in
                statementObserver?(event.sql, event.duration)
                log?.write(event)
            }
        }
        configuration.tracesRows = debug.sqlLevel >= 2
        configuration.explainsQueries = debug.sqlLevel >= 4
        return configuration
    }
}

extension URL {
    /// What follows `/dev/null/`; nil for all other URLs.
    var nameInMemory: String? {
        pathComponents.count > 3 && pathComponents.prefix(3) == ["/", "dev", "null"] ? path : nil
    }
}

extension SQLiteConfiguration {
    /// A file, or a named database in memory.
    init(_ url: URL, mode: Mode) {
        self.init(path: url.path, mode: url.nameInMemory == nil ? mode : .sharedMemory)
    }
}
