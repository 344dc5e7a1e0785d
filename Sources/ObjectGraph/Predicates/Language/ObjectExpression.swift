/// A value to compute for an object: a constant, a key path, a function of other values (spec
/// §7.5).
public enum ObjectExpression: Sendable, Hashable {
    case constant(AttributeValue)

    /// Several values, as on the right side of IN and BETWEEN.
    case aggregate([ObjectExpression])

    /// Names separated by dots, starting at the object; a step may follow a relationship. The last
    /// one may also be `objectID`, `entity` or `entity.name` for an object, `length` for a string,
    /// or a collection operator such as `@count`.
    case keyPath(String)

    /// The object itself, `SELF`.
    case evaluatedObject

    /// A value that is supplied later, `$name`, or a key path from one, `$name.key`.
    case variable(String)

    /// A predefined function with its Core Data name, such as `sum:` or `lowercase:`, and its
    /// arguments.
    case function(String, [ObjectExpression])

    /// A key path from the value of another expression: `SUBQUERY(…).@count`, `stops[0].name`.
    indirect case path(ObjectExpression, String)

    /// One of several ordered values: `stops[0]`, `stops[LAST]`. With `SIZE`, the number of values.
    indirect case element(ObjectExpression, ElementIndex)

    /// `SUBQUERY(items, $item, predicate)`: the objects of a collection for which the predicate
    /// holds. In the predicate, `$item` is an object of the collection; keys without it belong to
    /// the outer object.
    indirect case subquery(ObjectExpression, variable: String, ObjectPredicate)

    /// `TERNARY(predicate, then, else)`. An unknown predicate gives the last value.
    indirect case conditional(ObjectPredicate, ObjectExpression, ObjectExpression)

    /// `a UNION b`, `a INTERSECT b`, `a MINUS b`, as the collection of IN or CONTAINS.
    indirect case combined(ObjectExpression, SetOperation, ObjectExpression)

    /// The results of a fetch, on the right side of IN: the objects, or the values of the only
    /// fetched property. With `countOnly` it is the number of results, and may be used like any
    /// number.
    indirect case fetch(FetchRequest, countOnly: Bool)

    /// Which of several values.
    public indirect enum ElementIndex: Sendable, Hashable {
        case first
        case last
        case size

        /// Counted from 0.
        case position(ObjectExpression)
    }

    /// The function for `isKindOfClass:`. Its arguments are an object and the name of a class or
    /// entity.
    static let kindTest = "isKindOfClass:"

    /// How two collections are combined.
    public enum SetOperation: String, Sendable, Hashable, CaseIterable {
        case union = "UNION"
        case intersect = "INTERSECT"
        case minus = "MINUS"
    }
}

extension ObjectExpression {
    /// The collection operators that unite sets, arrays or objects.
    static let unionOperators: Set<String> = [
        "@unionOfObjects", "@distinctUnionOfObjects", "@unionOfArrays", "@distinctUnionOfArrays",
        "@unionOfSets", "@distinctUnionOfSets",
    ]
}
