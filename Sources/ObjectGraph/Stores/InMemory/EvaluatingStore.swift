/// Evaluates requests in Swift, over rows in memory.
///
/// Every request reads all rows of the entity, and of those to which its key paths lead. Without
/// sort keys, results are in the order of their primary keys.
package protocol RowEvaluator {
    var model: ManagedObjectModel { get }

    /// By entity index; for identifiers that are compared with those in predicates.
    var scopes: [ObjectIDScope] { get }

    /// One state of the rows that a request may fetch, of those to which its key paths lead, and
    /// perhaps of others.
    ///
    /// - Parameters:
    ///   - request: Rows that its predicate excludes may be missing, unless key paths lead to them.
    ///   - family: The entities of the fetched rows.
    ///   - reached: The entities to which key paths lead.
    func snapshot(
        for request: FetchRequest, of family: ClosedRange<Int>, reaching reached: Set<Int>
    ) throws -> InMemoryStoreSnapshot

    func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> RowList
    func count(_ request: FetchRequest, entity: Entity) throws -> Int
}

/// A store that evaluates all requests itself.
protocol EvaluatingStore: PersistentStore, RowEvaluator {}

// There are no statements, and so neither batch requests, transactions, triggers nor generations.
extension EvaluatingStore {
    var batchStore: (any BatchStore)? { nil }
    var historyStore: (any HistoryStore)? { nil }
    func resetStatistics() {}
    func takeRowsChangedByTriggers() -> [EntityKey] { [] }
    func endTurn() {}
    func readingOneState(_ body: () throws -> Void) throws { try body() }
    func pinned() -> (any PersistentStore)? { nil }
    func startList(_ request: FetchRequest, entity: Entity) -> ListStart? { nil }

    func explain(
        _ request: FetchRequest, entity: Entity, resultType: FetchResultType
    ) -> FetchExplanation? { nil }
}

extension RowEvaluator {
    package func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> RowList {
        try evaluate(request, entity: entity, progress: options.progress)
    }

    package func fetchKeys(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> [EntityKey] {
        try fetchRows(request, entity: entity, ReadOptions(progress: progress))
            .map(EntityKey.init)
    }

    package func count(_ request: FetchRequest, entity: Entity) throws -> Int {
        request.page(ofCount: try matches(request, resolver(entity)).count)
    }

    /// `fetchRows`, for a store that has a better way for some requests.
    func evaluate(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> RowList {
        let resolver = resolver(entity)
        var keys: [CompiledSort.Key] = []
        for key in request.sortKeys { keys.append(try CompiledSort.Key(key, resolver)) }
        let rows = try matches(request, resolver)
        let page = request.page(of: rows.sorted(by: keys) { $1.value(for: $0) })
        progress?.note(rowCount: page.count)
        return RowList(page.lazy.map(\.row))
    }

    /// Rows have no transient attributes.
    func resolver(
        _ entity: Entity, reached: ReachedEntities = ReachedEntities()
    ) -> ConditionResolver {
        var resolver = ConditionResolver(entity: entity, model: model)
        resolver.allowsTransients = false
        resolver.reached = reached
        return resolver
    }

    /// The results of a fetch within a predicate, as an expression.
    private func results(
        of request: FetchRequest, countOnly: Bool
    ) throws -> ObjectExpression {
        guard let entity = model.entity(named: request.entityName) else {
            throw FetchError.unknownEntity(request.entityName)
        }
        if countOnly { return .constant(.integer(Int64(try count(request, entity: entity)))) }
        func objectID(_ entityIndex: Int, _ key: Int64) -> ManagedObjectID {
            ManagedObjectID(scope: scopes[entityIndex], reference: key)
        }
        guard let name = request.propertiesToFetch.first?.name else {
            return .aggregate(
                try fetchKeys(request, entity: entity, progress: nil).map {
                    .constant(.objectID(objectID($0.entityIndex, $0.key)))
                })
        }
        return .aggregate(
            try fetchDictionaries(request, entity: entity, objectID: objectID)
                .compactMap { $0[name].map { .constant($0) } })
    }

    /// The rows that match, in the order of their keys.
    ///
    /// Everything else of the request was resolved before, so that the entities that it reads are
    /// known.
    func matches(
        _ request: FetchRequest, _ resolver: ConditionResolver
    ) throws -> [InMemoryStoreRow] {
        let entity = resolver.entity
        try request.checkLimits()
        let predicate = try request.predicate.map {
            try CompiledPredicate(resolver.condition($0.replacingFetches(results)))
        }
        let family =
            request.includesSubentities ? entity.familyIndexes : entity.index...entity.index
        let snapshot = try snapshot(
            for: request, of: family, reaching: resolver.reached?.indexes ?? [])
        var matches: [InMemoryStoreRow] = []
        for row in snapshot.contents.rows(root: entity.rootIndex)
        where family.contains(row.entityIndex) {
            let subject = InMemoryStoreRow(row: row, snapshot: snapshot)
            if predicate?.matches(subject) ?? true { matches.append(subject) }
        }
        return matches.sorted { $0.row.key < $1.row.key }
    }
}

extension Array {
    /// The elements in the order of the keys. The values of each element are computed once; the
    /// sort is stable.
    func sorted(
        by keys: [CompiledSort.Key], value: (Element, Operand) -> AttributeValue
    ) -> [Element] {
        guard !keys.isEmpty else { return self }
        let values = map { element in keys.map { value(element, $0.operand) } }
        let order = indices.sorted { first, second in
            for (position, key) in keys.enumerated() {
                let order = key.order(values[first][position], values[second][position])
                if order != 0 { return order < 0 }
            }
            return first < second
        }
        return order.map { self[$0] }
    }
}
