import Foundation

/// How to open a database: its path, the mode, and the settings of each connection.
struct SQLiteConfiguration: Sendable {
    enum Mode: Sendable {
        case readWriteCreate
        case readWrite
        case readOnly
        /// With `immutable=1`: SQLite takes no locks, and neither needs nor creates files beside
        /// the database.
        case immutable
        /// For reading a WAL whose index is missing, so that no other connection has the database
        /// open. The index is kept in memory, and the WAL is left as it is.
        case withoutIndex
        /// A private database in memory that lives as long as its one connection; `path` is unused.
        case memory
        /// A database in memory with the name `path`, shared by all connections of this process. It
        /// lives as long as one of them.
        case sharedMemory

        var isInMemory: Bool { self == .memory || self == .sharedMemory }

        /// Whether a connection may keep reading an earlier state of the file.
        var canPin: Bool { self == .readWriteCreate || self == .readWrite || self == .readOnly }
    }

    var path: String
    var mode: Mode = .readWriteCreate
    /// How long a statement waits for a lock held by another connection.
    var busyTimeout: Duration = .seconds(240)
    /// Run before `pragmas` if the database is still empty. They decide the format of the file,
    /// such as `page_size`. In an existing file, setting `auto_vacuum` again would write the first
    /// page.
    var pragmasOfNewFiles: [(name: String, value: String)] = []
    /// Run on each new connection, in this order.
    var pragmas: [(name: String, value: String)] = []
    /// The name of the SQLite VFS; nil means the default one.
    var vfs: String?
    /// Called after each statement, on the thread that ran it. Costs nothing if nil.
    var trace: (@Sendable (FinishedStatement) -> Void)?
    /// Whether traces include the rows of queries, and their plans.
    var tracesRows = false
    var explainsQueries = false

    static let memory = SQLiteConfiguration(path: ":memory:", mode: .memory)

    /// Reads a database that may be open elsewhere, and leaves no files behind.
    ///
    /// If the files of the WAL are missing, no other connection has the database open. An ordinary
    /// reader would create them and could not remove them.
    ///
    /// - Parameter rollsBack: Whether SQLite may roll back a journal that a crash has left, which
    ///   it must do before it reads. This takes a connection that can write.
    static func reading(path: String, rollsBack: Bool = false) -> Self {
        let real = URL(filePath: path).resolvingSymlinksInPath().path
        if FileState.hasContent(path: real + "-journal") {
            return Self(path: path, mode: rollsBack ? .readWrite : .readOnly)
        }
        if hasLogWithoutIndex(real) {
            var configuration = Self(path: path, mode: .withoutIndex)
            // In this mode SQLite needs no shared memory (https://www.sqlite.org/wal.html#noshm).
            configuration.pragmas = [("locking_mode", "EXCLUSIVE"), ("query_only", "1")]
            return configuration
        }
        let isOpen =
            FileState.hasContent(path: real + "-wal")
            || FileState(path: real + "-wal") != nil && FileState(path: real + "-shm") != nil
        if isOpen { return Self(path: path, mode: .readOnly) }
        // If the file cannot be read, opening it fails too and reports why.
        let isWAL = (try? DatabaseFile(path: path).isWAL()) ?? false
        return Self(path: path, mode: isWAL ? .immutable : .readOnly)
    }

    /// Whether a program has ended without writing its WAL to the database, which this process may
    /// do. An ordinary reader would make an index for the WAL and leave it behind.
    static func hasLogWithoutIndex(_ path: String) -> Bool {
        FileState.hasContent(path: path + "-wal") && FileState(path: path + "-shm") == nil
            && access(path, W_OK) == 0
    }
}

/// One finished run of a statement.
struct FinishedStatement: Sendable {
    /// The SQL as it was written.
    let template: String

    /// The SQL with the bound values in place of its parameters.
    let sql: String

    /// From the first step to the end or the reset, as measured by SQLite.
    let duration: Duration

    /// The number of returned rows, and their values. 0 and empty unless rows are traced.
    var rowCount = 0
    var rows: [[String]] = []

    /// The steps of the query plan; empty unless queries are explained.
    var plan: [String] = []

    /// The values of the rows taken from `OGPendingRows`, in one list; each row starts with its
    /// key.
    var insertedValues: [String] = []

    var isQuery: Bool { template.prefix(6).uppercased() == "SELECT" }

    /// The inserted values, or the bound values in SQL syntax, found by comparing `sql` with
    /// `template`.
    var arguments: [String] {
        var arguments = insertedValues
        var rest = Substring(sql)
        for (position, piece) in Self.pieces(of: template).enumerated() {
            if position > 0 {
                let end = piece.isEmpty ? rest.endIndex : Self.end(of: rest, before: piece)
                arguments.append(String(rest[..<end]))
                rest = rest[end...]
            }
            rest = rest.dropFirst(piece.count)
        }
        return arguments
    }

    /// The parts of the template between its parameters. Question marks within quotes do not count.
    private static func pieces(of template: String) -> [Substring] {
        var quote: Character?
        return template.split(omittingEmptySubsequences: false) { character in
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else {
                return character == "?"
            }
            return false
        }
    }

    /// Where the value at the start of the text ends. A quoted text may contain `piece`.
    private static func end(of text: Substring, before piece: Substring) -> Substring.Index {
        var start = text.startIndex
        if text.first == "'" {
            start = text.index(after: start)
            while let quote = text[start...].firstIndex(of: "'") {
                start = text.index(after: quote)
                guard start < text.endIndex, text[start] == "'" else { break }
                start = text.index(after: start)
            }
        }
        return text[start...].firstRange(of: piece)?.lowerBound ?? text.endIndex
    }
}
