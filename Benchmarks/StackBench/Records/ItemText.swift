import Measuring
import Reports

/// Texts in which words are searched: random words, and among them the name of a person.
///
/// Numbers say who is named, so that the results of a search are known. Random words consist of
/// letters from a to u and contain no part of a name, so that a substring finds what a word does.
enum ItemText {
    /// The words of a text in the engine's table.
    static let wordCount = 20

    /// One text in 50 has this name.
    static func givenName(_ number: Int) -> String { "vera\(1_000 + number % 50)" }

    /// One text in 1,000 has this name.
    static func familyName(_ number: Int) -> String { "wolf\(1_000 + number % 1_000)" }

    /// Whether the family name follows the given name; otherwise there is a word between them.
    static func isNameTogether(_ number: Int) -> Bool { (number / 1_000).isMultiple(of: 2) }

    /// The texts of the items that are numbered from 1; every call returns the same ones.
    static func generated(count: Int, wordCount: Int) -> [String] {
        var random = SeededGenerator(seed: 1)
        let vocabulary = (0..<5_000).map { _ in word(from: &random) }
        return (0..<count).map { index in
            let number = index + 1
            var words = (0..<wordCount).map { _ in
                // Squared, since texts have frequent and rare words.
                let place = Double.random(in: 0..<1, using: &random)
                return vocabulary[Int(place * place * Double(vocabulary.count))]
            }
            let middle = wordCount / 2
            let name = givenName(number)
            words[middle] = number.isMultiple(of: 3) ? "V\u{E9}" + name.dropFirst(2) : name
            words[middle + (isNameTogether(number) ? 1 : 2)] = familyName(number)
            return words.joined(separator: " ")
        }
    }

    private static func word(from random: inout SeededGenerator) -> String {
        let length = Int.random(in: 2...9, using: &random)
        return String(
            decoding: (0..<length).map { _ in
                UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "u"), using: &random)
            }, as: UTF8.self)
    }

    // MARK: The engine's table

    /// The words that are searched in turn.
    static let searchedNames = (0..<4).map(givenName)

    /// Whether one of these searches finds the item.
    static func isSearched(_ number: Int64) -> Bool { number % 50 < 4 }
}
