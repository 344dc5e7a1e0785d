import Foundation
import Testing

@testable import ObjectGraph

private func comparison(
    _ left: ObjectExpression, _ operation: ObjectPredicate.Operator, _ right: ObjectExpression,
    _ modifier: ObjectPredicate.Modifier = .direct, _ options: ObjectPredicate.Options = []
) -> ObjectPredicate {
    .comparison(.init(left, operation, right, modifier: modifier, options: options))
}

private func failure(
    _ format: String, _ arguments: (any PredicateArgument)?...
) -> PredicateFormatError? {
    do throws(PredicateFormatError) {
        _ = try ObjectPredicate(format, arguments: arguments)
        return nil
    } catch {
        return error
    }
}

private let a = ObjectExpression.keyPath("a")
private let one = ObjectExpression.constant(1)

/// A format and its tree.
struct Reading: Sendable, CustomTestStringConvertible {
    let format: String
    let tree: ObjectPredicate
    var testDescription: String { format }

    init(_ format: String, _ tree: ObjectPredicate) {
        self.format = format
        self.tree = tree
    }
}

/// An invalid format, the column of the error, and words of the message.
struct Refusal: Sendable, CustomTestStringConvertible {
    let format: String
    let column: Int
    let message: String
    var testDescription: String { format }

    init(_ format: String, _ column: Int, _ message: String) {
        self.format = format
        self.column = column
        self.message = message
    }
}

@Suite struct `Predicate formats (§7.1)` {
    @Test(arguments: [
        Reading("a = 1", comparison(a, .equal, one)),
        Reading("a == 1", comparison(a, .equal, one)),
        Reading("a != 1", comparison(a, .notEqual, one)),
        Reading("a<>1", comparison(a, .notEqual, one)),
        Reading("a=<1", comparison(a, .lessThanOrEqual, one)),
        Reading("a => 1", comparison(a, .greaterThanOrEqual, one)),
        Reading("a < -1", comparison(a, .lessThan, .constant(-1))),
        Reading("a > 1.5e3", comparison(a, .greaterThan, .constant(1500.0))),
        Reading("a == 0x1F", comparison(a, .equal, .constant(31))),
        Reading("a == 0b101", comparison(a, .equal, .constant(5))),
        Reading("a == 0o17", comparison(a, .equal, .constant(15))),
        Reading("a == .5", comparison(a, .equal, .constant(0.5))),
        Reading("a == -9223372036854775808", comparison(a, .equal, .constant(.integer(.min)))),
        Reading("a == 9223372036854775808", comparison(a, .equal, .constant(.double(0x1p63)))),
        Reading(
            "a BeginsWith[CD] 'x'",
            comparison(
                a, .beginsWith, .constant("x"), .direct, [.caseInsensitive, .diacriticInsensitive])
        ),
        Reading(
            "a matches[nl] \"x\"",
            comparison(a, .matches, .constant("x"), .direct, [.normalized, .localeSensitive])),
        Reading(
            "a IN {1, 'b', nil, YES}",
            comparison(
                a, .in, .aggregate([one, .constant("b"), .constant(nil), .constant(true)]))),
        Reading("a IN {}", comparison(a, .in, .aggregate([]))),
        Reading("a between {1, 1}", comparison(a, .between, .aggregate([one, one]))),
        Reading("ANY a.b == 1", comparison(.keyPath("a.b"), .equal, one, .any)),
        Reading("some a == 1", comparison(a, .equal, one, .any)),
        Reading("ALL a == 1", comparison(a, .equal, one, .all)),
        Reading("NONE a == 1", .not(comparison(a, .equal, one, .any))),
        Reading("a.@count > 1", comparison(.keyPath("a.@count"), .greaterThan, one)),
        Reading("SELF == $x", comparison(.evaluatedObject, .equal, .variable("x"))),
        Reading("self.a == 1", comparison(a, .equal, one)),
        Reading("#and == 1", comparison(.keyPath("and"), .equal, one)),
        Reading("größe == 1", comparison(.keyPath("größe"), .equal, one)),
        Reading(
            #"a == "q\"\\\n\u00e9 100%%""#, comparison(a, .equal, .constant("q\"\\\né 100%"))),
        Reading(#"a LIKE 'x\?\*y'"#, comparison(a, .like, .constant(#"x\?\*y"#))),
        Reading(#"a MATCHES '\d+\\n'"#, comparison(a, .matches, .constant(#"\d+\n"#))),
        Reading("min(a) == 1", comparison(.function("min:", [a]), .equal, one)),
        Reading("sum(a, 1) == 1", comparison(.function("sum:", [a, one]), .equal, one)),
        Reading("random() == 1", comparison(.function("random", []), .equal, one)),
        Reading("mine(a) == 1", comparison(.function("mine", [a]), .equal, one)),
        Reading(
            "SELF isKindOfClass: 'A'",
            comparison(
                .function("isKindOfClass:", [.evaluatedObject, .constant("A")]), .equal,
                .constant(true))),
        Reading("a == '%@ stays'", comparison(a, .equal, .constant("%@ stays"))),
        Reading("TRUEPREDICATE", .value(true)),
        Reading("not FalsePredicate", .not(.value(false))),
        Reading("((a == 1))", comparison(a, .equal, one)),
        Reading("(a) == (1)", comparison(a, .equal, one)),
        Reading(
            "a == 1 OR a == 1 && NOT a == 1",
            .or([
                comparison(a, .equal, one),
                .and([comparison(a, .equal, one), .not(comparison(a, .equal, one))]),
            ])),
        Reading(
            "a == 1 and (a == 1 and a == 1)",
            .and([
                comparison(a, .equal, one),
                .and([comparison(a, .equal, one), comparison(a, .equal, one)]),
            ])),
        Reading("! (a == 1)", .not(comparison(a, .equal, one))),
        Reading(
            "a + 1 * a - 1 == 1",
            comparison(
                .function(
                    "from:subtract:",
                    [
                        .function("add:to:", [a, .function("multiply:by:", [one, a])]), one,
                    ]), .equal, one)),
        Reading(
            "-(a) == 1",
            comparison(.function("from:subtract:", [.constant(0), a]), .equal, one)),
        Reading(
            "lowercase:(a) == 'x'",
            comparison(.function("lowercase:", [a]), .equal, .constant("x"))),
        Reading(
            "add:to:(a, 1) == 1", comparison(.function("add:to:", [a, one]), .equal, one)),
        Reading("a & 1 == 1", comparison(.function("bitwiseAnd:with:", [a, one]), .equal, one)),
        Reading(
            "a | 1 << 1 & a == 1",
            comparison(
                .function(
                    "bitwiseOr:with:",
                    [
                        a,
                        .function(
                            "bitwiseAnd:with:", [.function("leftshift:by:", [one, one]), a]),
                    ]), .equal, one)),
        Reading(
            "~a ^ 1 >> 1 == 1",
            comparison(
                .function(
                    "bitwiseXor:with:",
                    [
                        .function("onesComplement:", [a]),
                        .function("rightshift:by:", [one, one]),
                    ]), .equal, one)),
        Reading(
            "a ** 1 ** 1 == 1",
            comparison(
                .function(
                    "raise:toPower:", [.function("raise:toPower:", [a, one]), one]), .equal, one)),
        Reading("a[0] == 1", comparison(.element(a, .position(.constant(0))), .equal, one)),
        Reading("a[first] == 1", comparison(.element(a, .first), .equal, one)),
        Reading(
            "a.b[LAST].c == 1",
            comparison(.path(.element(.keyPath("a.b"), .last), "c"), .equal, one)),
        Reading("a[size] == 1", comparison(.element(a, .size), .equal, one)),
        Reading(
            "subquery(a, $x, $x.b == 1).@count == 1",
            comparison(
                .path(
                    .subquery(
                        a, variable: "x", comparison(.variable("x.b"), .equal, one)), "@count"),
                .equal, one)),
        Reading(
            "TERNARY(a == 1, 1, a) == 1",
            comparison(.conditional(comparison(a, .equal, one), one, a), .equal, one)),
        Reading(
            "FUNCTION(a, 'add:to:', 1) == 1",
            comparison(.function("add:to:", [a, one]), .equal, one)),
        Reading("now() == a", comparison(.function("now", []), .equal, a)),
        Reading(
            "CAST(a, 'NSNumber') == 1",
            comparison(
                .function("castObject:toType:", [a, .constant("NSNumber")]), .equal, one)),
        Reading(
            "1 IN a UNION {1} MINUS a",
            comparison(
                one, .in, .combined(.combined(a, .union, .aggregate([one])), .minus, a))),
        Reading("a.@sum.b == 1", comparison(.keyPath("a.@sum.b"), .equal, one)),
        Reading("#first.size == 1", comparison(.keyPath("first.size"), .equal, one)),
        Reading(
            "CAST(1.5, 'NSDate') == a",
            comparison(
                .constant(.date(Date(timeIntervalSinceReferenceDate: 1.5))), .equal, a)),
    ])
    func `a format is read as its tree (§7.1.1, §7.1.2, §7.1.4, §7.1.5, §7.1.6, §7.3.4)`(
        reading: Reading
    ) throws {
        #expect(try ObjectPredicate(reading.format) == reading.tree)
    }

    @Test(arguments: [
        Refusal("", 1, "expected a key path or a value, found the end of the text"),
        Refusal("distance", 9, "expected a comparison operator, found the end of the text"),
        Refusal("distance banana 5", 10, "expected a comparison operator, found 'banana'"),
        Refusal("a == ", 6, "expected a key path or a value, found the end of the text"),
        Refusal("a == 1 b", 8, "expected AND, OR or the end of the text, found 'b'"),
        Refusal("a == 1 AND", 11, "expected a key path or a value"),
        Refusal("a == 1 AND 2", 13, "expected a comparison operator"),
        Refusal("(a == 1", 8, "expected ')', found the end of the text"),
        Refusal("a == 1)", 7, "expected AND, OR or the end of the text, found ')'"),
        Refusal("(a == 1) + 1 == 2", 1, "expected a key path or a value, found a predicate"),
        Refusal("a == 1 == 1", 8, "expected AND, OR or the end of the text"),
        Refusal("a ==[x] 1", 6, "expected options out of c, d, n and l, found 'x'"),
        Refusal("a ==[c 1", 8, "expected ']', found '1'"),
        Refusal("a == 'x", 6, "expected a closing ', found a string without end"),
        Refusal(#"a == "\u12x4""#, 7, "expected four digits in the escape"),
        Refusal("a == 1x", 6, "expected a number, found '1x'"),
        Refusal("a == 1.2.3", 6, "expected a number"),
        Refusal("a == 1e999", 6, "expected a number"),
        Refusal("a IN {1, 2", 11, "expected ',' or '}'"),
        Refusal("a IN {1 2}", 9, "expected ',' or '}', found '2'"),
        Refusal("a. == 1", 4, "expected a key, found '=='"),
        Refusal("a == %@", 6, "expected an argument for %@, found no more arguments"),
        Refusal("a == %q", 6, "expected %@, %K"),
        Refusal("a == ;", 6, "expected a key, a value or an operator, found ';'"),
        Refusal("and == 1", 1, "a key of this name is written '#and'"),
        Refusal("SUBQUERY(a, x, $x == 1) == 1", 13, "expected a variable, $name, found 'x'"),
        Refusal("SUBQUERY(a, $x, 1) == 1", 18, "expected a comparison operator, found ')'"),
        Refusal("SUBQUERY a == 1", 10, "expected '(', found 'a'"),
        Refusal("TERNARY(a, 1, 2) == 1", 10, "expected a comparison operator, found ','"),
        Refusal("FUNCTION(a, b) == 1", 13, "expected the name of a function, found 'b'"),
        Refusal("FETCH(a, nil, NO) == 1", 7, "expected a FetchRequest, given for %@"),
        Refusal("a[0 == 1", 5, "expected ']', found '=='"),
        Refusal("a[] == 1", 3, "expected a key path or a value, found ']'"),
        Refusal("(a == 1).b == 1", 1, "expected a key path or a value, found a predicate"),
        Refusal("CAST('x', 'NSDate') == 1", 1, "expected CAST of a constant"),
        Refusal("$x := 1 == 1", 4, "expected a comparison operator, found ':='"),
        Refusal("a ~ 1", 3, "expected a comparison operator, found '~'"),
        Refusal("%K == 1", 1, "expected an argument for %K, found no more arguments"),
        Refusal("ANY a", 6, "expected a comparison operator"),
        Refusal("größe =! 1", 8, "expected a key path or a value, found '!'"),
        Refusal("$ == 1", 2, "expected the name of a variable"),
        Refusal("a == 1 OR\n  b ** == 1", 18, "expected a key path or a value, found '=='"),
    ])
    func `a mistake is named with its column`(refusal: Refusal) throws {
        let error = try #require(failure(refusal.format))
        #expect(error.column == refusal.column)
        #expect(error.description.contains(refusal.message), "\(error)")
    }

    @Test func `the message shows the text with a caret below the fault`() throws {
        let error = try #require(failure("größe banana 5"))
        #expect(
            error.description == """
                expected a comparison operator, found 'banana' at column 7:
                  größe banana 5
                        ^
                """)
    }

    @Test func `arguments take the place of their placeholders (§7.1.3)`() throws {
        let id = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let predicate = try ObjectPredicate(
            "%K == %@ AND b == %d AND c > %f AND d IN %@ AND e == %@ AND f == %@ AND g == %@ AND h == %s AND i == %lu",
            "a.b", "x", 3, 2.5, [1, 2], id, date, nil, "y", UInt(7))
        let expected: [ObjectPredicate] = [
            comparison(.keyPath("a.b"), .equal, .constant("x")),
            comparison(.keyPath("b"), .equal, .constant(3)),
            comparison(.keyPath("c"), .greaterThan, .constant(2.5)),
            comparison(.keyPath("d"), .in, .aggregate([.constant(1), .constant(2)])),
            comparison(.keyPath("e"), .equal, .constant(.uuid(id))),
            comparison(.keyPath("f"), .equal, .constant(.date(date))),
            comparison(.keyPath("g"), .equal, .constant(nil)),
            comparison(.keyPath("h"), .equal, .constant("y")),
            comparison(.keyPath("i"), .equal, .constant(7)),
        ]
        #expect(predicate == .and(expected))
    }

    @Test func `a key path given as an argument is one (§7.1.3)`() throws {
        #expect(try ObjectPredicate("%K == 1", "in") == comparison(.keyPath("in"), .equal, one))
        #expect(try ObjectPredicate("%K == 1", "SELF") == comparison(.evaluatedObject, .equal, one))
        #expect(try ObjectPredicate("%K == 1", "self.a") == comparison(a, .equal, one))
        for path in ["", "a b", "a.", "1a", "a == 1 OR b", "a\"", "@", "a[0]"] {
            #expect(failure("%K == 1", path)?.expected == "a key path as the argument of %K")
        }
    }

    private static let pathsOfPlaceholders: [(String, [String], ObjectExpression)] = [
        ("%K.%K == 1", ["a", "b"], .keyPath("a.b")),
        ("%K.%@.c == 1", ["a", "b"], .keyPath("a.b.c")),
        ("%K.@count == 1", ["a.b"], .keyPath("a.b.@count")),
        ("a.%K == 1", ["@count"], .keyPath("a.@count")),
        ("SELF.%@.c == 1", ["b"], .keyPath("b.c")),
        ("%K.%K == 1", ["SELF", "b"], .keyPath("b")),
        ("$t.%K == 1", ["b.c"], .variable("t.b.c")),
        ("a[0].%K == 1", ["b"], .path(.element(a, .position(.constant(0))), "b")),
    ]

    @Test(arguments: pathsOfPlaceholders)
    func `a placeholder behind a dot takes the keys that follow there (§7.1.3)`(
        _ format: String, _ arguments: [String], _ left: ObjectExpression
    ) throws {
        let predicate = try ObjectPredicate(format, arguments: arguments.map { $0 })
        #expect(predicate == comparison(left, .equal, one))
    }

    @Test func `what is no key path cannot follow a dot`() {
        for argument in ["a b", "", "a == 1 OR b", 5, "1a"] as [any PredicateArgument] {
            #expect(failure("a.%K == 1", argument)?.expected == "a key path as the argument of %K")
            #expect(failure("a.%@ == 1", argument)?.expected == "a key path as the argument of %@")
        }
        #expect(failure("a.%d == 1", 5) != nil)
        #expect(failure("a.%K == 1")?.found == "no more arguments")
    }

    @Test func `placeholders of C take Booleans as integers, and hexadecimal reals (§7.1.3)`()
        throws
    {
        #expect(try ObjectPredicate("a == %i", true) == comparison(a, .equal, .constant(true)))
        #expect(try ObjectPredicate("a == %lu", false) == comparison(a, .equal, .constant(false)))
        #expect(try ObjectPredicate("a == %a", 0.5) == comparison(a, .equal, .constant(0.5)))
        #expect(failure("a == %a", "x") != nil)
    }

    @Test func `a request given as an argument is a fetch (§7.1.3)`() throws {
        let request = FetchRequest(entityName: "Flight")
        let fetch = ObjectExpression.fetch(request, countOnly: false)
        #expect(try ObjectPredicate("a IN %@", request) == comparison(a, .in, fetch))
        #expect(try ObjectPredicate("a IN FETCH(%@, nil)", request) == comparison(a, .in, fetch))
        #expect(
            try ObjectPredicate("a == FETCH(%@, nil, YES)", request)
                == comparison(a, .equal, .fetch(request, countOnly: true)))
    }

    @Test func `a variable that a SUBQUERY binds is not replaced (§7.2.3)`() throws {
        let template = try ObjectPredicate("SUBQUERY(a, $x, $x.b == $y AND $x != 1).@count == $x")
        #expect(
            template.withSubstitutionVariables(["x": 1, "y": 2])
                == (try ObjectPredicate("SUBQUERY(a, $x, $x.b == 2 AND $x != 1).@count == 1")))
        #expect(template.variables.sorted() == ["x", "y"])
    }

    @Test func `an argument of the wrong kind is refused`() {
        #expect(failure("a == %d", "one") != nil)
        #expect(failure("a == %f", "one") != nil)
        #expect(failure("a == %s", 1) != nil)
        #expect(failure("%K == 1", 1) != nil)
    }

    @Test func `an argument too many is refused`() throws {
        let error = try #require(failure("a == %@", 1, 2))
        #expect(error.found == "1 placeholders and 2 arguments")
    }

    @Test(arguments: [
        "(", "NOT ", "!", "-", "~", "abs:(", "{", "1 + (", "a == 1 AND (", "a[", "TERNARY(",
        "SUBQUERY(", "SUBQUERY(a, $x, ", "FUNCTION(", "CAST(", "now(",
    ])
    func `nesting is bounded`(opening: String) throws {
        let format = String(repeating: opening, count: 100_000) + "a == 1"
        let error = try #require(failure(format))
        #expect(error.expected.contains("at most"))
    }

    /// Formats of the greatest depth.
    private static let deepest = [
        nested(25, "(", "distance == 1", ")"),
        nested(24, "(", "distance|1**2 == 1", ")"),
        nested(12, "NOT (", "distance == 1", ")"),
        nested(12, "(1 == 1 AND (1 == 1 OR ", "distance == 1", "))"),
        nested(20, "1|(", "distance", ")") + " == 1",
        nested(20, "abs:(", "distance", " + 1)") + " == 1",
        nested(12, "sum:({", "distance", "})") + " == 1",
        nested(25, "noindex:(", "distance", ")") + " == 1",
        nested(11, "-(", "distance", ")") + " == 1",
        nested(100, "", "distance", " + 1") + " == 1",
        nested(11, "CAST(", "distance", ", 'NSNumber')") + " == 1",
        nested(5, "({", "distance", "}[0])") + " == 1",
        nested(6, "TERNARY(1 == ", "distance", ", 1, 2)") + " == 1",
        nested(6, "SUBQUERY(crew, $x, ", "distance == 1", ").@count > 0"),
    ]

    private static func nested(
        _ count: Int, _ opening: String, _ inner: String, _ closing: String
    ) -> String {
        String(repeating: opening, count: count) + inner + String(repeating: closing, count: count)
    }

    @Test(arguments: deepest)
    func `the deepest format needs no more than the least stack of a thread`(
        format: String
    ) async throws {
        let problem: String = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Self.problem(with: format)) }
            #if THREAD_SANITIZER
            // Its frames are several times as large.
            thread.stackSize = 8 << 20
            #else
            thread.stackSize = 512 << 10
            #endif
            thread.start()
        }
        #expect(problem == "")
    }

    /// Uses the format in every possible way.
    private static func problem(with format: String) -> String {
        do {
            let entity = QueryFixture.entity("Flight")
            let predicate = try ObjectPredicate(format)
            let copy = try ObjectPredicate(predicate.predicateFormat)
            guard predicate == copy, predicate.hashValue == copy.hashValue else {
                return copy.predicateFormat
            }
            let compiled = try CompiledPredicate(copy, entity: entity, model: QueryFixture.model)
            _ = compiled.matches(FixtureRow("Flight", 1, ["distance": 1]))
            _ = try FetchTranslation(
                FetchRequest(entityName: "Flight", predicate: copy), entity: entity,
                layout: QueryFixture.layout, selection: .count)
            return ""
        } catch { return "\(error)" }
    }

    @Test func `operators and length are bounded`() throws {
        let chain = "a == 1" + String(repeating: " + 1", count: 101)
        #expect(failure(chain) != nil)
        for suffix in ["[0]", "[0].b"] {
            #expect(failure("a" + String(repeating: suffix, count: 1_000) + " == 1") != nil)
        }
        let long = "a == '" + String(repeating: "x", count: 1_000_000) + "'"
        #expect(failure(long) != nil)
    }

    @Test func `many terms beside each other are not nested`() throws {
        let format = Array(repeating: "a + 1 == 1", count: 10_000).joined(separator: " AND ")
        guard case .and(let parts) = try ObjectPredicate(format) else {
            Issue.record("not a conjunction")
            return
        }
        #expect(parts.count == 10_000)
    }

    @Test func `operators and options have Core Data's raw values (§7.2.2)`() {
        let operators = ObjectPredicate.Operator.allCases.map(\.rawValue)
        // The last one, SEARCH, is this engine's own.
        #expect(operators == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99, 100, 200])
        let options: ObjectPredicate.Options = [
            .caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive,
        ]
        #expect(options.rawValue == 15)
        #expect(ObjectPredicate.Modifier(rawValue: 2) == .any)
    }

    @Test func `a predicate goes from queue to queue (§7.2.4)`() async throws {
        let predicate = try ObjectPredicate("a == 1")
        let copy = await Task.detached { predicate }.value
        #expect(copy == predicate)
    }

    @Test func `predicates combine with operators`() {
        let (first, second) = (comparison(a, .equal, one), ObjectPredicate.value(true))
        #expect((first && second) == .and([first, second]))
        #expect((first || second) == .or([first, second]))
        #expect(!first == .not(first))
        #expect((first && second && first) == .and([first, second, first]))
        #expect((first || second || first) == .or([first, second, first]))
        #expect((first && second || first) == .or([.and([first, second]), first]))
        #expect((first && (second && first)) == .and([first, .and([second, first])]))
    }

    @Test func `variables are replaced by name (§7.2.3)`() throws {
        let template = try ObjectPredicate("a == $x AND abs:($y) IN {$x, 2}")
        #expect(
            template.withSubstitutionVariables(["x": 1])
                == (try ObjectPredicate("a == 1 AND abs:($y) IN {1, 2}")))
    }
}
