import Foundation

/// Which of many keys an operation uses.
public struct KeyDistribution: Codable, Hashable, Sendable {
    public enum Shape: String, Codable, Sendable, CaseIterable {
        /// One after the other; the first follows the last.
        case sequential
        /// Each key equally often.
        case uniform
        /// A few keys very often: the key of rank r in proportion to 1 / r^skew. The ranks are
        /// scattered over all keys.
        case zipfian
        /// Like `zipfian`, but the newest key has the first rank, and older keys follow.
        case latest
    }

    public var shape: Shape
    /// The exponent of a zipfian or latest distribution: 0 is uniform, 0.99 is YCSB's.
    public var skew: Double

    public init(_ shape: Shape, skew: Double = 0.99) {
        self.shape = shape
        self.skew = skew
    }
}

/// Draws keys, from 1 on, from a distribution for one client of a load.
///
/// Source of the shapes: B. Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC
/// 2010.
public struct KeyChooser: Sendable {
    private let shape: KeyDistribution.Shape
    private let keyCount: Int
    /// Draws scattered keys for `zipfian`, ranks for `latest`.
    private let table: AliasTable?
    private var random: SeededGenerator
    private var position: Int
    /// The client draws only key indices with this remainder when divided by the number of clients.
    private let partition: (rest: Int, count: Int)?

    /// - Parameters:
    ///   - keyCount: the keys are 1…keyCount.
    ///   - client: the client's number and the number of clients. Each client begins a sequence at
    ///     a different place.
    ///   - isPartitioned: whether no two clients ever draw the same key.
    /// - Precondition: there is a key for each client.
    public init(
        _ distribution: KeyDistribution, keyCount: Int, seed: UInt64,
        client: (index: Int, count: Int) = (0, 1), isPartitioned: Bool = false
    ) {
        precondition(keyCount >= client.count, "\(client.count) clients need a key each")
        shape = distribution.shape
        self.keyCount = keyCount
        table = Self.table(distribution, keyCount)
        random = SeededGenerator(seed: seed)
        position = keyCount / client.count * client.index
        partition = isPartitioned && client.count > 1 ? (client.index, client.count) : nil
    }

    /// `nil` for shapes without skew. The ranks of `zipfian` are scattered here and not at each
    /// draw, where a division would cost as much as all the rest.
    private static func table(_ distribution: KeyDistribution, _ keyCount: Int) -> AliasTable? {
        let weights = (1...keyCount).map { pow(Double($0), -distribution.skew) }
        switch distribution.shape {
        case .sequential, .uniform: return nil
        case .latest: return AliasTable(weights: weights)
        case .zipfian:
            let multiplier = multiplier(primeTo: keyCount)
            var scattered = weights
            for rank in weights.indices { scattered[rank * multiplier % keyCount] = weights[rank] }
            return AliasTable(weights: scattered)
        }
    }

    /// - Parameter newest: the highest key, for ``KeyDistribution/Shape/latest``; `nil` for the
    ///   number of keys.
    public mutating func next(newest: Int? = nil) -> Int {
        var index: Int
        switch shape {
        case .sequential:
            index = position
            position = position + 1 == keyCount ? 0 : position + 1
        case .uniform: index = Int.random(in: 0..<keyCount, using: &random)
        case .zipfian: index = table!.draw(&random)
        case .latest: index = (newest ?? keyCount) - 1 - table!.draw(&random)
        }
        if let partition {
            index += partition.rest - index % partition.count
            if index >= keyCount { index -= partition.count }
        }
        return index + 1
    }

    /// Coprime to the number of keys, so that multiplying by it permutes the ranks. Close to its
    /// golden section, which leaves no pattern.
    private static func multiplier(primeTo count: Int) -> Int {
        var candidate = max(Int(Double(count) * 0.618_033_988_75), 1)
        while greatestCommonDivisor(candidate, count) != 1 { candidate += 1 }
        return candidate
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        second == 0 ? first : greatestCommonDivisor(second, first % second)
    }
}
