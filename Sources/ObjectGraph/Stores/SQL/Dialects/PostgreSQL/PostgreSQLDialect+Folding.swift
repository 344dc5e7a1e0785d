// Folded texts in PostgreSQL: attributes have columns with them, constants are folded here. Both are
// then compared byte by byte, as the evaluator in memory does.
extension PostgreSQLDialect {
    /// The operand of a comparison with options, which its place must have as `folding` when it is
    /// written.
    ///
    /// - Throws: `FetchError.inMemoryOnly` for what has no column with its folded text.
    func folded(
        _ operand: Operand, _ options: ObjectPredicate.Options, _ place: Place,
        _ layout: StoreLayout
    ) throws(FetchError) -> Operand {
        if options.isEmpty { return operand }
        switch operand {
        case .constant(let value): return .constant(try folded(value, options))
        case .attribute(_, let property)
        where !place.isInResult && layout.foldedColumn(of: property, options) != nil:
            return operand
        case .hinted(let operand, let hint):
            return .hinted(try folded(operand, options, place, layout), hint)
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
}
