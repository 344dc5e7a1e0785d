import Foundation

// Operands have the type that SQLite gives them, row by row. Functions are in `SQLSpelling`.
extension SQLiteDialect {
    func requireType(of operand: Operand) {}

    func write(
        _ function: Operand.Function, _ arguments: [Operand], to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        var place = place
        place.isInComputation = true
        try write(function, arguments, isChained: false, to: &text, place, &writer)
    }

    /// - Parameter isChained: Whether it is the left operand of an operator of the same rank.
    ///   Parentheses would then only take places on the parser's stack.
    private func write(
        _ function: Operand.Function, _ arguments: [Operand], isChained: Bool,
        to text: inout SQLText, _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let form = try function.sqlForm()
        if !isChained { text.append(form.opening) }
        for (position, argument) in arguments.enumerated() {
            if position > 0 { text.append(form.separator) }
            if position == 0, let rank = function.chainRank,
                case .function(let inner, let operands) = argument, inner.chainRank == rank
            {
                try write(inner, operands, isChained: true, to: &text, place, &writer)
            } else {
                try writer.write(argument, to: &text, place)
            }
        }
        if !isChained { text.append(form.closing) }
    }

    func writeCast(
        _ operand: Operand, _ kind: ValueKind, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        var place = place
        let (opening, closing): (String, String)
        switch (operand.kind, kind) {
        case (_, .string):
            // The text of the decimal 2 is "2.0".
            place.isInComputation = true
            (opening, closing) = ("OGText(", ")")
        case (.string, _): (opening, closing) = ("OGNumber(", ")")
        case (_, .date) where place.isInComputation:
            // Dates are real numbers of seconds.
            place.isInComputation = false
            (opening, closing) = ("CAST(", " AS REAL)")
        default: (opening, closing) = ("", "")
        }
        text.append(opening)
        try writer.write(operand, to: &text, place)
        text.append(closing)
    }

    func call(
        of statistic: Operand.Statistic, _ operand: Operand?
    ) throws(FetchError) -> (opening: String, closing: String) {
        (try statistic.sqlCall(), ")")
    }

    func write(
        _ statistic: Operand.Statistic, _ operands: [Operand], to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let form = try statistic.sqlOfList(count: operands.count)
        text.append(form.opening)
        for (position, operand) in operands.enumerated() {
            if position > 0 { text.append(form.separator) }
            try writer.write(operand, to: &text, place.optional)
        }
        text.append(form.closing)
    }
}

// MARK: - Updates

extension SQLiteDialect {
    private static let value = "\u{1F}"

    func writeAssigned(
        _ operand: Operand, to property: Property, to text: inout SQLText,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let (slot, layout, entity) = (property.slot!, writer.layout, writer.entity)
        // Real operands, and results too large for 64 bits, are not integers in SQLite.
        let needsCast =
            property.attributeType?.slotKind == .integer && !operand.isIntegerOf64Bits
        // What stands around a value that is not stored as it is.
        let form =
            layout.isMarked(slot, of: entity)
            ? layout.writing(Self.value, slot, of: entity).components(separatedBy: Self.value)
            : []
        if let opening = form.first { text.append(opening) }
        if needsCast { text.append("CAST(") }
        try writer.write(operand, to: &text, .required)
        if needsCast { text.append(" AS INTEGER)") }
        if let closing = form.last { text.append(closing) }
    }
}

extension Operand {
    /// Whether the value is a 64-bit integer for every row: a constant, or an attribute of fewer
    /// bits with a constant of fewer bits added or subtracted.
    fileprivate var isIntegerOf64Bits: Bool {
        switch self {
        case .constant: true
        case .function(.add, let terms), .function(.subtract, let terms):
            terms.count == 2 && terms[0].isIntegerOf32Bits && terms[1].isIntegerOf32Bits
                && terms.contains { if case .constant = $0 { true } else { false } }
        default: false
        }
    }

    private var isIntegerOf32Bits: Bool {
        switch self {
        case .constant(.integer(let value)): Int32(exactly: value) != nil
        case .attribute(_, let property):
            property.attributeType == .integer16 || property.attributeType == .integer32
        default: false
        }
    }
}
