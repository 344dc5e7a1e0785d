#if PostgreSQL

/// One SQL statement with the values of its parameters, `$1` and so on.
struct Command: Sendable {
    let sql: String
    var parameters: [Parameter]

    /// Whether it is worth preparing, since the same text will come again.
    let isPrepared: Bool

    init(_ sql: String, _ parameters: [Parameter] = [], isPrepared: Bool = true) {
        self.sql = sql
        self.parameters = parameters
        self.isPrepared = isPrepared
    }

    /// The size of all parameters.
    var byteCount: Int { parameters.reduce(0) { $0 + $1.byteCount } }

    /// Checks what the server could only answer by ending the connection.
    func validate() throws(PostgreSQLError) {
        guard !sql.utf8.contains(0) else {
            throw PostgreSQLError(.invalidText, "a statement contains U+0000")
        }
        guard parameters.count <= Self.maximumParameterCount else {
            throw PostgreSQLError(
                .tooLarge, "\(parameters.count) parameters, where PostgreSQL takes 65535", sql: sql)
        }
        guard byteCount < Self.maximumByteCount else {
            throw PostgreSQLError(.tooLarge, "the parameters take \(byteCount) bytes", sql: sql)
        }
    }

    private static let maximumParameterCount = 65535
    /// The server's limit for a message, less what surrounds the parameters.
    private static let maximumByteCount = 0x3fff_0000

    /// Whether the command makes a transaction durable.
    var isCommit: Bool { sql.hasPrefix("COMMIT") }
    var isBegin: Bool { sql.hasPrefix("BEGIN") }
}
#endif
