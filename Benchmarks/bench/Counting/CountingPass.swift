import Benchmarking
import Foundation

/// A process of its own that counts what the work of a cell does, with every probe on and no
/// stopwatch: statements, pages, syncs, allocations and the like, of one operation.
enum CountingPass {
    /// Counts for one arm. The counts lie in the sample's metrics by ``Metric/name``; which of
    /// them repeat from run to run, ``Metric/repeatability`` tells.
    ///
    /// - Throws: when no process can be started or the disk cannot be written.
    static func run(
        _ arm: PairedArm, seed: UInt64, preparation: Preparation
    ) throws -> WorkerProcess.Ending {
        .interrupted
    }
}
