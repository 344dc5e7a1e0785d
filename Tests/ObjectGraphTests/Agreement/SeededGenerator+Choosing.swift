import TestSupport

extension SeededGenerator {
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Elements: RandomAccessCollection>(_ elements: Elements) -> Elements.Element {
        elements.randomElement(using: &self)!
    }
}
