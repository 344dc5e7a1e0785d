#if PostgreSQL
import Foundation
import Testing

@testable import PostgreSQLStore

@Suite(.onTCPServer) struct `Errors of connecting` {
    /// No error may contain it.
    static let secret = "Xq7Secret"

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: PostgreSQLError.Kind
        /// Changes the URL of a server that works.
        let change: @Sendable (inout URLComponents) -> Void

        init(
            _ description: String, _ kind: PostgreSQLError.Kind,
            _ change: @escaping @Sendable (inout URLComponents) -> Void
        ) {
            testDescription = description
            self.kind = kind
            self.change = change
        }
    }

    static let cases = [
        Case("wrong password", .authenticationFailed) { $0.password = secret },
        Case("wrong password with %", .authenticationFailed) { $0.password = "\(secret) %&" },
        Case("password as a parameter", .authenticationFailed) {
            $0.password = nil
            $0.queryItems = [URLQueryItem(name: "password", value: secret)]
        },
        Case("no password", .authenticationFailed) {
            $0.password = nil
            $0.queryItems = [URLQueryItem(name: "passfile", value: "/\(secret)")]
        },
        Case("unknown user", .authenticationFailed) {
            $0.user = "nobody-of-that-name"
            $0.password = secret
        },
        Case("unknown database", .unknownDatabase) { $0.path = "/missing" },
        Case("unknown host", .connectionFailed) {
            $0.host = "no-such-host.invalid"
            $0.password = secret
        },
        Case("nobody listens", .connectionFailed) {
            $0.port = 1
            $0.password = secret
        },
        Case("no socket", .connectionFailed) {
            $0.host = ""
            $0.port = nil
            ($0.user, $0.password) = (nil, nil)
            $0.queryItems = [
                URLQueryItem(name: "host", value: "/missing"),
                URLQueryItem(name: "password", value: secret),
            ]
        },
        Case("TLS required", .tlsFailed) {
            $0.queryItems = [URLQueryItem(name: "sslmode", value: "require")]
            $0.password = secret
        },
        Case("unknown TLS mode", .invalidURL) {
            $0.queryItems = [URLQueryItem(name: "sslmode", value: "perhaps")]
            $0.password = secret
        },
        Case("unknown parameter", .invalidURL) {
            $0.queryItems = [URLQueryItem(name: secret, value: secret)]
        },
        Case("another scheme", .invalidURL) {
            $0.scheme = "mysql"
            $0.password = secret
        },
    ]

    @Test(arguments: cases)
    func `each has its kind, and none contains the password`(_ test: Case) throws {
        let url = try #require(TestServer.tcpURL)
        var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        test.change(&parts)
        let changed = try #require(parts.url)
        let error = try postgreSQLError {
            let settings = try LinkSettings(changed, timeout: .seconds(20))
            for text in ["\(settings)", String(reflecting: settings), dumped(settings)] {
                #expect(!text.contains(Self.secret))
            }
            _ = try Link(settings)
        }
        #expect(error.kind == test.kind, "\(error)")
        let passwords = [Self.secret, url.password(), changed.password()].compactMap { $0 }
        for text in [error.description, error.localizedDescription, dumped(error)] {
            for password in passwords { #expect(!text.contains(password)) }
            #expect(!text.contains(changed.absoluteString))
            #expect(!text.contains("LOCATION"))
        }
        #expect(error.description.contains("PostgreSQL error"))
    }

    @Test func `the password of the environment is not shown`() async throws {
        await #expect(processExitsWith: .success) {
            let url = ProcessInfo.processInfo.environment["STACKBENCH_POSTGRESQL_TCP"] ?? ""
            var parts = try #require(URLComponents(string: url))
            parts.password = nil
            setenv("PGPASSWORD", "Xq7Secret", 1)
            let error = try postgreSQLError {
                let settings = try LinkSettings(#require(parts.url))
                #expect(settings.redacting("a Xq7Secret b") == "a *** b")
                _ = try Link(settings)
            }
            #expect(error.kind == .authenticationFailed)
            #expect(!dumped(error).contains("Xq7Secret"))
        }
    }

    @Test func `the right password connects`() throws {
        let link = try Link(LinkSettings(#require(TestServer.tcpURL)))
        #expect(try link.integer("SELECT 1") == 1)
    }

    @Test(arguments: ["", "a\0b", String(repeating: "x", count: 64)])
    func `a schema needs a name that PostgreSQL does not cut off`(_ name: String) throws {
        let error = try postgreSQLError {
            _ = try LinkSettings(#require(TestServer.tcpURL), schema: name)
        }
        #expect(error.kind == .invalidURL)
    }
}

@Suite struct `PostgreSQL errors` {
    @Test(arguments: [
        ("23505", PostgreSQLError.Kind.uniqueViolation), ("23502", .constraintViolation),
        ("40001", .serializationFailure), ("40P01", .deadlock), ("22003", .valueOutOfRange),
        ("22012", .valueOutOfRange), ("22021", .invalidText), ("28P01", .authenticationFailed),
        ("53300", .tooManyConnections), ("53100", .diskFull), ("57014", .statementEnded),
        ("57P01", .connectionLost), ("08006", .connectionLost), ("42P01", .missingObject),
        ("25006", .readOnly), ("55P03", .lockTimeout), ("XX000", .other),
    ])
    func `a state has a kind`(_ state: String, _ kind: PostgreSQLError.Kind) {
        #expect(PostgreSQLError.Kind(sqlState: state) == kind)
    }

    @Test func `the description has state, message, SQL and advice`() {
        let error = PostgreSQLError(
            .deadlock, "deadlock detected", sqlState: "40P01", sql: "UPDATE t SET v = 1")
        #expect(
            error.description
                == """
                PostgreSQL error 40P01: deadlock detected, while running: UPDATE t SET v = 1. \
                Run the transaction again.
                """)
        #expect(error.localizedDescription == error.description)
    }

    @Test func `only failures that committed nothing can be retried`() {
        let retried = PostgreSQLError.Kind.allCases.filter {
            PostgreSQLError($0, "").canBeRetried
        }
        #expect(
            retried == [
                .connectionFailed, .connectionLost, .tooManyConnections, .poolTimeout,
                .serializationFailure, .deadlock, .lockTimeout,
            ])
    }
}

private func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
}
#endif
