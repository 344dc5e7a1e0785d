/// Draws indices with given weights, each in constant time with one random number.
///
/// Sources: A. J. Walker, "An efficient method for generating discrete random variables with
/// general distributions", ACM TOMS 3(3), 1977; M. D. Vose's way of filling the table, IEEE TSE
/// 17(9), 1991.
struct AliasTable: Sendable {
    private struct Column: Sendable {
        /// The column's own share of 2^64; the rest belongs to the alias.
        var ownShare: UInt64
        var alias: Int
    }

    private var columns: [Column]

    /// - Precondition: no weight is negative, and their sum is above 0.
    init(weights: [Double]) {
        let sum = weights.reduce(0, +)
        precondition(sum > 0 && weights.allSatisfy { $0 >= 0 }, "an alias table needs weights")
        columns = weights.indices.map { Column(ownShare: .max, alias: $0) }
        // In units of the mean weight, so that each column has to be filled to 1.
        var heights = weights.map { $0 / sum * Double(weights.count) }
        var low = heights.indices.filter { heights[$0] < 1 }
        var high = heights.indices.filter { heights[$0] >= 1 }
        while let small = low.popLast(), let large = high.last {
            columns[small] = Column(ownShare: UInt64(heights[small] * 0x1p64), alias: large)
            heights[large] -= 1 - heights[small]
            if heights[large] < 1 {
                high.removeLast()
                low.append(large)
            }
        }
    }

    @inline(__always)
    func draw(_ random: inout SeededGenerator) -> Int {
        if columns.count == 1 { return 0 }
        // The high half selects a column, the low half a place in it.
        let (index, place) = random.next().multipliedFullWidth(by: UInt64(columns.count))
        let column = columns[Int(index)]
        // Without a branch: half of the branches would be mispredicted, which costs as much as all
        // the rest.
        let isOwn = place < column.ownShare ? -1 : 0
        return column.alias ^ ((column.alias ^ Int(index)) & isOwn)
    }
}
