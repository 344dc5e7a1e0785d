#if PostgreSQL
import Foundation
import TestSupport
import Testing

/// A server for one test, which may stop it. It is removed when the last reference is released.
final class OwnServer {
    private let folder = TemporaryFolder()
    /// By a socket.
    private(set) var url: URL! = nil
    /// By TCP, with a password.
    private(set) var tcpURL: URL! = nil

    init() throws {
        let urls = try run("start", "--tcp").split(separator: "\n").map(String.init)
        try #require(urls.count == 2)
        url = try #require(URL(string: urls[0]))
        tcpURL = try #require(URL(string: urls[1]))
    }

    deinit { _ = try? run("remove") }

    /// Starts the server again, on the same port.
    func start() throws { _ = try run("start", "--tcp") }

    /// Ends all sessions and stops.
    func stop() throws { _ = try run("stop") }

    /// Stops as in a crash.
    func kill() throws { _ = try run("stop", "immediate") }

    private func run(_ subcommand: String, _ options: String...) throws -> String {
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
