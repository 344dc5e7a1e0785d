import ArgumentParser
import Foundation
import Measuring
import RunRecords
import Stacks

/// The command line of `bench`, with the stacks and kinds of work that a program adds.
///
/// The program's `main.swift` is one call:
///
/// ```swift
/// import StackBench
///
/// Bench.main(stacks: [.ownWriter], kinds: [.deleteHalf])
/// ```
public enum Bench {
    /// The version of this package, without a prefix. A release has the tag of this name.
    public static var version: String { BenchCommand.version }

    /// Runs the command of the process's arguments, and ends the process.
    ///
    /// Every command of `bench` knows the added stacks and kinds. Call it on the main thread before
    /// anything else: `bench` starts this program again for each sample, and a worker serves the main
    /// queue. A name that is already taken ends the process with the exit code 64.
    ///
    /// - Parameters:
    ///   - stacks: Stacks beside those of `StackKind.all`. Names are unique.
    ///   - kinds: Kinds of work beside those of `bench`. Names are unique.
    public static func main(stacks: [StackKind] = [], kinds: [WorkloadKind] = []) -> Never {
        // Not an async command: in a worker the main thread has to serve the main queue.
        do {
            Subject.add(stacks)
            WorkloadKind.add(kinds)
            try requireUnique((Subject.all + Subject.selfTests).map(\.name), "stacks")
            try requireUnique((WorkloadKind.all + WorkloadKind.ofOwnStores).map(\.name), "kinds")
            var command = try BenchCommand.parseAsRoot(DebugArguments.ofProcess.others)
            do {
                try command.run()
            } catch let code as ArgumentParser.ExitCode where code.isSuccess {
                // A command says so if another ending of it has a code of its own.
            }
            try flush()
            exit(RunRecords.ExitCode.success.rawValue)
        } catch  where BenchCommand.exitCode(for: error) == .failure {
            // An error of bench. The parser's own, such as a request for help, have other codes.
            let failure = BenchFailure(error)
            StandardError.print("\(Executable.name): \(failure.message)")
            exit(failure.exitCode.rawValue)
        } catch {
            BenchCommand.exit(withError: error)
        }
    }

    /// Results that could not be written are no success.
    private static func flush() throws {
        guard fflush(nil) != 0 else { return }
        throw BenchFailure(
            exitCode: .usage,
            message: "standard output cannot be written: \(String(cString: strerror(errno)))")
    }

    private static func requireUnique(_ names: [String], _ what: String) throws {
        var known: Set<String> = []
        guard let name = names.first(where: { !known.insert($0).inserted }) else { return }
        throw BenchFailure(
            exitCode: .usage, message: "two \(what) are called \(name); give yours another name")
    }
}

/// What a sample measures: its name, unit and direction.
public typealias Metric = Measuring.Metric
