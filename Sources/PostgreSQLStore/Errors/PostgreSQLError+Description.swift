#if PostgreSQL
import ObjectGraph

extension PostgreSQLError: CodedError {
    /// Core Data's code for the nearest of its own failures.
    public var code: Int {
        switch kind {
        case .invalidURL, .connectionFailed, .authenticationFailed, .unknownDatabase, .tlsFailed,
            .settingsIgnored, .tooManyConnections, .closed:
            134080
        case .poolTimeout, .lockTimeout, .statementEnded: 134090
        case .serializationFailure, .deadlock: 133020
        case .uniqueViolation: 133021
        case .missingObject, .dependentObjects: 134020
        case .permissionDenied, .readOnly: 134030
        case .diskFull: 13
        case .cancelled: 3072
        case .constraintViolation, .valueOutOfRange, .invalidText, .tooLarge, .unexpectedValue:
            134060
        case .connectionLost, .commitUnknown, .outOfResources, .transactionLeftOpen, .other:
            134070
        }
    }

    public var description: String {
        var text = "PostgreSQL error"
        if let sqlState { text += " \(sqlState)" }
        text += ": \(message)"
        if let sql { text += ", while running: \(sql)" }
        if let advice { text += ". \(advice)" }
        return text
    }

    /// The remedy; nil if the message is enough.
    private var advice: String? {
        switch kind {
        case .invalidURL:
            """
            Write it as postgresql://user@host:port/database?sslmode=require, with %XX for special \
            characters; ?host=/folder means a socket.
            """
        case .connectionFailed:
            "Check that the server runs and accepts connections, and the host and port of the URL."
        case .connectionLost:
            "The open transaction was not committed: run it again."
        case .commitUnknown:
            """
            The commit may have happened or not: read the rows, and save again only what is missing.
            """
        case .authenticationFailed:
            """
            Check the user, the password (URL, PGPASSWORD or password file), and the server's \
            pg_hba.conf.
            """
        case .unknownDatabase: "Create the database, or correct the path of the URL."
        case .tlsFailed:
            """
            Enable TLS on the server, or check sslmode and the certificates that the URL names.
            """
        case .settingsIgnored:
            """
            A pooler that shares sessions takes no `options`: connect to the server itself, or add \
            pooling=transaction to the URL.
            """
        case .statementEnded:
            """
            Give the statement less to do, or raise the statement_timeout of the role or of the \
            URL's options.
            """
        case .tooManyConnections:
            """
            Lower the number of readers of each store, raise the server's max_connections, or put \
            a connection pooler before it.
            """
        case .poolTimeout:
            "Raise the timeout or the number of readers, or end reads sooner."
        case .closed: "Open the store again."
        case .serializationFailure, .deadlock: "Run the transaction again."
        case .lockTimeout:
            """
            Another transaction held its lock longer than the timeout: shorten it, raise the \
            timeout, or retry.
            """
        case .invalidText: "Remove U+0000 from the text, or store it as binary data."
        case .tooLarge: "Write fewer rows at a time, or store smaller values: the limit is 1 GiB."
        case .permissionDenied:
            """
            Grant the privilege to the role of the URL, or use another role. Under row-level security, \
            save rows that its policies allow.
            """
        case .uniqueViolation:
            """
            Another row has the values. If no fetch finds it, row-level security hides it from the role \
            of the URL.
            """
        case .readOnly: "Connect to the primary server, or open the store as read-only."
        case .dependentObjects:
            "Drop it first if it is of no use without the store, which keeps all its tables till then."
        case .diskFull: "The server's disk is full: free some space; nothing was written."
        case .outOfResources: "Free resources on the server and try again; nothing was written."
        case .transactionLeftOpen: "Commit it before the connection is returned."
        case .constraintViolation, .valueOutOfRange, .cancelled, .missingObject,
            .unexpectedValue, .other:
            nil
        }
    }
}
#endif
