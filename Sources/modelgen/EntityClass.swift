// What a template knows. Stencil finds the properties of these types by their names, so the names
// are part of what Documentation/ModelGeneration.md promises. `source` is a name for code, in
// backticks where that is needed.

/// The class of an entity: `entity` in a template.
struct EntityClass {
    /// The name of the entity.
    let entity: String

    /// The class that the programmer owns, such as `Book`.
    let name: String

    /// The class that is rewritten, such as `_Book`.
    let machineName: String

    /// The superclass of the machine class: the superentity's class, or `ManagedObject`.
    let superclass: String
    let isAbstract: Bool

    /// `public`, with a space behind it, or empty.
    let access: String
    let documentation: [String]
    let userInfo: [String: String]

    let attributes: [ClassAttribute]
    let relationships: [ClassRelationship]
    let fetchedProperties: [ClassFetchedProperty]
    let finders: [ClassFinder]
    let requests: [ClassRequest]

    /// Attributes without a type, which can be used by key only.
    let untyped: [String]
}

struct ClassAttribute {
    let name: String
    let source: String

    /// The type of the static accessor, such as `Attribute<String?>`.
    let accessor: String

    /// The type of the property, such as `String?`.
    let type: String

    /// The type of an attribute whose values are the raw values of a type, such as `Genre`.
    let enumeration: String?

    /// Whether the store computes the values, so that the property is read-only.
    let isDerived: Bool
    let documentation: [String]
    let userInfo: [String: String]
}

struct ClassRelationship {
    let name: String
    let source: String

    /// The name with a capital, for `addToBooks`.
    let capitalizedName: String

    /// The class at the other end.
    let destination: String
    let isToMany: Bool
    let isOrdered: Bool

    /// The type of the static accessor, such as `ToMany<Book>`.
    let accessor: String

    /// The type of the property, such as `Set<Book>`.
    let type: String
    let documentation: [String]
    let userInfo: [String: String]
}

struct ClassFetchedProperty {
    let name: String
    let source: String

    /// The class of the objects.
    let destination: String
    let documentation: [String]
    let userInfo: [String: String]
}

/// A function that finds objects by the values of attributes.
struct ClassFinder {
    /// Whether at most one object can have the values.
    let isUnique: Bool

    /// The parameters as source, such as `isbn: String`.
    let parameters: String

    /// The condition as source.
    let predicate: String
}

/// A function that runs a request template of the model.
struct ClassRequest {
    let name: String
    let source: String

    /// The parameters as source, with a comma behind them; empty without any.
    let parameters: String

    /// `var` if there are assignments, otherwise `let`.
    let keyword: String

    /// The request as an expression.
    let request: String

    /// Statements that set what the expression does not: limits, flags, and the variables.
    let assignments: [String]
}
