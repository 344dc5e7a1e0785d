import ArgumentParser
import Benchmarking
import Foundation

/// The part of a command line that says how pairs are taken and judged.
struct PairingOptions: ParsableArguments {
    @Option(
        help:
            "The slowdown in percent that a time is to show, where its workload does not say; half of it is told."
    )
    var detect = 5.0

    @Option(help: "Pairs of each cell, and as many to confirm what they show.")
    var pairs = 20

    @Option(help: "The seed of all random choices (default: a random one, which is kept).")
    var seed: UInt64?

    @Option(help: "Seconds after which a worker is taken for hung and killed.")
    var timeout = 120

    @Flag(help: "Use a debug or testing build all the same; its times mean nothing.")
    var allowDebug = false

    /// Drawn once, for a seed that is asked for twice has to be the same.
    private static let randomSeed = UInt64.random(in: 0...UInt64(UInt32.max))

    func validate() throws {
        guard (0.1...900).contains(detect) else {
            throw ValidationError("--detect must be from 0.1 to 900 percent")
        }
        guard (2...200).contains(pairs) else {
            throw ValidationError("--pairs must be from 2 to 200")
        }
        guard timeout > 0 else { throw ValidationError("--timeout must be 1 or more") }
    }

    var chosenSeed: UInt64 { seed ?? Self.randomSeed }

    /// See ``ReleaseBuild/require(forTimes:)``.
    func requireRelease(forTimes: Bool) throws {
        if !allowDebug { try ReleaseBuild.require(forTimes: forTimes) }
    }

    func preparation(in directory: RunDirectory) throws -> Preparation {
        try Preparation(
            folder: directory.url.appendingPathComponent("work"), timeout: .seconds(timeout))
    }

    /// This program against itself, until another base is set.
    func plan(_ workloads: [Workload]) -> Gate.Plan {
        Gate.Plan(
            workloads: workloads, rule: PairedRule(detect: detect / 100, pairCount: pairs),
            seed: chosenSeed)
    }

    /// Tells of progress on the standard error output; results alone go to the other one.
    static func note(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}

extension RunDirectory {
    /// A new folder for a comparison: the one that is named, or one in `results` with a name that
    /// sorts by time.
    static func createForComparison(_ path: String?) throws -> RunDirectory {
        let time = Date().ISO8601Format().replacingOccurrences(of: ":", with: "-")
        let folder = URL(fileURLWithPath: path ?? "results/\(time)-gate")
        return try create(folder.lastPathComponent, in: folder.deletingLastPathComponent())
    }
}

extension ComparisonReport.Arm {
    /// This program, with the commit that lies in the package's folder: a `+` says that files were
    /// changed since.
    static func ofBench() -> Self {
        guard let package = Executable.packageRoot,
            let commit = try? BaseBuild.commit(of: "HEAD", in: package)
        else { return Self(name: Executable.url.path) }
        let isChanged = (try? BaseBuild.hasChanges(package)) ?? false
        return Self(name: "this build", commit: commit + (isChanged ? "+" : ""))
    }
}
