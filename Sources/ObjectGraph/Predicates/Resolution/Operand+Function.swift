import Foundation

extension Operand {
    /// A function of values. Both evaluators run the same code, except where an operator of SQLite
    /// gives exactly the same result.
    enum Function: String, Sendable, Hashable, CaseIterable {
        case add = "add:to:"
        case subtract = "from:subtract:"
        case multiply = "multiply:by:"
        case divide = "divide:by:"
        case modulus = "modulus:by:"
        case raise = "raise:toPower:"
        case absolute = "abs:"
        case squareRoot = "sqrt:"
        case logarithm = "log:"
        case naturalLogarithm = "ln:"
        case exponential = "exp:"
        case floor = "floor:"
        case ceiling = "ceiling:"
        case truncate = "trunc:"
        case and = "bitwiseAnd:with:"
        case or = "bitwiseOr:with:"
        case exclusiveOr = "bitwiseXor:with:"
        case shiftLeft = "leftshift:by:"
        case shiftRight = "rightshift:by:"
        case complement = "onesComplement:"
        case lowercase = "lowercase:"
        case uppercase = "uppercase:"
        /// Counts Unicode scalars; SQL counts up to the first NUL.
        case length = "length:"
        case canonical = "canonical:"
        /// From 0 up to but not including 1.
        case random = "random"
        /// An integer from 0 up to but not including the argument.
        case randomBelow = "random:"

        var argumentKinds: [ValueKind] {
            switch self {
            case .random: []
            case .lowercase, .uppercase, .length, .canonical: [.string]
            case .add, .subtract, .multiply, .divide, .modulus, .raise, .and, .or, .exclusiveOr,
                .shiftLeft, .shiftRight:
                [.number, .number]
            default: [.number]
            }
        }

        /// The rank of an operator in SQL. Operators of one rank in a chain to the left need no
        /// parentheses. Nil for other functions.
        var chainRank: Int? {
            switch self {
            case .add, .subtract: 1
            case .multiply, .divide, .modulus: 2
            case .and, .or, .shiftLeft, .shiftRight: 3
            default: nil
            }
        }

        var resultKind: ValueKind {
            switch self {
            case .lowercase, .uppercase, .canonical: .string
            default: .number
            }
        }
    }
}

extension Operand.Function {
    /// The result for the right number of arguments. Null if an argument is null, or if the result
    /// is not a number.
    func result(_ arguments: AttributeValue...) -> AttributeValue { result(arguments) }

    func result(_ arguments: [AttributeValue]) -> AttributeValue {
        switch self {
        case .random: .double(.random(in: 0..<1))
        case .lowercase: arguments[0].string.map { .string($0.lowercased()) } ?? .null
        case .uppercase: arguments[0].string.map { .string($0.uppercased()) } ?? .null
        case .length:
            arguments[0].string.map { .integer(Int64($0.unicodeScalars.count)) } ?? .null
        case .canonical:
            arguments[0].string.map {
                .string(StringFolding.fold($0, [.caseInsensitive, .diacriticInsensitive]))
            } ?? .null
        default:
            arguments.count == 2
                ? number(arguments[0], arguments[1]) : number(arguments[0])
        }
    }

    private func number(_ value: AttributeValue) -> AttributeValue {
        guard let double = value.double else { return .null }
        switch self {
        case .absolute:
            if let integer = value.wholeNumber, integer != .min { return .integer(abs(integer)) }
            return .double(abs(double))
        case .floor: return value.wholeNumber.map { .integer($0) } ?? .number(double.rounded(.down))
        case .ceiling:
            return value.wholeNumber.map { .integer($0) } ?? .number(double.rounded(.up))
        case .truncate:
            return value.wholeNumber.map { .integer($0) } ?? .number(double.rounded(.towardZero))
        case .squareRoot: return .number(double.squareRoot())
        case .logarithm: return .number(log10(double))
        case .naturalLogarithm: return .number(log(double))
        case .exponential: return .number(exp(double))
        case .complement: return .integer(~value.clampedInteger)
        case .randomBelow:
            let bound = value.clampedInteger
            return bound > 0 ? .integer(.random(in: 0..<bound)) : .null
        default: return .null
        }
    }

    private func number(_ first: AttributeValue, _ second: AttributeValue) -> AttributeValue {
        guard let left = first.double, let right = second.double else { return .null }
        switch self {
        case .add:
            return integers(first, second) { $0.addingReportingOverflow($1) }
                ?? .number(left + right)
        case .subtract:
            return integers(first, second) { $0.subtractingReportingOverflow($1) }
                ?? .number(left - right)
        case .multiply:
            return integers(first, second) { $0.multipliedReportingOverflow(by: $1) }
                ?? .number(left * right)
        // As in SQL, integer division drops the fraction, and division by zero gives null.
        case .divide:
            if right == 0 { return .null }
            return integers(first, second) { $0.dividedReportingOverflow(by: $1) }
                ?? .number(left / right)
        case .modulus:
            let divisor = second.clampedInteger
            if divisor == 0 { return .null }
            let remainder = divisor == -1 ? 0 : first.clampedInteger % divisor
            let areIntegers = first.wholeNumber != nil && second.wholeNumber != nil
            return areIntegers ? .integer(remainder) : .double(Double(remainder))
        case .raise: return .number(pow(left, right))
        case .and: return .integer(first.clampedInteger & second.clampedInteger)
        case .or: return .integer(first.clampedInteger | second.clampedInteger)
        case .exclusiveOr: return .integer(first.clampedInteger ^ second.clampedInteger)
        case .shiftLeft: return .integer(first.clampedInteger << second.clampedInteger)
        case .shiftRight: return .integer(first.clampedInteger >> second.clampedInteger)
        default: return .null
        }
    }

    /// Computes with integers until they overflow; then double precision is used, as in SQLite.
    private func integers(
        _ first: AttributeValue, _ second: AttributeValue,
        _ operation: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
    ) -> AttributeValue? {
        guard let left = first.wholeNumber, let right = second.wholeNumber else { return nil }
        let (result, hasOverflown) = operation(left, right)
        return hasOverflown ? nil : .integer(result)
    }
}

extension AttributeValue {
    /// A number; null for NaN.
    fileprivate static func number(_ value: Double) -> AttributeValue {
        value.isNaN ? .null : .double(value)
    }

    /// The value of an integer or Boolean.
    var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    /// The number without its fraction, clamped to 64 bits, as SQLite casts.
    fileprivate var clampedInteger: Int64 {
        if let wholeNumber { return wholeNumber }
        let value = double ?? 0
        return value >= 0x1p63 ? .max : value <= -0x1p63 ? .min : value.isNaN ? 0 : Int64(value)
    }

    /// The number, string or date converted to another of these kinds; null if this is not
    /// possible.
    func cast(to kind: ValueKind) -> AttributeValue {
        switch (kind, self) {
        case (.date, _): double.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case (.string, .string), (.string, .uri): .string(string!)
        case (.string, _):
            if let wholeNumber {
                .string(String(wholeNumber))
            } else {
                double.map { .string("\($0)") } ?? .null
            }
        case (.number, .string(let text)):
            Int64(text).map { .integer($0) } ?? Double(text).map { .number($0) } ?? .null
        case (.number, .date(let value)): .double(value.timeIntervalSinceReferenceDate)
        case (.number, _): double == nil ? .null : self
        default: .null
        }
    }
}
