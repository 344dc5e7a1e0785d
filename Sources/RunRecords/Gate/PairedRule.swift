import Foundation
import Measuring

/// The rule that decides whether a paired difference is a change. All of these must hold:
/// - a sign test or a signed-rank test finds it; they share the error `alpha` 60 to 40;
/// - the estimate is at least `minimumEffect`;
/// - fresh pairs show the same again.
///
/// It assumes nothing about the noise, only that the order within pairs is random. Source:
/// measuring §7, steps 6, 8 and 9; for n = 20 it needs 16 equal signs or W₊ ≥ 175.
public struct PairedRule: Codable, Hashable, Sendable {
    /// The slowdown that the row should detect, as a share: 0.05 is 5 %. A row that could not
    /// detect it is never `ok`.
    public var detect: Double
    /// The smallest change worth reporting, as a share. It absorbs the effect that the layout of a
    /// binary alone has.
    public var minimumEffect: Double
    /// The probability of a false alarm on identical code, for one look and one direction.
    public var alpha: Double
    /// The number of pairs of the first look, and of its confirmation.
    public var pairCount: Int

    /// - Parameter minimumEffect: `nil` for half of `detect`.
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

    /// Whether the pairs show a change in either direction at one look. It still needs
    /// confirmation.
    public func findsChange(in logRatios: [Double]) -> Bool {
        let test = PairedTest(self, count: logRatios.count)
        return test.findsSlowdown(in: logRatios) || test.findsSlowdown(in: logRatios.map(-))
    }

    /// The smallest change, as a share, that the rule would find twice in a row in 95 % of
    /// repetitions of this experiment, whatever its direction. `nil` with too few pairs, or if not
    /// even a tenfold time would be found.
    ///
    /// The differences are centred on their median. For the first look and for its confirmation,
    /// ``pairCount`` of them are drawn with replacement, 1,000 times: the rule looks at no more
    /// pairs, even if some were added. For each draw there is a shift above which the rule fires.
    /// The same seed gives the same answer, and so do mirrored differences. Source: measuring
    /// §7, step 11.
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

/// Draws values with replacement and keeps them in ascending order. It counts how often each rank
/// was drawn, so that no draw has to be sorted.
private struct SortedDraws {
    /// The last draw, and the same with opposite signs.
    private(set) var values: [Double]
    private(set) var mirrored: [Double]
    private let sorted: [Double]
    /// The rank of each value, so that mirrored values give mirrored draws.
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
