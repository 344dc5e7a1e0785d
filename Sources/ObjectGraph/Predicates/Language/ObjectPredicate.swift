/// A condition on an object, as a tree that can be evaluated in memory and translated to SQL (spec §7).
///
///     try ObjectPredicate("distance > %@ AND airline.name BEGINSWITH[c] %@", 1000, "united")
///
/// The same tree can be built without text: `.comparison(Comparison(.keyPath("distance"), .greaterThan, .constant(1000)))`.
///
/// SQLite evaluates it for what is stored. It is evaluated in memory for objects with unsaved changes, in an in-memory
/// store, by `filter` and in validation rules. Both find the same, but for nil (spec §7.4): in memory a term is true or
/// false, and a comparison with nil false unless it is `==` with nil or `!=` with a value. SQL knows a third value, unknown.
/// It finds no row where `x` is nil for `x != 5`, `NOT (x == 5)`, `NOT (x < 5)`, `NOT (x IN {5})`, and `x == y` with both nil.
/// A member whose `x` is nil belongs to no ANY and to no SUBQUERY for these terms, so that SQL finds fewer rows for
/// `ANY items.x != 5` and `ALL items.x != 5`, and more for `NOT ANY items.x != 5`, `NOT (ALL items.x != 5)` and
/// `SUBQUERY(items, $i, $i.x != 5).@count == 0`. String operators are false for nil in both, and so is a comparison by `<`,
/// `<=`, `>`, `>=` or BETWEEN with a nil for `%@`. A fetch with unsaved changes may mix the two.
///
/// The quotient of two integers is an integer, `7 / 2 == 3`. A constant is read as what it is compared with, as SQLite's type
/// affinity does: a text that is a number as that number, `age == '41'`, and by `==`, `!=` and IN a whole number as text,
/// `plate IN {9, 10}`. No text begins with, ends with or contains the empty text. Lists are equal element by element. Sums
/// over a relationship are of double precision in an order that is not specified.
///
/// A predicate may be as deep as `maximumDepth`, whoever evaluates it. A SQL statement may have 10,000 constants, of which a
/// list of more than 500 takes one; an OR of more than 32 comparisons of one expression with constants is such a list.
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
