import ObjectGraph

/// What a queue or a thread spent time with.
public enum Activity: Sendable, Hashable {
    case waitedForQueue(of: String)
    case waitedForMainQueueToRunItsBlock
    case waitedForCoordinator
    case waitedForConnection
    case waitedForFileLock
    case answeredChild
    case tookFromChild
    case preparedSave
    case madeRows
    case handedUp
    case adoptedRows
    case announced
    case fetched(String)
    case readSingleRows
    case merged
    case ranObservers(of: String)
    case updatedController(of: String)
    case ranStatement(String)
    case committed
    case heldConnection
    case copiedLog
    case synced
    case wroteFile
    case openedStore
    case ranBlock(of: String)

    init(_ event: TraceEvent) {
        self =
            switch event.kind {
            case .enqueue, .block: .ranBlock(of: event.track.text)
            case .waitForQueue: .waitedForQueue(of: event.track.text)
            case .waitForBlock: .waitedForMainQueueToRunItsBlock
            case .save, .handUp: .handedUp
            case .prepare: .preparedSave
            case .plan: .madeRows
            case .adopt: .adoptedRows
            case .announce: .announced
            case .answer: .answeredChild
            case .takeFromChild: .tookFromChild
            case .fetch: .fetched(event.name.text)
            case .fault: .readSingleRows
            case .merge: .merged
            case .notification: .ranObservers(of: event.name.text)
            case .delivery: .updatedController(of: event.name.text)
            case .waitForCoordinator: .waitedForCoordinator
            case .waitForReader, .waitForWriter: .waitedForConnection
            case .holdCoordinator, .useWriter: .heldConnection
            case .statement: Self(statement: event.name)
            case .busyWait: .waitedForFileLock
            case .checkpoint: .copiedLog
            case .sync: .synced
            case .externalFile: .wroteFile
            case .openStore: .openedStore
            }
    }

    /// A verb in the past with its object, as in "the main queue …".
    public var text: String {
        switch self {
        case .waitedForQueue(let name): "waited for the queue of \(name)"
        case .waitedForMainQueueToRunItsBlock: "waited while the main queue ran its block"
        case .waitedForCoordinator: "waited for the lock of the coordinator"
        case .waitedForConnection: "waited for a connection"
        case .waitedForFileLock: "waited for a lock of the file"
        case .answeredChild: "answered a child"
        case .tookFromChild: "took what a child saved"
        case .preparedSave: "saved: hooks and validation"
        case .madeRows: "saved: made rows of objects"
        case .handedUp: "saved: handed rows up"
        case .adoptedRows: "saved: objects took their rows"
        case .announced: "saved: told others"
        case .fetched(let entity): "fetched \(entity)"
        case .readSingleRows: "read rows one by one"
        case .merged: "merged what others saved"
        case .ranObservers(let name): "ran observers of \(name)"
        case .updatedController(let entity): "updated a list of \(entity)"
        case .ranStatement(let summary): "ran \(summary)"
        case .committed: "committed a transaction"
        case .heldConnection: "held a connection"
        case .copiedLog: "copied the WAL into the file"
        case .synced: "synced a file"
        case .wroteFile: "wrote a value to a file of its own"
        case .openedStore: "opened a store"
        case .ranBlock(let name): "did other work in blocks of \(name)"
        }
    }

    /// Statements of one kind on one table are one activity.
    private init(statement name: TraceName) {
        if name.text == "COMMIT" {
            self = .committed
            return
        }
        let (operation, table) = name.statementSummary
        self = .ranStatement(table.map { "\(operation) on \($0)" } ?? operation)
    }
}

/// The time that one activity took.
public struct TimeShare: Sendable {
    public let activity: Activity
    public internal(set) var nanoseconds: UInt64
    /// How many events it was.
    public internal(set) var count: Int
}

extension [Activity: TimeShare] {
    fileprivate mutating func add(_ span: Span) {
        let activity = span.activity
        var share = self[activity] ?? TimeShare(activity: activity, nanoseconds: 0, count: 0)
        share.nanoseconds += span.ownNanoseconds
        share.count += 1
        self[activity] = share
    }

    /// The most first.
    fileprivate var inOrder: [TimeShare] {
        values.sorted {
            ($0.nanoseconds, $0.activity.text) > ($1.nanoseconds, $1.activity.text)
        }
    }
}

extension Spans {
    /// What a lane spent its time with, the most first. The sum is the time in which it was busy.
    public func shares(where isMeant: (Span) -> Bool) -> [TimeShare] {
        var shares: [Activity: TimeShare] = [:]
        for span in all where span.event.durationNanoseconds > 0 && isMeant(span) {
            shares.add(span)
        }
        return shares.inOrder
    }

    /// The times in which the main queue could not answer, the longest first: events that are in no
    /// other event of the main queue.
    public func stalls() -> [Stall] {
        var shares: [Int: [Activity: TimeShare]] = [:]
        var roots: [Int: Int] = [:]
        for (position, span) in all.enumerated() where span.lane == .mainQueue {
            let root: Int
            if let parent = span.parent, all[parent].lane == .mainQueue {
                root = roots[parent]!
            } else {
                root = position
            }
            roots[position] = root
            shares[root, default: [:]].add(span)
        }
        return shares.map { root, shares in
            let cause = span(of: all[root].event.cause)
            return Stall(
                span: all[root], shares: shares.inOrder, origin: cause.flatMap(origin),
                handedOver: cause)
        }.sorted { $0.span.event.durationNanoseconds > $1.span.event.durationNanoseconds }
    }

    /// What has handed a block over in an event: the save, merge, fetch or block around it.
    private func origin(_ handedOver: Span) -> Span? {
        around(handedOver).first { [.save, .merge, .fetch, .block].contains($0.event.kind) }
    }
}

/// A time in which the main queue did one thing and could not answer.
public struct Stall: Sendable {
    /// The block, or the outermost event outside of blocks.
    public let span: Span
    /// The most first.
    public let shares: [TimeShare]
    /// What has handed the block to the main queue; nil if that is not known.
    public let origin: Span?
    /// The event in which the block was handed over; nil if that is not known.
    public let handedOver: Span?
}
