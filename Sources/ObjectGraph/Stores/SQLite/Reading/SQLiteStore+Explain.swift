extension SQLiteStore {
    func explain(
        _ request: FetchRequest, entity: Entity, resultType: FetchResultType
    ) throws -> FetchExplanation? {
        let translation = try translation(of: request, entity, resultType)
        return try mapping {
            try read { connection in
                let plan = try connection.plan(translation)
                var explanation = FetchExplanation(
                    sql: translation.sql, bindings: translation.bindings.map(\.value),
                    plan: plan.map(\.indented), warnings: plan.compactMap { $0.warning(request) })
                guard plan.contains(where: \.isScan), let predicate = request.predicate else {
                    return explanation
                }
                explanation.warnings += try warnings(about: predicate, entity, connection)
                return explanation
            }
        }
    }

    /// The first statement of a fetch of this kind.
    private func translation(
        of request: FetchRequest, _ entity: Entity, _ resultType: FetchResultType
    ) throws(FetchError) -> FetchTranslation {
        let selection: FetchTranslation.Selection
        switch resultType {
        case .count: selection = .count
        case .dictionary: selection = .dictionaries
        case .managedObject where request.fetchBatchSize > 0: selection = .keys
        case .managedObject, .managedObjectID:
            let rows = self.selection(entity, includesSubentities: request.includesSubentities)
            selection =
                request.includesPropertyValues
                ? .rows(rows, rows.form(for: request)) : .keys
        }
        return try FetchTranslation(request, entity: entity, layout: layout, selection: selection)
    }

    /// A warning for each term that would scan a table if it were the whole predicate. It says
    /// whether an index would avoid the scan, from the plan in a database with an index on every
    /// column.
    private func warnings(
        about predicate: ObjectPredicate, _ entity: Entity, _ connection: Connection
    ) throws -> [FetchExplanation.Warning] {
        let indexed = try IndexedCopy(of: connection)
        return try predicate.terms.compactMap { term in
            let request = FetchRequest(entityName: entity.name, predicate: term)
            let translation = try FetchTranslation(
                request, entity: entity, layout: layout, selection: .keys)
            guard try connection.plan(translation).contains(where: \.isScan) else { return nil }
            return try indexed.connection.plan(translation).contains(where: \.isScan)
                ? .unindexableTerm(term.predicateFormat) : .missingIndex(term.predicateFormat)
        }
    }
}

/// The tables of a database without their rows, and with an index on each column.
private struct IndexedCopy {
    let connection: Connection

    init(of original: Connection) throws {
        connection = try Connection(.memory)
        try QueryFunctions.register(on: connection)
        try ExternalData.register(on: connection, nil)
        let schema = try original.statement(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z*' AND sql LIKE 'CREATE TABLE %'"
        )
        defer { schema.reset() }
        while try schema.step() {
            try connection.execute(schema.value(at: 1).string)
            try addIndexes(to: schema.value(at: 0).string)
        }
    }

    private func addIndexes(to table: String) throws {
        let columns = try connection.statement("SELECT name FROM pragma_table_info(?) WHERE pk = 0")
        defer { columns.reset() }
        columns.bind(table, at: 1)
        var names: [String] = []
        while try columns.step() { names.append(columns.value(at: 0).string) }
        for name in names {
            try connection.execute("CREATE INDEX I_\(table)_\(name) ON \(table) (\(name))")
        }
    }
}

/// A step of a query plan.
private struct PlanStep {
    let depth: Int
    let detail: String

    var indented: String { String(repeating: "  ", count: depth) + detail }

    /// Whether the step reads all rows of one of the request's tables.
    var isScan: Bool {
        detail.hasPrefix("SCAN t") && detail.dropFirst(6).first?.isNumber == true
    }

    /// The warning about this step, if any. A request without a predicate is expected to scan its
    /// entity's table.
    func warning(_ request: FetchRequest) -> FetchExplanation.Warning? {
        if detail.hasPrefix("USE TEMP B-TREE FOR"), detail.hasSuffix("ORDER BY") {
            return .unindexedSort(detail)
        }
        let isWanted = request.predicate == nil && detail.hasPrefix("SCAN t0")
        return isScan && !isWanted ? .fullScan(detail) : nil
    }
}

extension Connection {
    fileprivate func plan(_ translation: FetchTranslation) throws -> [PlanStep] {
        let statement = try statement("EXPLAIN QUERY PLAN " + translation.sql)
        defer { statement.reset() }
        statement.bind(translation.bindings)
        var depths: [Int64: Int] = [0: -1]
        var steps: [PlanStep] = []
        while try statement.step() {
            let depth = depths[statement.value(at: 1).integer, default: -1] + 1
            depths[statement.value(at: 0).integer] = depth
            steps.append(PlanStep(depth: depth, detail: statement.value(at: 3).string))
        }
        return steps
    }
}

extension ObjectPredicate {
    /// The conditions that must all hold.
    fileprivate var terms: [ObjectPredicate] {
        if case .and(let parts) = self { parts.flatMap(\.terms) } else { [self] }
    }
}

extension SQLBinding {
    /// The value in the form that the database gets; the values of a list as a text.
    package var value: AttributeValue {
        switch self {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): .double(value)
        case .text(let value): .string(value)
        case .blob(let value): .data(value)
        case .array(let values):
            .string("{\(values.elements.map { $0.value.messageText }.joined(separator: ", "))}")
        }
    }
}
