#if PostgreSQL
import Foundation
import Measuring
import PostgreSQLStore
import Stacks

/// Where a PostgreSQL server is: a URL of libpq.
struct ServerAddress: Sendable, Hashable, Codable {
    var url: URL

    /// The variable that names the server for bench and the tests; `scripts/postgresql` sets it.
    static let variable = "STACKBENCH_POSTGRESQL"

    /// The server of this run.
    ///
    /// - Throws: ``WorkerFailure`` if the environment names none.
    static func ofRun() throws -> ServerAddress {
        guard let text = ProcessInfo.processInfo.environment[variable], let url = URL(string: text)
        else {
            throw WorkerFailure(
                reason: """
                    this workload needs a PostgreSQL server. Start bench under \
                    scripts/postgresql --durable, or set \(variable) to a URL of libpq
                    """)
        }
        return ServerAddress(url: url)
    }

    var connectionText: String { url.absoluteString }

    /// A stack's store in a schema of the server.
    func location(_ schema: String) -> StackConfiguration.Location {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.fragment = schema
        return .server(.postgreSQL, parts?.url ?? url)
    }

    private var queryItems: [URLQueryItem] {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    }

    private func value(_ name: String) -> String? {
        queryItems.last { $0.name == name }?.value
    }

    /// The socket that a proxy forwards to.
    var socket: SocketAddress {
        let host = value("host") ?? url.host(percentEncoded: false) ?? "127.0.0.1"
        let port = value("port").flatMap { UInt16($0) } ?? url.port.flatMap { UInt16($0) } ?? 5432
        return host.hasPrefix("/")
            ? .unix(path: "\(host)/.s.PGSQL.\(port)") : .tcp(host: host, port: port)
    }

    /// The same database through a proxy on this machine.
    func through(_ proxy: DelayProxy) -> ServerAddress {
        guard case .tcp(let host, let port) = proxy.address,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return self }
        parts.host = host
        parts.port = Int(port)
        let others = queryItems.filter { !["host", "port"].contains($0.name) }
        parts.queryItems = others.isEmpty ? nil : others
        return ServerAddress(url: parts.url ?? url)
    }
}
#endif
