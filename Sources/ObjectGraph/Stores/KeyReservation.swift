import Synchronization

/// Primary keys, reserved in blocks, so that most saves need no statement for them.
///
/// Reserved keys that are never used leave gaps, as in Core Data (spec §2.1).
package final class KeyReservation: Sendable {
    fileprivate struct Block {
        var keys: Range<Int64> = 0..<0
        /// Doubles with each reservation up to `maximumSize`, for few gaps in small stores and few
        /// statements in imports.
        var nextSize = 16
    }

    private static let maximumSize = 4096
    private let blocks: Mutex<[Block]>

    package init(model: ManagedObjectModel) {
        blocks = Mutex(Array(repeating: Block(), count: model.entities.count))
    }

    /// Takes keys from the reserved block, or from a new one if too few are left.
    package func take(
        _ count: Int, root: Entity, reserve: (Int) throws -> Range<Int64>
    ) throws -> Range<Int64> {
        let stocked: Range<Int64>? = blocks.withLock { blocks in
            guard blocks[root.index].keys.count >= count else { return nil }
            return blocks[root.index].takeFirst(count)
        }
        if let stocked { return stocked }
        let size = blocks.withLock { blocks in
            defer {
                blocks[root.index].nextSize = min(
                    blocks[root.index].nextSize * 2, Self.maximumSize)
            }
            return max(count, blocks[root.index].nextSize)
        }
        let fresh = try reserve(size)
        return blocks.withLock { blocks in
            blocks[root.index].keys = fresh
            return blocks[root.index].takeFirst(count)
        }
    }
}

extension KeyReservation.Block {
    fileprivate mutating func takeFirst(_ count: Int) -> Range<Int64> {
        let taken = keys.lowerBound..<keys.lowerBound + Int64(count)
        keys = taken.upperBound..<keys.upperBound
        return taken
    }
}
