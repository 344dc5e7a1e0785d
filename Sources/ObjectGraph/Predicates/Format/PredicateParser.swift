/// A recursive-descent parser of predicate formats, with one method for each level of precedence
/// (spec §7.1).
///
/// Every level accepts both predicates and expressions, because only the tokens after a
/// parenthesised term tell which it is. So nothing is parsed twice, and the time is proportional to
/// the length of the text.
struct PredicateParser {
    /// The maximum number of bytes of a format.
    static let maximumLength = 1_000_000

    /// The maximum weight of the terms on the path to any term. A thread has at least 512 KB of
    /// stack; this is enough to parse, print and evaluate the tree, also in a debug build. A term
    /// weighs what it takes of the stack.
    static let maximumDepth = 100
    static let operatorWeight = 1
    static let bracketWeight = 4
    static let formWeight = 9
    /// For SUBQUERY and TERNARY.
    static let predicateWeight = 15

    enum Node {
        case predicate(ObjectPredicate)
        case expression(ObjectExpression)
    }

    let text: String
    private var lexer: PredicateLexer
    private(set) var token: PredicateToken
    private var tokenCount = 0
    var arguments: ArraySlice<(any PredicateArgument)?>

    /// For each comparison so far, the placeholder that is its whole right side, if one is.
    private var placeholders: [PlaceholderKind?] = []

    /// The weight of the terms around the next token.
    private var depth = 0

    /// The depth that operators add to the tree. Of several terms side by side, only the deepest
    /// counts.
    var operatorDepth = 0

    static func parse(
        _ text: String, _ arguments: [(any PredicateArgument)?]
    ) throws(PredicateFormatError) -> (predicate: ObjectPredicate, template: PredicateTemplate?) {
        var parser = try PredicateParser(text, arguments)
        let predicate = try parser.predicate()
        guard parser.token.kind == .end else {
            throw parser.unexpected("AND, OR or the end of the text")
        }
        guard parser.arguments.isEmpty else {
            let used = arguments.count - parser.arguments.count
            throw PredicateFormatError(
                text, at: text.utf8.count, expected: "a placeholder for each argument",
                found: "\(used) placeholders and \(arguments.count) arguments")
        }
        let template = PredicateTemplate(
            predicate, placeholders: parser.placeholders, argumentCount: arguments.count)
        return (predicate, template)
    }

    private init(_ text: String, _ arguments: [(any PredicateArgument)?])
        throws(PredicateFormatError)
    {
        guard text.utf8.count <= Self.maximumLength else {
            throw PredicateFormatError(
                text, at: Self.maximumLength, expected: "at most \(Self.maximumLength) bytes",
                found: "\(text.utf8.count)")
        }
        self.text = text
        self.arguments = arguments[...]
        lexer = PredicateLexer(text)
        token = try lexer.next()
    }

    // MARK: - Predicates

    mutating func predicate() throws(PredicateFormatError) -> ObjectPredicate {
        let node = try disjunction()
        return try predicate(node)
    }

    mutating func disjunction() throws(PredicateFormatError) -> Node {
        let count = operatorDepth
        let first = try conjunction()
        return isNext("OR", "||") ? try alternatives(first, count) : first
    }

    /// The parts after the first one. It has its own stack frame because most terms have one part.
    private mutating func alternatives(
        _ first: Node, _ count: Int
    ) throws(PredicateFormatError) -> Node {
        var (parts, most) = ([try predicate(first)], operatorDepth)
        while try take("OR", "||") {
            operatorDepth = count
            let part = try conjunction()
            parts.append(try predicate(part))
            most = max(most, operatorDepth)
        }
        operatorDepth = most
        return .predicate(.or(parts))
    }

    private mutating func conjunction() throws(PredicateFormatError) -> Node {
        let count = operatorDepth
        let first = try negation()
        return isNext("AND", "&&") ? try conditions(first, count) : first
    }

    /// The parts after the first one. It has its own stack frame because most terms have one part.
    private mutating func conditions(
        _ first: Node, _ count: Int
    ) throws(PredicateFormatError) -> Node {
        var (parts, most) = ([try predicate(first)], operatorDepth)
        while try take("AND", "&&") {
            operatorDepth = count
            let part = try negation()
            parts.append(try predicate(part))
            most = max(most, operatorDepth)
        }
        operatorDepth = most
        return .predicate(.and(parts))
    }

    private mutating func negation() throws(PredicateFormatError) -> Node {
        guard try take("NOT", "!") else { return try comparison() }
        return try nested { (parser) throws(PredicateFormatError) in
            let part = try parser.negation()
            return .predicate(.not(try parser.predicate(part)))
        }
    }

    private mutating func comparison() throws(PredicateFormatError) -> Node {
        let isAll = try take("ALL")
        let isNone = isAll ? false : try take("NONE")
        let isAny = isAll || isNone ? false : try take("ANY", "SOME")
        // NONE is printed as NOT ANY, which has to be parsed within the same limit.
        let weight = isNone ? Self.bracketWeight : 0
        depth += weight
        defer { depth -= weight }
        try checkDepth()
        let start = token
        let left = try infix()
        guard let found = try comparisonOperator() else {
            if isAll || isNone || isAny { throw unexpected("a comparison operator") }
            return try kindTest(left, from: start) ?? left
        }
        let modifier = isAll ? ObjectPredicate.Modifier.all : isAny || isNone ? .any : .direct
        let comparison = try comparison(expression(left, from: start), found, modifier)
        return .predicate(isNone ? .not(comparison) : comparison)
    }

    private mutating func comparison(
        _ left: ObjectExpression, _ found: ObjectPredicate.Operator,
        _ modifier: ObjectPredicate.Modifier
    ) throws(PredicateFormatError) -> ObjectPredicate {
        let options = try comparisonOptions()
        let (start, count) = (token, tokenCount)
        let right = try expression()
        if case .placeholder(let letters) = start.kind, letters.last != "K", tokenCount == count + 1
        {
            placeholders.append(PlaceholderKind(letters))
        } else {
            placeholders.append(nil)
        }
        return .comparison(.init(left, found, right, modifier: modifier, options: options))
    }

    /// `SELF isKindOfClass: %@`, the only selector that can be used as an operator; nil for
    /// anything else.
    private mutating func kindTest(
        _ left: Node, from start: PredicateToken
    ) throws(PredicateFormatError) -> Node? {
        guard token.kind == .function(ObjectExpression.kindTest) else { return nil }
        try advance()
        let arguments = [try expression(left, from: start), try expression()]
        placeholders.append(nil)
        return .predicate(
            .comparison(
                .init(
                    .function(ObjectExpression.kindTest, arguments), .equal,
                    .constant(.boolean(true)))))
    }

    private static let operators: [String: ObjectPredicate.Operator] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .lessThan,
        ">": .greaterThan, "<=": .lessThanOrEqual, "=<": .lessThanOrEqual,
        ">=": .greaterThanOrEqual, "=>": .greaterThanOrEqual, "BETWEEN": .between, "IN": .in,
        "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "LIKE": .like,
        "MATCHES": .matches, "SEARCH": .search,
    ]

    private mutating func comparisonOperator()
        throws(PredicateFormatError) -> ObjectPredicate.Operator?
    {
        let found: ObjectPredicate.Operator? =
            switch token.kind {
            case .sign(let sign): Self.operators[sign]
            case .word(let word): Self.operators[word.uppercased()]
            default: nil
            }
        if found != nil { try advance() }
        return found
    }

    private mutating func comparisonOptions() throws(PredicateFormatError)
        -> ObjectPredicate.Options
    {
        guard try take("[") else { return [] }
        let expected = "options out of c, d, n and l"
        guard case .word(let letters) = token.kind else { throw unexpected(expected) }
        var options: ObjectPredicate.Options = []
        for letter in letters {
            guard let option = ObjectPredicate.Options(letter: letter) else {
                throw unexpected(expected)
            }
            options.insert(option)
        }
        try advance()
        try expect("]")
        return options
    }

    // MARK: - Expressions

    mutating func expression() throws(PredicateFormatError) -> ObjectExpression {
        let start = token
        return try expression(infix(), from: start)
    }

    /// Operands with operators between them of this level or a tighter one.
    mutating func infix(_ level: Int = 0) throws(PredicateFormatError) -> Node {
        let start = token
        var left = try signed()
        while let sign = nextInfix, sign.level >= level {
            try advance()
            let rightStart = token
            let right = try infix(sign.level + 1)
            left = try operation(sign, left, start, right, rightStart)
        }
        return left
    }

    private var nextInfix: PredicateInfix? {
        switch token.kind {
        case .sign(let sign): PredicateInfix(sign: sign)
        case .word(let word): PredicateInfix(sign: word.uppercased())
        default: nil
        }
    }

    private mutating func operation(
        _ sign: PredicateInfix, _ left: Node, _ leftStart: PredicateToken, _ right: Node,
        _ rightStart: PredicateToken
    ) throws(PredicateFormatError) -> Node {
        try deepen(by: Self.operatorWeight)
        return .expression(
            sign.expression(
                try expression(left, from: leftStart), try expression(right, from: rightStart)))
    }

    /// A minus before a number belongs to the number; before anything else it subtracts from zero.
    private mutating func signed() throws(PredicateFormatError) -> Node {
        let isMinus = isNext("-")
        guard isMinus || isNext("~") else { return try postfix() }
        try advance()
        if isMinus, case .number(let digits) = token.kind {
            return .expression(.constant(try number("-" + digits)))
        }
        // It is printed as `0 - (operand)`, which has to be parsed within the same limit.
        try deepen(by: Self.operatorWeight)
        return try nested { (parser) throws(PredicateFormatError) in
            let start = parser.token
            let operand = try parser.expression(parser.signed(), from: start)
            return .expression(
                isMinus
                    ? .function("from:subtract:", [.constant(.integer(0)), operand])
                    : .function("onesComplement:", [operand]))
        }
    }

    /// An atom with the keys and indexes after it.
    private mutating func postfix() throws(PredicateFormatError) -> Node {
        let start = token
        var node = try atom()
        while isNext(".", "[") { node = try part(of: node, from: start) }
        return node
    }

    private mutating func part(
        of node: Node, from start: PredicateToken
    ) throws(PredicateFormatError) -> Node {
        let base = try expression(node, from: start)
        if try take(".") {
            try deepen(by: Self.operatorWeight)
            return .expression(.path(base, try keys()))
        }
        try deepen(by: Self.formWeight)
        return .expression(.element(base, try elementIndex()))
    }

    // MARK: - Tokens

    mutating func advance() throws(PredicateFormatError) {
        token = try lexer.next()
        tokenCount += 1
    }

    /// Whether the next token is one of these signs or keywords.
    func isNext(_ spelling: String, _ other: String? = nil) -> Bool {
        switch token.kind {
        case .sign(let sign): sign == spelling || sign == other
        case .word(let word): word.uppercased() == spelling || word.uppercased() == other
        default: false
        }
    }

    mutating func take(_ spelling: String, _ other: String? = nil) throws(PredicateFormatError)
        -> Bool
    {
        guard isNext(spelling, other) else { return false }
        try advance()
        return true
    }

    mutating func expect(_ sign: String) throws(PredicateFormatError) {
        guard try take(sign) else { throw unexpected("'\(sign)'") }
    }

    /// Parses a term within a term.
    mutating func nested<Result>(
        weight: Int = bracketWeight, _ body: (inout Self) throws(PredicateFormatError) -> Result
    ) throws(PredicateFormatError) -> Result {
        depth += weight
        defer { depth -= weight }
        try checkDepth()
        return try body(&self)
    }

    private mutating func deepen(by weight: Int) throws(PredicateFormatError) {
        operatorDepth += weight
        try checkDepth()
    }

    private func checkDepth() throws(PredicateFormatError) {
        guard depth + operatorDepth <= Self.maximumDepth else {
            throw unexpected(
                "at most \(Self.maximumDepth / Self.bracketWeight) terms within each other")
        }
    }

    func predicate(_ node: Node) throws(PredicateFormatError) -> ObjectPredicate {
        guard case .predicate(let predicate) = node else {
            throw unexpected("a comparison operator")
        }
        return predicate
    }

    func expression(_ node: Node, from start: PredicateToken) throws(PredicateFormatError)
        -> ObjectExpression
    {
        guard case .expression(let expression) = node else {
            throw PredicateFormatError(
                text, at: start.range.lowerBound, expected: "a key path or a value",
                found: "a predicate")
        }
        return expression
    }

    func unexpected(_ expected: String) -> PredicateFormatError {
        let bytes = Array(text.utf8)[token.range]
        return PredicateFormatError(
            text, at: token.range.lowerBound, expected: expected,
            found: token.kind == .end
                ? "the end of the text" : "'\(String(decoding: bytes.prefix(40), as: UTF8.self))'")
    }
}

extension ObjectPredicate.Options {
    /// The letters of the options, in the order in which they are printed.
    static let letters: [(Character, Self)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized),
        ("l", .localeSensitive),
    ]

    init?(letter: Character) {
        guard
            let found = Self.letters.first(where: {
                $0.0 == letter || $0.0.uppercased() == String(letter)
            })
        else { return nil }
        self = found.1
    }
}
