/// A word, number or sign of a predicate format, with its position.
struct PredicateToken {
    enum Kind: Equatable {
        /// A word that may be a keyword or a key.
        case word(String)
        /// A key after `#`, never a keyword.
        case key(String)
        /// `$name`
        case variable(String)
        /// `name:` or `name:with:`, as written.
        case function(String)
        /// Digits as written, with fraction, exponent or base prefix.
        case number(String)
        case string(String)
        /// `%@`, `%K`, `%d` …, without the percent sign.
        case placeholder(String)
        /// Punctuation and operators.
        case sign(String)
        case end
    }

    let kind: Kind
    /// The bytes of the token.
    let range: Range<Int>
}

/// Splits a predicate format into tokens, one at a time (spec §7.1).
struct PredicateLexer {
    let text: String
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func next() throws(PredicateFormatError) -> PredicateToken {
        while let byte = peek(), Self.isSpace(byte) { position += 1 }
        let start = position
        let kind = try nextKind()
        return PredicateToken(kind: kind, range: start..<position)
    }

    private mutating func nextKind() throws(PredicateFormatError) -> PredicateToken.Kind {
        guard let byte = peek() else { return .end }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string(quote: byte))
        case UInt8(ascii: "%"): return .placeholder(try placeholder())
        case UInt8(ascii: "#"):
            position += 1
            return .key(try word("a key"))
        case UInt8(ascii: "$"):
            position += 1
            return .variable(try word("the name of a variable"))
        case _ where Self.isDigit(byte): return .number(number())
        case UInt8(ascii: ".") where peek(1).map(Self.isDigit) == true: return .number(number())
        case _ where Self.isWordStart(byte):
            let word = try word("a key")
            return peek() == UInt8(ascii: ":") && peek(1) != UInt8(ascii: "=")
                ? .function(functionName(word)) : .word(word)
        default: return .sign(try sign())
        }
    }

    private mutating func word(_ expected: String) throws(PredicateFormatError) -> String {
        let start = position
        guard let first = peek(), Self.isWordStart(first) else {
            throw error(at: position, expected: expected)
        }
        while let byte = peek(), Self.isWordByte(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// The other words of a function's name, up to the colon before its arguments.
    private mutating func functionName(_ first: String) -> String {
        let start = position
        while let byte = peek(), byte == UInt8(ascii: ":") || Self.isWordByte(byte) {
            position += 1
        }
        return first + String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func number() -> String {
        let start = position
        while let byte = peek(), Self.isDigit(byte) || Self.isWordStart(byte) || byte == 0x2E {
            position += 1
            let isExponent =
                byte | 0x20 == UInt8(ascii: "e") && !bytes[start..<position].hasBasePrefix
            if isExponent, let sign = peek(), sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
            {
                position += 1
            }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func placeholder() throws(PredicateFormatError) -> String {
        let start = position
        position += 1
        while let length = peek(), "hjlqtz".utf8.contains(length) { position += 1 }
        guard let letter = peek(), "@KdiuxocsaefgDUXOAEFG".utf8.contains(letter) else {
            throw error(at: start, expected: "%@, %K, %d, %i, %u, %ld, %lu, %lld, %f, %lf or %s")
        }
        position += 1
        return String(decoding: bytes[start + 1..<position], as: UTF8.self)
    }

    /// `%%` becomes a percent sign here too; other placeholders are not replaced.
    private mutating func string(quote: UInt8) throws(PredicateFormatError) -> String {
        let start = position
        position += 1
        var content: [UInt8] = []
        while let byte = peek() {
            position += 1
            switch byte {
            case quote: return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"): content += try escape()
            case UInt8(ascii: "%"):
                if peek() == byte { position += 1 }
                content.append(byte)
            default: content.append(byte)
            }
        }
        throw PredicateFormatError(
            text, at: start, expected: "a closing \(Character(Unicode.Scalar(quote)))",
            found: "a string without end")
    }

    /// A backslash before any other character stays: patterns of LIKE and MATCHES need it.
    private mutating func escape() throws(PredicateFormatError) -> [UInt8] {
        let start = position - 1
        guard let letter = peek() else { throw error(at: start, expected: "an escape") }
        position += 1
        switch letter {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): return [letter]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            let digits = String(
                decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self)
            if digits.utf8.count == 4, let number = UInt32(digits, radix: 16),
                let scalar = Unicode.Scalar(number)
            {
                position += 4
                return Array(String(scalar).utf8)
            }
            throw error(at: start, expected: #"four digits in the escape \uXXXX"#)
        default:
            position -= 1
            return [UInt8(ascii: "\\")]
        }
    }

    private static let signs = Set(
        "< > = ! + - * / & | ^ ~ ( ) { } [ ] , . @".split(separator: " "))
    private static let longSigns = Set(
        "&& || == != <> <= =< >= => ** := << >>".split(separator: " "))

    private mutating func sign() throws(PredicateFormatError) -> String {
        for (count, signs) in [(2, Self.longSigns), (1, Self.signs)] {
            let sign = String(decoding: bytes[position...].prefix(count), as: UTF8.self)
            if signs.contains(sign[...]) {
                position += count
                return sign
            }
        }
        throw error(at: position, expected: "a key, a value or an operator")
    }

    private func error(at offset: Int, expected: String) -> PredicateFormatError {
        let found = String(decoding: bytes[offset...], as: UTF8.self).first
        return PredicateFormatError(
            text, at: offset, expected: expected,
            found: found.map { "'\($0)'" } ?? "the end of the text")
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Letters, the underscore and all bytes beyond ASCII.
    static func isWordStart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == 0x5F || (0x61...0x7A).contains(byte | 0x20)
    }

    static func isWordByte(_ byte: UInt8) -> Bool { isWordStart(byte) || isDigit(byte) }
}

extension ArraySlice<UInt8> {
    /// Whether a number starts with `0x`, `0o` or `0b`.
    fileprivate var hasBasePrefix: Bool {
        count > 1 && self[startIndex] == 0x30 && "xob".utf8.contains(self[startIndex + 1] | 0x20)
    }
}
