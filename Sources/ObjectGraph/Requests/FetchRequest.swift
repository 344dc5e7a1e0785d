/// A fetch: an entity, a condition, an order, and how much of each object to load.
///
/// A request is a plain value that you can keep, change and send between queues. The method of the
/// context decides the kind of result: `fetch`, `fetchObjectIDs`, `fetchDictionaries` or
/// `count(for:)`. Source: spec §3.7.
public struct FetchRequest: Sendable, Hashable {
    public var entityName: String

    /// The condition; nil means every object of the entity.
    public var predicate: ObjectPredicate?

    /// The order, the most significant key first. Without keys the order is unspecified.
    public var sortKeys: [SortKey]

    /// The maximum number of results; 0 means no limit.
    public var fetchLimit = 0

    /// The number of matching rows to skip at the start.
    public var fetchOffset = 0

    /// The number of objects to load at a time while the result is traversed; 0 loads all at once
    /// (spec §3.9).
    ///
    /// A long list that SQLite reads in order is returned with its first page, while another thread
    /// reads the other identities.
    public var fetchBatchSize = 0

    /// Whether returned objects take their values from the row cache only when they are first read.
    public var returnsObjectsAsFaults = true

    /// Whether the values are read together with the primary keys. If not, the first read of each
    /// object costs a statement.
    public var includesPropertyValues = true

    /// Whether objects of descendant entities are results too.
    public var includesSubentities = true

    /// Whether the context's unsaved changes are included (spec §3.8). Dictionaries never include
    /// them.
    public var includesPendingChanges = true

    /// Whether clean objects that the context already has take the values just read.
    public var shouldRefreshRefetchedObjects = false

    /// The identifiers of the stores to search; nil means all that have the entity.
    public var affectedStores: [String]?

    /// Relationships, as key paths from the entity, whose destinations are loaded too, in one
    /// statement for each step (spec §3.4).
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// The columns of a dictionary result; empty means all attributes of the entity.
    public var propertiesToFetch: [FetchedProperty] = []

    /// Dictionary results: whether equal dictionaries are returned only once.
    public var returnsDistinctResults = false

    /// Dictionary results: the key paths to group by. Every other fetched property must be an
    /// aggregate.
    public var propertiesToGroupBy: [String] = []

    /// Dictionary results: the condition on groups. It may refer to a named expression by a
    /// variable of that name.
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
    /// The results that the offset and the limit leave.
    func page<Result>(of results: [Result]) -> [Result] {
        guard fetchLimit > 0 || fetchOffset > 0 else { return results }
        let rest = results.dropFirst(fetchOffset)
        return Array(fetchLimit > 0 ? rest.prefix(fetchLimit) : rest)
    }

    /// The number of results that the offset and the limit leave of `count`.
    func page(ofCount count: Int) -> Int {
        let rest = max(0, count - fetchOffset)
        return fetchLimit > 0 ? min(rest, fetchLimit) : rest
    }

    /// A request that reads from the first result to the end of the page, plus a surplus. The page
    /// is cut from its results later.
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

    /// The type of the value in the dictionaries; nil means the type of the expression.
    public var resultType: AttributeType?

    /// The result of an expression, with a name.
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

/// One key of a sort order: a key path through to-one relationships, or another expression, and a
/// direction.
public struct SortKey: Sendable, Hashable {
    /// How strings are compared.
    public enum Comparison: Sendable, Hashable {
        /// By Unicode scalar values.
        case binary
        /// Ignoring case.
        case caseInsensitive
        /// Ignoring case and diacritics, with numbers in numeric order, as people expect it in a
        /// list.
        case localizedStandard
    }

    public var expression: ObjectExpression
    public var isAscending: Bool
    public var comparison: Comparison

    /// The key path to sort by. For another expression, its format.
    public var keyPath: String {
        if case .keyPath(let path) = expression { path } else { expression.predicateFormat }
    }

    public init(_ keyPath: String, ascending: Bool = true, comparison: Comparison = .binary) {
        self.init(.keyPath(keyPath), ascending: ascending, comparison: comparison)
    }

    /// Sorts by a value that is computed for each object, such as `length:(name)`; it cannot use an
    /// index.
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
