/// The right side of SEARCH: the words that must occur.
///
/// - `quick fox`: both words, in any order.
/// - `"quick fox"`: a phrase. Its words follow each other, in one attribute. A phrase without its
///   second quotation mark ends with the text.
/// - `qui*`, `"quick fo"*`: the last word may be the beginning of a longer one.
///
/// Case and the diacritics of Latin letters do not matter. All else, such as punctuation and
/// symbols, only separates words; words without a space between them are a phrase, as in `e-mail`.
/// So every text is a query, and one without a word finds nothing.
struct SearchQuery: Sendable, Hashable {
    private struct Phrase: Sendable, Hashable {
        let words: TextWords
        let isPrefix: Bool
    }

    private var phrases: [Phrase] = []

    init(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first == "\"" {
                rest.removeFirst()
                let phrase = rest.prefix { $0 != "\"" }
                rest = rest[phrase.endIndex...].dropFirst()
                let isPrefix = rest.first == "*"
                append(phrase, isPrefix: isPrefix)
            } else {
                let word = rest.prefix { $0 != "\"" && !$0.properties.isWhitespace }
                append(word, isPrefix: word.last == "*")
                rest = word.isEmpty ? rest.dropFirst() : rest[word.endIndex...]
            }
        }
    }

    private mutating func append(_ text: Substring.UnicodeScalarView, isPrefix: Bool) {
        let words = TextWords(text)
        if !words.isEmpty { phrases.append(Phrase(words: words, isPrefix: isPrefix)) }
    }

    /// The query in the language of FTS5. Words have no character that means something there.
    var expression: String {
        guard !phrases.isEmpty else { return "\"\"" }
        return phrases.map { "\"\($0.words.text)\"\($0.isPrefix ? " *" : "")" }
            .joined(separator: " AND ")
    }

    /// Whether each phrase occurs in one of the texts.
    func matches(_ texts: [String?]) -> Bool {
        guard !phrases.isEmpty else { return false }
        let texts = texts.compactMap { $0.map { TextWords($0.unicodeScalars) } }
        return phrases.allSatisfy { phrase in
            texts.contains { $0.contains(phrase.words, isPrefix: phrase.isPrefix) }
        }
    }
}
