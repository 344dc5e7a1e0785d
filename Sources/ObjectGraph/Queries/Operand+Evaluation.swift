extension Operand {
    /// The value in memory.
    ///
    /// - Parameter element: The destination that ANY or ALL is looking at; the object itself outside of them.
    func value<Subject: PredicateSubject>(
        for subject: Subject, element: Subject
    ) -> AttributeValue {
        switch self {
        case .constant(let value): return value
        case .attribute(let path, let property):
            let start = path.start == .root ? subject : element
            return start.destination(along: path.steps)?.value(of: property) ?? .null
        case .object(let path):
            let start = path.start == .root ? subject : element
            guard let last = path.steps.last else { return .objectID(start.objectID) }
            return start.destination(along: path.steps.dropLast())?.value(of: last) ?? .null
        case .count(let collection):
            let start = collection.owner.start == .root ? subject : element
            let owner = start.destination(along: collection.owner.steps)
            return .integer(Int64(owner?.destinations(of: collection.property).count ?? 0))
        case .function(let function, let arguments):
            return function.result(
                arguments[0].value(for: subject, element: element),
                arguments.count > 1 ? arguments[1].value(for: subject, element: element) : .null)
        case .aggregate:
            // Resolved for dictionary fetches only, which are evaluated by the store.
            return .null
        }
    }
}

extension Operand.Function {
    /// The result for one argument, or two; null if one of them is.
    func result(_ first: AttributeValue, _ second: AttributeValue) -> AttributeValue {
        switch self {
        case .add:
            Self.arithmetic(first, second, { $0.addingReportingOverflow($1) }, +)
        case .subtract:
            Self.arithmetic(first, second, { $0.subtractingReportingOverflow($1) }, -)
        case .multiply:
            Self.arithmetic(first, second, { $0.multipliedReportingOverflow(by: $1) }, *)
        case .divide:
            // Never an integer division, and without a result for zero, as in SQL.
            if let dividend = first.double, let divisor = second.double, divisor != 0 {
                .double(dividend / divisor)
            } else {
                .null
            }
        case .absolute:
            if case .integer(let value) = first, value != .min {
                .integer(abs(value))
            } else {
                first.double.map { .double(abs($0)) } ?? .null
            }
        case .lowercase: first.string.map { .string($0.lowercased()) } ?? .null
        case .uppercase: first.string.map { .string($0.uppercased()) } ?? .null
        case .length: first.string.map { .integer(Int64($0.unicodeScalars.count)) } ?? .null
        case .canonical:
            first.string.map {
                .string(StringFolding.fold($0, [.caseInsensitive, .diacriticInsensitive]))
            } ?? .null
        }
    }

    /// In integers as long as they suffice, then in double precision, as SQLite does it.
    private static func arithmetic(
        _ first: AttributeValue, _ second: AttributeValue,
        _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ doubles: (Double, Double) -> Double
    ) -> AttributeValue {
        if case .integer(let left) = first, case .integer(let right) = second {
            let (result, hasOverflown) = integers(left, right)
            if !hasOverflown { return .integer(result) }
        }
        guard let left = first.double, let right = second.double else { return .null }
        return .double(doubles(left, right))
    }
}
