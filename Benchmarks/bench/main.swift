import ArgumentParser
import Foundation

// Not `@main` with an async command: in a worker the main thread has to serve the main queue.
do {
    var command = try BenchCommand.parseAsRoot()
    do {
        try command.run()
    } catch let error where !(error is CleanExit || error is ExitCode || error is ValidationError) {
        let failure = CommandFailure(error)
        FileHandle.standardError.write(Data("bench: \(failure.message)\n".utf8))
        exit(failure.exitCode.rawValue)
    }
} catch {
    BenchCommand.exit(withError: error)
}
