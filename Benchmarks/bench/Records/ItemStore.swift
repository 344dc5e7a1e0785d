import Foundation
import Measuring

/// A store of items made by the engine: the start of the engine's table and of loads.
struct ItemStore: SampleStore {
    var rowCount: Int
    var features: ItemFeatures = []
    /// Whether it repeats the same items.
    var isRepeating = false
    /// The items of each transaction in the store's history; nil for a store without a history.
    var historySaveSize: Int?

    func make(in context: WorkerContext) throws -> [String: Int64] {
        let items =
            isRepeating
            ? ItemRow.repeated(count: rowCount)
            : features.contains(.searchableNote)
                ? ItemRow.generated(count: rowCount, wordsPerNote: ItemText.wordCount)
                : ItemRow.generated(count: rowCount)
        var configuration = context.configuration
        configuration.tracksHistory = historySaveSize != nil
        configuration.itemFeatures = features
        let maker = try ObjectGraphEngine(configuration: configuration)
        if features.contains(.racks) {
            try maker.insertOnRacks(items)
        } else if features.contains(.pictures) {
            try maker.insert(items, picture: Self.picture)
        } else if let historySaveSize {
            try maker.insert(items, saveSize: historySaveSize)
        } else if !items.isEmpty {
            try maker.batchInsert(items)
        }
        try maker.close()
        return ItemSum.facts(of: items)
    }
}

extension ItemStore {
    static let pictureBytes = 1_000_000

    /// The picture of each item.
    static let picture = Data(repeating: 7, count: pictureBytes)
}

extension WorkerContext {
    /// Opens the subject on a fresh copy of the store.
    ///
    /// - Parameters:
    ///   - isWritten: whether the work writes to it.
    ///   - features: those of the store.
    ///   - tracksHistory: whether the engine's store keeps a history; nil for the job's choice.
    /// - Returns: the subject, and the sums of the store's items; see ``ItemSum``.
    func openEngine(
        isWritten: Bool, _ features: ItemFeatures = [], tracksHistory: Bool? = nil
    ) throws -> (subject: any EngineSubject, facts: [String: Int64]) {
        let facts = try placeStore(isWritten: isWritten)
        var configuration = configuration
        configuration.itemFeatures = features
        if let tracksHistory { configuration.tracksHistory = tracksHistory }
        return (try openEngine(configuration), facts)
    }

    /// Opens the subject on a new store, for samples that need several.
    func openEngine(on store: ItemStore) throws -> any EngineSubject {
        removeStore()
        _ = try store.make(in: self)
        return try openEngine(configuration)
    }

    private func openEngine(_ configuration: SubjectConfiguration) throws -> any EngineSubject {
        let subject = try opening(\.openItems)(configuration)
        try configuration.check(subject)
        return subject
    }
}

/// A sum over items.
struct ItemSum: Sendable {
    let name: String
    /// Nil for a sum that SQL cannot compute.
    let sql: String?
    let value: @Sendable (ItemRow) -> Int64

    static let count = ItemSum(name: "items", sql: "COUNT(*)") { _ in 1 }
    static let number = ItemSum(name: "numbers", sql: "SUM(ZNUMBER)") { $0.number }
    static let quantity = ItemSum(name: "quantities", sql: "SUM(ZQUANTITY)") {
        Int64($0.quantity)
    }

    /// The sum of what rows weigh.
    private static let weight = weighted("weights", "1") { _ in 1 }
    private static let weightedQuantity = weighted("weighted quantities", "ZQUANTITY") {
        Int64($0.quantity)
    }

    /// A sum for each column. Missing values change one, and values in a wrong column or row.
    static let columns = [
        count, number, weight, quantity, weightedQuantity,
        weighted("delays", "ZDELAYMINUTES") { Int64($0.delayMinutes ?? 0) },
        weighted("prices in cents", "CAST(round(ZPRICE * 100) AS INTEGER)") {
            Int64(($0.price * 100).rounded())
        },
        weighted("dates", "CAST(ZCREATEDAT AS INTEGER)") {
            Int64($0.createdAt.timeIntervalSinceReferenceDate)
        },
        text("names", "ZNAME") { $0.name }, text("makers", "ZMAKER") { $0.maker },
        text("cities", "ZCITY") { $0.city }, text("addresses", "ZADDRESS") { $0.address },
        text("notes", "ZNOTE") { $0.note },
    ]

    private static func weighted(
        _ name: String, _ sql: String, _ value: @escaping @Sendable (ItemRow) -> Int64
    ) -> ItemSum {
        ItemSum(name: name, sql: "SUM(\(sql) * \(RowWeight.sql(of: "ZNUMBER")))") {
            value($0) * RowWeight.value(of: $0.number)
        }
    }

    private static func text(
        _ name: String, _ column: String, _ value: @escaping @Sendable (ItemRow) -> String?
    ) -> ItemSum {
        weighted(name, "\(TextHash.sqlName)(\(column))") { TextHash.value(of: value($0)) }
    }

    /// Changes the facts of items to those of the same items with other quantities.
    ///
    /// - Parameter raise: what is added to the quantity of each.
    static func raiseQuantities(in facts: inout [String: Int64], by raise: Int) {
        for (sum, each) in [(quantity, count), (weightedQuantity, weight)] {
            facts[sum.name, default: 0] += Int64(raise) * (facts[each.name] ?? 0)
        }
    }

    /// The sum of an ``ItemChecksum`` over all properties.
    static let checksum = ItemSum(name: "checksum") { $0.add($1) }
    static let cityChecksum = ItemSum(name: "checksum of cities") { $0.add(city: $1.city) }
    /// The same over the items that the search of the engine's table finds.
    static let searchedChecksum = ItemSum(name: "checksum of searched items") {
        if ItemText.isSearched($1.number) { $0.add($1) }
    }

    private init(
        name: String, adding add: @escaping @Sendable (inout ItemChecksum, ItemRow) -> Void
    ) {
        self.init(name: name, sql: nil) { item in
            var checksum = ItemChecksum()
            add(&checksum, item)
            return Int64(bitPattern: checksum.sum)
        }
    }

    private init(name: String, sql: String?, value: @escaping @Sendable (ItemRow) -> Int64) {
        self.name = name
        self.sql = sql
        self.value = value
    }

    static func facts(of items: [ItemRow]) -> [String: Int64] {
        let sums = columns + [checksum, cityChecksum, searchedChecksum]
        var totals = sums.map { _ in Int64(0) }
        // One pass over the items: a pass per sum would copy each item and its strings once per
        // sum.
        for item in items {
            for index in sums.indices { totals[index] &+= sums[index].value(item) }
        }
        return Dictionary(uniqueKeysWithValues: zip(sums.map(\.name), totals))
    }
}

extension Verifier {
    /// Checks the number of items and the sums of all columns with plain SQL.
    mutating func checkItems(in store: StoreReader, are facts: [String: Int64]) throws {
        let sums = ItemSum.columns
        let sql = sums.compactMap(\.sql).joined(separator: ", ")
        let found = try store.integers("SELECT \(sql) FROM ZITEM")
        for (sum, found) in zip(sums, found) {
            check(sum.name, found, equals: Int(facts[sum.name] ?? 0))
        }
    }
}

extension Verifier {
    /// Checks that the picture of each item is in a file of its own.
    mutating func checkPictures(in store: StoreReader, _ folder: URL, itemCount: Int) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.fileSizeKey])
        let bytes = try files.reduce(0) {
            $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
        let references = try store.integer(
            """
            SELECT COUNT(DISTINCT ZPICTURE) FROM ZITEM \
            WHERE length(ZPICTURE) = 38 AND substr(ZPICTURE, 1, 1) = x'02'
            """)
        check("files", files.count, equals: itemCount)
        check("bytes in files", bytes, equals: itemCount * ItemStore.pictureBytes)
        check("references to files", references, equals: itemCount)
    }
}
