/// A value to be worked out for an object: a constant, a key path, a function of others (spec §7.5).
public enum ObjectExpression: Sendable, Hashable {
    case constant(AttributeValue)

    /// Several values, as on the right of IN and BETWEEN.
    case aggregate([ObjectExpression])

    /// Names separated by dots, from the object; a step may lead through a relationship.
    case keyPath(String)

    /// The object itself, `SELF`.
    case evaluatedObject

    /// A value filled in later, `$name`.
    case variable(String)

    /// A predefined function by its Core Data name, such as `sum:` or `lowercase:`, and its arguments.
    case function(String, [ObjectExpression])
}
