import Foundation

/// Items as a JSON array in a file, one element a line.
struct ItemFile {
    let url: URL

    /// Writes the same ten thousand items again and again, each time with other numbers.
    init(_ url: URL, itemCount: Int) throws {
        self.url = url
        let items = ItemRow.generated(count: min(itemCount, 10_000))
        let encoder = JSONEncoder()
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        var text = Data("[\n".utf8)
        for number in 0..<itemCount {
            text += try encoder.encode(Self.item(number, of: items))
            text += Data((number + 1 < itemCount ? ",\n" : "\n").utf8)
            guard text.count > 1 << 20 else { continue }
            try file.write(contentsOf: text)
            text = Data()
        }
        try file.write(contentsOf: text + Data("]\n".utf8))
        try file.close()
    }

    /// The item at a position of a file.
    static func item(_ position: Int, of items: [ItemRow]) -> ItemRow {
        var item = items[position % items.count]
        item.number = Int64(position + 1)
        return item
    }

    /// Decodes each item, as a peer does that knows where the lines end.
    func forEachItem(_ body: (ItemRow) throws -> Void) throws {
        guard let file = fopen(url.path, "r") else { throw CocoaError(.fileReadNoSuchFile) }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        let decoder = JSONDecoder()
        while case let length = getline(&line, &capacity, file), length > 0 {
            // Without the comma and the end of the line; the brackets have lines of their own.
            guard length > 3, let line else { continue }
            let hasComma = line[length - 2] == CChar(UInt8(ascii: ","))
            let text = Data(
                bytesNoCopy: line, count: length - (hasComma ? 2 : 1), deallocator: .none)
            try body(decoder.decode(ItemRow.self, from: text))
        }
    }
}
