#if PostgreSQL
import Foundation
import Testing

@testable import PostgreSQLStore

/// The server that `scripts/postgresql` runs the tests beside.
enum TestServer {
    static let url = variable("STACKBENCH_POSTGRESQL")
    /// The same server by TCP, with a password.
    static let tcpURL = variable("STACKBENCH_POSTGRESQL_TCP")

    /// A pooler before the same server that shares sessions between transactions.
    static let poolerURL = variable("STACKBENCH_PGBOUNCER")

    /// The address of stores: the pooler's if all tests are to run through it.
    static var storeURL: URL? {
        ProcessInfo.processInfo.environment["TEST_POOLED"].map(pooledURL) ?? url
    }

    static var isPooled: Bool { storeURL != url }

    /// The pooler's address as a store needs it.
    ///
    /// - Parameter pool: `transaction` or `session`.
    static func pooledURL(_ pool: String) -> URL? {
        guard let poolerURL, let url, var parts = URLComponents(string: poolerURL.absoluteString)
        else { return nil }
        parts.path = "/" + pool
        parts.queryItems =
            (parts.queryItems ?? []) + [
                URLQueryItem(name: "pooling", value: "transaction"),
                URLQueryItem(name: "direct", value: url.absoluteString),
            ]
        return parts.url
    }

    private static func variable(_ name: String) -> URL? {
        ProcessInfo.processInfo.environment[name].flatMap { URL(string: $0) }
    }

    static func settings(
        schema: String? = nil, timeout: Duration = .seconds(60)
    ) throws -> LinkSettings {
        try LinkSettings(#require(url), schema: schema, timeout: timeout)
    }

    static func link() throws -> Link { try Link(settings()) }
}

extension Trait where Self == ConditionTrait {
    /// Skips the tests without a server.
    static var onServer: Self {
        .enabled(
            if: TestServer.url != nil,
            "These tests need a server: scripts/postgresql --tcp swift test …")
    }

    /// Skips the tests without a server, and if stores are behind a pooler: there are no generations,
    /// and a transaction has more statements.
    static var onDirectServer: Self {
        .enabled(
            if: TestServer.url != nil && !TestServer.isPooled,
            "These tests need a server without a pooler.")
    }

    /// Skips the tests without a pooler.
    static var onPooler: Self {
        .enabled(
            if: TestServer.poolerURL != nil,
            "These tests need a pooler: scripts/postgresql --pooler swift test …")
    }

    /// Skips the tests without a server on TCP.
    static var onTCPServer: Self {
        .enabled(
            if: TestServer.tcpURL != nil,
            "These tests need a server on TCP: scripts/postgresql --tcp swift test …")
    }
}

extension Link {
    /// The integer in the first row and column.
    func integer(_ sql: String, _ parameters: [Parameter] = []) throws -> Int64 {
        try run(Command(sql, parameters)).integer(0, 0)
    }

    /// Ends another session of the server.
    func terminate(_ other: Link) throws {
        _ = try run(
            Command(
                "SELECT pg_terminate_backend($1::bigint::int, 10000)",
                [.integer(Int64(other.processID))]))
    }
}

/// The error that the body throws.
func postgreSQLError(_ body: () throws -> Void) throws -> PostgreSQLError {
    try #require(throws: PostgreSQLError.self) { try body() }
}
#endif
