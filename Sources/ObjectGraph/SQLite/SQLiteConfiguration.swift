/// How to open one database: the path, the mode and what is set on each connection.
struct SQLiteConfiguration: Sendable {
    enum Mode: Sendable {
        case readWriteCreate
        case readWrite
        case readOnly
        /// A private database in memory that lives as long as its one connection; `path` is unused.
        case memory
    }

    var path: String
    var mode: Mode = .readWriteCreate
    /// How long a statement waits for a lock held by another connection.
    var busyTimeout: Duration = .seconds(240)
    /// Run on each new connection in this order. What shapes the file (`page_size`, `auto_vacuum`)
    /// must come before `journal_mode`, which writes the first page.
    var pragmas: [(name: String, value: String)] = []
    /// The name of the SQLite VFS; nil means the default one.
    var vfs: String?
    /// Called after each statement on the thread that ran it; costs nothing when nil.
    var trace: (@Sendable (TraceEvent) -> Void)?

    static let memory = SQLiteConfiguration(path: ":memory:", mode: .memory)
}

/// One finished run of a statement.
struct TraceEvent: Sendable {
    /// The SQL with the bound values in place of its parameters.
    let sql: String
    /// From the first step to the end or the reset, as measured by SQLite.
    let duration: Duration
}
