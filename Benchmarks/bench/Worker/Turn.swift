/// What a parent may say to a worker that takes turns: a word on a line of its own.
enum TurnOrder: Sendable {
    /// Do the work so many times and tell what it took.
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

/// What one turn took, of all its operations together.
struct Turn: Codable, Sendable {
    /// How often the work was done: as often as asked, or once where each time needs preparing.
    var operationCount: Int
    var seconds: Double
    var cpuSeconds: Double
    /// Whether the work cannot be done again in this process.
    var isLast: Bool
    /// By ``Benchmarking/Metric/name``; nil in a worker that is not to count.
    var counts: [String: Int64]?
}
