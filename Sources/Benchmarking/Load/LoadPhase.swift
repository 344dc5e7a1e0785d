/// A stretch of a load in which its clients work in one way.
public struct LoadPhase: Codable, Hashable, Sendable {
    /// How operations follow each other.
    public enum Mode: Codable, Hashable, Sendable {
        /// Each client begins an operation when its last one has ended: finds the capacity.
        case closed
        /// Operations are due at their time, and latencies count from it.
        case open(Rate, ArrivalProcess)
    }

    /// How many operations a second are due.
    public enum Rate: Codable, Hashable, Sendable {
        /// For all clients together, as many for each.
        case perSecond(Double)
        /// Of what each client can do, for example 0.6; see ``LoadGenerator``.
        case shareOfCapacity(Double)
    }

    /// How long the phase lasts.
    public enum Extent: Codable, Hashable, Sendable {
        case seconds(Double)
        /// So many operations of each client, the same in every run.
        case operations(Int)
    }

    public var mode: Mode
    public var extent: Extent
    /// Whether its latencies are results; false for a warm-up. Every operation counts for what the
    /// store must hold in the end.
    public var isRecorded: Bool

    public init(_ mode: Mode, _ extent: Extent, isRecorded: Bool = true) {
        self.mode = mode
        self.extent = extent
        self.isRecorded = isRecorded
    }
}
