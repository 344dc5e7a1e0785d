import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Places in an order (§8.3)` {
    @Test func `numbers that rise stay, others are put between`() {
        #expect(OrderedPlaces.rising(from: [nil, nil, nil]) == [2048, 3072, 4096])
        #expect(OrderedPlaces.rising(from: [2048, 3072, nil, 4096]) == [2048, 3072, 3584, 4096])
        #expect(OrderedPlaces.rising(from: [4096, 2048, 3072]) == [1536, 2048, 3072])
        #expect(OrderedPlaces.rising(from: [2048, nil, 2049]) == [2048, 3072, 4096])
        #expect(OrderedPlaces.rising(from: [5, nil]) == [5, 1029])
        #expect(OrderedPlaces.rising(from: []) == [])
    }

    private static let extremes: [Int64] = [Int64.min, Int64.min / 2, Int64.max / 2, Int64.max]

    @Test(arguments: extremes, extremes)
    func `numbers at the ends of the range are given again`(_ first: Int64, _ last: Int64) {
        for list: [Int64?] in [[first, last], [first, nil, last], [first, nil, 0, nil, last]] {
            let new = OrderedPlaces.rising(from: list)
            #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 }, "\(list) became \(new)")
        }
    }

    @Test func `places are always rising, and few of them change`() {
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<500 {
            let count = Int.random(in: 0...12, using: &generator)
            let old = (0..<count).map { _ in
                Bool.random(using: &generator)
                    ? Int64.random(in: 0...20, using: &generator) * 100 : nil
            }
            let new = OrderedPlaces.rising(from: old)
            #expect(zip(new, new.dropFirst()).allSatisfy { $0 < $1 }, "\(old) became \(new)")
        }
    }
}
