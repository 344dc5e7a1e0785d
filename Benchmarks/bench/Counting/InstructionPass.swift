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
        do {
            guard
                let few = try instructions(arm, 1, seed: seed, preparation),
                let many = try instructions(arm, 1 + extraOperations, seed: seed, preparation)
            else { return nil }
            return Double(many - few) / Double(extraOperations)
        } catch is WorkerFailure {
            return nil
        }
    }

    private static func instructions(
        _ arm: PairedArm, _ operationCount: Int, seed: UInt64, _ preparation: Preparation
    ) throws -> Int64? {
        try preparation.withJob(for: arm, seed: seed) { job in
            job.takesTurns = true
            let report = job.folder.appendingPathComponent("cachegrind.out")
            let launch = Valgrind.launch(
                try Valgrind.strippedCopy(of: arm.executable, in: job.folder),
                ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=\(report.path)"])
            let worker = try WorkerProcess(job, launch, timeout: preparation.timeout)
            let (turns, _) = try worker.takeTurns(operationCount, warmingUp: true)
            guard turns.count == operationCount else { return nil }
            return try Valgrind.total(in: report)
        }
    }
}
