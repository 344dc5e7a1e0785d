import Foundation

/// What stands between operators: constants, keys, placeholders, functions and terms in brackets.
extension PredicateParser {
    mutating func atom() throws(PredicateFormatError) -> Node {
        let expected = "a key path or a value"
        switch token.kind {
        case .number(let digits): return .expression(.constant(try number(digits)))
        case .string(let string):
            try advance()
            return .expression(.constant(.string(string)))
        case .variable(let name):
            try advance()
            return .expression(.variable(try variable(name)))
        case .placeholder(let letters): return .expression(try argument(of: letters))
        case .function(let name): return .expression(try function(name))
        case .key(let key): return .expression(try keyPath(key))
        case .word(let word): return try self.word(word)
        case .sign("("):
            return try nested { (parser) throws(PredicateFormatError) in
                try parser.advance()
                let inner = try parser.disjunction()
                try parser.expect(")")
                return inner
            }
        case .sign("{"): return .expression(.aggregate(try list("{", "}")))
        case .sign("@"): return .expression(try keyPath(""))
        case .sign, .end: throw unexpected(expected)
        }
    }

    /// The name of a variable with the key path behind it, as in `$FETCH_SOURCE.name`.
    private mutating func variable(_ name: String) throws(PredicateFormatError) -> String {
        var path = name
        while try take(".") {
            guard case .word(let key) = token.kind else { throw unexpected("a key") }
            path += "." + key
            try advance()
        }
        return path
    }

    private mutating func word(_ word: String) throws(PredicateFormatError) -> Node {
        switch word.uppercased() {
        case "TRUEPREDICATE":
            try advance()
            return .predicate(.value(true))
        case "FALSEPREDICATE":
            try advance()
            return .predicate(.value(false))
        case "TRUE", "YES":
            try advance()
            return .expression(.constant(.boolean(true)))
        case "FALSE", "NO":
            try advance()
            return .expression(.constant(.boolean(false)))
        case "NULL", "NIL":
            try advance()
            return .expression(.constant(.null))
        case "SELF":
            try advance()
            guard try take(".") else { return .expression(.evaluatedObject) }
            guard case .word(let key) = token.kind else { throw unexpected("a key") }
            return .expression(try keyPath(key))
        case "CAST": return .expression(.constant(try cast()))
        case let keyword where Self.unsupportedForms.contains(keyword):
            throw PredicateFormatError(
                text, at: token.range.lowerBound, expected: "a key path or a value",
                found: "\(keyword), which is not supported yet")
        case let keyword where Self.reservedWords.contains(keyword):
            throw unexpected("a key path or a value (a key of this name is written '#\(word)')")
        default: return .expression(try keyPath(word))
        }
    }

    /// Words that are keys only behind `#`.
    static let reservedWords = unsupportedForms.union([
        "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH",
        "ENDSWITH", "LIKE", "MATCHES", "TRUE", "YES", "FALSE", "NO", "NULL", "NIL", "SELF", "CAST",
        "TRUEPREDICATE", "FALSEPREDICATE",
    ])

    private static let unsupportedForms: Set<String> = [
        "SUBQUERY", "FUNCTION", "TERNARY", "FETCH", "UNION", "INTERSECT", "MINUS", "FIRST", "LAST",
        "SIZE",
    ]

    /// The current token is the first key; further keys follow dots.
    private mutating func keyPath(_ first: String) throws(PredicateFormatError) -> ObjectExpression
    {
        var path = first
        if first.isEmpty {
            path = try collectionOperator()
        } else {
            try advance()
        }
        while try take(".") {
            switch token.kind {
            case .word(let key), .key(let key):
                path += "." + key
                try advance()
            case .sign("@"): path += "." + (try collectionOperator())
            default: throw unexpected("a key")
            }
        }
        guard !isNext("[") else { throw unexpected("an operator (indexes are not supported yet)") }
        return .keyPath(path)
    }

    private mutating func collectionOperator() throws(PredicateFormatError) -> String {
        try expect("@")
        guard case .word(let name) = token.kind else { throw unexpected("a collection operator") }
        try advance()
        return "@" + name
    }

    private mutating func function(_ name: String) throws(PredicateFormatError) -> ObjectExpression
    {
        try advance()
        return .function(name, try list("(", ")"))
    }

    private mutating func list(
        _ opening: String, _ closing: String
    ) throws(PredicateFormatError) -> [ObjectExpression] {
        try nested { (parser) throws(PredicateFormatError) in
            try parser.expect(opening)
            var elements: [ObjectExpression] = []
            if try parser.take(closing) { return elements }
            repeat { elements.append(try parser.expression()) } while try parser.take(",")
            guard try parser.take(closing) else { throw parser.unexpected("',' or '\(closing)'") }
            return elements
        }
    }

    mutating func number(_ digits: String) throws(PredicateFormatError) -> AttributeValue {
        guard let value = AttributeValue(number: digits) else { throw unexpected("a number") }
        try advance()
        return value
    }

    /// `CAST(seconds, "NSDate")` and its like: how constants print that have no literal.
    private mutating func cast() throws(PredicateFormatError) -> AttributeValue {
        let start = token
        try advance()
        try expect("(")
        let value = try expression()
        try expect(",")
        guard case .string(let type) = token.kind else { throw unexpected("the name of a type") }
        try advance()
        try expect(")")
        guard case .constant(let constant) = value, let result = constant.cast(to: type) else {
            throw PredicateFormatError(
                text, at: start.range.lowerBound,
                expected: "CAST of a constant to NSDate, NSDecimalNumber, NSData, NSUUID or NSURL",
                found: "CAST(…, \"\(type)\")")
        }
        return result
    }

    private mutating func argument(
        of placeholder: String
    ) throws(PredicateFormatError) -> ObjectExpression {
        guard let argument = arguments.popFirst() else {
            throw PredicateFormatError(
                text, at: token.range.lowerBound, expected: "an argument for %\(placeholder)",
                found: "no more arguments")
        }
        let expression = argument?.predicateExpression ?? .constant(.null)
        let expected: String
        switch (placeholder.last, expression) {
        case ("@", _), ("K", .keyPath), ("s", .constant(.string)),
            ("f", .constant(.integer)), ("f", .constant(.double)), ("f", .constant(.decimal)),
            ("g", .constant(.integer)), ("g", .constant(.double)), ("g", .constant(.decimal)),
            ("e", .constant(.integer)), ("e", .constant(.double)), ("e", .constant(.decimal)),
            ("d", .constant(.integer)), ("i", .constant(.integer)), ("u", .constant(.integer)),
            ("x", .constant(.integer)), ("d", .constant(.boolean)):
            try advance()
            return expression
        case ("K", .constant(.string(let path))):
            try advance()
            return path.uppercased() == "SELF" ? .evaluatedObject : .keyPath(path)
        case ("K", _): expected = "a key path as the argument of %\(placeholder)"
        case ("s", _): expected = "a string as the argument of %\(placeholder)"
        case ("f", _), ("g", _), ("e", _):
            expected = "a number as the argument of %\(placeholder)"
        default: expected = "an integer as the argument of %\(placeholder)"
        }
        throw PredicateFormatError(
            text, at: token.range.lowerBound, expected: expected,
            found: expression.predicateFormat)
    }
}

extension AttributeValue {
    /// A number literal: decimal, with a base prefix, with a fraction or an exponent; a minus may stand before it.
    init?(number literal: String) {
        let isNegative = literal.hasPrefix("-")
        let digits = isNegative ? literal.dropFirst() : literal[...]
        let bases = ["0x": 16, "0o": 8, "0b": 2]
        if let base = bases[digits.prefix(2).lowercased()] {
            let text = (isNegative ? "-" : "") + digits.dropFirst(2)
            guard let value = Int64(text, radix: base), !digits.dropFirst(2).hasPrefix("-") else {
                return nil
            }
            self = .integer(value)
        } else if let value = Int64(literal) {
            self = .integer(value)
        } else if let value = Double(literal), value.isFinite {
            self = .double(value)
        } else {
            return nil
        }
    }

    fileprivate func cast(to type: String) -> AttributeValue? {
        switch (type, self) {
        case ("NSDate", .integer), ("NSDate", .double):
            .date(Date(timeIntervalSinceReferenceDate: double!))
        case ("NSNumber", .string(let text)): Double(text).map { .double($0) }
        case ("NSDecimalNumber", .string(let text)): Decimal(string: text).map { .decimal($0) }
        case ("NSData", .string(let text)): Data(base64Encoded: text).map { .data($0) }
        case ("NSUUID", .string(let text)): UUID(uuidString: text).map { .uuid($0) }
        case ("NSURL", .string(let text)): URL(string: text).map { .uri($0) }
        default: nil
        }
    }
}
