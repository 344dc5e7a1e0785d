// Every request looks at each row of the entity's table; without sort keys rows come in the order of their keys.
extension InMemoryStore {
    func fetchRows(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> RowList {
        let resolver = ConditionResolver(entity: entity, model: model)
        var keys: [CompiledSort.Key] = []
        for key in request.sortKeys { keys.append(try CompiledSort.Key(key, resolver)) }
        let rows = try matches(request, resolver)
        let page = request.page(of: rows.sorted(by: keys) { $1.value(for: $0, element: $0) })
        progress?.note(rowCount: page.count)
        return RowList(page.lazy.map(\.row))
    }

    func fetchKeys(
        _ request: FetchRequest, entity: Entity, progress: FetchProgress?
    ) throws -> [EntityKey] {
        try fetchRows(request, entity: entity, progress: progress).map(EntityKey.init)
    }

    func explain(
        _ request: FetchRequest, entity: Entity, resultType: FetchResultType
    ) -> FetchExplanation? { nil }

    func count(_ request: FetchRequest, entity: Entity) throws -> Int {
        let rows = try matches(request, ConditionResolver(entity: entity, model: model))
        return request.page(of: rows).count
    }

    /// The rows that match, in the order of their keys.
    func matches(
        _ request: FetchRequest, _ resolver: ConditionResolver
    ) throws(FetchError) -> [InMemoryStoreRow] {
        let entity = resolver.entity
        try request.checkCounts()
        try request.checkPersistence(resolver)
        var predicate: CompiledPredicate?
        if let condition = request.predicate {
            predicate = try CompiledPredicate(condition, entity: entity, model: model)
        }
        let family =
            request.includesSubentities ? entity.familyIndexes : entity.index...entity.index
        let snapshot = snapshot()
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
    /// The elements in the order of the keys, whose values are worked out once for each; equal ones stay as they are.
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

extension FetchRequest {
    /// - Throws: `FetchError.transientKeyNotAllowedHere` for a key path to an attribute that rows do not have.
    fileprivate func checkPersistence(_ resolver: ConditionResolver) throws(FetchError) {
        let fetchedNames = Set(propertiesToFetch.map(\.name))
        let keyPaths =
            (predicate?.keyPaths ?? [])
            + sortKeys.map(\.keyPath).filter { !fetchedNames.contains($0) }
            + propertiesToFetch.flatMap(\.expression.keyPaths) + propertiesToGroupBy
        for keyPath in keyPaths {
            guard case .attribute(let path, let property) = try resolver.keyPath(keyPath).operand,
                property.isTransient
            else { continue }
            throw .transientKeyNotAllowedHere(
                property.name, entity: resolver.model.entities[path.entityIndex].name)
        }
    }
}

extension ObjectPredicate {
    fileprivate var keyPaths: [String] {
        switch self {
        case .comparison(let comparison): comparison.left.keyPaths + comparison.right.keyPaths
        case .and(let parts), .or(let parts): parts.flatMap(\.keyPaths)
        case .not(let part): part.keyPaths
        case .value: []
        }
    }
}

extension ObjectExpression {
    fileprivate var keyPaths: [String] {
        switch self {
        case .keyPath(let keyPath): [keyPath]
        case .aggregate(let elements): elements.flatMap(\.keyPaths)
        case .function(_, let arguments): arguments.flatMap(\.keyPaths)
        case .constant, .evaluatedObject, .variable: []
        }
    }
}
