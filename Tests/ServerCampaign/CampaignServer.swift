#if PostgreSQL
import CPostgreSQL
import Foundation
import TestSupport

/// A server that the campaign starts, kills and starts again.
struct CampaignServer {
    private let folder = TemporaryFolder()
    private let script: URL
    private(set) var url: URL

    init(script: URL) throws {
        self.script = script
        url = script
        let text = try run("start", "--durable")
        guard let url = URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CampaignFailure("the server has no URL")
        }
        self.url = url
    }

    /// Kills the server as in a crash, and starts it again. It forgets its statistics then.
    func crash() throws {
        _ = try run("stop", "immediate")
        _ = try run("start", "--durable")
    }

    /// The transactions of others that are neither committed nor rolled back.
    func openTransactionCount() throws -> Int { try sessionCount("xact_start IS NOT NULL") }

    /// Waits until the server has ended the sessions of a killed process, at most 30 seconds.
    ///
    /// It still finishes what it has received, so a save may be committed after the kill.
    func waitForEnd(ofSessionsNamed name: String) throws {
        let end = ContinuousClock.now + .seconds(30)
        while try sessionCount("application_name = '\(name)'") > 0 {
            guard ContinuousClock.now < end else {
                throw CampaignFailure("\(name) was killed, but the server keeps its session")
            }
            usleep(2_000)
        }
    }

    /// The deadlocks that the server has ended since its last crash.
    func deadlockCount() throws -> Int {
        try integer("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    }

    private func sessionCount(_ condition: String) throws -> Int {
        try integer(
            """
            SELECT count(*) FROM pg_stat_activity \
            WHERE \(condition) AND backend_type = 'client backend' AND pid <> pg_backend_pid()
            """)
    }

    private func integer(_ sql: String) throws -> Int {
        let connection = PQconnectdb(url.absoluteString)
        defer { PQfinish(connection) }
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK,
            let count = Int(String(cString: PQgetvalue(result, 0, 0)))
        else { throw CampaignFailure(String(cString: PQerrorMessage(connection))) }
        return count
    }

    func remove() { _ = try? run("remove") }

    private func run(_ subcommand: String, _ options: String...) throws -> String {
        let process = Process()
        process.executableURL = script
        process.arguments = [subcommand, folder.path("server")] + options
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CampaignFailure("scripts/postgresql \(subcommand) failed")
        }
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
