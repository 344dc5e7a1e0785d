import Measuring

/// A line of the engine's speed table: the store that it starts with, and what is measured.
///
/// A new line is one value of ``all``, and a method of ``EngineWorkload`` if it works like no other.
struct EngineRow: Sendable {
    let name: String
    /// The indexes, tables and files of its store, besides the ten columns of an item.
    let features: ItemFeatures
    let start: Start
    let tracksHistory: Bool
    /// A sentence that reports print below the table, because the row would be misread without it.
    let note: String?
    let measure: @Sendable (EngineWorkload) throws -> WorkloadOutcome

    /// The items of its store before the work.
    enum Start: Sendable {
        case none, half, all
        /// All, which repeat the same few.
        case repeated
        /// The work makes stores of two sizes itself.
        case ownStores
    }

    init(
        _ name: String, _ features: ItemFeatures = [], start: Start = .all,
        tracksHistory: Bool = false, note: String? = nil,
        measure: @escaping @Sendable (EngineWorkload) throws -> WorkloadOutcome
    ) {
        self.name = name
        self.features = features
        self.start = start
        self.tracksHistory = tracksHistory
        self.note = note
        self.measure = measure
    }

    static func named(_ name: String) -> EngineRow? { all.first { $0.name == name } }

    /// The store of a sample; nil if the work makes its stores itself.
    func store(rowCount: Int) -> ItemStore? {
        switch start {
        case .none: ItemStore(rowCount: 0, features: features)
        case .half: ItemStore(rowCount: rowCount / 2, features: features)
        case .all: ItemStore(rowCount: rowCount, features: features)
        case .repeated: ItemStore(rowCount: rowCount, features: features, isRepeating: true)
        case .ownStores: nil
        }
    }
}

extension EngineRow {
    static let all: [EngineRow] = reading + writing + growing

    private static let reading = [
        EngineRow("fetch-realise") { try $0.read(.checksum) { try $0.readItems() } },
        EngineRow("fetch-one-integer") { try $0.read(.number) { try $0.readNumbers() } },
        EngineRow("fetch-memory") { try $0.hold() },
        EngineRow(
            "fault",
            note: "fault: each SELECT of a peer has its own read transaction; the engine's faults "
                + "share one during a turn of their context's queue."
        ) { try $0.fault(inTransaction: false) },
        EngineRow(
            "fault-in-transaction",
            note: "fault-in-transaction: the same work, with all SELECTs of a peer in one read "
                + "transaction."
        ) { try $0.fault(inTransaction: true) },
        EngineRow("pages", [.indexedNumber]) { try $0.readPages() },
        EngineRow("first-page", [.indexedNumber]) { try $0.readFirstPage() },
        EngineRow("names-beside-external", [.indexedNumber, .pictures]) {
            try $0.readFirstPage()
        },
        EngineRow("first-batch", [.indexedNumber]) {
            try $0.list(readCount: EngineWorkload.pageRowCount) {
                try $0.readFirstBatch(rowCount: EngineWorkload.pageRowCount)
            }
        },
        EngineRow("scroll", [.indexedNumber]) {
            try $0.list(readCount: .max) { try $0.scroll(rowCount: EngineWorkload.pageRowCount) }
        },
        EngineRow("read-integer") {
            try $0.reread(.number) { try $0.readLoadedNumbers(in: EngineWorkload.rounds) }
        },
        EngineRow("read-text") {
            try $0.reread(.cityChecksum) { try $0.readLoadedCities(in: EngineWorkload.rounds) }
        },
        EngineRow("filter-loaded", start: .repeated) { try $0.filter() },
        EngineRow("look-up", [.indexedNumber]) { try $0.lookUp(inTransaction: false) },
        EngineRow("look-up-in-transaction", [.indexedNumber]) {
            try $0.lookUp(inTransaction: true)
        },
        EngineRow("full-text", [.searchableNote]) { try $0.search() },
        EngineRow("walk", [.racks]) {
            try $0.read(.checksum) { try $0.walkRacks(prefetching: false) }
        },
        EngineRow("walk-prefetched", [.racks]) {
            try $0.read(.checksum) { try $0.walkRacks(prefetching: true) }
        },
    ]

    private static let writing = [
        EngineRow("insert", start: .none) {
            try $0.insert { try $0.insert($1, saveSize: EngineWorkload.saveSize) }
        },
        EngineRow("insert-with-history", start: .none, tracksHistory: true) {
            try $0.insert { try $0.insert($1, saveSize: EngineWorkload.saveSize) }
        },
        EngineRow("external-insert", [.pictures], start: .none) {
            try $0.insert { try $0.insert($1, picture: ItemStore.picture) }
        },
        EngineRow("insert-on-racks", [.racks], start: .none) { try $0.insertOnRacks() },
        EngineRow("insert-with-derived-count", [.racks, .countedRacks], start: .none) {
            try $0.insertOnRacks()
        },
        EngineRow("batch-insert", start: .none) { try $0.insert { try $0.batchInsert($1) } },
        EngineRow("upsert", [.uniqueNumber], start: .half) { try $0.upsert() },
        EngineRow("import-json", start: .none) { try $0.importJSON() },
        EngineRow("update") { try $0.update(loadingFirst: true) { try $0.updateLoadedItems() } },
        EngineRow("batch-update") { try $0.update { try $0.batchUpdate() } },
    ]

    private static let growing = [
        EngineRow("growth-fetch", start: .ownStores) { workload in
            try workload.growth { try workload.fetchSeconds($0, $1) }
        },
        EngineRow("growth-insert", start: .ownStores) { workload in
            try workload.growth { try workload.insertSeconds($0, $1) }
        },
    ]
}
