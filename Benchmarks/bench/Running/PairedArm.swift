import Benchmarking
import Foundation

/// One side of a paired comparison: which program does the work of which cell.
struct PairedArm: Sendable {
    /// The `bench` whose workers do the work.
    var executable: URL = Executable.url
    var workload: Workload
    var cell: Cell
    /// What is done beside the work, to see whether the instrument finds it.
    var injections: [Injection] = []
}

/// Something that a worker does in excess of its work, for the self test.
enum Injection: Codable, Hashable, Sendable {
    /// Works longer by this share of the time of each turn: 0.05 is 5 %.
    case slowdown(share: Double)
    /// Sleeps for so long once in a while, in the middle of an operation.
    case stall(everySeconds: Double, seconds: Double)
    /// Does one more of these in every operation.
    case extra(Extra)

    enum Extra: String, Codable, Sendable, CaseIterable {
        case statement, page, sync, allocation
    }
}
