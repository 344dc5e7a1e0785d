import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Unsaved values of an object` {
    @Test func `any order of sets and removals is that of a dictionary`() {
        var random = SeededGenerator.fromEnvironment()
        for round in 0..<50 {
            let values = ChangedValues.allocate()
            defer { values.deallocate() }
            var expected: [Int: AttributeValue] = [:]
            let count = [1, 3, 12, 70, 200].randomElement(using: &random)!
            for step in 0..<300 {
                let index = Int.random(in: 0..<count, using: &random)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    values.remove(index)
                    expected[index] = nil
                } else {
                    let value = AttributeValue.string("a text of the heap, number \(step)")
                    values[index] = value
                    expected[index] = value
                }
                if Int.random(in: 0..<100, using: &random) == 0 {
                    values.removeAllValues()
                    expected = [:]
                }
                let isEqual = (0..<count).allSatisfy {
                    values.contains($0) == (expected[$0] != nil)
                        && values[$0] == expected[$0] ?? .null
                        && (!values.contains($0) || values.pointer($0).pointee == expected[$0])
                }
                #expect(isEqual, "TEST_SEED=\(random.seed), round \(round), step \(step)")
            }
        }
    }
}
