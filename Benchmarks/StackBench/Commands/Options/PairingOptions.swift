import ArgumentParser
import Foundation
import Measuring
import Reports
import RunRecords

/// The options of paired measurements.
struct PairingOptions: ParsableArguments {
    @Option(
        help: """
            The slowdown of times to detect, in percent, where a workload has no rule of its own; \
            changes from half of it on are reported.
            """)
    var detect = 5.0

    @Option(help: "Pairs for each cell, and as many again to confirm a finding.")
    var pairs = 20

    @Option(help: "The seed of all random choices (default: a random one, which is kept).")
    var seed: UInt64?

    @Option(help: "Seconds without a reply after which a worker is killed.")
    var timeout = 120

    @Flag(help: "Use a debug or testing build anyway; its times mean nothing.")
    var allowDebug = false

    /// Drawn once, because every use of the seed needs the same one.
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

    /// Compares this program with itself until the caller sets another base.
    func plan(_ workloads: [Workload]) -> Gate.Plan {
        Gate.Plan(
            workloads: workloads, rule: PairedRule(detect: detect / 100, pairCount: pairs),
            seed: chosenSeed)
    }
}

extension ComparisonReport.Arm {
    /// This program with the commit of its checkout.
    static func ofBench() -> Self {
        guard let checkout = Checkout.ofBench else { return Self(name: Executable.url.path) }
        return Self(name: "this build", commit: checkout.commit)
    }
}
