extension ObjectPredicate {
    /// Both conditions. A chain of `&&` becomes one flat list, however long it is.
    ///
    /// Each `&&` copies the parts on its left, so use `.and(terms)` for many terms.
    public static func && (left: Self, right: Self) -> Self {
        if case .and(let parts) = left { .and(parts + [right]) } else { .and([left, right]) }
    }

    /// At least one of the conditions. A chain of `||` becomes one flat list, however long it is.
    ///
    /// Each `||` copies the parts on its left, so use `.or(terms)` for many terms.
    public static func || (left: Self, right: Self) -> Self {
        if case .or(let parts) = left { .or(parts + [right]) } else { .or([left, right]) }
    }

    public static prefix func ! (predicate: Self) -> Self { .not(predicate) }
}
