import Foundation

/// The rule that calls a paired difference a change: a sign test or a signed-rank test that share
/// the error `alpha` 60 to 40, an estimate of at least `minimumEffect`, and the same again in fresh
/// pairs.
///
/// It assumes nothing of the noise, only that the order within pairs was random.
/// Source: measuring §7, steps 6, 8 and 9; at n = 20 it asks for 16 equal signs or W₊ ≥ 175.
public struct PairedRule: Codable, Hashable, Sendable {
    /// The slowdown that the row is meant to detect, as a share: 0.05 is 5 %. A row that cannot see
    /// it is never `ok`.
    public var detect: Double
    /// The smallest change worth telling, as a share: it absorbs what the layout of a binary alone
    /// moves.
    public var minimumEffect: Double
    /// The chance of a false alarm on identical code, one look and one direction.
    public var alpha: Double
    /// The pairs of the first look, and of its confirmation.
    public var pairCount: Int

    /// - Parameter minimumEffect: nil for half of what is to be detected.
    public init(
        detect: Double = 0.05, minimumEffect: Double? = nil, alpha: Double = 0.01,
        pairCount: Int = 20
    ) {
        self.detect = detect
        self.minimumEffect = minimumEffect ?? detect / 2
        self.alpha = alpha
        self.pairCount = pairCount
    }

    /// Whether ln(new / old) of the pairs shows a slowdown, at one look.
    public func findsSlowdown(in logRatios: [Double]) -> Bool {
        PairedTest(self, count: logRatios.count).findsSlowdown(in: logRatios)
    }

    /// Whether the pairs show a change in either direction, at one look: it is to be confirmed.
    public func findsChange(in logRatios: [Double]) -> Bool {
        let test = PairedTest(self, count: logRatios.count)
        return test.findsSlowdown(in: logRatios) || test.findsSlowdown(in: logRatios.map(-))
    }

    /// The smallest change, as a share, that the rule would find twice in a row in 95 % of
    /// repetitions of this experiment, whichever its direction; nil for too few pairs, or when not
    /// even a tenfold time would be found.
    ///
    /// The differences are centred on their median, and ``pairCount`` of them drawn with replacement,
    /// 1,000 times for the first look and for its confirmation: the rule looks at no more, however
    /// many were added. Each draw has a shift from which on the rule fires. The same seed gives the
    /// same answer, and so do mirrored differences.
    /// Source: measuring §7, step 11.
    public func minimumDetectableEffect(from logRatios: [Double], seed: UInt64) -> Double? {
        guard let middle = Statistics.median(logRatios) else { return nil }
        let count = min(pairCount, logRatios.count)
        let test = PairedTest(self, count: count)
        var draws = SortedDraws(of: count, from: logRatios.map { $0 - middle }, seed: seed)
        var slower: [Double] = []
        var faster: [Double] = []
        for _ in 0..<1_000 {
            var shifts = (slower: -Double.infinity, faster: -Double.infinity)
            for _ in 0..<2 {
                draws.draw()
                shifts.slower = max(shifts.slower, test.shiftNeeded(ofSorted: draws.values))
                shifts.faster = max(shifts.faster, test.shiftNeeded(ofSorted: draws.mirrored))
            }
            slower.append(shifts.slower)
            faster.append(shifts.faster)
        }
        let shift = [slower, faster].map { $0.sorted()[949] }.max() ?? .infinity
        return shift < log(10) ? max(0, exp(shift) - 1) : nil
    }
}

/// A number of values drawn with replacement, in ascending order: counted at their places in that order, so that nothing
/// has to be sorted again.
private struct SortedDraws {
    /// The last draw, and the same with the other sign.
    private(set) var values: [Double]
    private(set) var mirrored: [Double]
    private let sorted: [Double]
    /// The place of each value in the order, so that mirrored values are drawn alike.
    private let ranks: [Int]
    private var counts: [Int]
    private var generator: SeededGenerator

    init(of count: Int, from unsorted: [Double], seed: UInt64) {
        let order = unsorted.indices.sorted { unsorted[$0] < unsorted[$1] }
        var ranks = Array(unsorted.indices)
        for (rank, index) in order.enumerated() { ranks[index] = rank }
        self.ranks = ranks
        sorted = order.map { unsorted[$0] }
        values = Array(repeating: 0, count: count)
        mirrored = values
        counts = sorted.map { _ in 0 }
        generator = SeededGenerator(seed: seed)
    }

    mutating func draw() {
        for _ in values { counts[ranks[Int.random(in: ranks.indices, using: &generator)]] += 1 }
        var place = 0
        for index in sorted.indices {
            for _ in 0..<counts[index] {
                values[place] = sorted[index]
                mirrored[values.count - 1 - place] = -sorted[index]
                place += 1
            }
            counts[index] = 0
        }
    }
}
