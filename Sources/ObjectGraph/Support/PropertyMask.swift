/// A set of properties of one entity, by property index.
package struct PropertyMask: Sendable, Hashable {
    private var words = SIMD4<UInt64>()

    package init() {}

    package var isEmpty: Bool { words == SIMD4() }

    @inline(__always)
    package func contains(_ index: Int) -> Bool {
        words[index >> 6] & (1 << UInt64(index & 63)) != 0
    }

    var count: Int { (0..<4).reduce(0) { $0 + words[$1].nonzeroBitCount } }

    /// How many members are smaller.
    @inline(__always)
    func rank(of index: Int) -> Int {
        var rank = (words[index >> 6] & ((1 << UInt64(index & 63)) - 1)).nonzeroBitCount
        for word in 0..<index >> 6 { rank += words[word].nonzeroBitCount }
        return rank
    }

    @inline(__always)
    package mutating func insert(_ index: Int) {
        words[index >> 6] |= 1 << UInt64(index & 63)
    }

    mutating func remove(_ index: Int) {
        words[index >> 6] &= ~(1 << UInt64(index & 63))
    }

    mutating func formUnion(_ other: Self) { words |= other.words }

    /// Whether the two have a member in common.
    func intersects(_ other: Self) -> Bool { words & other.words != SIMD4() }

    func subtracting(_ other: Self) -> Self {
        var difference = self
        difference.words &= ~other.words
        return difference
    }

    /// Whether the condition holds for each member.
    @inline(__always)
    func allSatisfy(_ condition: (Int) throws -> Bool) rethrows -> Bool {
        for position in 0..<4 {
            var word = words[position]
            while word != 0 {
                if try !condition((position << 6) + word.trailingZeroBitCount) { return false }
                word &= word - 1
            }
        }
        return true
    }

    /// Calls the body with each member in ascending order.
    @inline(__always)
    package func forEach(_ body: (Int) throws -> Void) rethrows {
        _ = try allSatisfy {
            try body($0)
            return true
        }
    }
}
