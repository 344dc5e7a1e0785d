/// The places of the members of an ordered relationship. They are numbers with gaps, so that a
/// change affects few of them (spec §8.3).
enum OrderedPlaces {
    /// The place of the first member, and the distance to the next.
    private static let firstPlace: Int64 = 2048
    private static let placeStep: Int64 = 1024

    /// This range has room for any list, and sums and differences do not overflow.
    private static let usablePlaces = -(Int64(1) << 60)...Int64(1) << 60

    /// Rising places for a list of members. Stored places stay where they rise and leave room.
    /// Places out of range, which only damage can explain, are replaced.
    static func rising(from stored: [Int64?]) -> [Int64] {
        let old = stored.map { $0.flatMap { usablePlaces.contains($0) ? $0 : nil } }
        let kept = risingPositions(in: old)
        var places = Array(repeating: Int64(0), count: old.count)
        var position = 0
        var least = firstPlace - placeStep
        // Members before the first kept place may get places below the usual start.
        if let first = kept.first, old[first]! <= least {
            least = old[first]! - Int64(first + 1) * placeStep
        }
        for next in kept + [old.count] {
            let gap = Int64(next - position)
            let step: Int64
            if next == old.count {
                step = placeStep
            } else {
                step = (old[next]! - least) / (gap + 1)
                // No integer is left between two neighbours: all places are assigned again.
                if gap > 0, step == 0 { return rising(from: old.map { _ in nil }) }
            }
            for place in position..<next {
                least += step
                places[place] = least
            }
            if next < old.count {
                places[next] = old[next]!
                least = old[next]!
            }
            position = next + 1
        }
        return places
    }

    /// The positions of the longest rising subsequence.
    private static func risingPositions(in numbers: [Int64?]) -> [Int] {
        // For each length, the position of the smallest number that ends a subsequence of that
        // length.
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            guard let number else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]]! < number { low = middle + 1 } else { high = middle }
            }
            previous[position] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var run: [Int] = []
        var position = ends.last ?? -1
        while position >= 0 {
            run.append(position)
            position = previous[position]
        }
        return run.reversed()
    }
}
