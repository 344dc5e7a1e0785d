#if PostgreSQL
import ObjectGraph

// Requests that SQL cannot state with exactly the evaluator's meaning, and those whose statement the
// server cannot compute: the engine evaluates them over the rows that they concern.
extension PostgreSQLStore {
    /// Runs a request in SQL, or by evaluation in memory.
    func inSQL<T>(
        _ progress: FetchProgress?, _ sql: () throws -> T,
        otherwise evaluate: (RowReader) throws -> T
    ) throws -> T {
        var isNarrow = true
        do {
            return try sql()
        } catch let error as FetchError where error.isOfSQL {
            debug.annotate("the request is evaluated in memory: \(error)")
        } catch let error as PostgreSQLError where error.isOfValues {
            isNarrow = false
            debug.annotate("the request is evaluated in memory: \(error)")
        }
        do {
            return try evaluating(progress, isNarrow: isNarrow, evaluate)
        } catch let error as PostgreSQLError where error.isOfValues && isNarrow {
            return try evaluating(progress, isNarrow: false, evaluate)
        }
    }

    private func evaluating<T>(
        _ progress: FetchProgress?, isNarrow: Bool, _ evaluate: (RowReader) throws -> T
    ) throws -> T {
        try reading(progress) {
            try evaluate(RowReader(store: self, transaction: $0, isNarrow: isNarrow))
        }
    }
}

extension FetchError {
    /// Whether another evaluator than SQL may run the request.
    var isOfSQL: Bool {
        if case .inMemoryOnly = self { true } else { false }
    }
}

extension PostgreSQLError {
    /// Whether the server could not compute a value of the statement, or found it too complex.
    fileprivate var isOfValues: Bool { kind == .valueOutOfRange || sqlState == "54001" }
}

/// Reads the rows that requests concern, all in one transaction, for evaluation in memory.
struct RowReader: RowEvaluator {
    let store: PostgreSQLStore
    let transaction: ReadTransaction

    /// Whether the terms of a predicate that SQL can state select the rows that are read.
    let isNarrow: Bool

    var model: ManagedObjectModel { store.model }
    var scopes: [ObjectIDScope] { store.opened.scopes }

    func snapshot(
        for request: FetchRequest, of family: ClosedRange<Int>, reaching reached: Set<Int>
    ) throws -> InMemoryStoreSnapshot {
        let entity = model.entities[family.lowerBound]
        var requests: [FetchRequest] = []
        var others = reached
        if reached.isDisjoint(with: family) {
            var own = request.narrowed(inSQLOf: entity, store.layout)
            if !isNarrow { own.predicate = nil }
            requests.append(own)
        } else {
            others.formUnion(entity.familyIndexes)
        }
        // The reached entities come with their descendants.
        requests += others.sorted().compactMap { index in
            let isRoot = model.entities[index].superentityIndex.map { !others.contains($0) } ?? true
            return isRoot && store.opened.hasTable[index]
                ? FetchRequest(entityName: model.entities[index].name) : nil
        }
        return try snapshot(of: requests, joining: others.union(family))
    }

    private func snapshot(
        of requests: [FetchRequest], joining entityIndexes: Set<Int>
    ) throws -> InMemoryStoreSnapshot {
        let tables = requests.map { request in
            store.selections.rows(
                of: model.entity(named: request.entityName)!,
                includesSubentities: request.includesSubentities)
        }
        let joins = joins(among: entityIndexes)
        let commands = try zip(requests, tables).map { request, selection in
            Command(
                try FetchTranslation(
                    request, entity: model.entity(named: request.entityName)!,
                    layout: store.layout, selection: .rows(selection, .columns)))
        }
        let results = try transaction.run(commands + joins.map(\.command))
        let rows = try zip(tables, results).map { selection, rows in
            try rows.withWire { try selection.rows(of: $0) }
        }
        let pairs = try zip(joins, results.dropFirst(tables.count)).flatMap { join, rows in
            try join.changes(rows, model)
        }
        return try InMemoryStoreSnapshot(rows, pairs: pairs, model: model, scopes: scopes)
    }

    private func joins(among entityIndexes: Set<Int>) -> [JoinRead] {
        model.entities.flatMap { entity in
            entity.properties.compactMap { property in
                guard property.declaringEntityIndex == entity.index,
                    let relationship = property.relationship,
                    case .joinTable(let end) = relationship.storage, end.isOwner,
                    !entityIndexes.isDisjoint(with: entity.familyIndexes),
                    !entityIndexes.isDisjoint(
                        with: model.destination(of: relationship).familyIndexes),
                    store.opened.hasTable[entity.index],
                    store.opened.hasTable[relationship.destinationIndex]
                else { return nil }
                return JoinRead(
                    property: property, entity: entity, table: store.layout.joinTable(end))
            }
        }
    }
}

/// Reads the pairs of a relationship, as its owning end sees them.
private struct JoinRead {
    let property: Property
    let entity: Entity
    let table: JoinTable

    var command: Command {
        let places = [table.placeColumn, table.inversePlaceColumn].compactMap(\.self)
        let columns = [table.sourceColumn, table.destinationColumn] + places
        return Command("SELECT \(columns.joined(separator: ", ")) FROM \(table.name)")
    }

    func changes(_ rows: Rows, _ model: ManagedObjectModel) throws -> [JoinChange] {
        let destination = model.destination(of: property.relationship!)
        let inverse = model.inverse(of: property.relationship!)
        let placeColumn = table.placeColumn == nil ? nil : 2
        let inverseColumn = table.inversePlaceColumn == nil ? nil : 2 + (placeColumn == nil ? 0 : 1)
        func position(_ row: Int, _ column: Int?) throws -> Int? {
            guard let column, !rows.isNull(row, column) else { return nil }
            return Int(try rows.integer(row, column))
        }
        var changes: [JoinChange] = []
        for row in 0..<rows.count {
            let (source, other) = (try rows.integer(row, 0), try rows.integer(row, 1))
            changes.append(
                JoinChange(
                    property: property, entity: entity, sourceKey: source,
                    destinationEntity: destination, destinationKey: other, isInsertion: true,
                    position: try position(row, placeColumn)))
            guard inverseColumn != nil, let inverse else { continue }
            changes.append(
                JoinChange(
                    property: inverse, entity: destination, sourceKey: other,
                    destinationEntity: entity, destinationKey: source, isInsertion: true,
                    position: try position(row, inverseColumn)))
        }
        return changes
    }
}

extension FetchRequest {
    /// A request for the rows from which an evaluation in memory selects those of this one.
    func narrowed(inSQLOf entity: Entity, _ layout: StoreLayout) -> FetchRequest {
        var narrowed = FetchRequest(
            entityName: entity.name, predicate: predicate?.terms(inSQLOf: entity, layout))
        narrowed.includesSubentities = includesSubentities
        return narrowed
    }

    /// Whether SQL can state the request, of whose results only the identities are asked for.
    func isStated(inSQLOf entity: Entity, _ layout: StoreLayout) -> Bool {
        (try? FetchTranslation(self, entity: entity, layout: layout, selection: .keys)) != nil
    }
}

extension ObjectPredicate {
    /// The terms of an AND that SQL can state. Rows for which one of them is not true do not match.
    fileprivate func terms(inSQLOf entity: Entity, _ layout: StoreLayout) -> ObjectPredicate? {
        let terms = conjuncts.filter {
            FetchRequest(entityName: entity.name, predicate: $0).isStated(inSQLOf: entity, layout)
        }
        return terms.isEmpty ? nil : .and(terms)
    }

    /// The terms that must all be true.
    var conjuncts: [ObjectPredicate] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }
}
#endif
