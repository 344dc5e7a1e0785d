// Folded texts in PostgreSQL: attributes have columns with them, constants are folded here. Both are
// then compared byte by byte, as the evaluator in memory does.
extension SQLConditionWriter {
    /// The operand of a comparison with options, which `folding` must have when it is written.
    ///
    /// - Throws: `FetchError.inMemoryOnly` for what has no column with its folded text.
    func folded(
        _ operand: Operand, _ options: ObjectPredicate.Options
    ) throws(FetchError) -> Operand {
        if options.isEmpty { return operand }
        switch operand {
        case .constant(let value): return .constant(try folded(value, options))
        case .attribute(_, let property)
        where readsFoldedColumns && layout.foldedColumn(of: property, options) != nil:
            return operand
        case .hinted(let operand, let hint):
            return .hinted(try folded(operand, options), hint)
        default:
            throw .inMemoryOnly(
                feature: "A comparison with options, without an index that folds so,")
        }
    }

    func folded(
        _ values: [AttributeValue], _ options: ObjectPredicate.Options
    ) throws(FetchError) -> [AttributeValue] {
        if options.isEmpty { return values }
        var result: [AttributeValue] = []
        for value in values { result.append(try folded(value, options)) }
        return result
    }

    private func folded(
        _ value: AttributeValue, _ options: ObjectPredicate.Options
    ) throws(FetchError) -> AttributeValue {
        switch value {
        case .null: return .null
        case .string(let text): return .string(StringFolding.fold(text, options))
        default: throw .inMemoryOnly(feature: "A comparison of other values than texts by options")
        }
    }

    /// The column of an attribute, or that with its folded text.
    func column(of property: Property) -> String {
        layout.foldedColumn(of: property, folding) ?? layout.column(of: property)
    }

    /// Writes the folded text of an attribute's new value in an UPDATE.
    ///
    /// - Throws: `FetchError.unsupported` for a value that is neither a constant nor an attribute
    ///   that is folded alike.
    mutating func writeAssigned(
        _ operand: Operand, foldedFor attribute: String, _ options: ObjectPredicate.Options,
        to text: inout SQLText
    ) throws(FetchError) {
        guard let operand = try? folded(operand, options) else {
            throw .unsupported(
                feature:
                    "A computed value for '\(attribute)' in a batch update of a PostgreSQL store with an index that folds the attribute"
            )
        }
        folding = options
        defer { folding = [] }
        try write(operand, to: &text, .required)
    }

    /// Writes a sort key that ignores case.
    mutating func writeCaseInsensitive(
        _ key: Operand, to text: inout SQLText
    ) throws(FetchError) {
        let key = try folded(key, .caseInsensitive)
        folding = .caseInsensitive
        defer { folding = [] }
        try write(key, to: &text, .optional)
        text.append(binaryOrder(key))
    }
}
