import CSQLite

/// A failure that SQLite reported, with the SQL and the database it concerns.
public struct SQLiteError: Error, Sendable, Hashable {
    /// The primary result code, such as 5 for `SQLITE_BUSY`.
    public let code: Int32
    /// The extended result code, whose low byte is `code`.
    public let extendedCode: Int32
    /// SQLite's message.
    public let message: String
    /// The SQL that failed, without its arguments; nil if no statement was involved.
    public let sql: String?
    /// The path of the database; nil for one in memory.
    public let path: String?

    public init(extendedCode: Int32, message: String, sql: String? = nil, path: String? = nil) {
        self.code = extendedCode & 0xff
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.path = path
    }

    /// Another connection holds a lock, and the busy timeout has passed.
    public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    /// A UNIQUE, NOT NULL, CHECK or foreign key constraint was violated.
    public var isConstraint: Bool { code == SQLITE_CONSTRAINT }
    /// Two rows would have the same values in a unique index (SQLITE_CONSTRAINT_UNIQUE).
    public var isUniqueness: Bool { extendedCode == SQLITE_CONSTRAINT | 8 << 8 }
    /// The columns of the unique index that was violated, from a message such as
    /// `UNIQUE constraint failed: ZBOOK.ZISBN, ZBOOK.ZEDITION`. Empty for an index of expressions.
    var constraintColumns: [String] {
        guard let list = message.split(separator: ": ").last else { return [] }
        return list.split(separator: ",").compactMap {
            $0.split(separator: ".").last.map(String.init)
        }
    }
    /// Two rows would have the same primary key (SQLITE_CONSTRAINT_PRIMARYKEY).
    public var isKeyCollision: Bool { extendedCode == SQLITE_CONSTRAINT | 6 << 8 }
    /// The file is not a database, or its content is damaged.
    public var isCorruption: Bool { code == SQLITE_NOTADB || code == SQLITE_CORRUPT }
    /// The database cannot be written.
    public var isReadOnly: Bool { code == SQLITE_READONLY }
    /// The file was deleted or moved while it was open (SQLITE_READONLY_DBMOVED).
    public var isMoved: Bool { extendedCode == SQLITE_READONLY | 4 << 8 }
    /// A cancellation ended the statement.
    public var isInterruption: Bool { code == SQLITE_INTERRUPT }
}

extension SQLiteError {
    static func fileReplaced(path: String?) -> SQLiteError {
        SQLiteError(
            extendedCode: SQLITE_READONLY | 4 << 8,
            message: "the file was deleted, moved or replaced while it was open", path: path)
    }
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        var text = "SQLite error \(extendedCode): \(message)"
        if let path { text += ", in \(path)" }
        if let sql { text += ", while running: \(sql)" }
        if let advice { text += ". \(advice)" }
        return text
    }

    /// The remedy; nil if SQLite's message is enough.
    private var advice: String? {
        switch code {
        case SQLITE_BUSY:
            """
            Another connection held its lock longer than the busy timeout: shorten its transaction, \
            raise the timeout, or retry.
            """
        case SQLITE_FULL:
            "The disk is full: free some space and try again; nothing was written."
        case SQLITE_NOTADB:
            "The file is not a SQLite database, or it is encrypted: check the path."
        case SQLITE_CORRUPT:
            """
            The file is damaged: keep a copy together with its -wal file, then restore a backup or \
            recover it with the sqlite3 tool.
            """
        case SQLITE_READONLY:
            """
            The database cannot be written: check the permissions of the file and of its folder, \
            and that it was not opened as read-only.
            """
        case SQLITE_CANTOPEN:
            """
            Check that the folder exists and may be written (the -wal and -shm files lie in it), \
            and that the process has file descriptors left.
            """
        case SQLITE_IOERR:
            """
            The operating system failed to read or write the file: check the disk, and that the \
            file was not moved or deleted while open.
            """
        default: nil
        }
    }
}
