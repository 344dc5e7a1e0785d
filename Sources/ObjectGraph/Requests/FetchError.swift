/// A request that cannot run. The error is found before any statement runs, and says what is wrong
/// and what to do.
public enum FetchError: Error, Sendable, Hashable {
    /// The model has no entity of this name.
    case unknownEntity(String)

    /// The entity is abstract: only its descendants have objects.
    case abstractEntity(String)

    /// The store has no row for the identifier.
    case noSuchObject(ManagedObjectID)

    /// Objects of the entity are not of the requested class.
    case classMismatch(entity: String, expected: String)

    /// A step of the key path is not a property of the object it starts at.
    case unknownKeyPath(String, entity: String)

    /// The key path crosses a to-many relationship without ANY, ALL, NONE or `@count`.
    case toManyKeyNotAllowedHere(String, entity: String)

    /// The key path crosses two to-many relationships.
    case multipleToManyKeysNotAllowedHere(String, entity: String)

    /// A batch update's condition or value uses a relationship.
    case relationshipNotAllowedHere(String, entity: String)

    /// The attribute is kept in memory only and has no column.
    case transientKeyNotAllowedHere(String, entity: String)

    /// A batch update sets a derived attribute, which the store computes.
    case derivedKeyNotAllowedHere(String, entity: String)

    /// The attribute is composite, and only its elements have columns.
    case compositeKeyNotAllowedHere(String, entity: String)

    /// A constant cannot be compared with, or assigned to, the value of this key path or
    /// expression.
    case typeMismatch(key: String, expected: String, value: AttributeValue)

    /// The two sides of a comparison, or an operator and its operand, do not match.
    case invalidComparison(String, advice: String)

    /// A function has the wrong number or kinds of arguments.
    case invalidArguments(function: String, expected: String)
    case unboundVariable(String)

    /// An aggregate function outside of a dictionary fetch.
    case aggregateNotAllowedHere(String)

    /// A column of a grouped dictionary fetch is neither grouped nor an aggregate.
    case notGrouped(String)

    /// Several fetched properties have the name, which would be the key of one value only.
    case duplicateProperty(String)

    /// A fetched property, given as its expression, has no name.
    case unnamedProperty(String)

    /// `havingPredicate` has a SUBQUERY whose variable has the name of a fetched property.
    case ambiguousVariable(String)
    case invalidRegularExpression(String)

    /// A limit, offset or batch size below zero.
    case negativeCount(String, Int)

    /// Terms or expressions are nested more deeply than this; see `ObjectPredicate.maximumDepth`.
    case tooDeep(limit: Int)

    /// A SQL statement would have more constants than this. A list of more than 500 values counts
    /// as one constant, and so does an OR of terms that compare one expression with constants.
    case tooManyConstants(Int, limit: Int)

    /// Identifiers to delete in one request belong to entities without a common ancestor.
    case severalHierarchies(String, String)
    case unsupported(feature: String)

    /// Objects in memory support this feature, a SQL store does not.
    case inMemoryOnly(feature: String)

    /// A store that SQLite keeps has this feature, as a sort key or a fetched property. Objects and
    /// rows in memory do not, and predicates neither.
    case storeOnly(feature: String)

    /// The model has no suitable index of this name.
    case unknownIndex(String, entity: String)

    /// No full-text index of the entity or an ancestor has this attribute or this name.
    case noFullTextIndex(String, entity: String)

    /// The store was made before the model had the full-text index in its present form.
    case indexNotInStore(String, entity: String)
}

extension FetchError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownEntity(let name):
            "The model has no entity '\(name)', or not exactly one with this class; add it, correct the name, or give the entity its class."
        case .abstractEntity(let name):
            "'\(name)' is abstract and has no objects of its own; name one of its subentities."
        case .noSuchObject(let id): "The store has no object \(id); it may have been deleted."
        case .classMismatch(let entity, let expected):
            "Objects of '\(entity)' are not of class \(expected); ask for their own class or for ManagedObject, or give the entity the class."
        case .unknownKeyPath(let path, let entity):
            "'\(path)' is not a key path of \(entity); add the property to the model or correct the path."
        case .toManyKeyNotAllowedHere(let path, let entity):
            "'\(path)' of \(entity) leads to many objects; put ANY, ALL or NONE before it, or use its @count."
        case .multipleToManyKeysNotAllowedHere(let path, let entity):
            "'\(path)' of \(entity) leads through two to-many relationships; only one can be followed."
        case .relationshipNotAllowedHere(let path, let entity):
            "'\(path)' leads through a relationship; a batch update can use only the attributes of \(entity)."
        case .transientKeyNotAllowedHere(let path, let entity):
            "'\(path)' of \(entity) is transient and has no column; filter the fetched objects by it instead."
        case .derivedKeyNotAllowedHere(let path, let entity):
            "'\(path)' of \(entity) is derived, so the store computes it; change what it is derived from."
        case .compositeKeyNotAllowedHere(let path, let entity):
            "'\(path)' of \(entity) is composite, so only its elements have values here; name one of them, as in '\(path).name'. The whole can be compared with nil."
        case .typeMismatch(let key, let expected, let value):
            "'\(key)' is \(expected) and cannot be compared with, or set to, \(ObjectExpression.constant(value))."
        case .invalidComparison(let comparison, let advice): "'\(comparison)': \(advice)"
        case .invalidArguments(let function, let expected): "'\(function)' takes \(expected)."
        case .unboundVariable(let name):
            "'$\(name)' has no value; give it one with withSubstitutionVariables."
        case .aggregateNotAllowedHere(let function):
            "'\(function)' is an aggregate; use it only in the properties or the having predicate of a dictionary fetch."
        case .notGrouped(let name):
            "'\(name)' is neither an aggregate nor in propertiesToGroupBy; make it one of them."
        case .duplicateProperty(let name):
            "propertiesToFetch has '\(name)' more than once; give each property a name of its own."
        case .unnamedProperty(let expression):
            "The fetched property '\(expression)' has no name, which is its key in the results; give it one."
        case .ambiguousVariable(let name):
            "'$\(name)' is the variable of a SUBQUERY and a fetched property; rename one of them."
        case .invalidRegularExpression(let pattern):
            "'\(pattern)' is not a regular expression; see the ICU syntax."
        case .negativeCount(let name, let count): "\(name) is \(count); it must be 0 or more."
        case .tooDeep(let limit):
            "The predicate is nested more than \(limit) levels deep. Use one AND, OR or IN list instead of nested terms."
        case .tooManyConstants(let count, let limit):
            "The statement has \(count) constants; the limit is \(limit). Use IN with a list, or several requests."
        case .severalHierarchies(let first, let second):
            "'\(first)' and '\(second)' have no ancestor in common; delete the objects of each in a request of its own."
        case .unsupported(let feature): "\(feature) is not supported."
        case .inMemoryOnly(let feature):
            "\(feature) cannot be translated to SQL; filter the fetched objects by it instead."
        case .storeOnly(let feature):
            "\(feature) is computed by SQLite for a sort key or a fetched property; use it there only, with stores of type SQLite."
        case .noFullTextIndex(let name, let entity):
            "No full-text index of \(entity) has the attribute or the name '\(name)'; add one to the model with FetchIndexDescription.fullText, or use CONTAINS."
        case .indexNotInStore(let name, let entity):
            "The store was made without the full-text index '\(name)' of \(entity), or with other attributes in it; copy its objects into a new store."
        case .unknownIndex(let name, let entity):
            "\(entity) has no index '\(name)'; add it to the model or correct the name."
        }
    }
}
