import Measuring
import ObjectGraph
import Synchronization

/// Imports records, half of which exist already. Compares ways to find them, and measures the cost
/// of a uniqueness constraint.
enum RecordsWorkload {
    /// How an existing record is found.
    enum Way: String, CaseIterable {
        /// One fetch per record.
        case perObject = "per-object"
        /// One fetch with `IN` for all records of a save, and a dictionary.
        case list = "in-list"
        /// The same fetch sorted by code, walked in step with the sorted records.
        case walk = "sort-and-walk"
        /// Inserts without a fetch; the constraint and the merge policy merge duplicates.
        case upsert
        /// One batch insert request for all records; SQLite settles duplicates.
        case request
        /// Inserts without a fetch; no record exists before.
        case insert
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let rowCount = context.integer("rows")
        let isConstrained = context.flag("isConstrained")
        let saveSize = context.integer("saveSize")
        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(model(isConstrained: isConstrained))

        // A random order, different from that of the codes and of the rows.
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = Array(0..<rowCount).shuffled(using: &random)
        coordinator.resetCounters()
        var sample = try context.measure(nil, rowCount: rowCount) {
            let records = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try records.performAndWait {
                records.mergePolicy = .mergeByPropertyObjectTrump
                guard way != .request else { return try upsert(numbers, in: records) }
                for start in stride(from: 0, to: rowCount, by: saveSize) {
                    let slice = numbers[start..<min(start + saveSize, rowCount)]
                    try way.bringIn(slice, to: records)
                    try records.save()
                    records.refreshAllObjects()
                }
            }
        }
        sample.counters = ["statements": coordinator.counters.statements]
        try coordinator.removePersistentStores()

        let store = try StoreReader(context.storeURL)
        let found = try store.integers(
            "SELECT COUNT(*), COUNT(DISTINCT ZCODE), SUM(ZAMOUNT) FROM ZRECORD")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("records", found[0], equals: rowCount)
        verifier.check("codes", found[1], equals: rowCount)
        verifier.check("amounts", found[2], equals: (0..<rowCount).reduce(0, +))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func upsert(_ numbers: [Int], in context: ManagedObjectContext) throws {
        let position = Atomic(0)
        try context.execute(
            BatchInsertRequest(entityName: "Record") { row in
                let index = position.add(1, ordering: .relaxed).oldValue
                guard index < numbers.count else { return true }
                row.set(Record.code(numbers[index]), for: Record.code)
                row.set(numbers[index], for: Record.amount)
                return false
            })
    }

    fileprivate static func model(isConstrained: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Record", managedObjectClass: Record.self,
                attributes: [
                    AttributeDescription("code", .string, isOptional: false),
                    AttributeDescription("amount", .integer64, isOptional: false),
                ],
                uniquenessConstraints: isConstrained ? [["code"]] : [],
                indexes: isConstrained ? [] : [FetchIndexDescription("byCode", on: "code")])
        ])
    }
}

/// A store of records with wrong amounts.
private struct RecordStore: SampleStore {
    var rowCount: Int
    var isConstrained: Bool

    func make(in context: WorkerContext) throws -> [String: Int64] {
        let coordinator = try context.openCoordinator(
            RecordsWorkload.model(isConstrained: isConstrained))
        let records = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try records.performAndWait {
            for number in 0..<rowCount { Record(context: records).take(number, amount: -1) }
            try records.save()
        }
        try coordinator.removePersistentStores()
        return [:]
    }
}

private final class Record: ManagedObject {
    static let code = Attribute<String>("code")
    static let amount = Attribute<Int>("amount")

    static func code(_ number: Int) -> String { "R-\(10_000_000 + number)" }

    func take(_ number: Int, amount: Int) {
        self[Self.code] = Self.code(number)
        self[Self.amount] = amount
    }
}

extension RecordsWorkload.Way {
    /// Sets the amount of each record and inserts the missing ones.
    fileprivate func bringIn(
        _ numbers: ArraySlice<Int>, to context: ManagedObjectContext
    ) throws {
        switch self {
        case .request: preconditionFailure("One request brings in all records.")
        case .insert, .upsert:
            for number in numbers { Record(context: context).take(number, amount: number) }
        case .perObject:
            for number in numbers {
                var request = try request("code == %@", Record.code(number))
                request.fetchLimit = 1
                let found: Record? = try context.fetch(request).first
                (found ?? Record(context: context)).take(number, amount: number)
            }
        case .list:
            let request = try request("code IN %@", numbers.map(Record.code))
            let found: FetchedObjects<Record> = try context.fetch(request)
            let known = Dictionary(uniqueKeysWithValues: found.map { ($0[Record.code], $0) })
            for number in numbers {
                let record = known[Record.code(number)] ?? Record(context: context)
                record.take(number, amount: number)
            }
        case .walk:
            var request = try request("code IN %@", numbers.map(Record.code))
            request.sortKeys = [.ascending("code")]
            let found: FetchedObjects<Record> = try context.fetch(request)
            var position = 0
            for number in numbers.sorted() {
                let isKnown =
                    position < found.count && found[position][Record.code] == Record.code(number)
                let record = isKnown ? found[position] : Record(context: context)
                if isKnown { position += 1 }
                record.take(number, amount: number)
            }
        }
    }

    private func request(
        _ format: String, _ argument: any PredicateArgument
    ) throws -> FetchRequest {
        var request = FetchRequest(
            entityName: "Record", predicate: try ObjectPredicate(format, argument))
        request.returnsObjectsAsFaults = false
        // Records of earlier slices are saved.
        request.includesPendingChanges = false
        return request
    }
}

extension WorkloadKind {
    static let records = WorkloadKind(
        name: "records",
        summary: "import records, half of which exist: find or create, or upsert",
        subjects: [.engine],
        data: .own({ context in
            RecordStore(
                rowCount: context.text("way") == "insert" ? 0 : context.integer("rows") / 2,
                isConstrained: context.flag("isConstrained"))
        }),
        parameters: [
            WorkloadParameter(
                name: "way", values: .cases(of: RecordsWorkload.Way.self),
                defaultValue: "in-list", summary: "how a record that may exist is found"),
            WorkloadParameter(
                name: "rows", values: .integer(2...10_000_000), defaultValue: "20000",
                summary: "records imported; half of them exist, none with way insert"),
            .saveSize,
            WorkloadParameter(
                name: "isConstrained", values: .flag, defaultValue: "false",
                summary: "whether a constraint makes codes unique; otherwise they have an index"),
        ],
        run: RecordsWorkload.run)
}
