/// Where the time of a timeline went, for a person: what the main queue and the others did, and the
/// longest stalls of the main queue with what caused them.
public struct TimelineSummary: CustomStringConvertible, Sendable {
    public let spans: Spans
    /// Of the main queue, the most first; the sum is the time in which it was busy.
    public let mainQueue: [TimeShare]
    /// Of the queues of private contexts, and of threads outside of any context's queue.
    public let others: [TimeShare]
    /// The longest first.
    public let stalls: [Stall]
    /// Events that were lost. If there are any, all times are too low.
    public let droppedCount: Int

    public init(_ timeline: Timeline) {
        spans = Spans(timeline)
        mainQueue = spans.shares { $0.lane == .mainQueue }
        others = spans.shares { $0.lane != .mainQueue }
        stalls = spans.stalls()
        droppedCount = timeline.droppedCount
    }

    private static let shownCount = 8

    public var description: String {
        let lost =
            droppedCount > 0 ? ["\(droppedCount) events were lost: all times are too low."] : []
        return
            (lost + Self.lines("The main queue", mainQueue)
            + Self.lines("The other queues and threads", others)
            + (stalls.isEmpty ? [] : ["The longest stalls of the main queue:"])
            + stalls.prefix(Self.shownCount).map { "  \($0)" }).joined(separator: "\n")
    }

    private static func lines(_ subject: String, _ shares: [TimeShare]) -> [String] {
        let whole = shares.reduce(0) { $0 + $1.nanoseconds }
        guard whole > 0 else { return ["\(subject) did nothing."] }
        return ["\(subject) worked or waited for \(Self.milliseconds(whole)):"]
            + shares.prefix(shownCount).map { share in
                let percent = Int((Double(share.nanoseconds) / Double(whole) * 100).rounded())
                return "  \(percent) % \(share.activity.text) (\(share.count) times)"
            }
    }

    fileprivate static func milliseconds(_ nanoseconds: UInt64) -> String {
        // Two decimals, without the help of a locale.
        let hundredths = (nanoseconds + 5_000) / 10_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}

extension Stall: CustomStringConvertible {
    /// As "10.62 ms: waited for the queue of root, fetched Flight; handed over by a save of worker".
    public var description: String {
        let most = shares.prefix(3).map(\.activity.text).joined(separator: ", ")
        let origin = origin.map { "; handed over by a \($0.event.kind) of \($0.event.track.text)" }
        return TimelineSummary.milliseconds(span.event.durationNanoseconds) + ": \(most)"
            + (origin ?? "")
    }
}
