// Comparisons of lists, and chains of comparisons that become one list.
extension ConditionResolver {
    /// `{1, 2} == {1, 2}`: the same number of elements, equal one by one; nil for other
    /// comparisons.
    func listEquality(
        _ comparison: ObjectPredicate.Comparison
    ) throws(FetchError) -> Condition? {
        guard case .aggregate(let left) = comparison.left,
            case .aggregate(let right) = comparison.right,
            comparison.operator == .equal || comparison.operator == .notEqual
        else { return nil }
        var parts: [ObjectPredicate] = zip(left, right).map {
            .comparison(.init($0, .equal, $1, options: comparison.options))
        }
        if left.count != right.count { parts.append(.value(false)) }
        return try condition(
            comparison.operator == .equal ? .and(parts) : .not(.and(parts)))
    }

    /// Merges comparisons of one expression with constants. In an OR, those with `==` become one
    /// IN. In an AND, those with `!=` except the first become one NOT IN.
    ///
    /// SQLite searches for each constant of a statement among all others, so compiling many terms
    /// takes quadratic time. A long list is one constant.
    func merging(
        _ parts: [ObjectPredicate], _ operation: ObjectPredicate.Operator
    ) -> [ObjectPredicate] {
        guard parts.count > ObjectPredicate.longestChain else { return parts }
        var merged: [ObjectPredicate] = []
        var lists: [ObjectPredicate.Comparison: (position: Int, values: [ObjectExpression])] = [:]
        for part in parts {
            guard case .comparison(var comparison) = part, comparison.operator == operation,
                comparison.modifier == .direct, comparison.right.isListable
            else {
                merged.append(part)
                continue
            }
            let value = comparison.right
            comparison.right = .constant(.null)
            let count = lists.count
            lists[comparison, default: (merged.count, [])].values.append(value)
            if lists.count > count { merged.append(part) }
        }
        for (comparison, list) in lists where list.values.count > 1 {
            let values = operation == .equal ? list.values[...] : list.values.dropFirst()
            let isIn = ObjectPredicate.comparison(
                .init(
                    comparison.left, .in, .aggregate(Array(values)), options: comparison.options))
            // The first `!=` stays: comparisons with NaN are false, but NOT IN would be true for
            // NaN.
            merged[list.position] =
                operation == .equal ? isIn : .and([merged[list.position], .not(isIn)])
        }
        return merged
    }
}

extension ObjectExpression {
    /// Whether `==` and IN treat it alike: a constant that is neither nil nor NaN.
    fileprivate var isListable: Bool {
        guard case .constant(let value) = self else { return false }
        return !value.isNull && value.double?.isNaN != true
    }
}
