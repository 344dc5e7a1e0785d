import Foundation

extension JSONDecoder {
    /// Refuses JSON in which an object has a key twice (spec §2.14).
    ///
    ///     try JSONDecoder.requireUniqueKeys(in: data)
    ///     let books = try decoder.decode(ManagedList<Book>.self, from: data).objects
    ///
    /// `decode` does not see such keys: it takes one of the values and drops the others. Other
    /// mistakes are left to `decode`. Cost: one pass over the text.
    /// - Throws: `DecodingError.dataCorrupted` with the path of the second key, and for text that is
    ///   not UTF-8.
    public static func requireUniqueKeys(in json: Data) throws(DecodingError) {
        var keys = JSONKeys(json)
        try keys.requireUnique()
    }
}

/// The keys of a JSON text, object by object. Uses no recursion, so that any depth is possible.
private struct JSONKeys {
    /// An object or array that is open, with its key or index that was read last.
    private struct Level {
        let isObject: Bool
        var keys: Set<String> = []
        var key = ""
        var index = 0
        var expectsKey: Bool

        init(isObject: Bool) {
            self.isObject = isObject
            expectsKey = isObject
        }

        var codingKey: any CodingKey { isObject ? ObjectCodingKey(key) : JSONIndex(index) }
    }

    private let bytes: [UInt8]
    private var position = 0
    private var levels: [Level] = []

    init(_ json: Data) { bytes = Array(json) }

    mutating func requireUnique() throws(DecodingError) {
        // JSON begins with two ASCII characters, or is one: a zero or a mark shows UTF-16 or 32.
        if bytes.prefix(2).contains(where: { $0 == 0 || $0 >= 0xFE }) {
            throw error("The text is not UTF-8; convert it.")
        }
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): try readText()
            case UInt8(ascii: "{"): levels.append(Level(isObject: true))
            case UInt8(ascii: "["): levels.append(Level(isObject: false))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
            case UInt8(ascii: ","): beginNext()
            default: break
            }
            position += 1
        }
    }

    private mutating func beginNext() {
        guard var level = levels.popLast() else { return }
        level.expectsKey = level.isObject
        level.index += 1
        levels.append(level)
    }

    /// Moves to the end of a text, and notes it if it is a key.
    private mutating func readText() throws(DecodingError) {
        let start = position
        var hasEscape = false
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") {
                hasEscape = true
                position += 1
            }
            position += 1
        }
        guard position < bytes.count, levels.last?.expectsKey == true else { return }
        let last = levels.count - 1
        let raw = bytes[start...position]
        // As the decoder compares keys: without escapes, as Swift compares texts.
        let key =
            (hasEscape ? try? JSONDecoder().decode(String.self, from: Data(raw)) : nil)
            ?? String(decoding: raw.dropFirst().dropLast(), as: UTF8.self)
        levels[last].key = key
        levels[last].expectsKey = false
        guard levels[last].keys.insert(key).inserted else {
            throw error("The object has this key twice; remove one of them.")
        }
    }

    private func error(_ sentence: String) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: levels.map(\.codingKey), debugDescription: sentence))
    }
}

/// The place of an element in a JSON array.
private struct JSONIndex: CodingKey {
    let intValue: Int?

    init(_ index: Int) { intValue = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { self.init(intValue) }

    var stringValue: String { "Index \(intValue ?? 0)" }
}
