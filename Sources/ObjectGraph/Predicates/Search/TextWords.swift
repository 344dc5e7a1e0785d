/// The words of a text in their order, folded as in SQLite's full-text indexes.
struct TextWords: Sendable, Hashable {
    /// The full-text index ignores the rest of a longer word.
    private static let maximumByteCount = 32_768

    private var bytes: [UInt8] = []

    /// Where the words end. The next one begins there.
    private var ends: [Int] = []

    init(_ text: some Sequence<Unicode.Scalar>) {
        for scalar in text {
            switch WordCharacter(scalar) {
            case .letter(let letter):
                if letter.isASCII {
                    bytes.append(UInt8(letter.value))
                } else {
                    bytes += UTF8.encode(letter)!
                }
            case .diacritic: break
            case .separator: endWord()
            }
        }
        endWord()
    }

    private mutating func endWord() {
        if bytes.count > ends.last ?? 0 { ends.append(bytes.count) }
    }

    var count: Int { ends.count }
    var isEmpty: Bool { ends.isEmpty }

    /// The words with a space after each but the last.
    var text: String {
        ends.indices.map { String(decoding: bytes[range(of: $0)], as: UTF8.self) }
            .joined(separator: " ")
    }

    /// Whether the words of a phrase follow each other here.
    ///
    /// - Parameter isPrefix: Whether the last one may be the beginning of a longer word.
    func contains(_ phrase: TextWords, isPrefix: Bool) -> Bool {
        guard phrase.count <= count else { return false }
        return (0...count - phrase.count).contains { start in
            phrase.ends.indices.allSatisfy { position in
                let (word, wanted) = (self.word(start + position), phrase.word(position))
                return isPrefix && position == phrase.count - 1
                    ? word.starts(with: wanted) : word == wanted
            }
        }
    }

    private func word(_ position: Int) -> ArraySlice<UInt8> {
        bytes[range(of: position)].prefix(Self.maximumByteCount)
    }

    private func range(of position: Int) -> Range<Int> {
        (position == 0 ? 0 : ends[position - 1])..<ends[position]
    }
}
