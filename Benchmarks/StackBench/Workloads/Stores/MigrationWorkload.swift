import Measuring
import ObjectGraph

/// Opens a store of an earlier model: in place, through a mapping with code, or in a chain of
/// versions.
///
/// A sample is the opening, with everything that it does: it ends when the store can be used.
enum MigrationWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: MigratedItems.Way = context.choice("way")
        let store = MigratedStore(context)
        let migrate = try context.opening(\.migrateItems)
        let facts = try context.placeStore(isWritten: true)
        let sample = try context.measure(nil, rowCount: store.rowCount) {
            try migrate(context.configuration, way, store.pictureBytes > 0)
        }
        let reader = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: reader)
        try verifier.check(way, in: reader, facts, store)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension MigratedStore {
    fileprivate init(_ context: WorkerContext) {
        self.init(
            rowCount: context.integer("rows"), pictureBytes: context.integer("kibibytes") * 1024)
    }
}

extension ObjectGraphEngine {
    /// Opens the store with one version after the other, and closes it each time.
    static func migrate(
        _ configuration: SubjectConfiguration, _ way: MigratedItems.Way, hasPictures: Bool
    ) throws {
        for version in way.versions {
            let coordinator = PersistentStoreCoordinator(
                model: try MigratedItems.model(version, hasPictures: hasPictures),
                lockPolicy: configuration.coordinatorLockPolicy)
            var description = PersistentStoreDescription.sqlite(at: configuration.storeURL)
            description.pragmas = configuration.pragmas
            if way == .mapped {
                description.migration.mappingModels = [
                    try MigratedItems.mapping(hasPictures: hasPictures)
                ]
            }
            try coordinator.addPersistentStore(description)
            try coordinator.removePersistentStores()
        }
    }
}

extension Verifier {
    /// Checks with plain SQL that the table has the columns of the version, and the values of the
    /// first one.
    fileprivate mutating func check(
        _ way: MigratedItems.Way, in store: StoreReader, _ facts: [String: Int64],
        _ made: MigratedStore
    ) throws {
        func columnCount(_ name: String) throws -> Int {
            try store.integer(
                "SELECT COUNT(*) FROM pragma_table_info('ZITEM') WHERE name = '\(name)'")
        }
        let version = way.versions.last!
        let isLast = version == .last
        let hasMaker = version == .withRemark
        check(
            "column of the remark", try columnCount("ZREMARK"), equals: hasMaker || isLast ? 1 : 0)
        check("column of the maker", try columnCount("ZMAKER"), equals: hasMaker ? 1 : 0)
        check("column of the town", try columnCount("ZTOWN"), equals: isLast ? 1 : 0)

        let sums = [ItemSum.count, .number, .quantity]
        let found = try store.integers(
            "SELECT \(sums.compactMap(\.sql).joined(separator: ", ")) FROM ZITEM")
        for (sum, found) in zip(sums, found) {
            check(sum.name, found, equals: Int(facts[sum.name] ?? 0))
        }
        let city = isLast ? "ZTOWN" : "ZCITY"
        let isUpper = way == .mapped ? "=" : "<>"
        let texts = try store.integer(
            "SELECT COUNT(*) FROM ZITEM WHERE length(\(city)) = 20 AND \(city) \(isUpper) upper(\(city))"
        )
        check("cities", texts, equals: made.rowCount)
        if isLast {
            let weights = try store.integer("SELECT COUNT(*) FROM ZITEM WHERE ZWEIGHT = 1.5")
            check("weights", weights, equals: made.rowCount)
        }
        guard made.pictureBytes > 0 else { return }
        let bytes = try store.integer("SELECT SUM(length(ZPICTURE)) FROM ZITEM")
        check("bytes of pictures", bytes, equals: made.rowCount * made.pictureBytes)
    }
}

extension WorkloadKind {
    static let migration = WorkloadKind(
        name: "migration", summary: "open a store that was written with an earlier model",
        subjects: [.engine, .peer], data: .own({ MigratedStore($0) }),
        parameters: [
            WorkloadParameter(
                name: "way", values: .cases(of: MigratedItems.Way.self), defaultValue: "add",
                summary: "an optional attribute more; an attribute less, by SQL or through code for"
                    + " each row; four versions in one step, or one after the other"),
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "100000",
                summary: "items of ten columns"),
            WorkloadParameter(
                name: "kibibytes", values: .integer(0...1024), defaultValue: "0",
                summary: "KiB of a further value in each row; 0 for none"),
        ],
        run: MigrationWorkload.run)
}
