import Measuring
import ObjectGraph

/// The number of notes in a folder: counted from objects, counted by the fetch, or kept by the
/// store.
enum DerivedWorkload {
    enum Source: String, CaseIterable {
        /// Folders with all their notes, as objects.
        case objects
        /// `notes.@count` in the request.
        case fetch
        /// A derived attribute.
        case derived
        /// A derived attribute with an index.
        case indexed
    }

    enum Way: String, CaseIterable {
        /// The folders with the most notes, and their numbers of notes.
        case list
        /// The number of folders that have more than one and a half times the mean.
        case filter
        /// Notes and their folders.
        case insert
    }

    fileprivate static let pageRowCount = 20

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let source: Source = context.choice("source")
        let way: Way = context.choice("way")
        let noteCount = context.integer("rows")
        let store = NoteStore(context)
        let limit = store.notesPerFolder * 3 / 2
        try context.placeStore(isWritten: way == .insert)
        let coordinator = try context.openCoordinator(store.makeModel())
        let notes = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let (sample, answer) = try context.measure(in: notes, rowCount: noteCount) { () -> [Int] in
            guard way == .insert else { return try source.answer(way, limit, in: notes) }
            try store.insert(noteCount, in: notes)
            return []
        }
        try coordinator.removePersistentStores()

        let reader = try StoreReader(context.storeURL)
        let folders = store.folderSizes(of: noteCount).enumerated().map {
            CountedFolder(number: $0 + 1, noteCount: $1)
        }
        let expected = way.answer(of: folders, limit)
        var verifier = Verifier()
        try verifier.checkJournal(of: reader)
        try verifier.checkNotes(in: reader, are: ExpectedNotes(store, noteCount: noteCount))
        verifier.check("numbers in the answer", answer.count, equals: expected.count)
        verifier.check("right answers", answer == expected ? 1 : 0, equals: 1)
        if store.keptCount != .none { try verifier.checkKeptCounts(in: reader) }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

/// A folder and its number of notes. Fuller folders come first.
private struct CountedFolder: Comparable {
    var number: Int
    var noteCount: Int

    static func < (first: Self, second: Self) -> Bool {
        (second.noteCount, first.number) < (first.noteCount, second.number)
    }
}

extension DerivedWorkload.Way {
    /// What is asked about all folders, as numbers.
    fileprivate func answer(of folders: [CountedFolder], _ limit: Int) -> [Int] {
        switch self {
        case .list:
            folders.sorted().prefix(DerivedWorkload.pageRowCount)
                .flatMap { [$0.number, $0.noteCount] }
        case .filter: [folders.count { $0.noteCount > limit }]
        case .insert: []
        }
    }
}

extension DerivedWorkload.Source {
    fileprivate func answer(
        _ way: DerivedWorkload.Way, _ limit: Int, in context: ManagedObjectContext
    ) throws -> [Int] {
        guard self != .objects else { return way.answer(of: try folders(in: context), limit) }
        let key = self == .fetch ? "notes.@count" : "noteCount"
        var request = FetchRequest(entityName: "Folder")
        switch way {
        case .list:
            request.propertiesToFetch = [
                "number", FetchedProperty(name: "count", expression: .keyPath(key)),
            ]
            request.sortKeys = [.descending("count"), .ascending("number")]
            request.fetchLimit = DerivedWorkload.pageRowCount
            return try context.fetchDictionaries(request).flatMap { folder in
                ["number", "count"].map { Int(folder[$0]?.integer ?? -1) }
            }
        case .filter:
            request.predicate = try ObjectPredicate("%K > %ld", key, limit)
            return [try context.count(for: request)]
        case .insert: return []
        }
    }

    /// All folders. One statement fetches their notes.
    private func folders(in context: ManagedObjectContext) throws -> [CountedFolder] {
        var request = FetchRequest(entityName: "Folder")
        request.returnsObjectsAsFaults = false
        request.relationshipKeyPathsForPrefetching = ["notes"]
        return try context.fetch(request, as: Folder.self).map {
            CountedFolder(number: $0.number, noteCount: $0.notes.count)
        }
    }
}

extension Verifier {
    fileprivate mutating func checkKeptCounts(in store: StoreReader) throws {
        let wrong = try store.integer(
            """
            SELECT COUNT(*) FROM ZFOLDER f WHERE ZNOTECOUNT IS NOT \
            (SELECT COUNT(*) FROM ZNOTE WHERE ZFOLDER = f.Z_PK)
            """)
        check("wrong counts", wrong, equals: 0)
    }
}

extension NoteStore {
    fileprivate init(_ context: WorkerContext) {
        let source: DerivedWorkload.Source = context.choice("source")
        self.init(
            noteCount: context.text("way") == "insert" ? 0 : context.integer("rows"),
            notesPerFolder: context.integer("notesPerFolder"), isUneven: true,
            keptCount: source == .derived ? .derived : source == .indexed ? .indexed : .none)
    }
}

extension WorkloadKind {
    static let derived = WorkloadKind(
        name: "derived", summary: "what a count that the store keeps saves a list and costs a save",
        subjects: [.engine], data: .own({ NoteStore($0) }),
        parameters: [
            WorkloadParameter(
                name: "source", values: .cases(of: DerivedWorkload.Source.self),
                defaultValue: "derived",
                summary: "who counts the notes of a folder: a loop over objects, the fetch, or the"
                    + " store, with an index or without"),
            WorkloadParameter(
                name: "way", values: .cases(of: DerivedWorkload.Way.self), defaultValue: "list",
                summary: "list the \(DerivedWorkload.pageRowCount) fullest folders, count those"
                    + " with more than a number, or insert all notes and folders"),
            .notes, .notesPerFolder,
        ],
        run: DerivedWorkload.run)
}
