// How the parts of conditions are spelt in SQL.

extension Condition.Relation {
    var sql: String {
        switch self {
        case .less: " < "
        case .lessOrEqual: " <= "
        case .greater: " > "
        case .greaterOrEqual: " >= "
        case .equal: " = "
        case .notEqual: " <> "
        }
    }
}

extension StringMatcher.Operation {
    /// The SQL function that asks the same.
    var function: String {
        switch self {
        case .beginsWith: "OGBeginsWith"
        case .endsWith: "OGEndsWith"
        case .contains: "OGContains"
        case .like: "OGLike"
        case .matches: "OGMatches"
        }
    }
}

extension Operand.Function {
    var sql: (opening: String, separator: String, closing: String) {
        switch self {
        case .add: ("(", " + ", ")")
        case .subtract: ("(", " - ", ")")
        case .multiply: ("(", " * ", ")")
        // Never an integer division, as in memory.
        case .divide: ("(CAST(", " AS REAL) / ", ")")
        case .absolute: ("ABS(", "", ")")
        case .length: ("LENGTH(", "", ")")
        case .lowercase: ("OGLowercase(", "", ")")
        case .uppercase: ("OGUppercase(", "", ")")
        case .canonical: ("OGFold(", "", ", 3)")
        }
    }
}

extension Operand.Aggregate {
    var sql: String {
        switch self {
        case .sum: "total("
        case .count: "COUNT("
        case .minimum: "MIN("
        case .maximum: "MAX("
        case .average: "AVG("
        }
    }
}

extension String {
    /// The least string greater than all that begin with this one; nil if there is none.
    var successor: String? {
        var scalars = unicodeScalars
        while let last = scalars.popLast() {
            // No scalars lie between U+D7FF and U+E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                return String(scalars)
            }
        }
        return nil
    }
}
