import Testing

@testable import ObjectGraph

@Suite struct `The words of a text (§7.9)` {
    /// SQLite's own words: of each character alone, and of each between two letters. Of the planes
    /// without assigned characters, one character in 251.
    @Test func `are those of SQLite for every character (§7.9.3)`() throws {
        let connection = try Connection(SQLiteConfiguration(path: ":memory:"))
        try connection.execute(
            "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 2')")
        try connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(t, instance)")
        // A thousand characters a row. Their order shows which of them has which words.
        let scalars = (1...0x10FFFF as ClosedRange<UInt32>).lazy
            .filter { (code: UInt32) in
                code < 0x32000 || (0xE0000..<0xE1000).contains(code) || code % 251 == 0
            }
            .compactMap(Unicode.Scalar.init)
        var texts: [String] = []
        var text = String.UnicodeScalarView()
        for (position, scalar) in scalars.enumerated() {
            for part: Unicode.Scalar in ["q", scalar, "z", " ", scalar, " "] { text.append(part) }
            if position % 1_000 == 999 {
                texts.append(String(text))
                text = .init()
            }
        }
        texts.append(String(text))
        let insert = try connection.statement("INSERT INTO t (rowid, x) VALUES (?, ?)")
        for (row, text) in texts.enumerated() {
            insert.bind(Int64(row), at: 1)
            insert.bind(text, at: 2)
            try insert.run()
        }
        var words = texts.map { _ in [Int64: String]() }
        let found = try connection.statement("SELECT doc, offset, term FROM words")
        while try found.step() {
            let row = Int(found.value(at: 0).integer)
            words[row][found.value(at: 1).integer] = found.value(at: 2).string
        }
        for (row, text) in texts.enumerated() {
            // As scalars: to Swift, equivalent texts are equal, and a mark joins the space before it.
            let expected = words[row].sorted { $0.key < $1.key }.map {
                Array($0.value.unicodeScalars)
            }
            let own = TextWords(text.unicodeScalars).text.unicodeScalars
                .split(separator: " ").map { Array($0) }
            guard own != expected else { continue }
            let pair = zip(own, expected).first { $0 != $1 }
            Issue.record("row \(row): \(String(describing: pair))")
            return
        }
        #expect(texts.count > 200)
    }

    @Test(arguments: [
        ("The Quick-Brown fox", "the quick brown fox"), ("Zürich ÉTÉ", "zurich ete"),
        ("e\u{301}te\u{301}", "ete"), ("\u{301}a", "a"), ("Straße", "straße"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"), ("日本語 한국어", "日本語 한국어"), ("a\u{0}b", "a b"), ("C3PO_x", "c3po x"),
        ("😀 ok", "ok"), ("", ""), ("\"*()^:{}-+", ""),
    ])
    func `are folded letters and digits (§7.9.3)`(_ text: String, _ expected: String) {
        #expect(TextWords(text.unicodeScalars).text == expected)
    }

    @Test func `that are very long count up to 32,768 bytes`() {
        let long = String(repeating: "x", count: 32_768)
        let words = TextWords((long + "a").unicodeScalars)
        #expect(words.contains(TextWords((long + "b").unicodeScalars), isPrefix: false))
        #expect(!words.contains(TextWords(long.dropLast().unicodeScalars), isPrefix: false))
    }
}
