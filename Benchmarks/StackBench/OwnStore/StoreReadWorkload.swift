import Measuring
import ObjectGraph
import Stacks

/// Reads every value of entities of the user's store, in one form.
enum StoreReadWorkload {
    /// What the entity parameter shows for all entities.
    static let everything = "all"

    enum Form: String, CaseIterable {
        /// Objects whose values are read when they are first needed, from the row cache.
        case objects
        /// The same, loaded in batches.
        case batches
        /// Objects of which only the keys were fetched.
        case faults
        case dictionaries
    }

    private static let batchSize = 100

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let form: Form = context.choice("form")
        let session = try context.openOwnStore(isWritten: false)
        let entities =
            context.text("entity") == everything
            ? session.entitiesWithRows : [session.entity("entity")]
        let requests = entities.map { request(for: $0, limit: context.integer("rows")) }
        let expected = requests.map { min(session.rowCount(of: $0.entityName), $0.fetchLimit) }
        var tally = Tally()
        let view = try session.stack.viewContext
        let sample = try context.measure(session.stack, rowCount: expected.reduce(0, +)) {
            tally = try view.performAndWait {
                try requests.reduce(into: Tally()) { tally, request in
                    try tally.read(
                        request, session.storedAttributes(of: request.entityName),
                        counting: session.countableAttributes(of: request.entityName), as: form,
                        in: view)
                }
            }
        }
        let keys = try view.performAndWait { try requests.map { try view.fetchObjectIDs($0) } }
        let (store, tables) = try session.readBack()
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("rows", tally.rowCount, equals: expected.reduce(0, +))
        var valueCount = 0
        for (request, keys) in zip(requests, keys) {
            let entity = request.entityName
            let attributes = Array(session.countableAttributes(of: entity))
            guard let count = try tables.valueCount(of: attributes, of: entity, keys, in: store)
            else {
                return WorkloadOutcome(sample: sample, verification: verifier.verification)
            }
            valueCount += count
        }
        verifier.check("values", tally.valueCount, equals: valueCount)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func request(for entity: String, limit: Int) -> FetchRequest {
        var request = FetchRequest(entityName: entity)
        request.includesSubentities = false
        request.fetchLimit = limit
        return request
    }

    /// What was read.
    private struct Tally: Sendable {
        var rowCount = 0
        /// Those of countable attributes that are not nil.
        var valueCount = 0

        mutating func read(
            _ request: FetchRequest, _ attributes: [String], counting countable: Set<String>,
            as form: Form, in context: ManagedObjectContext
        ) throws {
            var request = request
            switch form {
            case .dictionaries:
                request.propertiesToFetch = attributes.map { FetchedProperty(stringLiteral: $0) }
                for row in try context.fetchDictionaries(request) {
                    rowCount += 1
                    valueCount += row.count { countable.contains($0.key) && !$0.value.isNull }
                }
                return
            case .objects: break
            case .batches: request.fetchBatchSize = batchSize
            case .faults: request.includesPropertyValues = false
            }
            for object in try context.fetch(request, as: ManagedObject.self) {
                rowCount += 1
                for name in attributes where try object.value(forKey: name) != nil {
                    if countable.contains(name) { valueCount += 1 }
                }
            }
        }
    }
}

extension StoreTables {
    /// The values of these attributes in these rows that are not nil; nil if the name of a column is
    /// not certain.
    func valueCount(
        of attributes: [String], of entity: String, _ rows: [ManagedObjectID],
        in store: StoreReader
    ) throws -> Int? {
        let columns = attributes.map { column(of: PropertyPath(entity: entity, property: $0)) }
        guard let table = table(of: entity), !columns.contains(nil) else { return nil }
        let counts = ["0"] + columns.compactMap { $0.map { "COUNT(\($0))" } }
        return try store.integer(
            "SELECT \(counts.joined(separator: " + ")) FROM \(table) WHERE Z_PK IN \(rows.sqlList)")
    }
}

extension OwnStoreSession {
    /// The stored attributes whose values plain SQL can count. An archive of an app's own class makes
    /// no value here, and reads as nil.
    func countableAttributes(of entity: String) -> Set<String> {
        let attributes = model.attributesByName(ofEntity: entity) ?? [:]
        return Set(storedAttributes(of: entity).filter { attributes[$0]?.type != .transformable })
    }

    /// In the order of their names.
    fileprivate var entitiesWithRows: [String] {
        model.entitiesByName.values.filter { !$0.isAbstract && rowCount(of: $0.name) > 0 }
            .map(\.name).sorted()
    }
}

extension WorkloadKind {
    static let storeRead = WorkloadKind(
        name: "store-read", summary: "read every value of the store's entities",
        subjects: [.stack], data: .none,
        parameters: [.shown("entity"), .shown("form"), .shown("rows")],
        run: StoreReadWorkload.run)
}

extension WorkloadParameter {
    /// A parameter whose values the plan of a store makes.
    static func shown(_ name: String) -> Self {
        Self(name: name, values: .choice([]), defaultValue: "", summary: "")
    }
}
