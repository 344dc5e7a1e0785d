import Foundation

/// A program and the cell whose work it does, such as one side of a paired comparison.
struct PairedArm: Sendable {
    /// The `bench` whose workers do the work.
    var executable: URL = Executable.url
    var workload: Workload
    var cell: Cell
    /// Extra work, for the self test.
    var injections: [Injection] = []
}
