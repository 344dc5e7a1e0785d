import Foundation

extension ObjectExpression: CustomStringConvertible {
    /// The expression in the syntax of predicate formats.
    public var predicateFormat: String {
        if hasTooManyLevels { return "…" }
        var format = ""
        append(to: &format)
        return format
    }

    public var description: String { predicateFormat }

    func append(to format: inout String) {
        switch self {
        case .constant(let value): value.append(to: &format)
        case .evaluatedObject: format += "SELF"
        case .variable(let name): format += "$" + name
        case .keyPath(let path): Self.append(keyPath: path, to: &format)
        case .aggregate(let elements): Self.append(elements, between: "{", "}", to: &format)
        case .function(let name, let arguments): Self.append(name, arguments, to: &format)
        case .path(let base, let path):
            base.append(to: &format, inParentheses: !base.canBearKeys)
            format += "."
            // After a dot, every word is a key.
            format += path
        case .element(let base, let index):
            base.append(to: &format, inParentheses: !base.canBearIndex)
            format += "[\(index.predicateFormat)]"
        case .subquery(let collection, let variable, let predicate):
            format += "SUBQUERY("
            collection.append(to: &format)
            format += ", $\(variable), "
            predicate.append(to: &format)
            format += ")"
        case .conditional(let predicate, let first, let second):
            format += "TERNARY("
            predicate.append(to: &format)
            format += ", "
            Self.append([first, second], between: "", ")", to: &format)
        case .combined(let first, let operation, let second):
            let sign = PredicateInfix.combining(operation)
            Self.append(first, sign, second, to: &format)
        case .fetch(let request, let countOnly):
            format += "FETCH(\(request.entityName), NULL, \(countOnly ? "TRUE" : "FALSE"))"
        }
    }

    func append(to format: inout String, inParentheses: Bool) {
        if inParentheses { format += "(" }
        append(to: &format)
        if inParentheses { format += ")" }
    }

    private static func append(
        _ name: String, _ arguments: [ObjectExpression], to format: inout String
    ) {
        if let infix = PredicateInfix(function: name), arguments.count == 2 {
            return append(arguments[0], infix, arguments[1], to: &format)
        }
        // The parser converts a constant when it reads CAST.
        if name == "castObject:toType:", arguments.count == 2,
            case .constant(.string) = arguments[1],
            !arguments[0].isConstant
        {
            format += "CAST"
            return append(arguments, between: "(", ")", to: &format)
        }
        // The parser would read `sum(x)` as `sum:(x)`.
        guard name.isFunctionName, arguments.isEmpty || !name.isShortFunctionName else {
            format += "FUNCTION("
            arguments.first?.append(to: &format)
            format += ", "
            let rest = [.constant(.string(name))] + arguments.dropFirst()
            return append(rest, between: "", ")", to: &format)
        }
        format += name
        append(arguments, between: "(", ")", to: &format)
    }

    private static func append(
        _ left: ObjectExpression, _ infix: PredicateInfix, _ right: ObjectExpression,
        to format: inout String
    ) {
        // All operators are left-associative.
        let level = infix.level
        left.append(to: &format, inParentheses: left.infix.map { $0.level < level } ?? false)
        format += " \(infix.sign) "
        right.append(to: &format, inParentheses: right.infix.map { $0.level <= level } ?? false)
    }

    private static func append(
        _ elements: [ObjectExpression], between opening: String, _ closing: String,
        to format: inout String
    ) {
        format += opening
        for (position, element) in elements.enumerated() {
            if position > 0 { format += ", " }
            element.append(to: &format)
        }
        format += closing
    }

    private static func append(keyPath: String, to format: inout String) {
        let first = keyPath.prefix { $0 != "." }
        if PredicateParser.reservedWords.contains(first.uppercased()) { format += "#" }
        format += keyPath
    }
}

// MARK: - Parentheses

extension ObjectExpression {
    /// The operator that is printed between the two parts of the expression.
    private var infix: PredicateInfix? {
        switch self {
        case .function(let name, let arguments) where arguments.count == 2:
            PredicateInfix(function: name)
        case .combined(_, let operation, _): .combining(operation)
        default: nil
        }
    }

    private var isConstant: Bool {
        if case .constant = self { true } else { false }
    }

    /// Whether a dot and a key can follow without becoming a part of the expression.
    private var canBearKeys: Bool {
        switch self {
        case .subquery, .conditional, .fetch, .element, .aggregate: true
        case .function: infix == nil
        case .constant, .keyPath, .path, .evaluatedObject, .variable, .combined: false
        }
    }

    private var canBearIndex: Bool {
        switch self {
        case .keyPath, .path, .evaluatedObject, .variable: true
        default: canBearKeys
        }
    }
}

extension ObjectExpression.ElementIndex {
    fileprivate var predicateFormat: String {
        switch self {
        case .first: "FIRST"
        case .last: "LAST"
        case .size: "SIZE"
        case .position(let position): position.predicateFormat
        }
    }
}

extension String {
    /// Whether parentheses can follow the name: `name`, `name:`, `name:with:` or `name:with`.
    fileprivate var isFunctionName: Bool {
        let words = split(separator: ":", omittingEmptySubsequences: false)
        guard let first = words.first else { return false }
        if words.count == 1, PredicateParser.reservedWords.contains(first.uppercased()) {
            return false
        }
        return first.isPredicateKey
            && words.dropFirst().allSatisfy {
                $0.utf8.allSatisfy(PredicateLexer.isWordByte)
            }
    }
}

extension AttributeValue {
    fileprivate func append(to format: inout String) {
        switch self {
        case .null: format += "NULL"
        case .boolean(let value): format += value ? "TRUE" : "FALSE"
        case .integer(let value): format += String(value)
        case .double(let value):
            format +=
                value.isNaN
                ? "NULL" : value.isFinite ? "\(value)" : "CAST(\"\(value)\", \"NSNumber\")"
        case .decimal(let value): format += "CAST(\"\(value)\", \"NSDecimalNumber\")"
        case .string(let value): Self.append(quoted: value, to: &format)
        case .date(let value):
            format += "CAST(\(value.timeIntervalSinceReferenceDate), \"NSDate\")"
        case .data(let value): format += "CAST(\"\(value.base64EncodedString())\", \"NSData\")"
        case .uuid(let value): format += "CAST(\"\(value)\", \"NSUUID\")"
        case .uri(let value):
            format += "CAST("
            Self.append(quoted: value.absoluteString, to: &format)
            format += ", \"NSURL\")"
        case .objectID(let value): format += "<\(value)>"
        case .transformable(let value): format += "<\(value.value)>"
        case .composite(let values): format += "<\(values)>"
        }
    }

    private static func append(quoted text: String, to format: inout String) {
        format += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": format += "\\\""
            case "\\": format += "\\\\"
            case "%": format += "%%"
            case "\n": format += "\\n"
            case "\r": format += "\\r"
            case "\t": format += "\\t"
            default: format.unicodeScalars.append(scalar)
            }
        }
        format += "\""
    }
}
