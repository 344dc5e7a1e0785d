#if PostgreSQL
import CPostgreSQL
import Foundation

/// Where the server is, and the settings of each session.
///
/// The URL is libpq's, so TLS, sockets and password files work as its manual says. It may hold a
/// password, so it is private and no description shows it.
///
/// Time-outs that an administrator or the URL sets hold.
struct LinkSettings: Sendable {
    /// The schema that has the store's tables.
    let schema: String
    /// How long to wait for a connection, or for a lock that another session holds.
    let timeout: Duration
    /// User, host, port and database, for messages.
    let address: String
    /// Called after each command with its SQL, and the time since it was sent.
    var trace: (@Sendable (String, Duration) -> Void)?

    private let url: String
    private let applicationName: String
    /// The server's settings, as command-line options of its session; nil if it is shared.
    private let sessionOptions: String?
    /// The URL that avoids the pooler.
    private let directURL: URL?
    /// The limit of the URL for connecting.
    private let connectTimeout: Duration?
    /// Texts that no message may contain.
    private let secrets: [String]

    /// Reads the URL; does not connect.
    ///
    /// - Throws: `invalidURL`.
    init(
        _ url: URL, schema: String? = nil, timeout: Duration = .seconds(240),
        applicationName: String = "ObjectGraph"
    ) throws(PostgreSQLError) {
        let schema = schema ?? "public"
        guard !schema.isEmpty, !schema.utf8.contains(0), schema.utf8.count <= 63 else {
            throw PostgreSQLError(.invalidURL, "a schema needs a name of 1 to 63 bytes")
        }
        let (ownURL, pooling) = try PoolingParts.take(from: url)
        let parts = try ConnectionParts(ownURL)
        self.schema = schema
        self.timeout = min(max(timeout, .milliseconds(1)), .seconds(86_400))
        self.applicationName = applicationName
        self.url = ownURL.absoluteString
        directURL = pooling.direct
        address = parts.address
        connectTimeout = parts["connect_timeout"].flatMap { Int($0) }
            .flatMap { $0 > 0 ? Duration.seconds($0) : nil }
        secrets =
            parts.secrets + [url.absoluteString, ownURL.absoluteString]
            + (pooling.direct.map { [$0.absoluteString] } ?? [])
        guard !pooling.isPooled || parts["options"] == nil else {
            throw PostgreSQLError(
                .invalidURL, "a pooler that shares sessions takes no options; set them for the role"
            )
        }
        sessionOptions =
            pooling.isPooled
            ? nil
            : Self.options(
                searchPath: schema.quotedName,
                others: parts["options"] ?? ProcessInfo.processInfo.environment["PGOPTIONS"])
    }

    /// Whether a pooler lends the sessions of the server for one transaction each, so that neither
    /// settings nor prepared statements last: `pooling=transaction` in the URL.
    var isPooled: Bool { sessionOptions == nil }

    private var searchPath: String { schema.quotedName }

    /// The settings of links that avoid the pooler; the same ones without a pooler, and nil if the URL
    /// of a pooler names no server.
    func direct() throws(PostgreSQLError) -> LinkSettings? {
        guard isPooled else { return self }
        guard let directURL else { return nil }
        var direct = try LinkSettings(
            directURL, schema: schema, timeout: timeout, applicationName: applicationName)
        direct.trace = trace
        return direct
    }

    /// Compares the settings of a new session with those that the store depends on, in its first
    /// column, and limits how long it waits for locks.
    var check: Command {
        Command(
            """
            SELECT pg_catalog.current_setting('search_path'), \
            CASE WHEN pg_catalog.current_setting('search_path') = $1 \
            THEN \(Self.limit("lock_timeout", to: "$2", isLocal: false)) END
            """, [.text(searchPath), .text("\(timeout.wholeMilliseconds)")], isPrepared: false)
    }

    /// Throws if the session has another search path than the one that was asked for.
    func require(searchPath found: String) throws(PostgreSQLError) {
        guard found != searchPath else { return }
        throw PostgreSQLError(
            .settingsIgnored,
            "the session has the search_path \(found) instead of \(searchPath)")
    }

    /// The settings of a transaction in a session that is shared.
    var ofTransaction: Command {
        Command(
            """
            SELECT pg_catalog.set_config('search_path', $1, true), \
            pg_catalog.set_config('jit', 'off', true), \
            \(Self.limit("lock_timeout", to: "$2", isLocal: true))
            """, [.text(searchPath), .text("\(timeout.wholeMilliseconds)")])
    }

    /// SQL that sets a time-out unless the administrator or the URL has.
    ///
    /// - Parameters:
    ///   - parameter: The place of the milliseconds, as a text.
    ///   - isLocal: Whether it holds for the transaction only.
    static func limit(_ timeout: String, to parameter: String, isLocal: Bool) -> String {
        """
        CASE WHEN pg_catalog.current_setting('\(timeout)') = '0' \
        THEN pg_catalog.set_config('\(timeout)', \(parameter), \(isLocal)) END
        """
    }

    /// When an attempt to connect ends that begins now: after `connect_timeout`, or after 10 s.
    var connectDeadline: ContinuousClock.Instant {
        .now + min(connectTimeout ?? .seconds(10), timeout)
    }

    /// The text without passwords and connection strings.
    func redacting(_ text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "***") }
    }

    /// Lends the parameters to libpq: an array of names and one of values, both ended by nil.
    func withParameters<T>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> T
    ) -> T {
        // Those before the URL are defaults, and those after it replace its own.
        let parameters = [
            ("fallback_application_name", applicationName),
            // A dead network is noticed after a minute.
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            // An empty text is not sent, and keeps PGOPTIONS from a pooler.
            ("dbname", url), ("client_encoding", "UTF8"), ("options", sessionOptions ?? ""),
        ]
        let names: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.0)) } + [nil]
        let values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer { for text in names + values { free(UnsafeMutablePointer(mutating: text)) } }
        return names.withUnsafeBufferPointer { names in
            values.withUnsafeBufferPointer { body(names.baseAddress!, $0.baseAddress!) }
        }
    }

    /// - Parameter others: The user's options. Those that the store depends on follow them.
    private static func options(searchPath: String, others: String?) -> String {
        let settings = [
            ("search_path", searchPath),
            ("default_transaction_isolation", "read committed"),
            ("extra_float_digits", "1"),
            ("standard_conforming_strings", "on"),
            // A cursor is read to its end.
            ("cursor_tuple_fraction", "1"),
        ]
        // Compiling costs more than it saves in statements of an object graph.
        return (["-c jit=off", others ?? ""] + settings.map { "-c \($0)=\(escaped($1))" })
            .joined(separator: " ")
    }

    /// A backslash takes the meaning from blanks and backslashes (`options` in libpq's manual).
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing(" ", with: "\\ ")
    }
}

extension LinkSettings: CustomStringConvertible, CustomReflectable {
    var description: String { "\(address), schema \(schema)" }
    var customMirror: Mirror { Mirror(self, children: ["address": address, "schema": schema]) }
}

/// The parameters of a URL that are ours and not libpq's.
private struct PoolingParts {
    var isPooled = false
    var direct: URL?

    /// - Returns: The URL without the parameters, and what they say.
    static func take(from url: URL) throws(PostgreSQLError) -> (URL, Self) {
        var found = Self()
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            let items = parts.queryItems, let encoded = parts.percentEncodedQueryItems,
            items.contains(where: { names.contains($0.name) })
        else { return (url, found) }
        for item in items {
            switch (item.name, item.value) {
            case ("pooling", "transaction"): found.isPooled = true
            case ("pooling", "none"): break
            case ("direct", let value?):
                guard let direct = URL(string: value) else { fallthrough }
                found.direct = direct
            case ("pooling", _), ("direct", _):
                throw PostgreSQLError(
                    .invalidURL,
                    """
                    the URL's pooling is none or transaction, and direct is the URL of the server \
                    itself, with %XX for special characters
                    """)
            default: break
            }
        }
        let rest = encoded.filter { !names.contains($0.name) }
        parts.percentEncodedQueryItems = rest.isEmpty ? nil : rest
        return (parts.url ?? url, found)
    }

    private static let names: Set = ["pooling", "direct"]
}

/// The parts of a connection URL by libpq's names.
private struct ConnectionParts {
    private var values: [String: String] = [:]
    let secrets: [String]

    init(_ url: URL) throws(PostgreSQLError) {
        guard url.scheme == "postgresql" || url.scheme == "postgres" else {
            throw PostgreSQLError(.invalidURL, "the URL of the store is not one of PostgreSQL")
        }
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url.absoluteString, &problem) else {
            defer { PQfreemem(problem) }
            // The message quotes a part of the URL, which may be the password.
            let reason = problem.map { String(cString: $0) }?.prefix { $0 != "\"" } ?? ""
            throw PostgreSQLError(
                .invalidURL, "libpq cannot read the URL of the store: \(reason)".trimmed)
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let name = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: name)] = String(cString: value)
            }
            option += 1
        }
        secrets =
            [
                values["password"], values["sslpassword"], url.password(percentEncoded: true),
                ProcessInfo.processInfo.environment["PGPASSWORD"],
            ].compactMap { $0 }.filter { !$0.isEmpty }
    }

    subscript(name: String) -> String? { values[name] }

    var address: String {
        let host = values["host"] ?? values["hostaddr"] ?? "localhost"
        let port = values["port"].map { ":\($0)" } ?? ""
        let user = values["user"].map { "\($0)@" } ?? ""
        return "\(user)\(host)\(port)/\(values["dbname"] ?? "")"
    }
}

extension Duration {
    /// Rounded up.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000
            + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
#endif
