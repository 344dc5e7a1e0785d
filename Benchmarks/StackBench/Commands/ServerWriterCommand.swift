#if PostgreSQL
import ArgumentParser
import Foundation

/// Updates items as another process than a worker does; see ``ServerWriter``.
struct ServerWriterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-writer", shouldDisplay: false)

    func run() throws {
        guard let line = readLine() else {
            throw BenchFailure(
                exitCode: .usage,
                message: """
                    workers start this command themselves; use bench run with the kind \
                    server-writers
                    """)
        }
        try ServerWriter.serve(JSONDecoder().decode(ServerWriter.Order.self, from: Data(line.utf8)))
    }
}
#endif
