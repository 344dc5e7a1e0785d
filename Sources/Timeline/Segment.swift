import ObjectGraph

/// A time in which a lane did one thing.
public struct Segment: Sendable {
    public let lane: Lane
    public let activity: Activity
    public let nanoseconds: Range<UInt64>
}

extension Spans {
    /// What the lanes did, without gaps where events follow each other; in no order.
    public func segments() -> [Segment] {
        var segments: [Segment] = []
        /// Until when the own time of each event is known.
        var reached = all.map(\.event.startNanoseconds)
        func close(_ position: Int, until end: UInt64) {
            defer { reached[position] = max(reached[position], end) }
            guard end > reached[position] else { return }
            segments.append(
                Segment(
                    lane: all[position].lane, activity: all[position].activity,
                    nanoseconds: reached[position]..<end))
        }
        // An event is in the list before those inside it, and those are in the order of time.
        for span in all {
            guard let parent = span.parent else { continue }
            close(parent, until: span.event.startNanoseconds)
            reached[parent] = max(reached[parent], span.event.endNanoseconds)
        }
        for position in all.indices { close(position, until: all[position].event.endNanoseconds) }
        return segments
    }
}
