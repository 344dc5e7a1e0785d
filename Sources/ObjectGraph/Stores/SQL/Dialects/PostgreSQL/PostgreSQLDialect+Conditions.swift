import Foundation

// PostgreSQL has no functions of this engine, and its operands have types. An expression is stated
// only if its value is exactly that of the evaluator in memory, or if the statement fails for a row
// with another value (SQLSTATE class 22).

// MARK: - Comparisons

extension PostgreSQLDialect {
    /// The order of texts by Unicode scalars.
    static let binaryCollation = " COLLATE \"C\""

    func writeComparison(
        _ left: Operand, _ relation: Condition.Relation, _ right: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let sides = try comparable(
            folded(left, options, place, writer.layout),
            folded(right, options, place, writer.layout))
        var place = place
        place.folding = options
        try writer.write(sides.left, to: &text, place)
        if relation != .equal, relation != .notEqual {
            text.append(binaryOrder(sides.left, sides.right))
        }
        text.append(relation.sql)
        try writer.write(sides.right, to: &text, place)
    }

    func writeBetween(
        _ operand: Operand, _ least: Operand, _ greatest: Operand, to text: inout SQLText,
        _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        if case .constant = operand {
            // Each bound may need the constant in another form.
            text.append("(")
            try writeComparison(operand, .greaterOrEqual, least, [], to: &text, place, &writer)
            text.append(" AND ")
            try writeComparison(operand, .lessOrEqual, greatest, [], to: &text, place, &writer)
            return text.append(")")
        }
        let least = try comparable(operand, least).right
        let greatest = try comparable(operand, greatest).right
        let order = binaryOrder(operand, least, greatest)
        try writer.write(operand, to: &text, place)
        text.append("\(order) BETWEEN ")
        try writer.write(least, to: &text, place)
        text.append(" AND ")
        try writer.write(greatest, to: &text, place)
    }

    /// Both sides of a comparison, with a constant in the form that is compared exactly.
    private func comparable(
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

    /// The collation that the first of the operands needs; empty if a column gives it.
    func binaryOrder(_ operands: Operand...) -> String { binaryOrder(operands) }

    func binaryOrder(_ operands: [Operand]) -> String {
        let isNeeded =
            operands[0].sqlType == .text && !operands.contains(where: \.hasColumnOrder)
        return isNeeded ? Self.binaryCollation : ""
    }
}

// MARK: - Lists

extension PostgreSQLDialect {
    /// Writes `IN` with an array as one parameter: the statement is the same for any number of
    /// values.
    func writeList(
        _ operand: Operand, _ values: [AttributeValue], orNull: Bool,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let operand = try folded(operand, options, place, writer.layout)
        let values = try array(
            of: folded(values, options), comparableWith: sqlType(of: operand), writer)
        var place = orNull ? place.optional : place
        place.folding = options
        if orNull {
            text.append("(")
            try writer.write(operand, to: &text, place)
            text.append(values == nil ? " IS NULL)" : " IS NULL OR ")
        }
        guard let values else {
            if !orNull { text.append(truth(false)) }
            return
        }
        try writer.write(operand, to: &text, place)
        text.append(" = ANY(")
        text.bind(.array(values))
        text.append(orNull ? "))" : ")")
    }

    /// The values that an operand of the type can equal; nil if there is none.
    private func array(
        of values: [AttributeValue], comparableWith type: SQLType, _ writer: SQLConditionWriter
    ) throws(FetchError) -> SQLArray? {
        if type.bits != nil, !type.isInteger, !type.isExactAsReal {
            throw .inMemoryOnly(feature: "A list of real numbers and 64-bit integers")
        }
        let bindings = values.compactMap { $0.comparable(with: type).map(writer.binding) }
        let array: SQLArray =
            switch type {
            case .integer: .integers(bindings.compactMap(\.integer))
            case .real, .mixed: .reals(bindings.compactMap(\.number))
            case .text: .texts(bindings.compactMap(\.possibleText))
            case .blob: .blobs(bindings.compactMap(\.blob))
            }
        return array.elements.isEmpty ? nil : array
    }

    func writeMembership(
        _ operand: Operand, _ fetch: Condition.NestedFetch, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        if !options.isEmpty {
            throw .inMemoryOnly(feature: "A comparison with options, such as [cd],")
        }
        try requireSameType(operand, fetch, writer.model)
        try writer.write(operand, to: &text, place)
        let selection = try writer.selection(of: fetch, nil)
        text.append(" IN (")
        text.append(selection)
        text.append(")")
    }

    /// - Throws: `FetchError.inMemoryOnly` unless a fetch gives values of the type of the operand.
    private func requireSameType(
        _ operand: Operand, _ fetch: Condition.NestedFetch, _ model: ManagedObjectModel
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
