// Operations on texts, which are compared byte by byte.
extension PostgreSQLDialect {
    func writeMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, _ pattern: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        var (operand, pattern, place) = (operand, pattern, place)
        if !options.isEmpty, operation != .matches {
            operand = try folded(operand, options, place, writer.layout)
            pattern = try folded(pattern, options, place, writer.layout)
            place.folding = options
        }
        if case .constant(.string(let string)) = pattern {
            if operation == .matches { _ = try StringMatcher(operation, string, options) }
            // A range can use an index if texts have an order of their own. A negated one cannot,
            // and would exclude nulls. No text begins with an empty prefix.
            if operation == .beginsWith, !place.isNegated, operand.hasColumnOrder, !string.isEmpty {
                return try writer.writeRange(of: string, to: &text) {
                    (writer, text) throws(FetchError) in
                    try writer.write(operand, to: &text, place)
                }
            }
        }
        try writePlainMatch(operand, operation, pattern, to: &text, place, &writer)
    }

    /// Writes an operation on texts that are compared byte by byte. No text begins with, ends with
    /// or contains the empty text.
    private func writePlainMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, _ pattern: Operand,
        to text: inout SQLText, _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        _ = (try sqlType(of: operand), try sqlType(of: pattern))
        var match = SQLText()
        switch operation {
        case .matches: throw .inMemoryOnly(feature: "MATCHES")
        case .like:
            guard case .constant(let value) = pattern, let string = value.string else {
                throw .inMemoryOnly(feature: "LIKE with a pattern that is not a constant")
            }
            try write(
                operand, like: WildcardPattern(string).sqlPattern, to: &match, place, &writer)
        case .beginsWith, .endsWith, .contains:
            let isConstant = if case .constant = pattern { true } else { false }
            if case .constant(let value) = pattern {
                guard let string = value.string, !string.isEmpty else {
                    return text.append(truth(false))
                }
                // An index of trigrams, which a schema may have, serves LIKE but no function.
                // Folded texts are short, since they are in an index: of long ones, strpos finds
                // a part in half the time.
                if !place.folding.isEmpty, operation != .beginsWith {
                    let end = operation == .contains ? "%" : ""
                    let like = "%\(string.escapedForLike)\(end)"
                    try write(operand, like: like, to: &match, place, &writer)
                    break
                }
            } else {
                try writer.write(pattern, to: &match, place)
                match.append(" <> '' AND ")
            }
            try writePlainMatch(
                operand, operation, nonempty: pattern, to: &match, place, &writer)
            if !isConstant { match = match.wrapped("(", ")") }
        }
        // Nil matches nothing, so its negation is true.
        text.append(place.isNegated ? match.wrapped("COALESCE(", ", FALSE)") : match)
    }

    private func write(
        _ operand: Operand, like pattern: String, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        try writer.write(operand, to: &text, place)
        text.append(" LIKE ")
        text.bind(.text(pattern))
    }

    private func writePlainMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, nonempty pattern: Operand,
        to text: inout SQLText, _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        switch operation {
        case .beginsWith: text.append("starts_with(")
        case .endsWith: text.append("right(")
        default: text.append("strpos(")
        }
        try writer.write(operand, to: &text, place)
        text.append(", ")
        if operation == .endsWith {
            text.append("length(")
            try writer.write(pattern, to: &text, place)
            text.append(")) = ")
            return try writer.write(pattern, to: &text, place)
        }
        try writer.write(pattern, to: &text, place)
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
