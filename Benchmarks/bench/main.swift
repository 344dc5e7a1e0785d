import ArgumentParser
import Foundation

// Not `@main` with an async command: in a worker the main thread has to serve the main queue.
do {
    var command = try BenchCommand.parseAsRoot(DebugArguments.ofProcess.others)
    try command.run()
} catch  where BenchCommand.exitCode(for: error) == .failure {
    // An error of bench. The parser's own, such as a request for help, have other codes.
    let failure = BenchFailure(error)
    StandardError.print("bench: \(failure.message)")
    exit(failure.exitCode.rawValue)
} catch {
    BenchCommand.exit(withError: error)
}
