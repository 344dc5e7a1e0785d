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
