/// Where the time of one traced sample went. It is an explanation, not a measurement: events cost
/// time, and it is one sample.
public struct TracedSample: Codable, Hashable, Sendable {
    /// An activity, the time that it took and how many events it was.
    public struct Share: Codable, Hashable, Sendable {
        /// A verb in the past with its object: "merged what others saved".
        public var activity: String
        public var kind: Kind
        public var seconds: Double
        public var count: Int

        public init(activity: String, kind: Kind, seconds: Double, count: Int) {
            self.activity = activity
            self.kind = kind
            self.seconds = seconds
            self.count = count
        }
    }

    /// What the colours of a picture tell apart.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case waiting, servingChild, saving, merging, reading, writing, telling, other
    }

    /// A time in which the main queue did one thing and could not answer.
    public struct Stall: Codable, Hashable, Sendable {
        /// Since the measured work began.
        public var startSeconds: Double
        public var seconds: Double
        /// The most first.
        public var shares: [Share]
        /// What has handed the work to the main queue, as "a save of worker with 1,000 objects"; nil
        /// if that is not known.
        public var origin: String?
        /// Where the work was handed over; nil if that is not known.
        public var handedOver: Place?

        public init(
            startSeconds: Double, seconds: Double, shares: [Share], origin: String?,
            handedOver: Place?
        ) {
            self.startSeconds = startSeconds
            self.seconds = seconds
            self.shares = shares
            self.origin = origin
            self.handedOver = handedOver
        }
    }

    /// A time in a lane.
    public struct Place: Codable, Hashable, Sendable {
        /// The lane's name.
        public var lane: String
        public var seconds: Double

        public init(lane: String, seconds: Double) {
            self.lane = lane
            self.seconds = seconds
        }
    }

    /// What one queue did in a part of the sample.
    public struct Lane: Codable, Hashable, Sendable {
        public struct Segment: Codable, Hashable, Sendable {
            public var kind: Kind
            public var startSeconds: Double
            public var seconds: Double

            public init(kind: Kind, startSeconds: Double, seconds: Double) {
                self.kind = kind
                self.startSeconds = startSeconds
                self.seconds = seconds
            }
        }

        public var name: String
        public var segments: [Segment]

        public init(name: String, segments: [Segment]) {
            self.name = name
            self.segments = segments
        }
    }

    public var subject: String
    /// How long the measured work took.
    public var seconds: Double
    /// Of the main queue, the most first; their sum is the time in which it was busy.
    public var mainQueue: [Share]
    /// Of the queues of private contexts and the threads outside of contexts, in all.
    public var others: [Share]
    /// The longest, at most ten.
    public var stalls: [Stall]
    /// How long a heartbeat on the main queue waited at most, which does not come from the trace; nil
    /// for a workload without heartbeats.
    public var longestBeatSeconds: Double?
    /// The lanes around the longest stall; the main queue is the first.
    public var lanes: [Lane]
    /// The part of the sample that the lanes show.
    public var shown: ClosedRange<Double>
    public var eventCount: Int
    /// Events that were lost. If there are any, all figures are too low.
    public var droppedCount: Int

    public init(
        subject: String, seconds: Double, mainQueue: [Share], others: [Share], stalls: [Stall],
        lanes: [Lane], shown: ClosedRange<Double>, eventCount: Int, droppedCount: Int
    ) {
        self.subject = subject
        self.seconds = seconds
        self.mainQueue = mainQueue
        self.others = others
        self.stalls = stalls
        self.lanes = lanes
        self.shown = shown
        self.eventCount = eventCount
        self.droppedCount = droppedCount
    }

    /// The longest time in which the main queue could not answer; 0 if it was not used.
    public var longestStallSeconds: Double { stalls.first?.seconds ?? 0 }

    /// The time in which the main queue was busy.
    public var mainQueueBusySeconds: Double { mainQueue.reduce(0) { $0 + $1.seconds } }
}
