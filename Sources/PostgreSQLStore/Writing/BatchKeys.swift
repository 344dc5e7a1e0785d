#if PostgreSQL

/// The keys of the rows of a batch insert, whose number is not known before the last one.
///
/// They are reserved in blocks, outside of the insert's transaction: within it, other writers would
/// wait for its end.
struct BatchKeys {
    private let reserve: (Int) throws -> Range<Int64>
    private var blocks: [Range<Int64>]
    private var nextSize = firstSize * 2
    static let firstSize = 1 << 16
    private static let maximumSize = 1 << 20

    /// The key of the next row.
    private(set) var next: Int64

    /// How many keys were taken.
    private(set) var count = 0

    /// - Parameter reserve: Reserves the blocks after the first.
    init(_ first: Range<Int64>, reserve: @escaping (Int) throws -> Range<Int64>) {
        self.reserve = reserve
        blocks = [first]
        next = first.lowerBound
    }

    /// Takes the next key.
    mutating func take() throws {
        count += 1
        next += 1
        guard next == blocks[blocks.count - 1].upperBound else { return }
        blocks.append(try reserve(nextSize))
        nextSize = min(nextSize * 2, Self.maximumSize)
        next = blocks[blocks.count - 1].lowerBound
    }

    /// Whether the key is one of those reserved.
    func contains(_ key: Int64) -> Bool { blocks.contains { $0.contains(key) } }

    /// The keys taken, in their order.
    var taken: [Int64] { blocks.flatMap { $0 }.prefix(while: { $0 != next }) }

    /// The keys that were not taken. If they are the last ones of the table, they can be given back.
    var rest: Range<Int64> { next..<blocks[blocks.count - 1].upperBound }
}
#endif
