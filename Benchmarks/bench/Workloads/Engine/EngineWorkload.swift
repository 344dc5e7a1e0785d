import Benchmarking
import Foundation

/// One row of the engine's speed table: the same work several times in one process. The fastest
/// repetition counts.
///
/// Disturbances only make work slower, so the minimum is far steadier than the mean (``Batches``).
/// The runner also takes subjects in turn.
enum EngineWorkload {
    private static let saveSize = 1_000

    static let rowsWithRacks: Set = [
        "walk", "walk-prefetched", "insert-on-racks", "insert-with-derived-count",
    ]

    static let rowsWithPictures: Set = ["external-insert", "names-beside-external"]

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        return switch context.text("row") {
        case "fetch-realise": try read(context, ItemSum.checksum) { try $0.readItems() }
        case "fetch-one-integer": try read(context, ItemSum.number) { try $0.readNumbers() }
        case "read-integer":
            try reread(rowCount, context, ItemSum.number) { try $0.readLoadedNumbers(in: rounds) }
        case "read-text":
            try reread(rowCount, context, ItemSum.cityChecksum) {
                try $0.readLoadedCities(in: rounds)
            }
        case "filter-loaded": try filter(rowCount, context)
        case "fetch-memory": try hold(rowCount, context)
        case "fault": try fault(rowCount, context, inTransaction: false)
        case "fault-in-transaction": try fault(rowCount, context, inTransaction: true)
        case "pages": try pages(rowCount, context)
        case "first-page", "names-beside-external": try firstPage(rowCount, context)
        case "look-up": try lookUp(rowCount, context, inTransaction: false)
        case "look-up-in-transaction": try lookUp(rowCount, context, inTransaction: true)
        case "full-text": try search(rowCount, context)
        case "walk": try read(context, ItemSum.checksum) { try $0.walkRacks(prefetching: false) }
        case "walk-prefetched":
            try read(context, ItemSum.checksum) { try $0.walkRacks(prefetching: true) }
        case "insert", "insert-with-history":
            try insert(rowCount, context) { try $0.insert($1, saveSize: saveSize) }
        case "external-insert":
            try insert(rowCount, context) { try $0.insert($1, picture: ItemStore.picture) }
        case "insert-on-racks", "insert-with-derived-count": try insertOnRacks(rowCount, context)
        case "first-batch":
            try list(rowCount, readCount: min(pageRowCount, rowCount), context) {
                try $0.readFirstBatch(rowCount: pageRowCount)
            }
        case "scroll":
            try list(rowCount, readCount: rowCount, context) {
                try $0.scroll(rowCount: pageRowCount)
            }
        case "batch-insert": try insert(rowCount, context) { try $0.batchInsert($1) }
        case "upsert": try upsert(rowCount, context)
        case "import-json": try importJSON(rowCount, context)
        case "update": try update(rowCount, context) { try $0.updateLoadedItems() }
        case "batch-update": try update(rowCount, context) { try $0.batchUpdate() }
        case "growth-fetch": try growth(rowCount, context, fetchSeconds)
        case "growth-insert": try growth(rowCount, context, insertSeconds)
        case let row: preconditionFailure("The kind's table allows no row \(row).")
        }
    }

    /// The store that a row starts with; nil for growth rows, which make stores of two sizes
    /// themselves.
    @Sendable fileprivate static func store(_ context: WorkerContext) -> (any SampleStore)? {
        let rowCount = context.integer("rows")
        return switch context.text("row") {
        case "growth-fetch", "growth-insert": nil
        case "insert", "insert-with-history", "batch-insert", "import-json": ItemStore(rowCount: 0)
        case "external-insert": ItemStore(rowCount: 0, hasPictures: true)
        case "names-beside-external":
            ItemStore(rowCount: rowCount, isNumberIndexed: true, hasPictures: true)
        case "insert-on-racks": ItemStore(rowCount: 0, hasRacks: true)
        case "insert-with-derived-count":
            ItemStore(rowCount: 0, hasRacks: true, countsItems: true)
        case "upsert": ItemStore(rowCount: rowCount / 2)
        case "pages", "first-page", "first-batch", "scroll", "look-up", "look-up-in-transaction":
            ItemStore(rowCount: rowCount, isNumberIndexed: true)
        case "walk", "walk-prefetched": ItemStore(rowCount: rowCount, hasRacks: true)
        case "full-text": ItemStore(rowCount: rowCount, isNoteSearchable: true)
        case "filter-loaded": ItemStore(rowCount: rowCount, isRepeating: true)
        default: ItemStore(rowCount: rowCount)
        }
    }

    // MARK: Reading

    private static func read(
        _ context: WorkerContext, _ sum: ItemSum,
        _ operation: (any EngineSubject) throws -> ItemChecksum
    ) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let (subject, facts) = try context.openEngine(isWritten: false)
        let expected = ItemChecksum(itemCount: rowCount, sum: facts[sum.name])
        return try read(rowCount, from: subject, context, expected) { try operation(subject) }
    }

    /// Reads in batches, closes the subject and checks all answers.
    private static func read(
        _ rowCount: Int, from subject: any EngineSubject, _ context: WorkerContext,
        _ expected: ItemChecksum, _ operation: () throws -> ItemChecksum
    ) throws -> WorkloadOutcome {
        var checksums: Set<ItemChecksum> = []
        let sample = try context.measureBatches(rowCount: rowCount) { batches in
            checksums.insert(try batches.time(subject, operation))
        }
        try subject.close()
        return try outcome(sample, context) { $0.check(checksums, equal: expected) }
    }

    /// Enough rounds that a batch takes milliseconds; few enough neighbours for the first-level
    /// cache.
    private static let rounds = Rounds(count: 1_000, neighbourCount: 10)

    private static func reread(
        _ rowCount: Int, _ context: WorkerContext, _ sum: ItemSum,
        _ operation: (any EngineSubject) throws -> ItemChecksum
    ) throws -> WorkloadOutcome {
        let (subject, facts) = try context.openEngine(isWritten: false)
        let expected = ItemChecksum(
            itemCount: rowCount * rounds.count,
            sum: facts[sum.name].map { $0 &* Int64(rounds.count) })
        try subject.loadItems()
        var outcome = try read(rowCount * rounds.count, from: subject, context, expected) {
            try operation(subject)
        }
        outcome.sample.metrics["readTime"] = 1e9 / (outcome.sample[.rowsPerSecond] ?? 0)
        return outcome
    }

    private static let filteredQuantity: Int32 = 500
    private static let filteredCityPrefix = "a"

    /// The first term matches half of the items, the second one in 26 of these.
    private static func filter(
        _ rowCount: Int, _ context: WorkerContext
    ) throws -> WorkloadOutcome {
        var expected = ItemChecksum()
        for item in ItemRow.repeated(count: rowCount)
        where item.quantity < filteredQuantity && item.city.hasPrefix(filteredCityPrefix) {
            expected.add(number: item.number)
        }
        let (subject, _) = try context.openEngine(isWritten: false)
        try subject.loadItems()
        return try read(rowCount, from: subject, context, expected) {
            try subject.filterLoadedItems(
                quantityBelow: filteredQuantity, cityPrefix: filteredCityPrefix)
        }
    }

    /// Reads items in random order. None is cached: each is read once, and each batch has a new
    /// context.
    private static func fault(
        _ rowCount: Int, _ context: WorkerContext, inTransaction: Bool
    ) throws -> WorkloadOutcome {
        var random = SeededGenerator(seed: context.job.seed)
        let keys = (1...Int64(rowCount)).shuffled(using: &random)
        return try read(context, ItemSum.checksum) {
            try $0.readItems(withKeys: keys, inTransaction: inTransaction)
        }
    }

    private static let pageCount = 1_000
    private static let pageRowCount = 20

    /// Enough requests of one shape that the translation of the first does not matter.
    private static func pages(_ rowCount: Int, _ context: WorkerContext) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: rowCount)
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = (0..<pageCount).map { _ in
            Int64.random(in: 1...Int64(rowCount), using: &random)
        }
        let expected = numbers.reduce(into: ItemChecksum()) { checksum, number in
            for item in items[(Int(number) - 1)...].prefix(pageRowCount) { checksum.add(item) }
        }
        let (subject, _) = try context.openEngine(isWritten: false)
        return try read(pageCount * pageRowCount, from: subject, context, expected) {
            try subject.readPages(from: numbers, rowCount: pageRowCount)
        }
    }

    /// Looks items up by their indexed number, in random order.
    private static func lookUp(
        _ rowCount: Int, _ context: WorkerContext, inTransaction: Bool
    ) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: rowCount)
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = (1...Int64(rowCount)).shuffled(using: &random).prefix(lookUpCount)
        let expected = numbers.reduce(into: ItemChecksum()) { $0.add(items[Int($1) - 1]) }
        let (subject, _) = try context.openEngine(isWritten: false)
        return try read(numbers.count, from: subject, context, expected) {
            try subject.findItems(numbered: Array(numbers), inTransaction: inTransaction)
        }
    }

    private static let lookUpCount = 10_000

    private static func search(_ rowCount: Int, _ context: WorkerContext) throws -> WorkloadOutcome
    {
        let foundCount = (1...Int64(rowCount)).count { ItemText.isSearched($0) }
        let (subject, facts) = try context.openEngine(isWritten: false)
        let expected = ItemChecksum(
            itemCount: foundCount, sum: facts[ItemSum.searchedChecksum.name])
        return try read(foundCount, from: subject, context, expected) {
            try subject.searchItems(for: ItemText.searchedNames)
        }
    }

    /// Fetches the same page repeatedly, each time in a new context. Then fetches and holds as many
    /// pages again, to measure the memory of one page beyond what the allocator reserves for small
    /// blocks.
    private static func firstPage(
        _ rowCount: Int, _ context: WorkerContext
    ) throws -> WorkloadOutcome {
        let page = ItemRow.generated(count: min(pageRowCount, rowCount))
        let expected = page.reduce(into: ItemChecksum()) { $0.add($1) }
        let (subject, _) = try context.openEngine(isWritten: false)
        var checksums: Set<ItemChecksum> = []
        var sample = try context.measureBatches(rowCount: pageCount * page.count) { batches in
            let held = try batches.time(subject) {
                try subject.holdFirstPage(rowCount: pageRowCount, times: pageCount)
            }
            checksums.insert(held.checksum)
        }
        let before = Allocator.liveBytes()
        let held = try (0..<pageCount).map { _ in
            try subject.holdFirstPage(rowCount: pageRowCount, times: 1)
        }
        sample[.liveMemory] = Double((Allocator.liveBytes() - before) / pageCount)
        checksums.formUnion(held.map(\.checksum))
        try subject.close()
        return try outcome(sample, context) { $0.check(checksums, equal: expected) }
    }

    /// Shows a sorted list, each time in a new context.
    private static func list(
        _ rowCount: Int, readCount: Int, _ context: WorkerContext,
        _ operation: (any EngineSubject) throws -> (count: Int, checksum: ItemChecksum)
    ) throws -> WorkloadOutcome {
        let expected = ItemRow.generated(count: rowCount).prefix(readCount)
            .reduce(into: ItemChecksum()) { $0.add($1) }
        let (subject, _) = try context.openEngine(isWritten: false)
        var checksums: Set<ItemChecksum> = []
        var counts: Set<Int> = []
        let sample = try context.measureBatches(rowCount: readCount) { batches in
            let answer = try batches.time(subject) { try operation(subject) }
            counts.insert(answer.count)
            checksums.insert(answer.checksum)
        }
        try subject.close()
        return try outcome(sample, context) { verifier in
            verifier.check(checksums, equal: expected)
            for count in counts { verifier.check("count", count, equals: rowCount) }
        }
    }

    private static func hold(_ rowCount: Int, _ context: WorkerContext) throws -> WorkloadOutcome {
        let (subject, facts) = try context.openEngine(isWritten: false)
        let expected = ItemChecksum(itemCount: rowCount, sum: facts[ItemSum.number.name])
        // Fills SQLite's page cache, which is not part of the result.
        var checksums: Set = [try subject.readNumbers()]
        var liveBytes = 0
        var sample = try context.measure(nil, rowCount: rowCount) {
            let before = Allocator.liveBytes()
            let held = try subject.holdItems()
            liveBytes = Allocator.liveBytes() - before
            checksums.insert(held.checksum)
        }
        sample[.liveMemory] = Double(liveBytes)
        try subject.close()
        return try outcome(sample, context) { $0.check(checksums, equal: expected) }
    }

    // MARK: Writing

    /// Writes in batches, each to a fresh store, which is checked when the subject has closed it.
    private static func write(
        _ items: [ItemRow], _ context: WorkerContext, _ batch: (inout Batches) throws -> Void,
        _ check: (inout Verifier, StoreReader) throws -> Void
    ) throws -> WorkloadOutcome {
        let facts = ItemSum.facts(of: items)
        var verifier = Verifier()
        let sample = try context.measureBatches(rowCount: items.count) { batches in
            try batch(&batches)
            let store = try StoreReader(context.storeURL)
            try verifier.checkJournal(of: store)
            try verifier.checkItems(in: store, are: facts)
            try check(&verifier, store)
        }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func insert(
        _ rowCount: Int, _ context: WorkerContext,
        _ operation: (any EngineSubject, [ItemRow]) throws -> Void
    ) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: rowCount)
        return try write(items, context) { batches in
            let (subject, _) = try context.openEngine(isWritten: true)
            try batches.time(subject, once: true) { try operation(subject, items) }
            try subject.close()
        } _: { verifier, store in
            let tracksHistory = context.configuration.tracksHistory
            try verifier.checkHistory(in: store, hasOnly: tracksHistory ? [.insert: rowCount] : nil)
            guard context.configuration.hasPictures else { return }
            try verifier.checkPictures(
                in: store, context.configuration.pictureFolder, itemCount: rowCount)
        }
    }

    /// Racks and items are saved together.
    private static func insertOnRacks(
        _ rowCount: Int, _ context: WorkerContext
    ) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: rowCount)
        return try write(items, context) { batches in
            let engine = try context.openObjectGraph(isWritten: true)
            try batches.time(engine, once: true) { try engine.insertOnRacks(items) }
            try engine.close()
        } _: { verifier, store in
            guard context.configuration.countsItems else { return }
            let wrong = try store.integer(
                """
                SELECT COUNT(*) FROM ZRACK r WHERE ZITEMCOUNT IS NOT \
                (SELECT COUNT(*) FROM ZITEM WHERE ZRACK = r.Z_PK)
                """)
            verifier.check("wrong counts", wrong, equals: 0)
        }
    }

    /// Half of the items are stored already, with other quantities.
    private static func upsert(
        _ rowCount: Int, _ context: WorkerContext
    ) throws -> WorkloadOutcome {
        var items = ItemRow.generated(count: rowCount)
        for index in items.indices { items[index].quantity += 1_000 }
        return try write(items, context) { batches in
            let (subject, _) = try context.openEngine(isWritten: true)
            try batches.time(subject, once: true) { try subject.upsert(items) }
            try subject.close()
        } _: { verifier, store in
            let versions = try store.integer("SELECT SUM(Z_OPT) FROM ZITEM")
            verifier.check("versions", versions, equals: rowCount + rowCount / 2)
        }
    }

    /// Inserts a JSON array that is read as a stream. Measured once, because its memory counts too.
    private static func importJSON(
        _ rowCount: Int, _ context: WorkerContext
    ) throws -> WorkloadOutcome {
        let (subject, _) = try context.openEngine(isWritten: true)
        let file = try ItemFile(
            context.job.folder.appending(path: "items.json"), itemCount: rowCount)
        let sample = try context.measure(nil, rowCount: rowCount) {
            try subject.importItems(from: file)
        }
        try subject.close()
        return try outcome(sample, context) { verifier in
            let store = try StoreReader(context.storeURL)
            let items = ItemRow.generated(count: min(rowCount, 10_000))
            let expected = (0..<rowCount).map { ItemFile.item($0, of: items) }
            try verifier.checkItems(in: store, are: ItemSum.facts(of: expected))
        }
    }

    private static func update(
        _ rowCount: Int, _ context: WorkerContext,
        _ operation: (any EngineSubject) throws -> Void
    ) throws -> WorkloadOutcome {
        var (subject, facts) = try context.openEngine(isWritten: true)
        if context.text("row") == "update" { try subject.loadItems() }
        var batchCount = 0
        let sample = try context.measureBatches(rowCount: rowCount) { batches in
            try batches.time(subject) {
                try operation(subject)
                batchCount += 1
            }
        }
        try subject.close()
        ItemSum.raiseQuantities(in: &facts, by: batchCount)
        return try outcome(sample, context) { verifier in
            try verifier.checkItems(in: StoreReader(context.storeURL), are: facts)
        }
    }

    // MARK: Growth

    private static let smallRowCount = 10_000

    /// The cost of a row with `rowCount` rows, divided by its cost with 10,000 rows.
    private static func growth(
        _ rowCount: Int, _ context: WorkerContext,
        _ seconds: ([ItemRow], WorkerContext, TurnTaker?) throws -> Double
    ) throws -> WorkloadOutcome {
        let items = ItemRow.repeated(count: smallRowCount)
        let small = try seconds(items, context, nil) / Double(items.count)
        let manyItems = ItemRow.repeated(count: rowCount)
        // Turns measure and count only the many rows.
        let large = try seconds(manyItems, context, context.turns) / Double(rowCount)
        // Only times: the other metrics would include making the stores.
        var sample = Sample()
        sample[.time] = large * Double(rowCount)
        sample[.rowsPerSecond] = 1 / large
        sample.metrics["costGrowth"] = large / small
        return try outcome(sample, context) { verifier in
            try verifier.checkItems(
                in: StoreReader(context.storeURL), are: ItemSum.facts(of: manyItems))
        }
    }

    private static func fetchSeconds(
        _ items: [ItemRow], _ context: WorkerContext, _ turns: TurnTaker?
    ) throws -> Double {
        let subject = try context.openEngine(
            on: ItemStore(rowCount: items.count, isRepeating: true))
        defer { try? subject.close() }
        var batches = Batches(turns)
        while batches.isAnotherWanted() {
            _ = try batches.time(subject) { try subject.readItems() }
        }
        return batches.fastestSeconds
    }

    private static func insertSeconds(
        _ items: [ItemRow], _ context: WorkerContext, _ turns: TurnTaker?
    ) throws -> Double {
        var batches = Batches(turns)
        while batches.isAnotherWanted() {
            let subject = try context.openEngine(on: ItemStore(rowCount: 0))
            try batches.time(subject, once: true) {
                try subject.insert(items, saveSize: saveSize)
            }
            try subject.close()
        }
        return batches.fastestSeconds
    }

    // MARK: Verifying

    private static func outcome(
        _ sample: Sample, _ context: WorkerContext, _ check: (inout Verifier) throws -> Void
    ) throws -> WorkloadOutcome {
        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        try check(&verifier)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension Verifier {
    /// Checks that all batches read the expected items.
    mutating func check(_ checksums: Set<ItemChecksum>, equal expected: ItemChecksum) {
        check("answers", checksums.count, equals: 1)
        for checksum in checksums {
            check("items read", checksum.itemCount, equals: expected.itemCount)
            check(
                "checksum", Int(truncatingIfNeeded: checksum.sum),
                equals: Int(truncatingIfNeeded: expected.sum))
        }
    }
}

extension EngineWorkload {
    /// What a reader should know before comparing a row; nil for most rows.
    static func note(on row: String) -> String? {
        switch row {
        case "fault":
            "fault: each SELECT of a peer has its own read transaction; the engine's faults share one "
                + "during a turn of their context's queue."
        case "fault-in-transaction":
            "fault-in-transaction: the same work, with all SELECTs of a peer in one read transaction."
        default: nil
        }
    }
}

extension WorkloadKind {
    static let engine = WorkloadKind(
        name: "engine", summary: "a line of the engine's speed table, beside C and GRDB",
        subjects: [.engine, .peer, .limit], usesDataset: false, store: EngineWorkload.store,
        parameters: [
            WorkloadParameter(
                name: "row",
                values: .choice([
                    "fetch-realise", "fetch-one-integer", "fetch-memory", "insert",
                    "insert-with-history", "external-insert", "names-beside-external",
                    "insert-on-racks", "insert-with-derived-count",
                    "batch-insert", "update", "batch-update", "fault",
                    "fault-in-transaction", "pages", "first-page", "first-batch", "scroll",
                    "read-integer", "read-text", "filter-loaded", "growth-fetch", "growth-insert",
                    "upsert", "import-json", "look-up", "look-up-in-transaction", "full-text",
                    "walk", "walk-prefetched",
                ]),
                defaultValue: "fetch-realise", summary: "the line"),
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "100000",
                summary: "rows of ten columns"),
            WorkloadParameter(
                name: "variant", values: .cases(of: PeerVariant.self), defaultValue: "reference",
                summary: "how a peer inserts: so many rows with a statement in C, records in GRDB;"
                    + " the reference is the fastest way"),
        ],
        extraMetrics: [
            Metric("costGrowth", title: "cost per row, 1,000,000 : 10,000", unit: .ratio),
            Metric("readTime", title: "one read", unit: .nanoseconds),
        ],
        run: EngineWorkload.run)
}
