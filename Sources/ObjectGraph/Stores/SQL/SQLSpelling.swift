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
    /// The SQL function for this operation.
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
    /// The SQL before, between and after the arguments.
    ///
    /// - Throws: `FetchError.inMemoryOnly`.
    func sqlForm() throws(FetchError) -> (opening: String, separator: String, closing: String) {
        switch self {
        case .add: ("(", " + ", ")")
        case .subtract: ("(", " - ", ")")
        case .multiply: ("(", " * ", ")")
        case .divide: ("(", " / ", ")")
        case .modulus: ("(", " % ", ")")
        case .and: ("(", " & ", ")")
        case .or: ("(", " | ", ")")
        case .shiftLeft: ("(", " << ", ")")
        case .shiftRight: ("(", " >> ", ")")
        case .complement: ("(~", "", ")")
        case .canonical: ("OGFold(", "", ", 3)")
        case .random, .randomBelow: throw .inMemoryOnly(feature: "The function '\(rawValue)'")
        default: (sqlFunction! + "(", ", ", ")")
        }
    }

    /// The registered SQL function with the same result; nil if SQLite has its own.
    var sqlFunction: String? {
        switch self {
        case .raise: "OGRaise"
        case .absolute: "OGAbsolute"
        case .squareRoot: "OGSquareRoot"
        case .logarithm: "OGLogarithm"
        case .naturalLogarithm: "OGNaturalLogarithm"
        case .exponential: "OGExponential"
        case .floor: "OGFloor"
        case .ceiling: "OGCeiling"
        case .truncate: "OGTruncate"
        case .exclusiveOr: "OGExclusiveOr"
        case .length: "OGLength"
        case .lowercase: "OGLowercase"
        case .uppercase: "OGUppercase"
        default: nil
        }
    }
}

extension Operand.Statistic {
    /// The start of the aggregate function over rows, up to its argument.
    ///
    /// - Throws: `FetchError.inMemoryOnly`.
    func sqlCall() throws(FetchError) -> String {
        switch self {
        case .sum: "total("
        case .count: "COUNT("
        case .minimum: "MIN("
        case .maximum: "MAX("
        case .average: "AVG("
        case .median, .mode, .deviation:
            throw .inMemoryOnly(feature: "The function '\(rawValue)'")
        }
    }

    /// The SQL before, between and after the values of a list. The result is null if one of them
    /// is.
    ///
    /// - Throws: `FetchError.inMemoryOnly`.
    func sqlOfList(
        count: Int
    ) throws(FetchError) -> (opening: String, separator: String, closing: String) {
        switch (self, count) {
        case (.minimum, 2...): ("MIN(", ", ", ")")
        case (.maximum, 2...): ("MAX(", ", ", ")")
        case (.minimum, 1), (.maximum, 1): ("(", "", ")")
        case (.sum, 1...): ("(0.0 + ", " + ", ")")
        case (.average, 1...): ("((0.0 + ", " + ", ") / \(count))")
        default: throw .inMemoryOnly(feature: "The function '\(rawValue)' over a list")
        }
    }
}

extension String {
    /// The smallest string that is greater than all strings with this prefix; nil if there is none.
    var successor: String? {
        var scalars = unicodeScalars
        while let last = scalars.popLast() {
            // There are no scalars between U+D7FF and U+E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                return String(scalars)
            }
        }
        return nil
    }
}
