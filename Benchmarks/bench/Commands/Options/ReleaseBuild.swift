import Benchmarking
import Foundation

/// Replaces a build of bench whose times mean nothing with a release build.
enum ReleaseBuild {
    /// Makes sure that a build with meaningful times runs.
    ///
    /// - A release build: does nothing.
    /// - A debug build: builds for release and replaces this process with that program, with the
    ///   same arguments.
    /// - A testing build: throws if `forTimes`, since it may have replaced the release build.
    ///
    /// - Parameter forTimes: whether times will be compared. Counts of a testing build are as good
    ///   as others.
    /// - Throws: ``CommandFailure`` with the command to type instead.
    static func require(forTimes: Bool) throws {
        switch BuildConfiguration.ofBench {
        case .release: break
        case .testing where forTimes: throw failure("it was compiled with -enable-testing")
        case .testing: break
        case .debug: throw handOver()
        }
    }

    private static func handOver() -> CommandFailure {
        // <scratch>/<triple>/debug/bench
        let folder = Executable.url.deletingLastPathComponent()
        guard let root = Executable.packageRoot, folder.lastPathComponent == "debug" else {
            return failure("its package is not to be found")
        }
        let scratch = folder.deletingLastPathComponent().deletingLastPathComponent()
        StandardError.print(
            "bench: built for debugging; building for release, which takes minutes the first time")
        let build = Process()
        build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        build.arguments = [
            "swift", "build", "-c", "release", "--product", "bench", "--package-path", root.path,
            "--scratch-path", scratch.path,
        ]
        // Standard output has results only.
        build.standardOutput = FileHandle.standardError
        do {
            try build.run()
        } catch {
            return failure("\(error)")
        }
        build.waitUntilExit()
        guard build.terminationReason == .exit, build.terminationStatus == 0 else {
            return failure("swift build ended with \(build.terminationStatus)")
        }
        let release = folder.deletingLastPathComponent().appendingPathComponent("release/bench")
        let arguments = [release.path] + CommandLine.arguments.dropFirst()
        // Returns only when it fails.
        _ = withCStrings(arguments) { execv(release.path, $0) }
        return failure("\(release.path) cannot be started")
    }

    private static func failure(_ reason: String) -> CommandFailure {
        let arguments = CommandLine.arguments.dropFirst().joined(separator: " ")
        return CommandFailure(
            exitCode: .probeUnavailable,
            message: """
                this is a \(BuildConfiguration.ofBench) build, whose times mean nothing, and it could not hand over to a \
                release build: \(reason). Type: swift run -c release bench \(arguments)
                """)
    }
}
