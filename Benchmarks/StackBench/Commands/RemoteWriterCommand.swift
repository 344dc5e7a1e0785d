import ArgumentParser
import Foundation

/// Changes flights as another process than a worker does; see ``RemoteWriter``.
struct RemoteWriterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote-writer", shouldDisplay: false)

    func run() throws {
        guard let line = readLine() else {
            throw BenchFailure(
                exitCode: .usage,
                message: "workers start this command themselves; use bench run with the kind remote"
            )
        }
        try RemoteWriter.serve(
            JSONDecoder().decode(SubjectConfiguration.self, from: Data(line.utf8)))
    }
}
