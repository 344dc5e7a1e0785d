import Foundation
import RunRecords

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
    /// - Throws: ``BenchFailure`` with the command to type instead.
    static func require(forTimes: Bool) throws {
        switch BuildConfiguration.ofBench {
        case .release: break
        case .testing where forTimes:
            throw failure("this build, compiled with -enable-testing, may have replaced it")
        case .testing: break
        case .debug: throw handOver()
        }
    }

    private static func handOver() -> BenchFailure {
        // <scratch>/<triple>/debug/<name>
        let folder = Executable.url.deletingLastPathComponent()
        guard let root = Executable.builtPackage, folder.lastPathComponent == "debug" else {
            return failure("the package of this build was not found")
        }
        let scratch = folder.deletingLastPathComponent().deletingLastPathComponent()
        StandardError.print(
            "\(Executable.name): this is a debug build; making a release build, which takes minutes the first time"
        )
        let build = Process()
        build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        build.arguments = [
            "swift", "build", "-c", "release", "--product", Executable.name, "--package-path",
            root.path,
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
        let release = folder.deletingLastPathComponent().appendingPathComponent(
            "release/\(Executable.name)")
        let arguments = [release.path] + CommandLine.arguments.dropFirst()
        // Returns only when it fails.
        _ = withCStrings(arguments) { execv(release.path, $0) }
        return failure("\(release.path) cannot be started")
    }

    private static func failure(_ reason: String) -> BenchFailure {
        let arguments = CommandLine.arguments.dropFirst().joined(separator: " ")
        return BenchFailure(
            exitCode: .probeUnavailable,
            message: """
                times of a \(BuildConfiguration.ofBench) build mean nothing, and bench cannot start a release build \
                instead: \(reason). Run: swift run -c release \(Executable.name) \(arguments)
                """)
    }
}
