import Foundation

/// How the operations of an open loop arrive.
public enum ArrivalProcess: String, Codable, Sendable, CaseIterable {
    /// At a fixed interval.
    case fixed
    /// Independently of each other: the gaps are exponential, as with many independent users.
    case poisson
}

/// The times at which operations are due, whether or not earlier ones have finished.
///
/// A latency counted from the due time includes the wait in the queue. Counted from the time of
/// sending, it would hide that wait ("coordinated omission").
public struct ArrivalSchedule: Sendable {
    /// Arrivals a second; the average if they are random.
    public let ratePerSecond: Double
    private let process: ArrivalProcess
    private let startNanoseconds: UInt64
    private var random: SeededGenerator
    /// Thirty years in nanoseconds. No due time is later, so that sums stay in range.
    static let endOfTime = 1e18
    /// From the start to the next arrival, in fractional nanoseconds: rounding the gaps would
    /// drift.
    private var elapsedNanoseconds = 0.0

    /// - Parameters:
    ///   - rate: arrivals a second.
    ///   - startNanoseconds: the monotonic time of the first arrival of a fixed process. For a
    ///     random process, the time at which the first gap begins. See ``Stopwatch/nanoseconds()``.
    ///   - seed: for the gaps; a fixed process needs none.
    /// - Precondition: the rate is above 0.
    public init(
        _ process: ArrivalProcess, perSecond rate: Double,
        startNanoseconds: UInt64 = Stopwatch.nanoseconds(), seed: UInt64 = 0
    ) {
        precondition(rate > 0, "an open loop needs a rate above 0")
        self.process = process
        self.startNanoseconds = startNanoseconds
        ratePerSecond = rate
        random = SeededGenerator(seed: seed)
        if process == .poisson { elapsedNanoseconds = nextGap() }
    }

    /// When the next operation is due, on the monotonic clock.
    public mutating func next() -> UInt64 {
        defer { elapsedNanoseconds += nextGap() }
        return startNanoseconds + UInt64(min(elapsedNanoseconds, Self.endOfTime))
    }

    private mutating func nextGap() -> Double {
        let meanGap = 1e9 / ratePerSecond
        return switch process {
        case .fixed: meanGap
        case .poisson: -log(1 - Double.random(in: 0..<1, using: &random)) * meanGap
        }
    }
}
