/// What to fetch: an entity, a condition, an order and how much of each object to load.
///
/// A request is a plain value that may be kept, changed and sent between queues. The kind of result is chosen by the
/// method it is given to: `fetch`, `fetchObjectIDs`, `fetchDictionaries` or `count(for:)` of a context. Source: spec §3.7.
public struct FetchRequest: Sendable, Hashable {
    public var entityName: String

    /// The condition; nil means every object of the entity.
    public var predicate: ObjectPredicate?

    /// The order, most significant key first; without keys the order is unspecified.
    public var sortKeys: [SortKey]

    /// The greatest number of results; 0 means no limit.
    public var fetchLimit = 0

    /// How many of the first matching rows to leave out.
    public var fetchOffset = 0

    /// How many objects to load at a time while the result is traversed; 0 means all at once (spec §3.9).
    public var fetchBatchSize = 0

    /// Whether returned objects take their values from the row cache only when first read.
    public var returnsObjectsAsFaults = true

    /// Whether the values are read along with the primary keys; if not, each object costs a statement when first read.
    public var includesPropertyValues = true

    /// Whether objects of the entity's descendants are results too.
    public var includesSubentities = true

    /// Whether the context's unsaved changes take part (spec §3.8). Never the case for dictionaries.
    public var includesPendingChanges = true

    /// Whether clean objects that the context already has take the values just read.
    public var shouldRefreshRefetchedObjects = false

    /// The identifiers of the stores to look in; nil means all that hold the entity.
    public var affectedStores: [String]?

    /// Relationships, as key paths from the entity, whose destinations are loaded in one statement a step (spec §3.4).
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// The columns of a dictionary result; empty means all attributes of the entity.
    public var propertiesToFetch: [FetchedProperty] = []

    /// Dictionary results: whether equal dictionaries are returned once only.
    public var returnsDistinctResults = false

    /// Dictionary results: key paths by which rows are grouped; every other fetched property must be an aggregate.
    public var propertiesToGroupBy: [String] = []

    /// Dictionary results: the condition on groups. May name expressions by a variable of their name.
    public var havingPredicate: ObjectPredicate?

    public init(
        entityName: String, predicate: ObjectPredicate? = nil, sortKeys: [SortKey] = []
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.sortKeys = sortKeys
    }
}

extension FetchRequest {
    /// What the offset and the limit leave of the results.
    func page<Result>(of results: [Result]) -> [Result] {
        guard fetchLimit > 0 || fetchOffset > 0 else { return results }
        let rest = results.dropFirst(fetchOffset)
        return Array(fetchLimit > 0 ? rest.prefix(fetchLimit) : rest)
    }

    /// The same of a number of results.
    func page(ofCount count: Int) -> Int {
        let rest = max(0, count - fetchOffset)
        return fetchLimit > 0 ? min(rest, fetchLimit) : rest
    }

    /// The request for what a page is cut from later: from the first result to the last of the page and some more.
    func untilPage(and surplus: Int = 0) -> FetchRequest {
        var request = self
        if fetchLimit > 0 {
            let (page, isPastAll) = fetchOffset.addingReportingOverflow(fetchLimit)
            let (limit, isPastAllWithSurplus) = page.addingReportingOverflow(surplus)
            request.fetchLimit = isPastAll || isPastAllWithSurplus ? 0 : limit
        }
        request.fetchOffset = 0
        return request
    }
}

/// A column of a dictionary result.
public struct FetchedProperty: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The key of the value in the dictionaries.
    public var name: String
    public var expression: ObjectExpression

    /// The type of the value in the dictionaries; nil means that of the expression.
    public var resultType: AttributeType?

    /// The result of an expression under a name of its own.
    public init(name: String, expression: ObjectExpression, resultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.resultType = resultType
    }

    /// The value at a key path.
    public init(stringLiteral keyPath: String) {
        self.init(name: keyPath, expression: .keyPath(keyPath))
    }
}

/// One key of an order: a key path through to-one relationships or another expression, and a direction.
public struct SortKey: Sendable, Hashable {
    /// How strings are compared.
    public enum Comparison: Sendable, Hashable {
        /// By Unicode scalar values.
        case binary
        /// Without regard to case.
        case caseInsensitive
        /// Without regard to case and diacritics, numbers in numeric order, as people expect it in a list.
        case localizedStandard
    }

    public var expression: ObjectExpression
    public var isAscending: Bool
    public var comparison: Comparison

    /// The key path sorted by; the format of an expression that is none.
    public var keyPath: String {
        if case .keyPath(let path) = expression { path } else { expression.predicateFormat }
    }

    public init(_ keyPath: String, ascending: Bool = true, comparison: Comparison = .binary) {
        self.init(.keyPath(keyPath), ascending: ascending, comparison: comparison)
    }

    /// By a value worked out for each object, such as `length:(name)`; no index serves it.
    public init(
        _ expression: ObjectExpression, ascending: Bool = true, comparison: Comparison = .binary
    ) {
        self.expression = expression
        self.isAscending = ascending
        self.comparison = comparison
    }

    public static func ascending(_ keyPath: String) -> Self { Self(keyPath) }
    public static func descending(_ keyPath: String) -> Self { Self(keyPath, ascending: false) }
}
