import Foundation

// What PostgreSQL says otherwise than SQLite. It has no functions of this engine, and its operands
// have types. An expression is stated only if its value is exactly that of the evaluator in memory,
// or if the statement fails for a row with another value (SQLSTATE class 22).

// MARK: - Comparisons

extension SQLConditionWriter {
    /// The order of texts by Unicode scalars.
    static let binaryCollation = " COLLATE \"C\""

    func requirePlain(_ options: ObjectPredicate.Options) throws(FetchError) {
        if !options.isEmpty {
            throw .inMemoryOnly(feature: "A comparison with options, such as [cd],")
        }
    }

    /// Both sides of a comparison, with a constant in the form that is compared exactly.
    func comparable(
        _ left: Operand, _ right: Operand
    ) throws(FetchError) -> (left: Operand, right: Operand) {
        let (first, second) = (try sqlType(of: left), try sqlType(of: right))
        switch (left, right) {
        case (_, .constant(let value)):
            if let value = value.comparable(with: first) { return (left, .constant(value)) }
        case (.constant(let value), _):
            if let value = value.comparable(with: second) { return (.constant(value), right) }
        default:
            let areExact = first.isExactAsReal && second.isExactAsReal
            if first == second || first.isInteger && second.isInteger || areExact {
                return (left, right)
            }
        }
        throw .inMemoryOnly(feature: "A comparison of a real number with a 64-bit integer")
    }

    mutating func writeOrdered(
        _ left: Operand, _ relation: Condition.Relation, _ right: Operand, to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        try write(left, to: &text, place)
        if relation != .equal, relation != .notEqual { text.append(binaryOrder(left, right)) }
        text.append(relation.sql)
        try write(right, to: &text, place)
    }

    /// The collation that the first of the operands needs; empty if a column gives it.
    func binaryOrder(_ operands: Operand...) -> String { binaryOrder(operands) }

    func binaryOrder(_ operands: [Operand]) -> String {
        let isNeeded =
            dialect == .postgreSQL && operands[0].sqlType == .text
            && !operands.contains(where: \.hasColumnOrder)
        return isNeeded ? Self.binaryCollation : ""
    }

    /// Writes `IN` with an array as one parameter: the statement is the same for any number of
    /// values.
    mutating func writeArray(
        _ operand: Operand, _ values: [AttributeValue], orNull: Bool, to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        let place = orNull ? .optional : place
        let values = try array(of: values, comparableWith: sqlType(of: operand))
        if orNull {
            text.append("(")
            try write(operand, to: &text, place)
            text.append(values == nil ? " IS NULL)" : " IS NULL OR ")
        }
        guard let values else {
            if !orNull { text.append(dialect.truth(false)) }
            return
        }
        try write(operand, to: &text, place)
        text.append(" = ANY(")
        text.bind(.array(values))
        text.append(orNull ? "))" : ")")
    }

    /// The values that an operand of the type can equal; nil if there is none.
    private func array(
        of values: [AttributeValue], comparableWith type: SQLType
    ) throws(FetchError) -> SQLArray? {
        if type.bits != nil, !type.isInteger, !type.isExactAsReal {
            throw .inMemoryOnly(feature: "A list of real numbers and 64-bit integers")
        }
        let bindings = values.compactMap { $0.comparable(with: type).map(binding) }
        let array: SQLArray =
            switch type {
            case .integer: .integers(bindings.compactMap(\.integer))
            case .real, .mixed: .reals(bindings.compactMap(\.number))
            case .text: .texts(bindings.compactMap(\.possibleText))
            case .blob: .blobs(bindings.compactMap(\.blob))
            }
        return array.elements.isEmpty ? nil : array
    }

    /// - Throws: `FetchError.inMemoryOnly` unless a fetch gives values of the type of the operand.
    func requireSameType(
        _ operand: Operand, _ fetch: Condition.NestedFetch
    ) throws(FetchError) {
        var resolver = ConditionResolver(entity: fetch.entity, model: model)
        resolver.allowsAggregates = true
        let value = try resolver.operand(fetch.property?.expression ?? .evaluatedObject)
        let (first, second) = (try sqlType(of: operand), try sqlType(of: value))
        guard first == second || first.isInteger && second.isInteger else {
            throw .inMemoryOnly(feature: "IN with fetched numbers of another type")
        }
    }
}

extension SQLBinding {
    fileprivate var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// Nil for NaN, which equals nothing.
    fileprivate var number: Double? {
        if case .real(let value) = self, !value.isNaN { value } else { nil }
    }

    /// Nil for a text that no column can hold.
    fileprivate var possibleText: String? {
        if case .text(let value) = self, !value.utf8.contains(0) { value } else { nil }
    }

    fileprivate var blob: Data? {
        if case .blob(let value) = self { value } else { nil }
    }
}

// MARK: - Matching

extension SQLConditionWriter {
    /// Whether a prefix can be a range, which needs an order of its own.
    func allowsRange(_ operand: Operand) -> Bool {
        dialect == .sqlite || operand.hasColumnOrder
    }

    /// Writes an operation on texts that are compared byte by byte. No text begins with, ends with
    /// or contains the empty text.
    mutating func writePlainMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, _ pattern: Operand,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        _ = (try sqlType(of: operand), try sqlType(of: pattern))
        var match = SQLText()
        switch operation {
        case .matches: throw .inMemoryOnly(feature: "MATCHES")
        case .like:
            guard case .constant(let value) = pattern, let string = value.string else {
                throw .inMemoryOnly(feature: "LIKE with a pattern that is not a constant")
            }
            try write(operand, like: WildcardPattern(string).sqlPattern, to: &match, place)
        case .beginsWith, .endsWith, .contains:
            let isConstant = if case .constant = pattern { true } else { false }
            if case .constant(let value) = pattern {
                guard let string = value.string, !string.isEmpty else {
                    return text.append(dialect.truth(false))
                }
                // An index of trigrams, which a schema may have, serves LIKE but no function.
                // Folded texts are short, since they are in an index: of long ones, strpos finds
                // a part in half the time.
                if !folding.isEmpty, operation != .beginsWith {
                    let end = operation == .contains ? "%" : ""
                    let like = "%\(string.escapedForLike)\(end)"
                    try write(operand, like: like, to: &match, place)
                    break
                }
            } else {
                try write(pattern, to: &match, place)
                match.append(" <> '' AND ")
            }
            try writePlainMatch(operand, operation, nonempty: pattern, to: &match, place)
            if !isConstant { match = match.wrapped("(", ")") }
        }
        // Nil matches nothing, so its negation is true.
        text.append(place.isNegated ? match.wrapped("COALESCE(", ", FALSE)") : match)
    }

    private mutating func write(
        _ operand: Operand, like pattern: String, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        try write(operand, to: &text, place)
        text.append(" LIKE ")
        text.bind(.text(pattern))
    }

    private mutating func writePlainMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, nonempty pattern: Operand,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        switch operation {
        case .beginsWith: text.append("starts_with(")
        case .endsWith: text.append("right(")
        default: text.append("strpos(")
        }
        try write(operand, to: &text, place)
        text.append(", ")
        if operation == .endsWith {
            text.append("length(")
            try write(pattern, to: &text, place)
            text.append(")) = ")
            return try write(pattern, to: &text, place)
        }
        try write(pattern, to: &text, place)
        text.append(operation == .contains ? ") > 0" : ")")
    }
}

extension WildcardPattern {
    /// The pattern in SQL, where the backslash also escapes.
    var sqlPattern: String {
        var pattern = String.UnicodeScalarView()
        for element in elements {
            switch element {
            case .run: pattern.append("%")
            case .one: pattern.append("_")
            case .scalar(let value):
                guard let scalar = Unicode.Scalar(value) else { continue }
                pattern.append(literal: scalar)
            }
        }
        return String(pattern)
    }
}

extension String {
    /// A pattern of LIKE that matches this text only.
    fileprivate var escapedForLike: String {
        var pattern = String.UnicodeScalarView()
        for scalar in unicodeScalars { pattern.append(literal: scalar) }
        return String(pattern)
    }
}

extension String.UnicodeScalarView {
    fileprivate mutating func append(literal scalar: Unicode.Scalar) {
        if scalar == "%" || scalar == "_" || scalar == "\\" { append("\\") }
        append(scalar)
    }
}

extension SQLText {
    func wrapped(_ opening: String, _ closing: String) -> SQLText {
        var text = SQLText()
        text.append(self) { opening + $0 + closing }
        return text
    }
}
