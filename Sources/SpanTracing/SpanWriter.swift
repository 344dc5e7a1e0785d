import ObjectGraph
import Timeline
import Tracing

/// Makes the spans of events that have ended.
struct SpanWriter {
    /// From the clock of events to the time since 1970, which may be set again at any time.
    private let offsetNanoseconds = DefaultTracerClock.now.nanosecondsSinceEpoch &- TraceEvent.now

    /// - Parameter pending: What the event has around itself; older events are left out.
    func write(
        _ event: TraceEvent, around pending: PendingEvents, in context: ServiceContext,
        to tracer: some Tracer
    ) {
        let inner = pending.events.filter { $0.startNanoseconds >= event.startNanoseconds }
        let nested = Spans(
            Timeline(threads: [.init(number: 1, isMain: false, events: inner + [event])]))
        // Nil for what is not sampled: nothing inside it is.
        var contexts: [ServiceContext?] = []
        var ends: [() -> Void] = []
        for (position, place) in nested.all.enumerated() {
            guard let parent = place.parent.map({ contexts[$0] }) ?? context else {
                contexts.append(nil)
                continue
            }
            let span = tracer.startSpan(
                place.event.operationName, context: parent,
                ofKind: place.event.kind == .statement ? .client : .internal,
                at: instant(place.event.startNanoseconds))
            if span.isRecording { span.updateAttributes { place.event.describe(in: &$0) } }
            if position == 0, pending.droppedCount > 0 {
                span.attributes["objectgraph.dropped_events"] = pending.droppedCount
            }
            contexts.append(span.isRecording ? span.context : nil)
            ends.append { span.end(at: instant(place.event.endNanoseconds)) }
        }
        for end in ends.reversed() { end() }
    }

    private func instant(_ nanoseconds: UInt64) -> DefaultTracerClock.Timestamp {
        .init(nanosecondsSinceEpoch: nanoseconds &+ offsetNanoseconds)
    }
}

extension TraceEvent.Kind {
    /// The verb of a span's name.
    fileprivate var verb: String {
        switch self {
        case .enqueue: "enqueue"
        case .block: "perform"
        case .waitForQueue: "wait for queue"
        case .waitForBlock: "wait for block"
        case .save: "save"
        case .prepare: "prepare save"
        case .plan: "plan save"
        case .handUp: "hand up save"
        case .adopt: "adopt saved rows"
        case .announce: "announce save"
        case .answer: "answer child"
        case .takeFromChild: "take from child"
        case .fetch: "fetch"
        case .fault: "fault"
        case .merge: "merge"
        case .notification: "notify"
        case .delivery: "deliver"
        case .waitForCoordinator: "wait for coordinator"
        case .holdCoordinator: "hold coordinator"
        case .waitForReader: "wait for reader"
        case .waitForWriter: "wait for writer"
        case .useWriter: "use writer"
        case .statement: "statement"
        case .busyWait: "wait for file"
        case .checkpoint: "checkpoint"
        case .sync: "sync"
        case .externalFile: "write external file"
        case .openStore: "open store"
        }
    }
}

extension TraceEvent {
    /// A span's name, of which a server has few: the verb and the entity or table.
    var operationName: String {
        switch kind {
        case .statement:
            let (operation, table) = name.statementSummary
            return table.map { "\(operation) \($0)" } ?? operation
        case .fetch, .fault, .delivery, .notification:
            return name == .none ? kind.verb : "\(kind.verb) \(name.text)"
        default: return kind.verb
        }
    }

    /// Source: OpenTelemetry, "Semantic conventions for database client spans", 1.33.
    func describe(in attributes: inout SpanAttributes) {
        switch kind {
        case .statement:
            let (operation, table) = name.statementSummary
            attributes["db.system.name"] = track == .none ? "sqlite" : track.text
            attributes["db.operation.name"] = operation
            if let table { attributes["db.collection.name"] = table }
            attributes["db.query.text"] = name.text
            attributes["db.response.returned_rows"] = count
        case .fetch, .fault, .delivery:
            if name != .none { attributes["objectgraph.entity"] = name.text }
            fallthrough
        default:
            if track != .none { attributes["objectgraph.context"] = track.text }
            if count != 0 { attributes["objectgraph.count"] = count }
        }
    }
}
