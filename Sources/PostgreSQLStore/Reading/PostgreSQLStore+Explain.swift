#if PostgreSQL
import ObjectGraph

extension PostgreSQLStore {
    func explain(
        _ request: FetchRequest, entity: Entity, resultType: FetchResultType
    ) throws -> FetchExplanation? {
        do {
            return try explanation(of: request, entity, resultType)
        } catch let error as FetchError where error.isOfSQL {
            // What is read for the evaluation.
            let whole = request.narrowed(inSQLOf: entity, layout)
            var explanation = try explanation(of: whole, entity, .managedObject)
            explanation.warnings.insert(
                contentsOf: [.evaluatedInMemory] + missingFoldings(request, entity), at: 0)
            return explanation
        }
    }

    /// The terms and sort keys that SQL could state if the store had columns with folded texts.
    private func missingFoldings(
        _ request: FetchRequest, _ entity: Entity
    ) -> [FetchExplanation.Warning] {
        let folding = StoreLayout(
            postgreSQL: model, numbers: model.entities.map { layout.number(of: $0) },
            storeIdentifier: identifier, folded: .all)
        func isMissing(_ request: FetchRequest) -> Bool {
            !request.isStated(inSQLOf: entity, layout) && request.isStated(inSQLOf: entity, folding)
        }
        let terms = (request.predicate?.conjuncts ?? []).filter {
            isMissing(FetchRequest(entityName: entity.name, predicate: $0))
        }
        let sortKeys = request.sortKeys.filter {
            isMissing(FetchRequest(entityName: entity.name, sortKeys: [$0]))
        }
        return (terms.map(\.predicateFormat) + sortKeys.map(\.keyPath)).map {
            .missingFolding($0)
        }
    }

    private func explanation(
        of request: FetchRequest, _ entity: Entity, _ resultType: FetchResultType
    ) throws -> FetchExplanation {
        let translation = try FetchTranslation(
            request, entity: entity, layout: layout,
            selection: selection(request, entity, resultType))
        let command = Command(
            "EXPLAIN " + translation.sql, translation.bindings.map(Parameter.init))
        // The server scans and sorts a small table although it has the indexes. What remains if it
        // must not, remains when the table has grown.
        let (plan, indexed) = try reading(nil) { transaction in
            let results = try transaction.run([command, Self.avoidingScans, command])
            return (try Self.lines(results[0]), try Self.lines(results[2]))
        }
        return FetchExplanation(
            sql: translation.sql, bindings: translation.bindings.map(\.value), plan: plan,
            warnings: indexed.compactMap { Self.warning(about: $0, request) })
    }

    private static let avoidingScans = Command(
        """
        SELECT pg_catalog.set_config('enable_seqscan', 'off', true), \
        pg_catalog.set_config('enable_sort', 'off', true)
        """)

    private static func lines(_ rows: Rows) throws -> [String] {
        try (0..<rows.count).map { try rows.text($0, 0) }
    }

    /// The first statement of a fetch of this kind.
    private func selection(
        _ request: FetchRequest, _ entity: Entity, _ resultType: FetchResultType
    ) -> FetchTranslation.Selection {
        switch resultType {
        case .count: .count
        case .dictionary: .dictionaries
        case .managedObject where request.fetchBatchSize > 0: .keys
        case .managedObject, .managedObjectID:
            request.includesPropertyValues
                ? .rows(
                    selections.rows(
                        of: entity, includesSubentities: request.includesSubentities), .columns)
                : .keys
        }
    }

    /// The warning about a line of a plan, if any. A request without a predicate is expected to scan
    /// the table.
    private static func warning(
        about line: String, _ request: FetchRequest
    ) -> FetchExplanation.Warning? {
        let step = line.drop { $0 == " " || $0 == "-" || $0 == ">" }
        // Not an incremental sort, which puts rows of equal values that an index has sorted in the
        // order of their keys, nor the line below with the keys.
        if step.hasPrefix("Sort  (") { return .unindexedSort(String(step)) }
        let isScan = step.hasPrefix("Seq Scan") || step.hasPrefix("Parallel Seq Scan")
        return isScan && request.predicate != nil ? .fullScan(String(step)) : nil
    }
}
#endif
