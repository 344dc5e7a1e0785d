// Comparisons with many values: ANY, ALL, and CONTAINS and IN with a relationship, including
// equivalent forms.
extension ConditionResolver {
    // MARK: - Membership

    /// `items CONTAINS x` and `x IN items`, which are equivalent to `ANY items == x`; nil for other
    /// comparisons.
    func membership(_ comparison: ObjectPredicate.Comparison) throws(FetchError) -> Condition? {
        let (collection, member): (ObjectExpression, ObjectExpression)
        switch comparison.operator {
        case .contains: (collection, member) = (comparison.left, comparison.right)
        case .in: (collection, member) = (comparison.right, comparison.left)
        default: return nil
        }
        return try membership(of: member, in: collection, comparison)
    }

    private func membership(
        of member: ObjectExpression, in collection: ObjectExpression,
        _ comparison: ObjectPredicate.Comparison
    ) throws(FetchError) -> Condition? {
        switch collection {
        case .combined(let first, let operation, let second):
            let left = try requiredMembership(of: member, in: first, comparison)
            let right = try requiredMembership(of: member, in: second, comparison)
            return switch operation {
            case .union: .or([left, right])
            case .intersect: .and([left, right])
            case .minus: .and([left, .not(right)])
            }
        case .aggregate, .fetch(_, countOnly: false):
            return try condition(
                .init(member, .in, collection, options: comparison.options), left: operand(member))
        default:
            guard let path = try keyPath(collection), path.collection != nil else { return nil }
            return try quantified(
                .init(collection, .equal, member, modifier: .any, options: comparison.options))
        }
    }

    private func requiredMembership(
        of member: ObjectExpression, in collection: ObjectExpression,
        _ comparison: ObjectPredicate.Comparison
    ) throws(FetchError) -> Condition {
        if let membership = try membership(of: member, in: collection, comparison) {
            return membership
        }
        throw .invalidComparison(
            comparison.predicateFormat,
            advice: "UNION, INTERSECT and MINUS combine lists and to-many key paths.")
    }

    // MARK: - ANY and ALL

    func quantified(_ comparison: ObjectPredicate.Comparison) throws(FetchError) -> Condition {
        if case .aggregate(let elements) = comparison.left {
            return try quantified(comparison, elements)
        }
        var comparison = comparison
        var path = try keyPath(comparison.left)
        // The collection may be on the right too; then the sides are exchanged.
        if path?.collection == nil, let mirrored = comparison.operator.mirrored,
            let right = try keyPath(comparison.right), right.collection != nil
        {
            path = right
            comparison = .init(
                comparison.right, mirrored, comparison.left, modifier: comparison.modifier,
                options: comparison.options)
        }
        guard let path else {
            throw .invalidComparison(
                comparison.predicateFormat,
                advice: "ANY and ALL need a to-many key path on the left.")
        }
        guard let collection = path.collection else {
            throw .invalidComparison(
                comparison.predicateFormat,
                advice: "ANY and ALL need a key path that leads through a to-many relationship.")
        }
        let part: Condition
        if let absence = absence(of: path.operand, comparison) {
            part = absence
        } else {
            try requireColumn(of: path.operand)
            part = try condition(comparison, left: path.operand)
        }
        return .quantified(collection, isAll: comparison.modifier == .all, part)
    }

    /// `ANY {1, 2} == x`
    private func quantified(
        _ comparison: ObjectPredicate.Comparison, _ elements: [ObjectExpression]
    ) throws(FetchError) -> Condition {
        let isAll = comparison.modifier == .all
        var parts: [ObjectPredicate] = []
        for element in elements {
            parts.append(
                .comparison(
                    .init(
                        element, comparison.operator, comparison.right, options: comparison.options
                    )))
        }
        return try condition(isAll ? .and(parts) : .or(parts))
    }
}

extension Condition {
    /// A comparison of a count with 0 or 1 that only tests for existence, which needs no counting;
    /// nil for others.
    static func existence(_ left: Operand, _ relation: Relation, _ right: Operand) -> Condition? {
        guard case .count(let collection) = left, case .constant(.integer(let number)) = right
        else { return nil }
        let anyExists = Condition.quantified(collection, isAll: false, .value(true))
        switch (relation, number) {
        case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): return anyExists
        case (.equal, 0), (.lessOrEqual, 0), (.less, 1): return .not(anyExists)
        default: return nil
        }
    }
}

extension ObjectPredicate.Operator {
    /// The equivalent operator with its sides exchanged; nil if there is none.
    fileprivate var mirrored: Self? {
        switch self {
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        case .equal, .notEqual: self
        default: nil
        }
    }
}
