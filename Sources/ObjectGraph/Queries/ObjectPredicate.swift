/// A condition on an object, as a tree that can be evaluated in memory and translated to SQL (spec §7).
///
///     try ObjectPredicate("distance > %@ AND airline.name BEGINSWITH[c] %@", 1000, "united")
///
/// The same tree can be built without text: `.comparison(Comparison(.keyPath("distance"), .greaterThan, .constant(1000)))`.
///
/// SQLite evaluates it for what is stored. It is evaluated in memory for objects with unsaved changes, in an in-memory
/// store, by `filter` and in validation rules. Both find the same, but for nil (spec §7.4): in memory a term is true or
/// false, and a comparison with nil false unless it is `==` with nil or `!=` with a value. SQL knows a third value, so that
/// it finds no row where `x` is nil for `x != 5`, `NOT (x == 5)`, `NOT (x < 5)`, `NOT (x IN {5})`, `x == y` with both nil, and
/// `NOT (ALL items.x == 5)`; string operators are false for nil in both. A fetch with unsaved changes may mix the two. Sums
/// over a relationship are of double precision in an order that is not specified.
public enum ObjectPredicate: Sendable, Hashable {
    case comparison(Comparison)

    /// All of them; true if there are none.
    case and([ObjectPredicate])

    /// At least one of them; false if there are none.
    case or([ObjectPredicate])
    indirect case not(ObjectPredicate)

    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case value(Bool)

    /// A condition in Swift code, for objects in memory only.
    case block(PredicateBlock)

    /// Two expressions and how they must relate.
    public struct Comparison: Sendable, Hashable {
        public var left: ObjectExpression
        public var `operator`: Operator
        public var right: ObjectExpression
        public var modifier: Modifier
        public var options: Options

        public init(
            _ left: ObjectExpression, _ operator: Operator, _ right: ObjectExpression,
            modifier: Modifier = .direct, options: Options = []
        ) {
            self.left = left
            self.operator = `operator`
            self.right = right
            self.modifier = modifier
            self.options = options
        }
    }

    public enum Operator: Int, Sendable, Hashable, CaseIterable {
        case lessThan = 0
        case lessThanOrEqual = 1
        case greaterThan = 2
        case greaterThanOrEqual = 3
        case equal = 4
        case notEqual = 5
        case matches = 6
        case like = 7
        case beginsWith = 8
        case endsWith = 9
        case `in` = 10
        case contains = 99
        case between = 100
    }

    /// How a to-many relationship on the left is quantified.
    public enum Modifier: Int, Sendable, Hashable {
        case direct = 0
        case all = 1
        case any = 2
    }

    /// How strings are compared.
    public struct Options: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// `[c]`
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the strings are known to be normalised; compared byte by byte.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`
        public static let localeSensitive = Options(rawValue: 8)
    }
}

extension FetchIndexDescription.Folding {
    /// The options of the comparisons that an index with this folding serves.
    var options: ObjectPredicate.Options { ObjectPredicate.Options(rawValue: rawValue) }
}
