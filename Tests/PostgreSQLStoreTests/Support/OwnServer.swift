#if PostgreSQL
import Foundation
import TestSupport
import Testing

/// A server for one test, which may stop it. It is removed when the last reference is released.
final class OwnServer: Sendable {
    private let folder = TemporaryFolder()
    /// By a socket.
    let url: URL
    /// By TCP, with a password; the socket's for a standby.
    let tcpURL: URL

    /// - Parameter isDurable: Whether a crash keeps every commit.
    init(isDurable: Bool = false) throws {
        let options = isDurable ? ["--tcp", "--durable"] : ["--tcp"]
        let urls = try Self.run(folder, "start", options).split(separator: "\n").map(String.init)
        try #require(urls.count == 2)
        url = try #require(URL(string: urls[0]))
        tcpURL = try #require(URL(string: urls[1]))
    }

    private init(standbyOf server: OwnServer) throws {
        let output = try Self.run(folder, "standby", [server.folder.path("server")])
        url = try #require(URL(string: output.trimmingCharacters(in: .whitespacesAndNewlines)))
        tcpURL = url
    }

    /// A server that follows this one, an hour late.
    func standby() throws -> OwnServer { try OwnServer(standbyOf: self) }

    /// Makes a standby the primary.
    func promote() throws { _ = try Self.run(folder, "promote") }

    deinit { _ = try? Self.run(folder, "remove") }

    /// Starts the server again, on the same port.
    func start() throws { _ = try Self.run(folder, "start", ["--tcp"]) }

    /// Ends all sessions and stops.
    func stop() throws { _ = try Self.run(folder, "stop") }

    /// Stops as in a crash.
    func kill() throws { _ = try Self.run(folder, "stop", ["immediate"]) }

    private static func run(
        _ folder: TemporaryFolder, _ subcommand: String, _ options: [String] = []
    ) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appending(path: "scripts/postgresql")
        process.arguments = [subcommand, folder.path("server")] + options
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
