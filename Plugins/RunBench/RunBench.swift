import Foundation
import PackagePlugin

/// `swift package bench run …`: builds the program of the package that calls `Bench.main`, for release, and
/// runs it in the folder of the package.
///
/// A package with several such programs names one: `swift package bench --program ownbench run …`.
@main struct RunBench: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        // Only what stands before the command: the program has options of its own.
        var arguments = arguments
        var name: String?
        if arguments.first == "--program", arguments.count > 1 {
            name = arguments[1]
            arguments.removeFirst(2)
        }
        let process = Process()
        process.executableURL = try build(try program(of: context.package, named: name))
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        // It has a process group of its own, which an interruption of the terminal does not reach.
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { kill(process.processIdentifier, number) }
            source.resume()
            return source
        }
        process.waitUntilExit()
        withExtendedLifetime(signals) {}
        guard process.terminationStatus == 0 else {
            Diagnostics.error(
                "\(process.executableURL!.lastPathComponent) ended with exit code \(process.terminationStatus)."
            )
            return
        }
    }

    private func program(of package: Package, named name: String?) throws -> String {
        let programs = package.targets
            .filter { ($0 as? SwiftSourceModuleTarget)?.kind == .executable }
            .filter { $0.dependencies.contains(where: Self.isStackBench) }
            .map(\.name)
        let found = programs.filter { name == nil || $0 == name }
        guard found.count == 1 else {
            throw RunBenchError.noProgram(of: package.displayName, programs: programs)
        }
        return found[0]
    }

    private static func isStackBench(_ dependency: TargetDependency) -> Bool {
        switch dependency {
        case .product(let product): product.name == "StackBench"
        case .target(let target): target.name == "StackBench"
        @unknown default: false
        }
    }

    private func build(_ program: String) throws -> URL {
        print("Building \(program) for release; the first build takes minutes.")
        let result = try packageManager.build(
            .product(program), parameters: .init(configuration: .release, echoLogs: true))
        let executable = result.builtArtifacts.first {
            $0.kind == .executable && $0.url.lastPathComponent == program
        }
        guard result.succeeded, let executable else { throw RunBenchError.failedBuild(of: program) }
        return executable.url
    }
}

enum RunBenchError: Error, CustomStringConvertible {
    case noProgram(of: String, programs: [String])
    case failedBuild(of: String)

    var description: String {
        switch self {
        case .noProgram(let package, let programs) where programs.isEmpty:
            "\(package) has no executable target that depends on the product StackBench; "
                + "Documentation/OwnArrangement.md of StackBench shows one."
        case .noProgram(_, let programs):
            "Say which program: swift package bench --program NAME, where NAME is one of "
                + "\(programs.joined(separator: ", "))."
        case .failedBuild(let program):
            "\(program) could not be built; swift build -c release --product \(program) says why."
        }
    }
}
