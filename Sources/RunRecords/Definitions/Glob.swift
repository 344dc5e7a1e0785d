import Measuring

/// A pattern: `*` matches any characters, including none and slashes; `?` matches one.
public struct Glob: Codable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let pattern: String

    public init(_ pattern: String) {
        self.pattern = pattern
    }

    public init(stringLiteral pattern: String) {
        self.pattern = pattern
    }

    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(pattern)
    }

    public var description: String { pattern }

    /// Whether the pattern matches the whole text. Case matters.
    public func matches(_ text: String) -> Bool {
        let pattern = Array(pattern)
        let text = Array(text)
        var place = 0
        var rest = 0
        // Where to continue when a star has to match one more character.
        var afterStar: (place: Int, rest: Int)?
        while rest < text.count {
            if place < pattern.count, pattern[place] == "*" {
                afterStar = (place + 1, rest)
                place += 1
            } else if place < pattern.count, pattern[place] == "?" || pattern[place] == text[rest] {
                place += 1
                rest += 1
            } else if let star = afterStar {
                afterStar = (star.place, star.rest + 1)
                place = star.place
                rest = star.rest + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}
