import Foundation
import Testing

@testable import ObjectGraph

/// A text, a pattern, and whether they match.
struct Fit: Sendable, CustomTestStringConvertible {
    let text: String
    let other: String
    let options: ObjectPredicate.Options
    let fits: Bool
    var testDescription: String { "\(text) \(other)" }

    init(
        _ text: String, _ other: String, _ options: ObjectPredicate.Options = [], _ fits: Bool
    ) {
        self.text = text
        self.other = other
        self.options = options
        self.fits = fits
    }
}

/// Strings, and the same strings sorted.
struct Ordering: Sendable {
    let strings: [String]
    let comparison: SortKey.Comparison
    let sorted: [String]

    init(_ strings: [String], _ comparison: SortKey.Comparison, _ sorted: [String]) {
        self.strings = strings
        self.comparison = comparison
        self.sorted = sorted
    }
}

@Suite struct `String operators (§7.3)` {
    @Test(arguments: [
        Fit("straße", "STRASSE", .caseInsensitive, true),
        Fit("ΣΊΣΥΦΟΣ", "σίσυφος", .caseInsensitive, true),
        Fit("Ÿ", "ÿ", .caseInsensitive, true),
        Fit("ı", "I", .caseInsensitive, false),
        Fit("İ", "i\u{307}", .caseInsensitive, true),
        Fit("é", "e", .caseInsensitive, false),
        Fit("É", "e", .diacriticInsensitive, false),
        Fit("É", "e", [.caseInsensitive, .diacriticInsensitive], true),
        Fit("é", "e\u{301}", .caseInsensitive, true),
        Fit("é", "e\u{301}", .localeSensitive, true),
        Fit("Ångström", "angstrom", [.caseInsensitive, .diacriticInsensitive], true),
        Fit("Łódź", "Łodz", .diacriticInsensitive, true),
        Fit("việt", "VIET", [.caseInsensitive, .diacriticInsensitive], true),
        Fit("ДЁ", "де", [.caseInsensitive, .diacriticInsensitive], true),
        Fit("ἄνθρωπος", "ανθρωποσ", [.caseInsensitive, .diacriticInsensitive], true),
        Fit("कि", "क", .diacriticInsensitive, false),
        Fit("abc", "ABC", .diacriticInsensitive, false),
    ])
    func `folding beyond ASCII`(
        example: Fit
    ) {
        let first = StringFolding.fold(example.text, example.options)
        let second = StringFolding.fold(example.other, example.options)
        #expect((Array(first.utf8) == Array(second.utf8)) == example.fits)
    }

    @Test func `the table for Latin letters folds as the general way does`() {
        for options in (1...3).map(ObjectPredicate.Options.init(rawValue:)) {
            for value in UInt32(0)..<0x300 {
                let string = "a\(Unicode.Scalar(value)!)Z"
                let fast = string.withUTF8Bytes { StringFolding.fold($0, options) }
                #expect(fast == Array(StringFolding.fold(string, options).utf8), "U+\(value)")
            }
        }
    }

    @Test(arguments: [
        Fit("", "", [], true), Fit("", "*", [], true), Fit("", "?", [], false),
        Fit("abc", "abc", [], true),
        Fit("abc", "ab", [], false), Fit("abc", "a?c", [], true), Fit("abc", "*c", [], true),
        Fit("abc", "a*b*c*", [], true),
        Fit("abc", "a*d", [], false), Fit("a*c", #"a\*c"#, [], true),
        Fit("abc", #"a\*c"#, [], false),
        Fit("a?c", #"a\?c"#, [], true), Fit(#"a\"#, #"a\"#, [], true),
        Fit("aé日😀b", "a???b", [], true),
        Fit("aé日😀b", "a??b", [], false), Fit("mississippi", "m*iss*ip?i", [], true),
        Fit("ab", "ab**", [], true),
        Fit("日本語", "日*", [], true),
    ])
    func `LIKE fits the whole string (§7.3.3)`(example: Fit) throws {
        let plain = try StringMatcher(.like, example.other, [])
        #expect(plain.matches(example.text) == example.fits)
        let folded = try StringMatcher(.like, example.other.uppercased(), .caseInsensitive)
        #expect(folded.matches(example.text) == example.fits)
    }

    @Test func `LIKE does not explode`() throws {
        let text = String(repeating: "a", count: 5_000)
        let pattern = String(repeating: "*a", count: 50) + "b"
        #expect(try !StringMatcher(.like, pattern, []).matches(text))
    }

    @Test(arguments: [
        Fit("abc", "a.c", [], true), Fit("abcd", "a.c", [], false),
        Fit("ab", "a|ab", [], true), Fit("ABC", "a.c", .caseInsensitive, true),
        Fit("été", "ete", .diacriticInsensitive, true), Fit("N14228", #"N\d+"#, [], true),
        Fit("a\nb", "a.b", [], false),
    ])
    func `MATCHES fits the whole string (§7.3.3)`(
        example: Fit
    ) throws {
        let matcher = try StringMatcher(.matches, example.other, example.options)
        #expect(matcher.matches(example.text) == example.fits)
    }

    @Test(arguments: ["(", "a)(b", "[", "*"])
    func `an invalid expression is named before anything runs`(pattern: String) throws {
        let predicate = try ObjectPredicate("tail MATCHES %@", pattern)
        let entity = QueryFixture.entity("Flight")
        #expect(throws: FetchError.invalidRegularExpression(pattern)) {
            try CompiledPredicate(predicate, entity: entity, model: QueryFixture.model)
        }
        #expect(throws: FetchError.invalidRegularExpression(pattern)) {
            try FetchTranslation(
                FetchRequest(entityName: "Flight", predicate: predicate), entity: entity,
                layout: QueryFixture.layout, selection: .count)
        }
    }

    @Test(arguments: [
        Ordering(["b", "a", "B", "A"], .binary, ["A", "B", "a", "b"]),
        Ordering(["é", "z", "e"], .binary, ["e", "z", "é"]),
        Ordering(["b", "A", "c"], .caseInsensitive, ["A", "b", "c"]),
        Ordering(["file10", "File2", "file1"], .localizedStandard, ["file1", "File2", "file10"]),
        Ordering(["z", "Émile", "eric"], .localizedStandard, ["Émile", "eric", "z"]),
        Ordering(["a01b", "a1c", "a1"], .localizedStandard, ["a1", "a01b", "a1c"]),
    ])
    func `orders of strings`(
        ordering: Ordering
    ) throws {
        let keys = [SortKey("name", comparison: ordering.comparison)]
        let sort = try CompiledSort(
            keys, entity: QueryFixture.entity("Airline"), model: QueryFixture.model)
        let rows = ordering.strings.enumerated().map {
            FixtureRow("Airline", Int64($0), ["name": .string($1)])
        }
        let names = rows.sorted(by: sort.areInIncreasingOrder).map { $0.values["name"]?.string }
        #expect(names == ordering.sorted)
        let found = try FixtureDatabase(rows).keys(
            FetchRequest(entityName: "Airline", sortKeys: keys))
        #expect(found.map { ordering.strings[Int($0)] } == ordering.sorted)
    }
}
