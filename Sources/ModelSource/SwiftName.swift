/// A name of a model in Swift source.
public struct SwiftName: Sendable, Hashable {
    public let name: String

    /// - Returns: nil for a text that is not an identifier, even in backticks.
    public init?(_ name: String) {
        guard let first = name.unicodeScalars.first,
            first == "_" || first.properties.isXIDStart,
            name.unicodeScalars.allSatisfy(\.properties.isXIDContinue), name != "_"
        else { return nil }
        self.name = name
    }

    /// The name as source: a keyword is in backticks.
    public var source: String { Self.keywords.contains(name) ? "`\(name)`" : name }

    /// A name made of any text, in the form of a function's: `My Library 2` is `myLibrary2`.
    ///
    /// - Returns: nil for a text without letters and digits.
    public init?(functionNamed text: String) {
        let words = text.split { $0.unicodeScalars.contains { !$0.properties.isXIDContinue } }
        guard let first = words.first else { return nil }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let name = ([Self.startingLowercase(first)] + rest).joined()
        self.init(name.first?.isNumber == true ? "model\(name)" : name)
    }

    /// `Library` as `library`, `URLCache` as `urlCache`.
    private static func startingLowercase(_ word: Substring) -> String {
        let capitals = word.prefix { $0.isUppercase }.count
        let count = capitals > 1 && capitals < word.count ? capitals - 1 : capitals
        return word.prefix(count).lowercased() + word.dropFirst(count)
    }

    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "await", "break",
        "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else", "enum",
        "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import",
        "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]
}

extension String {
    /// The text as a literal of Swift.
    public var swiftLiteral: String { debugDescription }
}
