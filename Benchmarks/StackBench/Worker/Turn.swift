/// An order from the parent to a worker that takes turns: one line.
enum TurnOrder: Sendable {
    /// Do the work this often and report the turn.
    case work(operationCount: Int)
    /// No more turns: verify and reply.
    case finish

    init?(line: String) {
        if line == "finish" {
            self = .finish
        } else if let count = Int(line) {
            self = .work(operationCount: count)
        } else {
            return nil
        }
    }

    var line: String {
        switch self {
        case .work(let operationCount): String(operationCount)
        case .finish: "finish"
        }
    }
}

/// The time and counts of all operations of one turn.
struct Turn: Codable, Sendable {
    /// How often the work was done: as often as ordered, or once if it needs preparation each time.
    var operationCount: Int
    var seconds: Double
    var cpuSeconds: Double
    /// Whether the work cannot be repeated in this process.
    var isLast: Bool
    /// By ``Measuring/Metric/name``; nil if the worker does not count.
    var counts: [String: Int64]?
}
