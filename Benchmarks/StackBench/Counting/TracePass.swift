import Foundation
import RunRecords

/// Takes one sample with a tracer attached. It explains the others and is not one of them: events
/// cost time.
enum TracePass {
    /// - Parameter file: Where to write the events, in the trace-event format.
    /// - Throws: ``WorkerFailure`` if the worker fails, ``Interrupted``, and the errors of starting a
    ///   process or writing to the disk.
    static func run(
        _ arm: PairedArm, writing file: URL? = nil, preparation: Preparation
    ) throws -> WorkloadOutcome {
        try preparation.withJob(for: arm, seed: CountingPass.seed) { job in
            let file = file ?? job.folder.appendingPathComponent("trace.json")
            let launch = WorkerProcess.Launch(options: ["--trace", file.path])
            var outcome = try WorkerProcess.run(job, launch, timeout: preparation.timeout)
            let cells = arm.workload.cells.filter { $0.subject.name == arm.cell.subject.name }
            if cells.count > 1 {
                outcome.trace?.subject = arm.workload.identifier(of: arm.cell)
            }
            return outcome
        }
    }
}
