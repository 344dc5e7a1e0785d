/// A condition on an object, as a tree that can be evaluated in memory and translated to SQL (spec
/// §7).
///
///     try ObjectPredicate("distance > %@ AND airline.name BEGINSWITH[c] %@", 1000, "united")
///
/// The same tree can be built without text:
///
///     .comparison(Comparison(.keyPath("distance"), .greaterThan, .constant(1000)))
///
/// SQLite evaluates a predicate on stored rows. These evaluate it in memory: fetches for objects
/// with unsaved changes, in-memory stores, `filter` and validation rules. A fetch with unsaved
/// changes may mix the two.
///
/// Both give the same results, except for nil (spec §7.4). In memory a term is true or false: a
/// comparison with nil is false, unless it is `==` with nil or `!=` with a value. SQL has a third
/// value, unknown. If `x` is nil, SQL finds no row for `x != 5`, `NOT (x == 5)`, `NOT (x < 5)`,
/// `NOT (x IN {5})`, or for `x == y` with both nil.
///
/// For these terms a member whose `x` is nil does not count in ANY or SUBQUERY. SQL therefore finds
/// fewer rows for `ANY items.x != 5` and `ALL items.x != 5`. It finds more for
/// `NOT ANY items.x != 5`, `NOT (ALL items.x != 5)` and
/// `SUBQUERY(items, $i, $i.x != 5).@count == 0`. Two kinds of terms are false for nil in both:
/// string operators, and comparisons by `<`, `<=`, `>`, `>=` or BETWEEN with a nil for `%@`.
///
/// Values are compared like this:
///
/// - The quotient of two integers is an integer: `7 / 2 == 3`.
/// - A constant is converted to the type of the other side, as SQLite's type affinity does. A text
///   with a number is that number: `age == '41'`. For `==`, `!=` and IN, a whole number may be a
///   text: `plate IN {9, 10}`.
/// - No text begins with, ends with or contains the empty text.
/// - Lists are equal if their elements are, one by one.
/// - Sums over a relationship use double precision, in an unspecified order.
///
/// A predicate may be as deep as `maximumDepth`, in SQL and in memory. A SQL statement may have
/// 10,000 constants. A list of more than 500 counts as one constant. An OR of more than 32
/// comparisons of one expression with constants becomes such a list.
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

    /// Two expressions and the relation between them.
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
        /// Whether words occur in an attribute of a full-text index, or in those of a whole index:
        /// `body SEARCH 'quick "brown fox" jum*'`.
        ///
        /// All words must occur. Quotation marks make a phrase, and an asterisk at the end stands
        /// for the rest of a word. Case, and diacritics of Latin letters, do not matter. Every
        /// text is a query; one without a word finds nothing. Source: spec §7.9.
        case search = 200
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
        /// `[n]`: the strings are known to be normalised, so they are compared byte by byte.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`
        public static let localeSensitive = Options(rawValue: 8)
    }
}

extension FetchIndexDescription.Folding {
    /// The options of the comparisons that can use an index with this folding.
    package var options: ObjectPredicate.Options { ObjectPredicate.Options(rawValue: rawValue) }
}
