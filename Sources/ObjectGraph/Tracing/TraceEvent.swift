/// Something that the engine did or waited for.
public struct TraceEvent: Sendable, BitwiseCopyable {
    public enum Kind: UInt8, Sendable, BitwiseCopyable, CaseIterable {
        // MARK: Queues

        /// A block was handed to a context's queue. Has no duration; the block names it as its cause.
        case enqueue
        /// A block ran on a context's queue.
        case block
        /// A thread waited until a context's queue was free. The cause is the block that was
        /// running.
        case waitForQueue

        // MARK: Contexts

        /// A context saved; count: its changed objects.
        case save
        /// A step of a save: hooks, validation and the search for changed objects.
        case prepare
        /// A step of a save: rows were made from objects.
        case plan
        /// A step of a save: the changes were handed to the parent or to the stores.
        case handUp
        /// A step of a save: objects took the rows that were written.
        case adopt
        /// A step of a save: observers, other contexts and children were told.
        case announce
        /// A parent answered a request of a child: a fetch, the values of an object, or a save.
        case answer
        /// A parent took what a child had saved; count: its rows.
        case takeFromChild
        /// A context fetched; count: objects.
        case fetch
        /// The row of one object was read from the store, with one statement that is no event of its
        /// own.
        case fault
        /// A context merged what another had saved; count: the objects concerned.
        case merge
        /// Observers of a notification ran.
        case notification
        /// A results controller updated its list and told its delegate; count: objects of the list.
        case delivery

        /// A thread waited while its block ran on the main queue's thread. The cause is the block.
        case waitForBlock

        // MARK: Coordinator and stores

        /// A thread waited for the lock of a coordinator. The cause is who held it.
        case waitForCoordinator
        /// A request held the lock of a coordinator.
        case holdCoordinator
        /// A thread waited until a connection for reading was free.
        case waitForReader
        /// A thread waited until the connection for writing was free. The cause is who used it.
        case waitForWriter
        /// A thread used the connection for writing.
        case useWriter
        /// A statement ran, from its first step to its end; count: rows.
        case statement
        /// A connection slept because another one held a lock of the file.
        case busyWait
        /// The WAL was copied to the database; count: frames.
        case checkpoint
        /// The WAL was synced before a file of a value was removed, or a probe saw a sync.
        case sync
        /// A value was written to a file of its own; count: bytes.
        case externalFile
        /// A store was migrated or opened.
        case openStore
    }

    public let kind: Kind
    /// The context, connection or coordinator; 0 if none of them.
    public let track: TraceName
    /// The entity, statement or notification; 0 without one.
    public let name: TraceName
    /// By which other events refer to this one; 0 if none can.
    public let identifier: UInt64
    /// The event that this one waited for or continues; 0 if that is not known.
    public let cause: UInt64
    /// Objects, rows, frames or bytes, as the kind says.
    public let count: Int
    /// On the clock that ``now`` reads.
    public let startNanoseconds: UInt64
    /// 0 for an event without duration.
    public let durationNanoseconds: UInt64

    /// The present time on the clock of all events: monotonic, from an arbitrary origin.
    public static var now: UInt64 { MonotonicTime.now.nanoseconds }

    /// An event that a program or a test reports as if the engine had.
    public init(
        _ kind: Kind, track: TraceName = .none, name: TraceName = .none, identifier: UInt64 = 0,
        cause: UInt64 = 0, count: Int = 0, startNanoseconds: UInt64, durationNanoseconds: UInt64
    ) {
        self.kind = kind
        self.track = track
        self.name = name
        self.identifier = identifier
        self.cause = cause
        self.count = count
        self.startNanoseconds = startNanoseconds
        self.durationNanoseconds = durationNanoseconds
    }
}
