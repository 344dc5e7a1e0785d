/// Extra work of a worker, to test whether the instrument detects it.
enum Injection: Codable, Hashable, Sendable {
    /// Makes each turn longer by this share of its time: 0.05 is 5 %.
    case slowdown(share: Double)
    /// Sleeps now and then, in the middle of an operation.
    case stall(everySeconds: Double, seconds: Double)
    /// Does one more of these in each operation.
    case extra(Extra)

    enum Extra: String, Codable, Sendable, CaseIterable {
        case statement, page, sync, allocation
    }
}
