/// A parsed format without its arguments.
struct PredicateTemplate: Sendable {
    /// With nil for each argument, so that no argument is kept alive.
    private let predicate: ObjectPredicate

    /// For each comparison in the order of the text, the placeholder that is its right side.
    private let placeholders: [PlaceholderKind?]

    /// Nil if an argument is elsewhere than on the right side of a comparison: the format is then
    /// parsed each time.
    init?(_ predicate: ObjectPredicate, placeholders: [PlaceholderKind?], argumentCount: Int) {
        guard placeholders.count(where: { $0 != nil }) == argumentCount,
            predicate.comparisonCount == placeholders.count
        else { return nil }
        self.placeholders = placeholders
        var values = placeholders.map { $0.map { _ in ObjectExpression.constant(.null) } }[...]
        self.predicate = predicate.replacingRightSides(&values)
    }

    /// The predicate with these arguments; nil if their number or types are wrong.
    func predicate(with arguments: [(any PredicateArgument)?]) -> ObjectPredicate? {
        var values: [ObjectExpression?] = []
        values.reserveCapacity(placeholders.count)
        var rest = arguments[...]
        for kind in placeholders {
            guard let kind else {
                values.append(nil)
                continue
            }
            guard let argument = rest.popFirst() else { return nil }
            let value = argument?.predicateExpression ?? .constant(.null)
            guard kind.accepts(value) else { return nil }
            values.append(value)
        }
        guard rest.isEmpty else { return nil }
        var following = values[...]
        return predicate.replacingRightSides(&following)
    }
}

extension ObjectPredicate {
    /// The number of comparisons outside expressions.
    fileprivate var comparisonCount: Int {
        switch self {
        case .comparison: 1
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.comparisonCount }
        case .not(let part): part.comparisonCount
        case .value, .block: 0
        }
    }

    /// Replaces the right side of each comparison by the next value, unless that is nil.
    fileprivate func replacingRightSides(_ values: inout ArraySlice<ObjectExpression?>) -> Self {
        switch self {
        case .comparison(var comparison):
            if let value = values.removeFirst() { comparison.right = value }
            return .comparison(comparison)
        case .and(let parts): return .and(parts.map { $0.replacingRightSides(&values) })
        case .or(let parts): return .or(parts.map { $0.replacingRightSides(&values) })
        case .not(let part): return .not(part.replacingRightSides(&values))
        case .value, .block: return self
        }
    }
}
