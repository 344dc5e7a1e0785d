import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Full-text search (§7.9)` {
    /// A query over titles and bodies, and the titles that it finds.
    static let queries: [(text: String, expected: [String])] = [
        ("fox", ["Dog", "Fox"]), ("FOX quick", ["Dog", "Fox"]), ("sleeps fox dog", ["Dog"]),
        ("\"quick brown\"", ["Fox"]), ("\"brown quick\"", []), ("\"quick brown", ["Fox"]),
        ("qui* jum*", ["Fox"]), ("\"brown fo\"*", ["Fox"]), ("qui", []), ("*", []),
        ("deja", ["Café"]), ("ZURICH", ["Café"]), ("cafe vu", ["Café"]), ("e-mail", ["Café"]),
        ("mail-e", []), ("e-ma*", ["Café"]), ("\"café déjà\"", []), ("", []), ("?!", []),
        ("fox?quick", []), ("brown?fox", ["Fox"]), ("fox\"dog\"", ["Dog", "Fox"]),
        ("dog\u{0}dog", []),
    ]

    @Test(arguments: queries, [false, true])
    func `words, phrases and beginnings of words (§7.9.2)`(
        _ query: (text: String, expected: [String]), inMemory: Bool
    ) throws {
        try SearchFixture.store(inMemory: inMemory).run { context in
            let found = try SearchFixture.titles(
                "byText SEARCH %@ AND title != 'Letter'", [query.text], in: context)
            #expect(found == query.expected)
        }
    }

    @Test(arguments: [
        ("title SEARCH 'dog'", ["Dog"]), ("body SEARCH 'dog'", ["Dog", "Fox", "Letter"]),
        ("byText SEARCH 'dog' AND body SEARCH 'lazy'", ["Fox"]),
        ("body SEARCH 'lazy' OR title SEARCH 'c*'", ["Café", "Fox"]),
        ("NOT body SEARCH 'the'", ["Café", "Empty"]),
        ("NOT (body SEARCH 'the' OR title SEARCH 'empty')", ["Café"]),
        ("folder.name SEARCH 'forest'", ["Dog", "Fox"]),
        ("folder.byName SEARCH 'creme'", ["Café", "Letter"]),
        ("NOT folder.name SEARCH 'forest'", ["Café", "Empty", "Letter"]),
        ("folder.name SEARCH 'forest' AND byText SEARCH 'sleeps'", ["Dog"]),
        ("ANY folder.documents.body SEARCH 'sleeps'", ["Dog", "Fox"]),
        ("ALL folder.documents.body SEARCH 'fox'", ["Dog", "Empty", "Fox"]),
        (
            "SUBQUERY(folder.documents, $d, $d.byText SEARCH 'café').@count == 1",
            ["Café", "Letter"]
        ),
        ("TERNARY(byText SEARCH 'fox', 1, 2) == 1", ["Dog", "Fox"]),
        ("body SEARCH nil OR TRUEPREDICATE", []),
    ])
    func `is a term like any other, in SQL and in memory (§7.9.5)`(
        _ format: String, _ expected: [String]
    ) throws {
        for inMemory in [false, true] {
            try SearchFixture.store(inMemory: inMemory).run { context in
                guard !expected.isEmpty else {
                    #expect(throws: FetchError.self) {
                        try SearchFixture.titles(format, in: context)
                    }
                    return
                }
                #expect(try SearchFixture.titles(format, in: context) == expected)
                let objects = try context.all("Document", by: "title")
                let filtered = try objects.filter(ObjectPredicate(format))
                #expect(try filtered.map { try $0.value(forKey: "title") as? String } == expected)
            }
        }
    }

    @Test(arguments: [
        "\"", "\"\"", "\"\"\"", "a OR b", "AND", "NOT fox", "NEAR(fox dog)", "fox NEAR", "^fox",
        "title : fox", "{title} : fox", "fox + dog", "-fox", "(fox", "fox)", "'; DROP TABLE x; --",
        "fox*dog*", "**", "*fox", "\u{0}", "fox\u{0}\"", "😀", "👩‍👩‍👧‍👦 fox", "\\", "%", "\u{FFFF}",
        "\u{10FFFF}", "fox\"", "\"fox\"\"dog\"", "fox AND", "rank", "Z_FT_Document_byText",
    ])
    func `takes every text, whatever it means to FTS5 (§7.9.4)`(_ text: String) throws {
        try SearchFixture.store().run { context in
            let predicate = try ObjectPredicate("byText SEARCH %@", text)
            let found = try SearchFixture.titles("byText SEARCH %@", [text], in: context)
            let filtered = try context.all("Document", by: "title").filter(predicate)
            #expect(try filtered.map { try $0.value(forKey: "title") as? String } == found)
            #expect(try ObjectPredicate(predicate.predicateFormat) == predicate)
        }
    }

    @Test func `takes long texts (§7.9.4)`() throws {
        try SearchFixture.store().run { context throws in
            let words = String(repeating: "fox dog ", count: 2_000)
            #expect(try SearchFixture.titles("byText SEARCH %@", [words], in: context).count == 2)
            let quoted = "\"\(words)\""
            #expect(try SearchFixture.titles("byText SEARCH %@", [quoted], in: context).isEmpty)
            let long = String(repeating: "é", count: 100_000) + "*"
            #expect(try SearchFixture.titles("byText SEARCH %@", [long], in: context).isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `sees unsaved changes (§7.9.5)`(inMemory: Bool) throws {
        try SearchFixture.store(inMemory: inMemory).run { context in
            try context.insert("Document", ["title": "New", "body": "A red FÓX"])
            let dog = try context.all("Document", by: "title")[1]
            try dog.setValue("A cat", forKey: "body")
            #expect(try SearchFixture.titles("body SEARCH 'fox'", in: context) == ["Fox", "New"])
            try context.save()
            #expect(try SearchFixture.titles("body SEARCH 'fox'", in: context) == ["Fox", "New"])
        }
    }

    @Test func `an attribute without an index is refused (§7.9.6)`() throws {
        for inMemory in [false, true] {
            try SearchFixture.store(inMemory: inMemory).run { context in
                for key in ["plain", "nothing", "number", "address", "byAddress"] {
                    #expect(throws: FetchError.noFullTextIndex(key, entity: "Document")) {
                        try SearchFixture.titles("\(key) SEARCH 'x'", in: context)
                    }
                }
                #expect(throws: FetchError.noFullTextIndex("byText", entity: "Folder")) {
                    try SearchFixture.titles("folder.byText SEARCH 'x'", in: context)
                }
                for format in [
                    "body SEARCH[c] 'x'", "body SEARCH title", "body SEARCH 1", "'a' SEARCH 'x'",
                    "ANY body SEARCH 'x'", "SELF SEARCH 'x'",
                ] {
                    #expect(throws: FetchError.self, "\(format)") {
                        try SearchFixture.titles(format, in: context)
                    }
                }
            }
        }
    }

    @Test func `an index of a subentity covers its objects only (§7.9.8)`() throws {
        try SearchFixture.store().run { context in
            let found = try SearchFixture.titles(
                "byAddress SEARCH 'fox'", entity: "Letter", in: context)
            #expect(found == ["Letter"])
            #expect(
                try SearchFixture.titles("byText SEARCH 'dog'", entity: "Letter", in: context)
                    == ["Letter"])
        }
    }
}
