/// A stretch of a load in which its clients work in one mode.
public struct LoadPhase: Codable, Hashable, Sendable {
    /// When operations begin.
    public enum Mode: Codable, Hashable, Sendable {
        /// Each client begins an operation when its previous one has ended. Measures the capacity.
        case closed
        /// Operations are due at set times, and their latencies count from there.
        case open(Rate, ArrivalProcess)
    }

    /// How many operations a second are due.
    public enum Rate: Codable, Hashable, Sendable {
        /// For all clients together, equally divided.
        case perSecond(Double)
        /// A share of what each client can do, for example 0.6; see ``LoadGenerator``.
        case shareOfCapacity(Double)
    }

    /// How long the phase lasts.
    public enum Extent: Codable, Hashable, Sendable {
        case seconds(Double)
        /// The number of operations of each client, the same in every run.
        case operations(Int)
    }

    public var mode: Mode
    public var extent: Extent
    /// Whether its latencies are results; `false` for a warm-up. The final contents of the store
    /// include the operations of every phase.
    public var isRecorded: Bool

    public init(_ mode: Mode, _ extent: Extent, isRecorded: Bool = true) {
        self.mode = mode
        self.extent = extent
        self.isRecorded = isRecorded
    }
}
