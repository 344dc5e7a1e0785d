import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Printing predicates (§7.1)` {
    @Test(arguments: [
        ("a=1 && b<>'x'", #"a == 1 AND b != "x""#),
        ("(a=1 OR b=1) AND c=1", "(a == 1 OR b == 1) AND c == 1"),
        ("a=1 OR (b=1 AND c=1)", "a == 1 OR b == 1 AND c == 1"),
        ("NOT (a=1 OR b=1)", "NOT (a == 1 OR b == 1)"),
        ("NONE a.b IN {1,2}", "NOT ANY a.b IN {1, 2}"),
        ("a LIKE[dc] '100%% *'", #"a LIKE[cd] "100%% *""#),
        ("(a+1)*2 == a-(1-2)", "(a + 1) * 2 == a - (1 - 2)"),
        ("#in == nil", "#in == NULL"),
        ("a.in == YES", "a.in == TRUE"),
        ("a == 1.0", "a == 1.0"),
        ("length:(a) == abs:(-1)", "length:(a) == abs:(-1)"),
        ("a[0].b == (c)[LAST]", "a[0].b == c[LAST]"),
        ("subquery(a, $x, $x.b=1).@count=0", "SUBQUERY(a, $x, $x.b == 1).@count == 0"),
        ("ternary(a=1 or b=1, 1, 2) = 1", "TERNARY(a == 1 OR b == 1, 1, 2) == 1"),
        ("function(a, 'x y', 1) = 1", "FUNCTION(a, \"x y\", 1) == 1"),
        ("function(a, 'sqrt:') = 1", "sqrt:(a) == 1"),
        ("(a|b)&~c = 1<<2", "(a | b) & onesComplement:(c) == 1 << 2"),
        ("a in (b union c) minus {1}", "a IN b UNION c MINUS {1}"),
        (#"a matches '\d\?'"#, #"a MATCHES "\\d\\?""#),
        ("sum(a) = 1", "sum:(a) == 1"), ("function(a, 'sum') = 1", #"FUNCTION(a, "sum") == 1"#),
        ("self isKindOfClass: 'A'", #"SELF isKindOfClass: "A""#),
        ("isKindOfClass:(a, b) = yes", "a isKindOfClass: b"),
        ("isKindOfClass:(a, b) = no", "isKindOfClass:(a, b) == FALSE"),
        ("cast(a, 'NSDate') > now()", "CAST(a, \"NSDate\") > now()"),
    ])
    func `the canonical form (§7.1.7)`(format: String, printed: String) throws {
        #expect(try ObjectPredicate(format).predicateFormat == printed)
    }

    @Test func `a date prints as a cast (§7.1.7)`() {
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        let predicate = ObjectPredicate.comparison(
            .init(.keyPath("a"), .equal, .constant(.date(date))))
        #expect(predicate.predicateFormat == #"a == CAST(12.5, "NSDate")"#)
    }

    @Test func `every printed tree reads back as an equal tree (§7.1.7, §7.2.1)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<2_000 {
            let predicate = generator.predicateTree(depth: 3)
            let format = predicate.predicateFormat
            let read = try ObjectPredicate(format)
            #expect(read == predicate, "TEST_SEED=\(generator.seed) \(format)")
            if read != predicate { return }
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func predicateTree(depth: Int) -> ObjectPredicate {
        switch depth == 0 ? 3 : Int.random(in: 0..<6, using: &self) {
        case 0:
            .and(
                (0..<Int.random(in: 2...3, using: &self)).map { _ in predicateTree(depth: depth - 1)
                })
        case 1:
            .or(
                (0..<Int.random(in: 2...3, using: &self)).map { _ in predicateTree(depth: depth - 1)
                })
        case 2: .not(predicateTree(depth: depth - 1))
        case 4: .value(chance(50))
        default:
            .comparison(
                .init(
                    expressionTree(depth: depth), pick(ObjectPredicate.Operator.allCases),
                    expressionTree(depth: depth),
                    modifier: ObjectPredicate.Modifier(
                        rawValue: Int.random(in: 0...2, using: &self))!,
                    options: ObjectPredicate.Options(rawValue: Int.random(in: 0..<16, using: &self))
                ))
        }
    }

    fileprivate mutating func expressionTree(depth: Int) -> ObjectExpression {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 14), using: &self) {
        case 0, 1: return .constant(constant())
        case 2:
            return .keyPath(
                pick([
                    "a", "a.b", "items.@count", "in", "or.not", "x.size", "größe", "_1", "self.a",
                ]))
        case 3: return .evaluatedObject
        case 4: return .variable(pick(["x", "and", "x.y.@count"]))
        case 5, 6:
            let name = pick([
                "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "raise:toPower:",
                "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:",
                "rightshift:by:", "modulus:by:", "castObject:toType:",
            ])
            return .function(
                name, [expressionTree(depth: depth - 1), expressionTree(depth: depth - 1)])
        case 7:
            let name = pick([
                "abs:", "now", "uppercase:", "x y", "größe", "in", "a:b", "onesComplement:", "sum",
                "isKindOfClass:",
            ])
            return .function(
                name, (0..<pick([1, 1, 3])).map { _ in expressionTree(depth: depth - 1) })
        case 8: return .path(expressionTree(depth: depth - 1), pick(["@count", "a.@sum.b", "in"]))
        case 9:
            return .element(
                expressionTree(depth: depth - 1),
                pick([.first, .last, .size, .position(expressionTree(depth: depth - 1))]))
        case 10:
            return .subquery(
                expressionTree(depth: depth - 1), variable: pick(["x", "in"]),
                predicateTree(depth: depth - 1))
        case 11:
            return .conditional(
                predicateTree(depth: depth - 1), expressionTree(depth: depth - 1),
                expressionTree(depth: depth - 1))
        case 12:
            return .combined(
                expressionTree(depth: depth - 1), pick(ObjectExpression.SetOperation.allCases),
                expressionTree(depth: depth - 1))
        default:
            return .aggregate(
                (0..<Int.random(in: 0...3, using: &self)).map { _ in
                    expressionTree(depth: depth - 1)
                })
        }
    }

    private mutating func constant() -> AttributeValue {
        switch Int.random(in: 0..<10, using: &self) {
        case 0: .null
        case 1: .boolean(chance(50))
        case 2: .integer(pick([0, -1, .min, .max, 42]))
        case 3: .double(pick([0.1, -2.5, 1e300, 5e-300, 3.0, .infinity, -.infinity]))
        case 4:
            .decimal(Decimal(string: pick(["0.1", "-12.50", "123456789012345678901234567890"]))!)
        case 5: .date(Date(timeIntervalSinceReferenceDate: pick([0, -1.5, 757_000_000.25])))
        case 6: .data(Data([1, 2, 255]))
        case 7: .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)
        case 8: .uri(URL(string: "https://example.org/a?b=%20c")!)
        default:
            .string(pick(["", "a\"b\\c'", "100%", "%@", "%%", "\n\t\r", "é\u{301}日本", "$x #y"]))
        }
    }
}
