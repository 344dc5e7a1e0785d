import Benchmarking
import Foundation

/// Counts the instructions of an operation with cachegrind, which needs no counters of the
/// processor: virtual machines have none. Tens of times slower than the work alone.
enum InstructionPass {
    /// So many that what two starts of a process differ by does not count.
    private static let extraOperations = 10

    /// Whether valgrind is installed, and `strip`, without which it cannot read our executable.
    static let isAvailable: Bool = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return ["valgrind", "strip"].allSatisfy { tool in
            path.split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
            }
        }
    }()

    /// - Throws: ``CommandFailure`` with `probeUnavailable` where they cannot be counted.
    static func requireAvailable() throws {
        guard isAvailable else {
            throw CommandFailure(
                exitCode: .probeUnavailable,
                message: "--instructions needs valgrind and strip: "
                    + "apt-get install valgrind binutils")
        }
    }

    /// The instructions of one operation: the difference between two processes of which one does
    /// more. Nil for work that cannot be repeated in one store, and where a worker failed.
    ///
    /// - Throws: when no process can be started or the disk cannot be written.
    static func run(
        _ arm: PairedArm, seed: UInt64, preparation: Preparation
    ) throws -> Double? {
        guard
            let few = try instructions(arm, 1, seed: seed, preparation),
            let many = try instructions(arm, 1 + extraOperations, seed: seed, preparation)
        else { return nil }
        return Double(many - few) / Double(extraOperations)
    }

    private static func instructions(
        _ arm: PairedArm, _ operationCount: Int, seed: UInt64, _ preparation: Preparation
    ) throws -> Int64? {
        try preparation.withJob(
            for: arm.cell, of: arm.workload, seed: seed, executable: arm.executable
        ) { result in
            guard case .job(var job) = result else { return nil }
            job.takesTurns = true
            job.injections = arm.injections
            // valgrind 3.19 gives up on the debugging information of Swift 6.
            let stripped = job.folder.appendingPathComponent("bench")
            let strip = try Process.run(
                URL(fileURLWithPath: "/usr/bin/env"),
                arguments: [
                    "strip", "--strip-debug", "-o", stripped.path, arm.executable.path,
                ])
            strip.waitUntilExit()
            let report = job.folder.appendingPathComponent("cachegrind.out")
            let launch = WorkerProcess.Launch(
                executable: stripped,
                launcher: [
                    "valgrind", "--tool=cachegrind", "--cache-sim=no", "--quiet",
                    "--cachegrind-out-file=\(report.path)",
                ],
                environment: [
                    "SWIFT_DETERMINISTIC_HASHING": "1",
                    // Or jemalloc gives memory back when some time has passed.
                    "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
                ])
            let worker = try WorkerProcess(job, launch, timeout: preparation.timeout)
            let (turns, ending) = worker.takeTurns(operationCount, warmingUp: true)
            guard case .outcome = ending, turns.count == operationCount else { return nil }
            return try total(in: report)
        }
    }

    /// The last line is "summary: " and the count.
    private static func total(in report: URL) throws -> Int64? {
        let text = try String(contentsOf: report, encoding: .utf8)
        let line = text.split(separator: "\n").last { $0.hasPrefix("summary:") }
        return line?.split(separator: " ").last.flatMap { Int64($0) }
    }
}
