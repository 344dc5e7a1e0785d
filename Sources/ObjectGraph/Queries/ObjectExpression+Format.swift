import Foundation

extension ObjectExpression: CustomStringConvertible {
    /// The expression as it stands in a predicate format.
    public var predicateFormat: String {
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
        case .aggregate(let elements):
            Self.append(elements, between: "{", "}", to: &format)
        case .function(let name, let arguments):
            guard let infix = Infix(name, arguments) else {
                format += name
                return Self.append(arguments, between: "(", ")", to: &format)
            }
            arguments[0].append(to: &format, inParentheses: infix.needsParentheses(arguments[0]))
            format += " \(infix.sign) "
            arguments[1].append(
                to: &format, inParentheses: infix.needsParentheses(right: arguments[1]))
        }
    }

    private func append(to format: inout String, inParentheses: Bool) {
        if inParentheses { format += "(" }
        append(to: &format)
        if inParentheses { format += ")" }
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
        for (position, key) in keyPath.split(separator: ".", omittingEmptySubsequences: false)
            .enumerated()
        {
            if position > 0 { format += "." }
            // Behind a dot every word is a key.
            let isReserved =
                position == 0 && PredicateParser.reservedWords.contains(key.uppercased())
            format += isReserved ? "#\(key)" : String(key)
        }
    }
}

/// An arithmetic function of two arguments, printed as an operator between them.
private struct Infix {
    let sign: String
    private let precedence: Int

    private static let operators: [String: (sign: String, precedence: Int)] = [
        "add:to:": ("+", 1), "from:subtract:": ("-", 1), "multiply:by:": ("*", 2),
        "divide:by:": ("/", 2), "raise:toPower:": ("**", 3),
    ]

    init?(_ name: String, _ arguments: [ObjectExpression]) {
        guard arguments.count == 2, let found = Self.operators[name] else { return nil }
        (sign, precedence) = found
    }

    func needsParentheses(_ left: ObjectExpression) -> Bool {
        Self.precedence(of: left).map { $0 < precedence } ?? false
    }

    /// All operators group to the left.
    func needsParentheses(right: ObjectExpression) -> Bool {
        Self.precedence(of: right).map { $0 <= precedence } ?? false
    }

    private static func precedence(of expression: ObjectExpression) -> Int? {
        guard case .function(let name, let arguments) = expression else { return nil }
        return Infix(name, arguments)?.precedence
    }
}

extension AttributeValue {
    fileprivate func append(to format: inout String) {
        switch self {
        case .null: format += "NULL"
        case .boolean(let value): format += value ? "TRUE" : "FALSE"
        case .integer(let value): format += String(value)
        case .double(let value):
            format += value.isFinite ? "\(value)" : "CAST(\"\(value)\", \"NSNumber\")"
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
