// The types of PostgreSQL's operands, and what is computed from them.

// MARK: - Types

extension PostgreSQLDialect {
    /// - Throws: `FetchError.inMemoryOnly` if the operand has no type.
    func sqlType(of operand: Operand) throws(FetchError) -> SQLType {
        if let type = operand.sqlType { return type }
        throw .inMemoryOnly(
            feature: "An expression that is always nil, or has values of two kinds,")
    }

    func requireType(of operand: Operand) throws(FetchError) {
        if case .mixed(let bits) = try sqlType(of: operand), bits > 53 {
            throw .inMemoryOnly(feature: "A choice between a real number and a 64-bit integer")
        }
    }

    /// The type of a number. It is an integer for all rows, or real for all.
    private func numberType(of operand: Operand) throws(FetchError) -> SQLType {
        let type = try sqlType(of: operand)
        if case .mixed = type {
            throw .inMemoryOnly(feature: "A computation with either a real number or an integer")
        }
        return type
    }

    func call(
        of statistic: Operand.Statistic, _ operand: Operand?
    ) throws(FetchError) -> (opening: String, closing: String) {
        guard let operand else { return (try statistic.sqlCall(), ")") }
        let type = try sqlType(of: operand)
        // Sums are in double precision. Infinities may give NaN, which is nil.
        switch (statistic, type) {
        case (.sum, .real): return ("NULLIF(COALESCE(SUM(", "), 0), 'NaN')")
        case (.sum, _): return ("COALESCE(SUM(CAST(", " AS double precision)), 0)")
        case (.average, .real): return ("NULLIF(AVG(", "), 'NaN')")
        case (.average, _): return ("AVG(CAST(", " AS double precision))")
        case (.minimum, .blob), (.maximum, .blob):
            throw .inMemoryOnly(feature: "The function '\(statistic.rawValue)' of data")
        default:
            try requireType(of: operand)
            return (try statistic.sqlCall(), ")")
        }
    }

    func cast(
        _ operand: Operand, to decoding: DictionaryColumn.Decoding
    ) throws(FetchError) -> (opening: String, closing: String) {
        let type = try sqlType(of: operand)
        guard case .attribute(let attribute) = decoding else {
            _ = try numberType(of: operand)
            return ("", "")
        }
        switch (type, attribute.slotKind) {
        case (.integer, .integer), (.real, .real), (.mixed, .real), (.blob, .blob):
            return ("", "")
        case (.text, .text): return ("", binaryOrder(operand))
        case (.integer, .real): return ("CAST(", " AS double precision)")
        default:
            // The sum of integers is a whole number.
            if case .aggregate(.sum, let summand) = operand, summand.sqlType?.isInteger == true,
                attribute.slotKind == .integer
            {
                return ("CAST(", " AS bigint)")
            }
            throw .inMemoryOnly(feature: "A value that is read as another type")
        }
    }
}

// MARK: - Computations

extension PostgreSQLDialect {
    func write(
        _ function: Operand.Function, _ arguments: [Operand], to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        var types: [SQLType] = []
        for argument in arguments { types.append(try numberType(of: argument)) }
        let isReal = types.contains(.real)
        switch function {
        case .add, .subtract, .multiply, .divide:
            // Operations on infinities may give NaN, which is nil.
            let canBeNaN = isReal && !arguments.contains(where: \.isFiniteConstant)
            text.append(canBeNaN ? "NULLIF((" : "(")
            try writer.write(arguments[0], to: &text, place)
            text.append(try function.sqlForm().separator)
            if function == .divide {
                let isSafe = arguments[1].isFiniteConstant
                if !isSafe { text.append("NULLIF(") }
                try writer.write(arguments[1], to: &text, place)
                if !isSafe { text.append(", 0)") }
            } else {
                try writer.write(arguments[1], to: &text, place)
            }
            text.append(canBeNaN ? "), 'NaN')" : ")")
        case .modulus:
            text.append(isReal ? "CAST((" : "(")
            try writeWhole(arguments[0], to: &text, place, &writer)
            text.append(" % ")
            // Division by zero gives null, in PostgreSQL an error.
            let isSafe = arguments[1].isFiniteConstant && types[1].isInteger
            if !isSafe { text.append("NULLIF(") }
            try writeWhole(arguments[1], to: &text, place, &writer)
            if !isSafe { text.append(", 0)") }
            text.append(isReal ? ") AS double precision)" : ")")
        case .and, .or, .exclusiveOr:
            let symbol = try function.sqlForm().separator
            text.append("(")
            try writeWhole(arguments[0], to: &text, place, &writer)
            text.append(function == .exclusiveOr ? " # " : symbol)
            try writeWhole(arguments[1], to: &text, place, &writer)
            text.append(")")
        case .complement:
            text.append("(~")
            try writeWhole(arguments[0], to: &text, place, &writer)
            text.append(")")
        case .shiftLeft, .shiftRight:
            // PostgreSQL shifts by the number modulo 64.
            guard case .constant(let value) = arguments[1], let count = value.wholeNumber,
                (0..<64).contains(count)
            else { throw .inMemoryOnly(feature: "A shift by a computed number") }
            text.append("(")
            try writeWhole(arguments[0], to: &text, place, &writer)
            text.append("\(try function.sqlForm().separator)\(count))")
        case .absolute: try write("abs(", arguments[0], ")", to: &text, place, &writer)
        case .floor, .ceiling, .truncate:
            guard isReal else { return try writer.write(arguments[0], to: &text, place) }
            let name = function == .floor ? "floor" : function == .ceiling ? "ceil" : "trunc"
            try write("\(name)(", arguments[0], ")", to: &text, place, &writer)
        case .squareRoot:
            try write(
                "sqrt(CAST(", arguments[0], " AS double precision))", to: &text, place, &writer)
        case .length:
            try write("CAST(length(", arguments[0], ") AS bigint)", to: &text, place, &writer)
        // The results of the server's library may differ in the last digit, those for texts in the
        // version of Unicode.
        case .raise, .logarithm, .naturalLogarithm, .exponential, .lowercase, .uppercase,
            .canonical, .random, .randomBelow:
            throw .inMemoryOnly(feature: "The function '\(function.rawValue)'")
        }
    }

    private func write(
        _ opening: String, _ operand: Operand, _ closing: String, to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        text.append(opening)
        try writer.write(operand, to: &text, place)
        text.append(closing)
    }

    /// Writes a number without its fraction. One beyond 64 bits is an error in PostgreSQL.
    func writeWhole(
        _ operand: Operand, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let isInteger = try sqlType(of: operand).isInteger
        if !isInteger { text.append("CAST(trunc(") }
        try writer.write(operand, to: &text, place)
        if !isInteger { text.append(") AS bigint)") }
    }

    func writeCast(
        _ operand: Operand, _ kind: ValueKind, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let type = try sqlType(of: operand)
        switch (type, kind) {
        case (.text, .string), (.real, .date), (.mixed, .date), (.real, .number),
            (.integer, .number), (.mixed, .number):
            try writer.write(operand, to: &text, place)
        case (.integer, .string):
            try write(
                "(CAST(", operand, " AS text)\(Self.binaryCollation))", to: &text, place, &writer)
        case (.integer, .date):
            try write("CAST(", operand, " AS double precision)", to: &text, place, &writer)
        default: throw .inMemoryOnly(feature: "CAST between a string and a real number")
        }
    }

    func write(
        _ statistic: Operand.Statistic, _ operands: [Operand], to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let form = try statistic.sqlOfList(count: operands.count)
        let type = try sqlType(of: .listSummary(statistic, operands))
        switch statistic {
        case .sum, .average:
            // The sum starts with a real number, so that all are added in double precision.
            let canBeNaN = operands.contains { $0.sqlType?.isInteger != true }
            if canBeNaN { text.append("NULLIF(") }
            text.append(form.opening.replacing("0.0", with: "0::double precision"))
            for (position, operand) in operands.enumerated() {
                if position > 0 { text.append(form.separator) }
                try writer.write(operand, to: &text, place.optional)
            }
            text.append(canBeNaN ? "\(form.closing), 'NaN')" : form.closing)
        default:
            if case .mixed(let bits) = type, bits > 53 {
                throw .inMemoryOnly(feature: "A list of real numbers and 64-bit integers")
            }
            try writeExtreme(
                operands, isGreatest: statistic == .maximum, to: &text, place, &writer)
        }
    }

    /// GREATEST and LEAST ignore nulls.
    private func writeExtreme(
        _ operands: [Operand], isGreatest: Bool, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        var values: [SQLText] = []
        for operand in operands {
            if case .constant(let value) = operand, value.isNull || value.double?.isNaN == true {
                throw .inMemoryOnly(feature: "A list with nil or NaN")
            }
            var value = SQLText()
            try writer.write(operand, to: &value, place.optional)
            values.append(value)
        }
        if values.count == 1 { return text.append(values[0].wrapped("(", ")")) }
        text.append("CASE WHEN ")
        var hasTests = false
        for (value, operand) in zip(values, operands) {
            if case .constant = operand { continue }
            if hasTests { text.append(" AND ") }
            text.append(value)
            text.append(" IS NOT NULL")
            hasTests = true
        }
        if !hasTests { text.append(truth(true)) }
        text.append(isGreatest ? " THEN GREATEST(" : " THEN LEAST(")
        let order = binaryOrder(operands)
        for (position, value) in values.enumerated() {
            if position > 0 { text.append(", ") }
            text.append(value)
            if position == 0 { text.append(order) }
        }
        text.append(") END")
    }
}

extension Operand {
    /// Whether it is a number other than zero, infinity and NaN.
    fileprivate var isFiniteConstant: Bool {
        guard case .constant(let value) = self, let number = value.double else { return false }
        return number.isFinite && number != 0
    }
}
