/// A value to be worked out for an object: a constant, a key path, a function of others (spec §7.5).
public enum ObjectExpression: Sendable, Hashable {
    case constant(AttributeValue)

    /// Several values, as on the right of IN and BETWEEN.
    case aggregate([ObjectExpression])

    /// Names separated by dots, from the object; a step may lead through a relationship. At the end may stand `objectID`,
    /// `entity` or `entity.name` for an object, `length` for a string, and a collection operator such as `@count`.
    case keyPath(String)

    /// The object itself, `SELF`.
    case evaluatedObject

    /// A value filled in later, `$name`, or a key path from one, `$name.key`.
    case variable(String)

    /// A predefined function by its Core Data name, such as `sum:` or `lowercase:`, and its arguments.
    case function(String, [ObjectExpression])

    /// A key path from the value of another expression: `SUBQUERY(…).@count`, `stops[0].name`.
    indirect case path(ObjectExpression, String)

    /// One of several values, in their order: `stops[0]`, `stops[LAST]`; with `SIZE`, how many they are.
    indirect case element(ObjectExpression, ElementIndex)

    /// `SUBQUERY(items, $item, predicate)`: the objects of a collection for which the predicate holds. In it, `$item` is an
    /// object of the collection; keys without it belong to the object outside.
    indirect case subquery(ObjectExpression, variable: String, ObjectPredicate)

    /// `TERNARY(predicate, then, else)`; the last one too if the predicate is unknown.
    indirect case conditional(ObjectPredicate, ObjectExpression, ObjectExpression)

    /// `a UNION b`, `a INTERSECT b`, `a MINUS b`, on the collection's side of IN or CONTAINS.
    indirect case combined(ObjectExpression, SetOperation, ObjectExpression)

    /// The results of a fetch, on the right of IN: the objects, or the values of its one fetched property. With `countOnly`
    /// their number, wherever a number can stand.
    indirect case fetch(FetchRequest, countOnly: Bool)

    /// Which of several values.
    public indirect enum ElementIndex: Sendable, Hashable {
        case first
        case last
        case size

        /// Counted from 0.
        case position(ObjectExpression)
    }

    /// The function of an object and the name of a class or entity that `isKindOfClass:` stands for.
    static let kindTest = "isKindOfClass:"

    /// How two collections become one.
    public enum SetOperation: String, Sendable, Hashable, CaseIterable {
        case union = "UNION"
        case intersect = "INTERSECT"
        case minus = "MINUS"
    }
}
