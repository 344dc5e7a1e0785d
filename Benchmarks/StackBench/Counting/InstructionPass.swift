import Foundation
import Measuring

/// Counts the instructions of an operation with cachegrind. It needs no counters of the processor,
/// which virtual machines do not have. Tens of times slower than the work alone.
enum InstructionPass {
    /// Enough operations to make the difference between two process starts negligible.
    private static let extraOperations = 10

    /// - Throws: ``BenchFailure`` with `probeUnavailable` if instructions cannot be counted.
    static func requireAvailable() throws {
        guard Valgrind.isAvailable else {
            throw BenchFailure(
                exitCode: .probeUnavailable,
                message: "--instructions needs valgrind and strip: \(Valgrind.installation)")
        }
    }

    /// The instructions of one operation, from the difference between a process with few operations
    /// and one with more. Nil if the work cannot be repeated in one store or a worker failed.
    ///
    /// - Throws: ``Interrupted``, and the errors of starting a process or writing to the disk.
    static func run(
        _ arm: PairedArm, seed: UInt64, preparation: Preparation
    ) throws -> Double? {
        try difference(arm, seed: seed, preparation) { report in
            try Valgrind.total(in: report).map { ["": $0] }
        }?[""]
    }

    /// As `run`, of each function without those that it calls.
    ///
    /// - Throws: as `run`.
    static func functions(
        _ arm: PairedArm, seed: UInt64, preparation: Preparation
    ) throws -> [String: Double]? {
        try difference(arm, seed: seed, preparation, Valgrind.functions)
    }

    private static func difference(
        _ arm: PairedArm, seed: UInt64, _ preparation: Preparation,
        _ read: (URL) throws -> [String: Int64]?
    ) throws -> [String: Double]? {
        do {
            guard
                let few = try counts(arm, 1, seed: seed, preparation, read),
                let many = try counts(arm, 1 + extraOperations, seed: seed, preparation, read)
            else { return nil }
            return many.merging(few.mapValues { -$0 }, uniquingKeysWith: +).mapValues {
                Double($0) / Double(extraOperations)
            }
        } catch is WorkerFailure {
            return nil
        }
    }

    private static func counts(
        _ arm: PairedArm, _ operationCount: Int, seed: UInt64, _ preparation: Preparation,
        _ read: (URL) throws -> [String: Int64]?
    ) throws -> [String: Int64]? {
        try preparation.withJob(for: arm, seed: seed) { job in
            job.takesTurns = true
            let report = job.folder.appendingPathComponent("cachegrind.out")
            let launch = Valgrind.launch(
                try Valgrind.strippedCopy(of: arm.executable, in: job.folder),
                ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=\(report.path)"])
            let worker = try WorkerProcess(job, launch, timeout: preparation.timeout)
            let (turns, _) = try worker.takeTurns(operationCount, warmingUp: true)
            guard turns.count == operationCount else { return nil }
            return try read(report)
        }
    }
}
