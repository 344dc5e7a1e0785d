import Foundation

/// One side of a paired comparison: which program does the work of which cell.
struct PairedArm: Sendable {
    /// The `bench` whose workers do the work.
    var executable: URL = Executable.url
    var workload: Workload
    var cell: Cell
    /// What is done beside the work, for the self test.
    var injections: [Injection] = []
}
