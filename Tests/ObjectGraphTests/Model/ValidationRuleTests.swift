import Testing

@testable import ObjectGraph

@Suite struct `Validation rules (§1.12)` {
    private func errors(_ rules: [ValidationRule], _ value: AttributeValue) throws
        -> [ValidationError]
    {
        let type: AttributeType = if case .integer = value { .integer32 } else { .string }
        let store = try StoreFixture(AttributeDescription("a", type, validationRules: rules))
        return try store.run { context in
            try context.insert("Thing", ["a": value])
            return try context.validationErrors()
        }
    }

    @Test(arguments: [
        ("length >= 3 AND length <= 5", "four" as AttributeValue, true),
        ("length >= 3 AND length <= 5", "no", false), ("length <= 5", "too long", false),
        ("SELF CONTAINS 'x'", "axe", true), ("SELF CONTAINS 'x'", "saw", false),
        ("SELF MATCHES '[a-z]+'", "abc", true), ("SELF MATCHES '[a-z]+'", "ABC", false),
        ("SELF >= 3", 3, true), ("SELF >= 3", 2, false), ("SELF BETWEEN {1, 5}", 6, false),
        ("SELF IN {1, 2}", 2, true), ("NOT SELF == 4", 4, false),
    ])
    func `asks about the value (§1.12.1)`(
        _ format: String, _ value: AttributeValue, _ isValid: Bool
    ) throws {
        let rule = ValidationRule(try ObjectPredicate(format), .message("no"))
        #expect(try errors([rule], value).isEmpty == isValid)
    }

    @Test func `a message stands under 1550, a code under itself (§1.12.2)`() throws {
        let format = try ObjectPredicate("length > 3")
        let message = try errors([ValidationRule(format, .message("Too short."))], "a")
        #expect(message.map(\.code) == [1550])
        #expect(message[0].description == "Thing.a: Too short.")
        let code = try errors([ValidationRule(format, .code(1670))], "a")
        #expect(code.map(\.code) == [1670])
        #expect(code[0].predicateFormat == format.predicateFormat)
    }

    private static let bounds: [(format: String, holds: @Sendable (Int) -> Bool)] = [
        ("SELF >= -3", { $0 >= -3 }), ("SELF <= 7", { $0 <= 7 }), ("SELF > -2", { $0 > -2 }),
        ("SELF < 6 AND SELF != 2", { $0 < 6 && $0 != 2 }),
        ("SELF >= 0 AND SELF <= 5", { 0...5 ~= $0 }),
        ("SELF == 4", { $0 == 4 }), ("SELF > 4", { $0 > 4 }),
    ]

    @Test(arguments: bounds.indices)
    func `of several rules the first that a number breaks is reported (§1.12.2)`(
        _ last: Int
    ) throws {
        for rules in [Self.bounds[...last], Self.bounds[last...]] {
            let described = try rules.map {
                ValidationRule(try ObjectPredicate($0.format), .message($0.format))
            }
            for value in -5...9 {
                let found = try errors(described, .integer(Int64(value)))
                let expected = rules.first { !$0.holds(value) }
                #expect(
                    found.map(\.description) == (expected.map { ["Thing.a: \($0.format)"] } ?? []),
                    "\(value)")
            }
        }
    }

    @Test func `is not asked about nil (§1.12.3)`() throws {
        let rule = ValidationRule(try ObjectPredicate("length > 3"), .message("no"))
        #expect(try errors([rule], .null).isEmpty)
    }

    @Test(arguments: ["length > 3", "other == 1", "SELF CONTAINS 'a'"])
    func `must fit the type of the attribute`(_ format: String) throws {
        let rule = ValidationRule(try ObjectPredicate(format), .message("no"))
        let error = try #require(throws: ModelError.self) {
            _ = try StoreFixture(AttributeDescription("a", .integer32, validationRules: [rule]))
        }
        #expect(error.property == "a")
    }
}
