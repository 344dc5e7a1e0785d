import Testing

@testable import ObjectGraph

/// Formats that are used again with other arguments.
@Suite struct `Formats seen before (§7.1)` {
    struct Use: Sendable, CustomTestStringConvertible {
        let format: String
        let arguments: [[AttributeValue?]]
        var isReusable = true

        var testDescription: String { format }
    }

    static let uses = [
        Use(format: "a == 1", arguments: [[], []]),
        Use(format: "a == %@", arguments: [[.integer(1)], [.string("x")], [nil]]),
        Use(format: "a = %ld && b > 2", arguments: [[.integer(1)], [.integer(-5)]]),
        Use(
            format: "a == 1 AND NOT (b > %d OR c BEGINSWITH[c] %s) AND d IN {1, 2}",
            arguments: [[.integer(1), .string("x")], [.integer(2), .string("y")]]),
        Use(format: "NONE a.b == %@", arguments: [[.integer(1)], [.double(0.5)]]),
        Use(format: "a == %@ + 1", arguments: [[.integer(1)], [.integer(2)]], isReusable: false),
        Use(format: "a == -%d", arguments: [[.integer(1)], [.integer(2)]], isReusable: false),
        Use(format: "a == (%d)", arguments: [[.integer(1)], [.integer(2)]], isReusable: false),
        Use(
            format: "a IN {%@, %@} AND b == 1",
            arguments: [[.integer(1), .integer(2)], [.integer(3), .integer(4)]], isReusable: false),
        Use(
            format: "%K == %@",
            arguments: [[.string("a"), .integer(2)], [.string("b"), .integer(4)]],
            isReusable: false),
        Use(format: "%@ == a", arguments: [[.integer(1)], [.integer(2)]], isReusable: false),
        Use(
            format: "SUBQUERY(a, $x, $x.b == %@).@count > 0",
            arguments: [[.integer(1)], [.integer(2)]], isReusable: false),
        Use(
            format: "SELF isKindOfClass: 'Book' AND SUBQUERY(a, $x, $x.b == %@).@count > 0",
            arguments: [[.integer(1)], [.integer(2)]], isReusable: false),
        Use(
            format: "CAST(a, 'NSString') == %@ AND b == CAST(%@, 'NSNumber')",
            arguments: [[.string("1"), .string("2")], [.string("3"), .string("4")]],
            isReusable: false),
    ]

    /// Both texts are equal as Swift strings, but not in SQLite.
    @Test func `formats of other bytes are other formats`() throws {
        let composed = try ObjectPredicate("name == '\u{E9}'").predicateFormat
        let decomposed = try ObjectPredicate("name == 'e\u{301}'").predicateFormat
        #expect(composed == decomposed && Array(composed.utf8) != Array(decomposed.utf8))
    }

    @Test(arguments: uses)
    func `they give what parsing gives`(use: Use) throws {
        let cache = PredicateFormatCache()
        for arguments in use.arguments {
            let parsed = try PredicateParser.parse(use.format, arguments)
            #expect((parsed.template != nil) == use.isReusable)
            for _ in 0..<2 {
                #expect(try cache.predicate(use.format, arguments) == parsed.predicate)
            }
        }
    }

    @Test func `wrong arguments are refused as when the format is new`() throws {
        let cache = PredicateFormatCache()
        _ = try cache.predicate("a == %d", [1])
        let wrong: [[(any PredicateArgument)?]] = [[], [1, 2], ["x"], [nil]]
        for arguments in wrong {
            let error = #expect(throws: PredicateFormatError.self) {
                try cache.predicate("a == %d", arguments)
            }
            let expected = #expect(throws: PredicateFormatError.self) {
                try PredicateFormatCache().predicate("a == %d", arguments)
            }
            #expect(error?.description == expected?.description)
        }
        #expect(try cache.predicate("a == %d", [2]) == ObjectPredicate("a == 2"))
    }

    @Test func `more formats than are kept do no harm`() throws {
        let cache = PredicateFormatCache()
        for _ in 0..<2 {
            for number in 0..<600 {
                let predicate = try cache.predicate("a\(number) == %@", [number])
                #expect(predicate.predicateFormat == "a\(number) == \(number)")
            }
        }
    }
}
