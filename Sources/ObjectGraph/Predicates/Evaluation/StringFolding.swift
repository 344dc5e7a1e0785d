import Foundation

/// Removes the differences that a comparison ignores.
///
/// Callers handle ASCII themselves, the common case. Everything else is folded by the rules of
/// Unicode:
///
/// - diacritics: canonical decomposition, then the marks are removed;
/// - case: the mappings that make up full case folding.
///
/// The result is in normalisation form C, so canonically equivalent strings are equal.
package enum StringFolding {
    /// - Returns: UTF-8 bytes, equal for strings that differ only in ways the options ignore.
    package static func fold(
        _ text: UnsafeRawBufferPointer, _ options: ObjectPredicate.Options
    ) -> [UInt8] {
        if let folded = latin(text, options) { return folded }
        return Array(fold(String(decoding: text, as: UTF8.self), options).utf8)
    }

    static func fold(_ string: String, _ options: ObjectPredicate.Options) -> String {
        var string = string
        if options.contains(.diacriticInsensitive) {
            var scalars = String.UnicodeScalarView()
            for scalar in string.decomposedStringWithCanonicalMapping.unicodeScalars
            where !isDiacritic(scalar) {
                scalars.append(scalar)
            }
            string = String(scalars)
        }
        if options.contains(.caseInsensitive) {
            var folded = ""
            for scalar in string.unicodeScalars { folded += caseFolded(scalar) }
            string = folded
        }
        return string.precomposedStringWithCanonicalMapping
    }

    /// Marks above and below letters. Vowel signs (class 0) and viramas (class 9) are no
    /// diacritics: they change the syllable.
    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark else {
            return false
        }
        let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
        return combiningClass != 0 && combiningClass != 9
    }

    /// Lowercase, uppercase and lowercase in turn give the full case folding: ß becomes ss, ς
    /// becomes σ, and ſ becomes s.
    private static func caseFolded(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII { return scalar.properties.lowercaseMapping }
        // The dotless i folds to itself, although its upper case is the plain I.
        if scalar.value == 0x131 { return String(scalar) }
        return scalar.properties.lowercaseMapping.uppercased().lowercased()
    }

    // MARK: - Latin letters

    /// Folds text below U+0250 by a table. This covers European languages in Latin script.
    ///
    /// - Returns: nil if the text has other scalars or is not UTF-8.
    private static func latin(
        _ text: UnsafeRawBufferPointer, _ options: ObjectPredicate.Options
    ) -> [UInt8]? {
        let table = latinTables[options.rawValue & 3]
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count + 8)
        let ignoresCase = options.contains(.caseInsensitive)
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte < 0x80 {
                folded.append(ignoresCase ? byte.asciiLowercased : byte)
                position += 1
            } else {
                // Two bytes encode a scalar from U+0080 on; the lead byte C9 reaches to U+027F.
                guard byte >= 0xC2, byte <= 0xC9, position + 1 < text.count,
                    text[position + 1] & 0xC0 == 0x80
                else { return nil }
                let scalar = Int(byte & 0x1F) << 6 | Int(text[position + 1] & 0x3F)
                guard scalar < latinEnd else { return nil }
                var bytes = table[scalar - 0x80]
                while bytes != 0 {
                    folded.append(UInt8(truncatingIfNeeded: bytes))
                    bytes >>= 8
                }
                position += 2
            }
        }
        return folded
    }

    private static let latinEnd = 0x250

    /// For each combination of the two options, the folding of each scalar from U+0080 on: up to
    /// four bytes of UTF-8, the first one lowest.
    private static let latinTables: [[UInt32]] = (0..<4).map { options in
        (0x80..<latinEnd).map { value in
            let scalar = String(Unicode.Scalar(UInt32(value))!)
            return fold(scalar, ObjectPredicate.Options(rawValue: options)).utf8.reversed()
                .reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}

extension UInt8 {
    @inline(__always)
    var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
