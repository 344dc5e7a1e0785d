import Measuring
import ObjectGraph

/// Finds rows of an entity by the values of an attribute, or fetches the first page sorted by it.
enum StoreFindWorkload {
    /// What the `by` parameter shows for a search by identifier.
    static let identifier = "objectID"
    /// What it shows for a page in no order.
    static let unsorted = "none"

    private static let searchCount = 1_000
    private static let pageCount = 200
    private static let pageRowCount = 50

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let session = try context.openOwnStore(isWritten: false)
        let entity = session.entity("entity")
        let shown = context.text("by")
        let attribute =
            [identifier, unsorted].contains(shown) ? nil : session.path("by").property
        let view = try session.stack.viewContext
        let requests =
            context.text("work") == "find"
            ? try finds(of: entity, by: attribute, in: view)
            : Array(repeating: page(of: entity, by: attribute), count: pageCount)
        var found: [ManagedObjectID] = []
        let sample = try context.measure(session.stack, rowCount: requests.count) {
            found = try view.performAndWait {
                try requests.flatMap { request in
                    let objects = try view.fetch(request, as: ManagedObject.self)
                    for object in objects {
                        if let attribute { _ = try object.value(forKey: attribute) }
                    }
                    return objects.map(\.objectID)
                }
            }
        }
        let (store, tables) = try session.readBack()
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        let rowCount = session.rowCount(of: entity)
        if context.text("work") != "find" {
            let size = min(pageRowCount, rowCount)
            verifier.check("rows", found.count, equals: size * requests.count)
            if let attribute, let table = tables.table(of: entity),
                let column = tables.column(of: PropertyPath(entity: entity, property: attribute))
            {
                // No row outside the page may come before its last one.
                let page = Array(found.prefix(size))
                let earlier = try store.integer(
                    """
                    SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(tables.number(of: entity) ?? 0)
                    AND Z_PK NOT IN \(page.sqlList) AND \(column) IS NOT NULL
                    AND \(column) < (SELECT MAX(\(column)) FROM \(table)
                        WHERE Z_PK IN \(page.sqlList))
                    """)
                verifier.check("earlier rows", earlier, equals: 0)
            }
        } else {
            // Each search is for the value of a row, so that it finds that row at least.
            verifier.check(
                "searches without a row", max(requests.count - found.count, 0), equals: 0)
            verifier.checkAny("rows", found.count)
        }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    /// Searches for the values of rows that are spread over the entity.
    private static func finds(
        of entity: String, by attribute: String?, in view: ManagedObjectContext
    ) throws -> [FetchRequest] {
        try view.performAndWait {
            var request = FetchRequest(entityName: entity)
            request.includesSubentities = false
            if let attribute {
                request.propertiesToFetch = [FetchedProperty(stringLiteral: attribute)]
                request.predicate = .comparison(
                    .init(.keyPath(attribute), .notEqual, .constant(.null)))
            }
            let values: [AttributeValue] =
                if let attribute {
                    try view.fetchDictionaries(request).compactMap { $0[attribute] }
                } else { try view.fetchObjectIDs(request).map { .objectID($0) } }
            guard !values.isEmpty else { return [] }
            return (0..<searchCount).map { number in
                var find = FetchRequest(entityName: entity)
                let key: ObjectExpression = attribute.map { .keyPath($0) } ?? .evaluatedObject
                find.predicate = .comparison(
                    .init(key, .equal, .constant(values[values.count * number / searchCount])))
                // Of a value that many rows have, what a list would show.
                find.fetchLimit = pageRowCount
                return find
            }
        }
    }

    private static func page(of entity: String, by attribute: String?) -> FetchRequest {
        var request = FetchRequest(
            entityName: entity, sortKeys: attribute.map { [.ascending($0)] } ?? [])
        request.includesSubentities = false
        request.fetchLimit = pageRowCount
        return request
    }
}

extension WorkloadKind {
    static let storeFind = WorkloadKind(
        name: "store-find", summary: "find rows by an attribute, or fetch a page sorted by it",
        subjects: [.stack], data: .none,
        parameters: [.shown("work"), .shown("entity"), .shown("by")], run: StoreFindWorkload.run)
}
