extension ObjectPredicate {
    /// Both; in a chain all parts come beside each other, however many there are.
    ///
    /// Each `&&` copies the parts on its left: for many terms make `.and(terms)`.
    public static func && (left: Self, right: Self) -> Self {
        if case .and(let parts) = left { .and(parts + [right]) } else { .and([left, right]) }
    }

    /// One of the two; in a chain all parts come beside each other, however many there are.
    ///
    /// Each `||` copies the parts on its left: for many terms make `.or(terms)`.
    public static func || (left: Self, right: Self) -> Self {
        if case .or(let parts) = left { .or(parts + [right]) } else { .or([left, right]) }
    }

    public static prefix func ! (predicate: Self) -> Self { .not(predicate) }
}
