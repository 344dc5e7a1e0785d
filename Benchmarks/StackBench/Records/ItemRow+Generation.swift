import Foundation
import Measuring

extension ItemRow {
    /// Items numbered from 1; every call returns the same ones.
    static func generated(count: Int) -> [ItemRow] {
        var random = SeededGenerator(seed: 1)
        return (0..<count).map { ItemRow(number: Int64($0 + 1), from: &random) }
    }

    /// The same items with an ``ItemText`` as the note of each.
    static func generated(count: Int, wordsPerNote: Int) -> [ItemRow] {
        var items = generated(count: count)
        let texts = ItemText.generated(count: count, wordCount: wordsPerNote)
        for (index, text) in texts.enumerated() { items[index].note = text }
        return items
    }

    /// Repeats the same 10,000 items. They share their strings, so a million of them take little
    /// memory.
    static func repeated(count: Int) -> [ItemRow] {
        let items = generated(count: min(count, 10_000))
        return (0..<count).map { items[$0 % items.count] }
    }

    private init(number: Int64, from random: inout SeededGenerator) {
        self.number = number
        quantity = Int32.random(in: 0..<1_000, using: &random)
        delayMinutes = random.next() % 8 == 0 ? nil : Int32.random(in: -30...600, using: &random)
        price = Double(Int.random(in: 1..<100_000, using: &random)) / 100
        createdAt = Date(
            timeIntervalSinceReferenceDate: Double(
                Int.random(in: 0..<800_000_000, using: &random)))
        name = Self.text(length: 24, from: &random)
        maker = Self.text(length: 28, from: &random)
        city = Self.text(length: 20, from: &random)
        address = Self.text(length: 36, from: &random)
        note = random.next() % 4 == 0 ? nil : Self.text(length: 40, from: &random)
    }

    /// Lowercase letters, twelve from each random number.
    private static func text(length: Int, from random: inout SeededGenerator) -> String {
        String(unsafeUninitializedCapacity: length) { bytes in
            var bits: UInt64 = 0
            for index in 0..<length {
                if index % 12 == 0 { bits = random.next() }
                bytes[index] = UInt8(ascii: "a") + UInt8(bits % 26)
                bits /= 26
            }
            return length
        }
    }
}
