import Foundation

/// The terms between operators: constants, keys, placeholders, functions and terms in brackets.
extension PredicateParser {
    mutating func atom() throws(PredicateFormatError) -> Node {
        guard isNext("(") else { return try plainAtom() }
        return try nested { (parser) throws(PredicateFormatError) in
            try parser.advance()
            let inner = try parser.disjunction()
            try parser.expect(")")
            return inner
        }
    }

    private mutating func plainAtom() throws(PredicateFormatError) -> Node {
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
        case .sign("{"): return .expression(.aggregate(try list("{", "}")))
        case .sign("@"): return .expression(try keyPath(""))
        case .sign, .end: throw unexpected("a key path or a value")
        }
    }

    /// The name of a variable and the key path after it, as in `$FETCH_SOURCE.name`.
    private mutating func variable(_ name: String) throws(PredicateFormatError) -> String {
        guard try take(".") else { return name }
        return name + "." + (try keys())
    }

    private mutating func word(_ word: String) throws(PredicateFormatError) -> Node {
        let start = token
        switch word.uppercased() {
        case "TRUEPREDICATE": return .predicate(.value(try constant(true)))
        case "FALSEPREDICATE": return .predicate(.value(try constant(false)))
        case "TRUE", "YES": return .expression(.constant(.boolean(try constant(true))))
        case "FALSE", "NO": return .expression(.constant(.boolean(try constant(false))))
        case "NULL", "NIL": return .expression(.constant(try constant(.null)))
        case "SELF":
            try advance()
            guard try take(".") else { return .expression(.evaluatedObject) }
            return .expression(.keyPath(try keys()))
        case "CAST":
            return .expression(
                try form { (parser) throws(PredicateFormatError) in try parser.cast(start) })
        case "SUBQUERY":
            return .expression(
                try form(weight: Self.predicateWeight) { (parser) throws(PredicateFormatError) in
                    try parser.subquery()
                })
        case "TERNARY":
            return .expression(
                try form(weight: Self.predicateWeight) { (parser) throws(PredicateFormatError) in
                    try parser.conditional()
                })
        case "FUNCTION":
            return .expression(
                try form { (parser) throws(PredicateFormatError) in try parser.namedFunction() })
        case "FETCH":
            return .expression(
                try form { (parser) throws(PredicateFormatError) in try parser.fetch() })
        case let keyword where Self.reservedWords.contains(keyword):
            throw unexpected("a key path or a value (a key of this name is written '#\(word)')")
        default: return .expression(try keyPath(word))
        }
    }

    private mutating func constant<Value>(_ value: Value) throws(PredicateFormatError) -> Value {
        try advance()
        return value
    }

    /// Words that need `#` to be keys.
    static let reservedWords: Set<String> = [
        "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH",
        "ENDSWITH", "LIKE", "MATCHES", "TRUE", "YES", "FALSE", "NO", "NULL", "NIL", "SELF", "CAST",
        "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY", "FUNCTION", "TERNARY", "FETCH", "UNION",
        "INTERSECT", "MINUS", "FIRST", "LAST", "SIZE",
    ]

    // MARK: - Key paths

    /// The current token is the first key; more keys follow after dots. A word before a parenthesis
    /// is a function.
    private mutating func keyPath(_ first: String) throws(PredicateFormatError) -> ObjectExpression
    {
        if first.isEmpty {
            let path = try keys()
            return .keyPath(path)
        }
        let isKeyOnly = if case .key = token.kind { true } else { false }
        try advance()
        if !isKeyOnly, isNext("(") {
            let arguments = try list("(", ")")
            let isShort = !arguments.isEmpty && first.isShortFunctionName
            return .function(isShort ? first + ":" : first, arguments)
        }
        guard try take(".") else { return .keyPath(first) }
        return .keyPath(first + "." + (try keys()))
    }

    /// Keys and collection operators, separated by dots. Every word is a key here.
    mutating func keys() throws(PredicateFormatError) -> String {
        var path = ""
        repeat {
            path += try key()
            guard isNext(".") else { return path }
            path += "."
        } while try take(".")
        return path
    }

    private mutating func key() throws(PredicateFormatError) -> String {
        if case .placeholder(let letters) = token.kind { return try keyPathArgument(of: letters) }
        let isOperator = try take("@")
        switch token.kind {
        case .word(let name):
            try advance()
            return isOperator ? "@" + name : name
        case .key(let name) where !isOperator:
            try advance()
            return name
        default: throw unexpected(isOperator ? "a collection operator" : "a key")
        }
    }

    mutating func elementIndex() throws(PredicateFormatError) -> ObjectExpression.ElementIndex {
        try nested { (parser) throws(PredicateFormatError) in
            try parser.expect("[")
            let index: ObjectExpression.ElementIndex
            if try parser.take("FIRST") {
                index = .first
            } else if try parser.take("LAST") {
                index = .last
            } else if try parser.take("SIZE") {
                index = .size
            } else {
                index = .position(try parser.expression())
            }
            try parser.expect("]")
            return index
        }
    }

    // MARK: - Forms in parentheses

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
            let count = parser.operatorDepth
            var most = count
            repeat {
                parser.operatorDepth = count
                elements.append(try parser.expression())
                most = max(most, parser.operatorDepth)
            } while try parser.take(",")
            parser.operatorDepth = most
            guard try parser.take(closing) else { throw parser.unexpected("',' or '\(closing)'") }
            return elements
        }
    }

    /// A keyword and the contents of its parentheses.
    private mutating func form(
        weight: Int = formWeight,
        _ body: (inout Self) throws(PredicateFormatError) -> ObjectExpression
    ) throws(PredicateFormatError) -> ObjectExpression {
        try nested(weight: weight) { (parser) throws(PredicateFormatError) in
            try parser.advance()
            try parser.expect("(")
            let result = try body(&parser)
            try parser.expect(")")
            return result
        }
    }

    private mutating func subquery() throws(PredicateFormatError) -> ObjectExpression {
        let collection = try expression()
        try expect(",")
        guard case .variable(let name) = token.kind else { throw unexpected("a variable, $name") }
        try advance()
        try expect(",")
        return .subquery(collection, variable: name, try predicate())
    }

    private mutating func conditional() throws(PredicateFormatError) -> ObjectExpression {
        let condition = try predicate()
        try expect(",")
        let first = try expression()
        try expect(",")
        return .conditional(condition, first, try expression())
    }

    /// `FUNCTION(operand, "name:", arguments…)`: the operand is the first argument.
    private mutating func namedFunction() throws(PredicateFormatError) -> ObjectExpression {
        var arguments = [try expression()]
        try expect(",")
        let name = try string("the name of a function")
        while try take(",") { arguments.append(try expression()) }
        return .function(name, arguments)
    }

    /// `FETCH(%@, context, countOnly)`: the request is an argument. The context is ignored: the
    /// surrounding fetch has one.
    private mutating func fetch() throws(PredicateFormatError) -> ObjectExpression {
        let start = token
        guard case .fetch(let request, _) = try expression() else {
            throw PredicateFormatError(
                text, at: start.range.lowerBound, expected: "a FetchRequest, given for %@",
                found: "another expression")
        }
        try expect(",")
        _ = try expression()
        guard try take(",") else { return .fetch(request, countOnly: false) }
        let flag = token
        guard case .constant(let value) = try expression(), let countOnly = value.integer else {
            throw PredicateFormatError(
                text, at: flag.range.lowerBound, expected: "TRUE or FALSE",
                found: "another expression")
        }
        return .fetch(request, countOnly: countOnly != 0)
    }

    /// `CAST(value, "type")`. Constants without a literal are printed as a CAST, so constants are
    /// converted here.
    private mutating func cast(_ start: PredicateToken) throws(PredicateFormatError)
        -> ObjectExpression
    {
        let value = try expression()
        try expect(",")
        let type = try string("the name of a type")
        guard case .constant(let constant) = value else {
            return .function("castObject:toType:", [value, .constant(.string(type))])
        }
        guard let result = constant.cast(to: type) else {
            throw PredicateFormatError(
                text, at: start.range.lowerBound,
                expected:
                    "CAST of a constant to NSDate, NSNumber, NSDecimalNumber, NSData, NSUUID or NSURL",
                found: "CAST(…, \"\(type)\")")
        }
        return .constant(result)
    }

    private mutating func string(_ expected: String) throws(PredicateFormatError) -> String {
        guard case .string(let string) = token.kind else { throw unexpected(expected) }
        try advance()
        return string
    }

    // MARK: - Constants

    mutating func number(_ digits: String) throws(PredicateFormatError) -> AttributeValue {
        guard let value = AttributeValue(number: digits) else { throw unexpected("a number") }
        try advance()
        return value
    }

    private mutating func argument(
        of placeholder: String
    ) throws(PredicateFormatError) -> ObjectExpression {
        if placeholder.last == "K" { return try keyPath(givenFor: placeholder) }
        let expression = try nextArgument(of: placeholder)
        let kind = PlaceholderKind(placeholder)
        guard kind.accepts(expression) else {
            throw unacceptable(expression, "\(kind.expected) as the argument of %\(placeholder)")
        }
        try advance()
        return expression
    }

    private mutating func nextArgument(
        of placeholder: String
    ) throws(PredicateFormatError) -> ObjectExpression {
        guard let argument = arguments.popFirst() else {
            throw PredicateFormatError(
                text, at: token.range.lowerBound, expected: "an argument for %\(placeholder)",
                found: "no more arguments")
        }
        return argument?.predicateExpression ?? .constant(.null)
    }

    /// The key path given for `%K`, with the keys after it.
    private mutating func keyPath(
        givenFor placeholder: String
    ) throws(PredicateFormatError) -> ObjectExpression {
        let path = try keyPathArgument(of: placeholder)
        let whole = try take(".") ? path + "." + keys() : path
        guard whole.prefix(while: { $0 != "." }).uppercased() == "SELF" else {
            return .keyPath(whole)
        }
        return whole.utf8.count == 4 ? .evaluatedObject : .keyPath(String(whole.dropFirst(5)))
    }

    /// The key path given for `%K`, or for `%@` after a dot.
    private mutating func keyPathArgument(
        of placeholder: String
    ) throws(PredicateFormatError) -> String {
        let expression = try nextArgument(of: placeholder)
        switch (placeholder, expression) {
        case ("K", .keyPath(let path)), ("@", .keyPath(let path)):
            try advance()
            return path
        case ("K", .constant(.string(let path))), ("@", .constant(.string(let path))):
            guard path.isPredicateKeyPath else { break }
            try advance()
            return path
        default: break
        }
        throw unacceptable(expression, "a key path as the argument of %\(placeholder)")
    }

    private func unacceptable(
        _ argument: ObjectExpression, _ expected: String
    ) -> PredicateFormatError {
        PredicateFormatError(
            text, at: token.range.lowerBound, expected: expected, found: argument.predicateFormat)
    }
}

/// The kind of argument of a placeholder.
enum PlaceholderKind {
    case any, string, character, real, integer

    func accepts(_ argument: ObjectExpression) -> Bool {
        switch (self, argument) {
        case (.any, _), (.string, .constant(.string)), (.character, .constant(.string)),
            (.character, .constant(.integer)), (.real, .constant(.integer)),
            (.real, .constant(.double)), (.real, .constant(.decimal)),
            (.integer, .constant(.integer)), (.integer, .constant(.boolean)):
            true
        default: false
        }
    }

    fileprivate var expected: String {
        switch self {
        case .any: "a value"
        case .string, .character: "a string"
        case .real: "a number"
        case .integer: "an integer"
        }
    }

    init(_ placeholder: String) {
        self =
            switch placeholder.last!.lowercased() {
            case "@": .any
            case "s": .string
            case "c": .character
            case "a", "e", "f", "g": .real
            default: .integer
            }
    }
}

extension AttributeValue {
    /// A number literal: decimal, with a base prefix, with a fraction or an exponent; a minus may
    /// come first.
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

extension String {
    /// Whether this is a function of one argument without its colon, as in `sum(x)`.
    var isShortFunctionName: Bool { Self.shortFunctionNames.contains(self) }

    private static let shortFunctionNames: Set<String> = {
        let names =
            Operand.Statistic.allCases.map(\.rawValue) + Operand.Function.allCases.map(\.rawValue)
            + Operand.SearchResult.names
        return Set(
            names.filter { $0.split(separator: ":").count == 1 && $0.last == ":" }
                .map { String($0.dropLast()) })
    }()
}

extension StringProtocol {
    /// Whether the text is one key: a letter or underscore, then letters, underscores and digits.
    var isPredicateKey: Bool {
        guard let first = utf8.first, PredicateLexer.isWordStart(first) else { return false }
        return utf8.allSatisfy(PredicateLexer.isWordByte)
    }

    /// Whether the text consists of keys and collection operators, separated by dots.
    var isPredicateKeyPath: Bool {
        split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
            ($0.utf8.first == UInt8(ascii: "@") ? $0.dropFirst() : $0[...]).isPredicateKey
        }
    }
}
