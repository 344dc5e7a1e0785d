import Measuring
import ObjectGraph
import RunRecords

/// Words in the notes of items: found by CONTAINS, which looks at every note, or by SEARCH in a
/// full-text index, which saves keep up to date.
enum FullTextWorkload {
    enum Way: String, CaseIterable {
        /// Notes with a given name, one in 50.
        case word
        /// Notes with a given name and a family name, in any place.
        case words
        /// Notes with the two names in a row.
        case phrase
        /// Notes with a family name that begins with some letters, one in 100.
        case prefix
        /// Saves of ``WorkloadParameter/saveSize`` new items.
        case insert
    }

    fileprivate static let storeBytes = Metric(
        "storeBytes", title: "bytes of the store", unit: .bytes)

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let store = SearchedItems(context)
        var verifier = Verifier()
        let sample =
            way == .insert
            ? try insert(store, context, &verifier) : try search(way, store, context, &verifier)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func search(
        _ way: Way, _ store: SearchedItems, _ context: WorkerContext, _ verifier: inout Verifier
    ) throws -> Sample {
        var expected = ItemChecksum()
        for number in 1...store.rowCount where way.matches(number) {
            expected.add(number: Int64(number))
        }
        let predicate = try way.predicate(isIndexed: store.isIndexed)
        try context.placeStore(isWritten: false)
        let engine = try store.open(in: context)
        var answers: Set<ItemChecksum> = []
        let sample = try context.measureBatches(rowCount: store.rowCount) { batches in
            answers.insert(try batches.time(engine) { try engine.findItems(where: predicate) })
        }
        try engine.close()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        verifier.check(answers, equal: expected)
        verifier.checkAny("matching notes", expected.itemCount)
        return sample
    }

    private static func insert(
        _ store: SearchedItems, _ context: WorkerContext, _ verifier: inout Verifier
    ) throws -> Sample {
        var sample = try ItemWrite.insert.measure(store, context, &verifier)
        let reader = try StoreReader(context.storeURL)
        sample[storeBytes] = Double(try reader.usedBytes)
        guard store.isIndexed else { return sample }
        let found = try reader.integer(
            "SELECT COUNT(*) FROM Z_FT_Item_words WHERE Z_FT_Item_words MATCH '\(Way.names[0])'")
        let expected = (1...context.integer("rows")).count { Way.word.matches($0) }
        verifier.check("notes in the index", found, equals: expected)
        return sample
    }
}

extension FullTextWorkload.Way {
    /// The number of the person who is searched.
    private static let person = 57
    fileprivate static let names = [ItemText.givenName(person), ItemText.familyName(person)]

    /// What the note contains.
    private var parts: [String] {
        switch self {
        case .word: [Self.names[0]]
        case .words: Self.names
        case .phrase: [Self.names.joined(separator: " ")]
        // Ten family names.
        case .prefix: [String(Self.names[1].dropLast())]
        case .insert: []
        }
    }

    fileprivate func predicate(isIndexed: Bool) throws -> ObjectPredicate {
        guard isIndexed else {
            return .and(try parts.map { try ObjectPredicate("note CONTAINS[cd] %@", $0) })
        }
        let words = parts.joined(separator: " ")
        let query =
            switch self {
            case .phrase: "\"\(words)\""
            case .prefix: "\(words)*"
            case .word, .words, .insert: words
            }
        return try ObjectPredicate("note SEARCH %@", query)
    }

    /// Whether the note of the item with this number matches.
    fileprivate func matches(_ number: Int) -> Bool {
        let (given, family) = (ItemText.givenName(number), ItemText.familyName(number))
        return switch self {
        case .word: given == Self.names[0]
        case .words: [given, family] == Self.names
        case .phrase: [given, family] == Self.names && ItemText.isNameTogether(number)
        case .prefix: family.hasPrefix(parts[0])
        case .insert: false
        }
    }
}

private struct SearchedItems: DeclaredItems {
    var rowCount: Int
    var wordsPerNote: Int
    var isIndexed: Bool

    init(_ context: WorkerContext) {
        rowCount = context.text("way") == "insert" ? 0 : context.integer("rows")
        wordsPerNote = context.integer("wordsPerNote")
        isIndexed = context.flag("isIndexed")
    }

    func makeModel() throws -> ManagedObjectModel {
        try Item.makeModel(isIndexed ? [.searchableNote] : [])
    }

    func makeItems(_ count: Int) -> [ItemRow] {
        ItemRow.generated(count: count, wordsPerNote: wordsPerNote)
    }
}

extension WorkloadKind {
    static let fullText = WorkloadKind(
        name: "full-text",
        summary: "what a full-text index saves a search for words and costs a save",
        subjects: [.engine], data: .own({ SearchedItems($0) }),
        parameters: [
            WorkloadParameter(
                name: "isIndexed", values: .flag, defaultValue: "true",
                summary: "whether notes have a full-text index for SEARCH; CONTAINS[cd] otherwise"),
            WorkloadParameter(
                name: "way", values: .cases(of: FullTextWorkload.Way.self), defaultValue: "word",
                summary: "find a word, two words, a phrase or the beginning of a word, or insert"
                    + " all"),
            WorkloadParameter(
                name: "rows", values: .integer(100...10_000_000), defaultValue: "20000",
                summary: "items of ten columns"),
            WorkloadParameter(
                name: "wordsPerNote", values: .integer(10...10_000), defaultValue: "50",
                summary: "words in the note of each item"),
            .saveSize,
        ],
        extraMetrics: [FullTextWorkload.storeBytes],
        run: FullTextWorkload.run)
}
