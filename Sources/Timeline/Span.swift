import ObjectGraph

/// An event with its place in the timeline: what it is in, and how long it did what no event inside
/// it did.
public struct Span: Sendable {
    public let event: TraceEvent
    /// The thread's number.
    public let thread: Int
    /// The position of the event around this one in ``Spans/all``; nil if there is none.
    public let parent: Int?
    public let lane: Lane
    public let activity: Activity
    /// The duration without that of the events directly inside.
    public fileprivate(set) var ownNanoseconds: UInt64
}

/// Where work is drawn: a queue does one thing at a time, whichever thread it uses.
public enum Lane: Sendable, Hashable {
    case mainQueue
    case context(TraceName)
    /// Outside of any context's queue.
    case thread(Int)

    public var name: String {
        switch self {
        case .mainQueue: "main queue"
        case .context(let name): name.text
        case .thread(let number): "thread \(number)"
        }
    }
}

/// All events of a timeline, nested.
public struct Spans: Sendable {
    public private(set) var all: [Span] = []
    private var positions: [UInt64: Int] = [:]

    public init(_ timeline: Timeline) {
        for thread in timeline.threads { add(thread) }
        for (position, span) in all.enumerated() where span.event.identifier != 0 {
            positions[span.event.identifier] = position
        }
    }

    private mutating func add(_ thread: Timeline.Thread) {
        var open: [Int] = []
        for event in thread.events {
            while let last = open.last,
                all[last].event.endNanoseconds < event.endNanoseconds
                    || all[last].event.endNanoseconds <= event.startNanoseconds
            {
                open.removeLast()
            }
            let parent = open.last
            if let parent {
                all[parent].ownNanoseconds -= min(
                    all[parent].ownNanoseconds, event.durationNanoseconds)
            }
            open.append(all.count)
            all.append(
                Span(
                    event: event, thread: thread.number, parent: parent,
                    lane: lane(of: event, in: parent, thread),
                    activity: Activity(event),
                    ownNanoseconds: event.durationNanoseconds))
        }
    }

    private func lane(of event: TraceEvent, in parent: Int?, _ thread: Timeline.Thread) -> Lane {
        // A block that the main queue's thread runs for a private queue keeps the main queue busy.
        if let parent, all[parent].lane == .mainQueue { return .mainQueue }
        if thread.isMain { return .mainQueue }
        if event.kind == .block {
            return event.name == .mainQueue ? .mainQueue : .context(event.track)
        }
        return parent.map { all[$0].lane } ?? .thread(thread.number)
    }

    /// The event that another one names as its cause; nil if it was not recorded.
    public func span(of identifier: UInt64) -> Span? {
        positions[identifier].map { all[$0] }
    }

    /// The events around one, from the inside.
    public func around(_ span: Span) -> some Sequence<Span> {
        sequence(state: span.parent) { parent in
            guard let position = parent else { return nil }
            parent = all[position].parent
            return all[position]
        }
    }
}
