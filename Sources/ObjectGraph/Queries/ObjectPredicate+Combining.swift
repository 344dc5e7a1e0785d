extension ObjectPredicate {
    public static func && (left: Self, right: Self) -> Self { .and([left, right]) }
    public static func || (left: Self, right: Self) -> Self { .or([left, right]) }
    public static prefix func ! (predicate: Self) -> Self { .not(predicate) }
}
