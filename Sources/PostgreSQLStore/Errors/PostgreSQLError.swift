#if PostgreSQL

/// A failure that PostgreSQL or libpq reported, or a link to the server that cannot be had.
///
/// It never contains a password or a connection string. Only `detail` may contain values of rows,
/// and `description` leaves it out.
public struct PostgreSQLError: Error, Sendable, Hashable {
    /// What a program can react to.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// libpq cannot read the URL, or the schema has no usable name.
        case invalidURL
        /// No server answers, or it is starting or stopping.
        case connectionFailed
        /// The connection ended while it was in use. Nothing of an open transaction was committed.
        case connectionLost
        /// The connection ended while a commit was on its way: it may have happened or not.
        case commitUnknown
        case authenticationFailed
        case unknownDatabase
        /// TLS was required and refused, or a certificate was not accepted.
        case tlsFailed
        /// The server, or a pooler before it, has not taken the settings of the session.
        case settingsIgnored
        /// The server has as many connections as it accepts.
        case tooManyConnections
        /// All connections of the pool stayed in use until the timeout.
        case poolTimeout
        /// The pool or the connection was closed.
        case closed
        case serializationFailure
        case deadlock
        case lockTimeout
        case uniqueViolation
        /// A NOT NULL, CHECK, foreign key or exclusion constraint was violated.
        case constraintViolation
        /// A value that PostgreSQL cannot compute or hold, such as a number out of range (class 22).
        case valueOutOfRange
        /// A text that PostgreSQL cannot hold: it contains U+0000 or is not UTF-8.
        case invalidText
        /// A statement, its parameters or its result are too large.
        case tooLarge
        /// The program has cancelled the statement.
        case cancelled
        /// The server has ended a statement because of its `statement_timeout`, or for an
        /// administrator.
        case statementEnded
        case permissionDenied
        case readOnly
        /// A table, column or schema does not exist.
        case missingObject
        /// A view or table of others depends on a table that is to be dropped.
        case dependentObjects
        /// The server has no space left on its disk.
        case diskFull
        /// The server lacks memory or another resource.
        case outOfResources
        /// A caller returned a connection within a transaction, which was rolled back.
        case transactionLeftOpen
        /// A value is NULL or has another type than the one to be read.
        case unexpectedValue
        case other
    }

    public let kind: Kind
    /// Five characters of the SQL standard; nil if the server did not report the failure.
    public internal(set) var sqlState: String?
    /// The server's or libpq's message.
    public let message: String
    /// What the server adds, often with values of the row concerned.
    public internal(set) var detail: String?
    /// The constraint that was violated.
    public internal(set) var constraint: String?
    /// The table concerned.
    public internal(set) var table: String?
    /// The SQL that failed, without its parameters; nil if no statement was involved.
    public internal(set) var sql: String?
    /// The position of the failed command among those that were sent together.
    public internal(set) var commandIndex: Int?

    init(_ kind: Kind, _ message: String, sqlState: String? = nil, sql: String? = nil) {
        self.kind = kind
        self.message = message
        self.sqlState = sqlState
        self.sql = sql
    }

    /// Whether the same transaction may succeed when it is run again. Nothing of it was committed.
    public var canBeRetried: Bool {
        switch kind {
        case .connectionFailed, .connectionLost, .tooManyConnections, .poolTimeout,
            .serializationFailure, .deadlock, .lockTimeout:
            true
        default: false
        }
    }
}

extension PostgreSQLError.Kind {
    /// - Parameter state: A code of appendix A of PostgreSQL's manual.
    init(sqlState state: String) {
        self =
            switch state {
            case "23505": .uniqueViolation
            case "40001": .serializationFailure
            case "40P01": .deadlock
            case "55P03": .lockTimeout
            case "57014": .statementEnded
            case "57P03": .connectionFailed
            case "57P01", "57P02", "57P04", "57P05", "25P03", "25P04": .connectionLost
            case "22021", "22P05": .invalidText
            case "25006": .readOnly
            case "3D000": .unknownDatabase
            case "3F000", "42P01", "42703", "42704", "42883": .missingObject
            case "42501": .permissionDenied
            case "53100": .diskFull
            case "53300": .tooManyConnections
            default:
                switch state.prefix(2) {
                case "08": .connectionLost
                case "22": .valueOutOfRange
                case "23": .constraintViolation
                case "28": .authenticationFailed
                case "40": .serializationFailure
                case "53": .outOfResources
                case "54": .tooLarge
                default: .other
                }
            }
    }
}
#endif
