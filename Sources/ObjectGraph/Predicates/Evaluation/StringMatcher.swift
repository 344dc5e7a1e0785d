import Foundation
import Synchronization

/// A compiled right side of BEGINSWITH, ENDSWITH, CONTAINS, LIKE or MATCHES.
///
/// As in Foundation's search, no text begins with, ends with or contains the empty text.
///
/// Without options strings are compared byte by byte. With `[c]` or `[d]` they are folded first,
/// and with `[l]` too, whose only locale is the root. Folding ASCII allocates no memory.
final class StringMatcher: Sendable {
    enum Operation: Int, Sendable, Hashable {
        case beginsWith, endsWith, contains, like, matches
    }

    private enum Pattern: Sendable {
        case text(Operation, [UInt8])
        case wildcards(WildcardPattern)
        case expression(NSRegularExpression)
    }

    let options: ObjectPredicate.Options
    private let pattern: Pattern
    private var ignoresCase: Bool { options.contains(.caseInsensitive) }

    /// - Throws: `FetchError.invalidRegularExpression`.
    init(
        _ operation: Operation, _ pattern: String, _ options: ObjectPredicate.Options
    ) throws(FetchError) {
        self.options = options
        let folded = options.isEmpty ? pattern : StringFolding.fold(pattern, options)
        self.pattern =
            switch operation {
            case .like: .wildcards(WildcardPattern(folded))
            case .matches:
                .expression(try Self.expression(pattern, options))
            default: .text(operation, Array(folded.utf8))
            }
    }

    func matches(_ string: String) -> Bool { string.withUTF8Bytes(matches) }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        if case .expression(let expression) = pattern { return matches(text, expression) }
        if options.isEmpty { return matches(text, lowercasing: false) }
        if text.isASCII { return matches(text, lowercasing: ignoresCase) }
        return StringFolding.fold(text, options).withUnsafeBytes {
            matches($0, lowercasing: false)
        }
    }

    private func matches(_ text: UnsafeRawBufferPointer, lowercasing: Bool) -> Bool {
        switch pattern {
        case .text(let operation, let bytes):
            bytes.withUnsafeBytes { bytes in
                guard !bytes.isEmpty, bytes.count <= text.count else { return false }
                return switch operation {
                case .beginsWith: text.has(bytes, at: 0, lowercasing)
                case .endsWith: text.has(bytes, at: text.count - bytes.count, lowercasing)
                default: text.contains(bytes, lowercasing)
                }
            }
        case .wildcards(let wildcards): wildcards.matches(text, lowercasing: lowercasing)
        case .expression: false
        }
    }

    // MARK: - Regular expressions

    private func matches(
        _ text: UnsafeRawBufferPointer, _ expression: NSRegularExpression
    ) -> Bool {
        var string = String(decoding: text, as: UTF8.self)
        if options.contains(.diacriticInsensitive) {
            string = StringFolding.fold(string, .diacriticInsensitive)
        }
        let range = NSRange(location: 0, length: string.utf16.count)
        return expression.firstMatch(in: string, range: range) != nil
    }

    private struct ExpressionKey: Hashable {
        let pattern: String
        let options: ObjectPredicate.Options
    }

    /// Recently used expressions. Compiling one takes some microseconds, and most fetches repeat
    /// the same ones.
    private static let expressions = Mutex<[ExpressionKey: NSRegularExpression]>([:])

    private static func expression(
        _ pattern: String, _ options: ObjectPredicate.Options
    ) throws(FetchError) -> NSRegularExpression {
        let key = ExpressionKey(pattern: pattern, options: options)
        if let known = expressions.withLock({ $0[key] }) { return known }
        let folded =
            options.contains(.diacriticInsensitive)
            ? StringFolding.fold(pattern, .diacriticInsensitive) : pattern
        // The pattern is compiled alone first: unbalanced parentheses could become valid within the
        // ones added below.
        guard (try? NSRegularExpression(pattern: folded)) != nil,
            let expression = try? NSRegularExpression(
                pattern: "\\A(?:\(folded))\\z",
                options: options.contains(.caseInsensitive) ? .caseInsensitive : [])
        else { throw .invalidRegularExpression(pattern) }
        expressions.withLock { known in
            if known.count >= 64 { known.removeAll() }
            known[key] = expression
        }
        return expression
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes of a pattern are at a position. The pattern is not empty and fits there.
    @inline(__always)
    fileprivate func has(_ pattern: Self, at position: Int, _ lowercasing: Bool) -> Bool {
        guard lowercasing else {
            return memcmp(baseAddress! + position, pattern.baseAddress!, pattern.count) == 0
        }
        for offset in 0..<pattern.count
        where self[position &+ offset].asciiLowercased != pattern[offset] {
            return false
        }
        return true
    }

    /// The pattern must be neither empty nor longer than the text.
    @inline(__always)
    fileprivate func contains(_ pattern: Self, _ lowercasing: Bool) -> Bool {
        let first = pattern[0]
        let lastPosition = count - pattern.count
        guard lowercasing else {
            var position = 0
            while position <= lastPosition,
                let found = memchr(
                    baseAddress! + position, Int32(first), lastPosition - position + 1)
            {
                position = UnsafeRawPointer(found) - baseAddress!
                if has(pattern, at: position, false) { return true }
                position += 1
            }
            return false
        }
        for position in 0...lastPosition
        where self[position].asciiLowercased == first && has(pattern, at: position, true) {
            return true
        }
        return false
    }
}
