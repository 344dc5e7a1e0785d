/// The type of an operand in PostgreSQL, where it is the same for all rows.
enum SQLType: Sendable, Hashable {
    /// At least -2^bits and less than 2^bits.
    case integer(bits: Int)
    case real
    /// A real number in SQL. In memory it may be an integer, with so many bits.
    case mixed(bits: Int)
    case text
    case blob

    var isInteger: Bool {
        if case .integer = self { true } else { false }
    }

    /// Of a number: how many bits an integer may have; 0 if there can be none.
    var bits: Int? {
        switch self {
        case .integer(let bits), .mixed(let bits): bits
        case .real: 0
        case .text, .blob: nil
        }
    }

    /// Whether every value is a number that double precision represents.
    var isExactAsReal: Bool { bits.map { $0 <= 53 } ?? false }

    /// The type of an operand that has values of either type; nil if there is none.
    func joined(with other: SQLType) -> SQLType? {
        guard let bits, let otherBits = other.bits else { return self == other ? self : nil }
        let both = max(bits, otherBits)
        if isInteger, other.isInteger { return .integer(bits: both) }
        return self == .real && other == .real ? .real : .mixed(bits: both)
    }
}

extension AttributeType {
    fileprivate var sqlType: SQLType {
        switch slotKind {
        case .integer: .integer(bits: integerBits)
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }

    private var integerBits: Int {
        switch self {
        case .boolean: 1
        case .integer16: 15
        case .integer32: 31
        default: 63
        }
    }
}

extension SQLBinding {
    fileprivate var sqlType: SQLType? {
        switch self {
        case .null, .array: nil
        case .integer(let value):
            .integer(bits: Int64.bitWidth - (value < 0 ? ~value : value).leadingZeroBitCount)
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
}

extension Operand {
    /// The type; nil for NULL, and for what no column could hold.
    var sqlType: SQLType? {
        switch self {
        case .constant(let value): SQLBinding(value).sqlType
        case .attribute(_, let property): property.attributeType!.sqlType
        case .object: .integer(bits: 63)
        case .entityName: .text
        case .count, .fetchCount: .integer(bits: 48)
        case .now, .searchResult(.rank, _): .real
        case .searchResult(.snippet, _): .text
        case .element(_, _, let operand), .hinted(let operand, _): operand.sqlType
        case .function(let function, let arguments):
            function.sqlType(arguments.compactMap(\.sqlType))
        case .conditional(_, let first, let second): Self.sqlType([first, second])
        case .choice(_, let operands): Self.sqlType(operands)
        case .cast(let operand, let kind):
            switch kind {
            case .string: .text
            case .date: .real
            default: operand.kind == .string ? .real : operand.sqlType
            }
        case .summary(let statistic, _, let operand), .aggregate(let statistic, let operand):
            statistic.sqlType(operand.sqlType)
        case .listSummary(let statistic, let operands):
            statistic.sqlType(Self.sqlType(operands))
        }
    }

    /// The type of an operand that has the value of one of several.
    private static func sqlType(_ operands: [Operand]) -> SQLType? {
        let types = operands.compactMap(\.sqlType)
        return types.dropFirst().reduce(types.first) { $0?.joined(with: $1) }
    }

    /// Whether texts of the operand are in the order of a column. Parameters have that of the
    /// database.
    var hasColumnOrder: Bool {
        switch self {
        case .attribute, .entityName, .summary, .aggregate: true
        case .cast(let operand, _): operand.kind != .string || operand.hasColumnOrder
        case .conditional(_, let first, let second): first.hasColumnOrder || second.hasColumnOrder
        case .choice(_, let operands), .listSummary(_, let operands):
            operands.contains(where: \.hasColumnOrder)
        case .hinted(let operand, _): operand.hasColumnOrder
        default: false
        }
    }
}

extension Operand.Statistic {
    fileprivate func sqlType(_ operand: SQLType?) -> SQLType? {
        switch self {
        case .count: .integer(bits: 48)
        case .minimum, .maximum, .mode: operand
        case .sum, .average, .median, .deviation: .real
        }
    }
}

extension Operand.Function {
    fileprivate func sqlType(_ arguments: [SQLType]) -> SQLType {
        let bits = arguments.compactMap(\.bits)
        let isReal = !arguments.allSatisfy(\.isInteger)
        func number(bits: Int) -> SQLType { isReal ? .real : .integer(bits: bits) }
        switch self {
        case .add, .subtract, .divide, .absolute: return number(bits: (bits.max() ?? 0) + 1)
        case .multiply: return number(bits: bits.reduce(1, +))
        case .modulus, .floor, .ceiling, .truncate: return number(bits: bits.max() ?? 0)
        case .and, .or, .exclusiveOr, .complement:
            return .integer(bits: isReal ? 63 : bits.max() ?? 0)
        case .shiftLeft, .shiftRight, .randomBelow: return .integer(bits: 63)
        case .length: return .integer(bits: 31)
        case .lowercase, .uppercase, .canonical: return .text
        case .raise, .squareRoot, .logarithm, .naturalLogarithm, .exponential, .random:
            return .real
        }
    }
}

extension AttributeValue {
    /// The number in the form in which PostgreSQL compares it exactly with values of a type; nil if
    /// there is none. An integer and a real number are compared in double precision.
    func comparable(with type: SQLType) -> AttributeValue? {
        guard type.bits != nil else { return self }
        if let whole = wholeNumber {
            if type.isInteger { return self }
            return type.isExactAsReal ? Double(exactly: whole).map { .double($0) } : nil
        }
        guard type.isInteger, let real = double, !real.isNaN else {
            return type.isInteger || type.isExactAsReal ? self : nil
        }
        if real >= 0x1p63 { return .double(.infinity) }
        if real < -0x1p63 { return .double(-.infinity) }
        // A number with a fraction is less than 2^52, where integers are exact.
        return Int64(exactly: real).map { .integer($0) } ?? .double(real)
    }
}
