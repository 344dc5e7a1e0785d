/// Something that a worker does in excess of its work, to see whether the instrument finds it.
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
