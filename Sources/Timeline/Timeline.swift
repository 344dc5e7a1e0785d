import ObjectGraph

/// What the threads of a process did, as a ``TraceRecorder`` has recorded it.
public struct Timeline: Sendable {
    public struct Thread: Sendable {
        /// From 1, in the order in which the threads were first seen.
        public let number: Int
        public let isMain: Bool
        /// In the order of their starts; an event before those inside it.
        public let events: [TraceEvent]

        public init(number: Int, isMain: Bool, events: [TraceEvent]) {
            self.number = number
            self.isMain = isMain
            self.events = events.sorted {
                $0.startNanoseconds == $1.startNanoseconds
                    ? $0.durationNanoseconds > $1.durationNanoseconds
                    : $0.startNanoseconds < $1.startNanoseconds
            }
        }
    }

    public let threads: [Thread]
    /// Events that found no place in a buffer. Figures of a timeline with any are too low.
    public let droppedCount: Int

    public init(threads: [Thread], droppedCount: Int = 0) {
        self.threads = threads
        self.droppedCount = droppedCount
    }
}

extension TraceEvent {
    public var endNanoseconds: UInt64 { startNanoseconds + durationNanoseconds }
}
