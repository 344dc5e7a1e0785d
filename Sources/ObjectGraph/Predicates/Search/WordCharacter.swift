import Foundation

/// A character as SQLite's tokenizer `unicode61 remove_diacritics 2` sees it.
///
/// The tokenizer has the tables of Unicode 6.1, while Swift's are newer. For characters that have
/// been assigned since, and for the few that have changed, the older state counts here. A test
/// compares all characters with SQLite.
enum WordCharacter: Equatable {
    /// Part of a word, in its folded form.
    case letter(Unicode.Scalar)
    /// A diacritic. It may be in a word, and is left out there.
    case diacritic
    /// Between words.
    case separator

    init(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            let byte = UInt8(scalar.value).asciiLowercased
            let isLetter = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
            self = isLetter ? .letter(Unicode.Scalar(byte)) : .separator
        } else if Self.diacritics.contains(where: { $0.contains(scalar.value) }) {
            self = .diacritic
        } else {
            self = scalar.isInWords ? .letter(Self.fold(scalar)) : .separator
        }
    }

    private static let diacritics: [ClosedRange<UInt32>] = [
        0x300...0x304, 0x306...0x30C, 0x30F...0x30F, 0x311...0x311, 0x31B...0x31B, 0x323...0x328,
        0x32D...0x32E, 0x330...0x331,
    ]

    /// Folds case, and takes the diacritics from Latin letters.
    private static func fold(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard !scalar.isNewer else { return scalar }
        if let folded = caseFoldings[scalar.value] { return folded }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars.first!
        return lower.isNewer ? scalar : latinLetters[lower.value] ?? lower
    }

    /// The case foldings that differ from the lower case.
    private static let caseFoldings: [UInt32: Unicode.Scalar] = [
        0xB5: "\u{3BC}", 0x17F: "s", 0x3C2: "\u{3C3}", 0x3D0: "\u{3B2}", 0x3D1: "\u{3B8}",
        0x3D5: "\u{3C6}", 0x3D6: "\u{3C0}", 0x3F0: "\u{3BA}", 0x3F1: "\u{3C1}", 0x3F5: "\u{3B5}",
        0x1E9B: "s", 0x1FBE: "\u{3B9}",
    ]

    /// The letters from A to Z under the letters with diacritics.
    private static let latinLetters: [UInt32: Unicode.Scalar] = {
        var letters: [UInt32: Unicode.Scalar] = [:]
        for value in [0xC0..<0x250, 0x1E00..<0x1F00].joined() {
            // SQLite's table lacks U+01E1.
            guard value != 0x1E1 else { continue }
            let scalar = Unicode.Scalar(UInt32(value))!
            let first = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first!
            if first.isASCII { letters[scalar.value] = first }
        }
        return letters
    }()
}

extension Unicode.Scalar {
    /// Whether the character was assigned after Unicode 6.1, or is not assigned.
    fileprivate var isNewer: Bool {
        guard let age = properties.age else { return true }
        return (age.major, age.minor) > (6, 1)
    }

    /// Letters, numbers, private characters, and those that Unicode 6.1 did not have.
    fileprivate var isInWords: Bool {
        switch value {
        case 0x1885...0x1886: return true
        case 0x19B0...0x19C0, 0x19C8...0x19C9, 0x1CF2...0x1CF3, 0xFFFE...0xFFFF: return false
        default: break
        }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .privateUse, .unassigned:
            return true
        default: return isNewer
        }
    }
}
