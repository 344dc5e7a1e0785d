import ObjectGraph
import Tracing

/// Makes the spans of events that have ended.
struct SpanWriter {
    let droppedCount: Int
    /// From the clock of events to the time since 1970, which may be set anew at any time.
    private let offsetNanoseconds = DefaultTracerClock.now.nanosecondsSinceEpoch &- TraceEvent.now

    init(droppedCount: Int) { self.droppedCount = droppedCount }

    func write(_ tree: PendingSpans.Tree, in context: ServiceContext, to tracer: some Tracer) {
        let event = tree.event
        let span = tracer.startSpan(
            event.operationName, context: context,
            ofKind: event.kind == .statement ? .client : .internal,
            at: instant(event.startNanoseconds))
        // A span that is not sampled has no child that is.
        if span.isRecording {
            span.updateAttributes { event.describe(in: &$0) }
            if droppedCount > 0, event.kind == .block {
                span.attributes["objectgraph.dropped_events"] = droppedCount
            }
            for inner in tree.inner { write(inner, in: span.context, to: tracer) }
        }
        span.end(at: instant(event.startNanoseconds + event.durationNanoseconds))
    }

    private func instant(_ nanoseconds: UInt64) -> DefaultTracerClock.Timestamp {
        .init(nanosecondsSinceEpoch: nanoseconds &+ offsetNanoseconds)
    }
}

extension TraceEvent.Kind {
    /// Whether the event may be the outermost of its thread; the others belong to one of these.
    var standsAlone: Bool {
        switch self {
        case .enqueue, .block, .waitForQueue, .waitForBlock, .save, .answer, .takeFromChild, .fetch,
            .fault, .merge, .delivery, .openStore:
            true
        case .prepare, .plan, .handUp, .adopt, .announce, .notification, .waitForCoordinator,
            .holdCoordinator, .waitForReader, .waitForWriter, .useWriter, .statement, .busyWait,
            .checkpoint, .sync, .externalFile:
            false
        }
    }

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
