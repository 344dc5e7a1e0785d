#if PostgreSQL
import CPostgreSQL
import Foundation

/// Where the server is, and the settings of each session.
///
/// The URL is libpq's, so TLS, sockets and password files work as its manual says. It may hold a
/// password, so it is private and no description shows it.
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
    /// The server's settings, as command-line options of its session.
    private let sessionOptions: String
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
        let parts = try ConnectionParts(url)
        self.schema = schema
        self.timeout = min(max(timeout, .milliseconds(1)), .seconds(86_400))
        self.applicationName = applicationName
        self.url = url.absoluteString
        address = parts.address
        connectTimeout = parts["connect_timeout"].flatMap { Int($0) }
            .flatMap { $0 > 0 ? Duration.seconds($0) : nil }
        secrets = parts.secrets + [url.absoluteString]
        sessionOptions = Self.options(
            schema: schema, lockTimeout: self.timeout,
            others: parts["options"] ?? ProcessInfo.processInfo.environment["PGOPTIONS"])
    }

    /// When an attempt to connect ends that begins now.
    var connectDeadline: ContinuousClock.Instant {
        .now + min(connectTimeout ?? timeout, timeout)
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
            ("dbname", url), ("client_encoding", "UTF8"), ("options", sessionOptions),
        ]
        let names: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.0)) } + [nil]
        let values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer { for text in names + values { free(UnsafeMutablePointer(mutating: text)) } }
        return names.withUnsafeBufferPointer { names in
            values.withUnsafeBufferPointer { body(names.baseAddress!, $0.baseAddress!) }
        }
    }

    /// - Parameter others: The user's options. Those that the store depends on follow them.
    private static func options(schema: String, lockTimeout: Duration, others: String?) -> String {
        let path = "\"\(schema.replacing("\"", with: "\"\""))\""
        let settings = [
            ("search_path", path),
            ("default_transaction_isolation", "read committed"),
            ("lock_timeout", "\(lockTimeout.wholeMilliseconds)"),
            ("statement_timeout", "0"),
            ("idle_in_transaction_session_timeout", "0"),
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
