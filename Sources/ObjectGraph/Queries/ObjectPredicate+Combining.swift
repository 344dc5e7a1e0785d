extension ObjectPredicate {
    public static func && (left: Self, right: Self) -> Self { .and([left, right]) }
    public static func || (left: Self, right: Self) -> Self { .or([left, right]) }
    public static prefix func ! (predicate: Self) -> Self { .not(predicate) }

    /// The predicate with `$name` replaced by the value of that name; variables without a value remain.
    public func withSubstitutionVariables(
        _ values: [String: any PredicateArgument]
    ) -> ObjectPredicate {
        switch self {
        case .value: self
        case .and(let parts): .and(parts.map { $0.withSubstitutionVariables(values) })
        case .or(let parts): .or(parts.map { $0.withSubstitutionVariables(values) })
        case .not(let predicate): .not(predicate.withSubstitutionVariables(values))
        case .comparison(var comparison):
            {
                comparison.left = comparison.left.withSubstitutionVariables(values)
                comparison.right = comparison.right.withSubstitutionVariables(values)
                return .comparison(comparison)
            }()
        }
    }
}

extension ObjectExpression {
    /// The expression with `$name` replaced by the value of that name; variables without a value remain.
    public func withSubstitutionVariables(
        _ values: [String: any PredicateArgument]
    ) -> ObjectExpression {
        switch self {
        case .constant, .keyPath, .evaluatedObject: self
        case .variable(let name): values[name]?.predicateExpression ?? self
        case .aggregate(let elements):
            .aggregate(elements.map { $0.withSubstitutionVariables(values) })
        case .function(let name, let arguments):
            .function(name, arguments.map { $0.withSubstitutionVariables(values) })
        }
    }
}
