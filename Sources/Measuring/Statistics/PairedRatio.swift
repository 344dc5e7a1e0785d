/// The factor between two cells, from samples of the same rounds.
public struct PairedRatio: Hashable, Sendable {
    /// The median of the rounds' ratios.
    public var estimate: Double
    /// `nil` with fewer than 2 rounds.
    public var interval: MedianInterval?
    public var pairCount: Int

    public init(estimate: Double, interval: MedianInterval?, pairCount: Int) {
        self.estimate = estimate
        self.interval = interval
        self.pairCount = pairCount
    }

    /// With fewer rounds than this, no difference is reported: 5 rounds all agree by chance in 6 %
    /// of cases, 4 rounds in 12 %.
    public static let pairsNeeded = 5
    /// Smaller differences are not reported: the layout of a binary alone moves times by as much.
    public static let smallestDifference = 0.02

    /// The direction of the difference; `unclear` if it may be chance.
    public enum Direction: Sendable {
        case lower, higher, unclear
    }

    /// Lower or higher only if the whole interval is more than ``smallestDifference`` from 1 and
    /// there are ``pairsNeeded`` rounds.
    public var direction: Direction {
        guard pairCount >= Self.pairsNeeded, let interval else { return .unclear }
        if interval.upper < 1 / (1 + Self.smallestDifference) { return .lower }
        if interval.lower > 1 + Self.smallestDifference { return .higher }
        return .unclear
    }
}
