/// A predicate format that cannot be parsed: where, what was expected and what was found.
public struct PredicateFormatError: Error, Sendable, Hashable {
    /// The whole format string.
    public let text: String

    /// The position of the wrong character, counted from 1. At the end of the text, its length plus
    /// one.
    public let column: Int
    public let expected: String
    public let found: String

    /// - Parameter offset: The position of the wrong byte, counted from 0.
    init(_ text: String, at offset: Int, expected: String, found: String) {
        self.text = text
        self.column = String(decoding: text.utf8.prefix(offset), as: UTF8.self).count + 1
        self.expected = expected
        self.found = found
    }
}

extension PredicateFormatError: CustomStringConvertible {
    /// The message, and below it the text around the error with a caret.
    public var description: String {
        let contextLength = 60
        let start = max(0, column - 1 - contextLength)
        let excerpt = text.dropFirst(start).prefix(2 * contextLength)
            .map { $0.isNewline || $0 == "\t" ? " " : $0 }
        return """
            expected \(expected), found \(found) at column \(column):
              \(String(excerpt))
              \(String(repeating: " ", count: column - 1 - start))^
            """
    }
}
