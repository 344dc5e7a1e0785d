import Measuring
import ObjectGraph

/// A to-one relationship with an inverse and without: what the inverse costs, and what it keeps
/// intact.
enum InverseWorkload {
    enum Way: String, CaseIterable {
        /// Notes and their folders.
        case insert
        /// Each note to the next folder, in one save.
        case move
        /// The notes of each folder: by the inverse, or by a request for each.
        case read
        /// Every second folder, in one save. Without an inverse its notes still refer to it.
        case delete
    }

    static let danglingReferences = Metric(
        "danglingReferences", title: "dangling references", unit: .count)

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let noteCount = context.integer("rows")
        let store = NoteStore(context)
        try context.placeStore(isWritten: way != .read)
        let coordinator = try context.openCoordinator(store.makeModel())
        let notes = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let objects = try way.load(in: notes)
        let (measured, readSum) = try context.measure(in: notes, rowCount: noteCount) {
            try way.work(on: objects, store, noteCount, in: notes)
        }
        try coordinator.removePersistentStores()

        let reader = try StoreReader(context.storeURL)
        let expected = way.expected(ExpectedNotes(store, noteCount: noteCount), store)
        var verifier = Verifier()
        try verifier.checkJournal(of: reader)
        try verifier.checkNotes(in: reader, are: expected)
        if way == .read {
            verifier.check("numbers read", readSum, equals: noteCount * (noteCount + 1) / 2)
        }
        var sample = measured
        if way == .delete {
            sample[danglingReferences] = Double(
                expected.folders.values.count { expected.missing.contains($0) })
        }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

/// The objects that the work begins with, in the order of their numbers.
private struct LoadedNotes {
    var notes: [ManagedObjectID] = []
    var folders: [ManagedObjectID] = []
}

extension InverseWorkload.Way {
    /// Registers the objects with their values, so that the work does not fetch them.
    fileprivate func load(in context: ManagedObjectContext) throws -> LoadedNotes {
        guard self != .insert else { return LoadedNotes() }
        return try context.performAndWait {
            context.retainsRegisteredObjects = true
            func load<Object: ManagedObject>(_ type: Object.Type) throws -> [ManagedObjectID] {
                var request = FetchRequest(
                    entityName: type.entityName, sortKeys: [.ascending("number")])
                request.returnsObjectsAsFaults = false
                return try context.fetch(request, as: type).map(\.objectID)
            }
            return LoadedNotes(
                notes: self == .move ? try load(Note.self) : [], folders: try load(Folder.self))
        }
    }

    /// - Returns: the sum of the numbers that were read.
    fileprivate func work(
        on objects: LoadedNotes, _ store: NoteStore, _ noteCount: Int,
        in context: ManagedObjectContext
    ) throws -> Int {
        let folders = objects.folders.compactMap { context.object(with: $0) as? Folder }
        switch self {
        case .insert: try store.insert(noteCount, in: context)
        case .move:
            for (index, note) in objects.notes.enumerated() {
                let folder = folders[(index / store.notesPerFolder + 1) % folders.count]
                (context.object(with: note) as? Note)?[Note.folder] = folder
            }
            try context.save()
        case .delete:
            for folder in folders where folder.number.isMultiple(of: 2) {
                context.delete(folder)
            }
            try context.save()
        case .read:
            return try folders.reduce(0) { sum, folder in
                let notes =
                    try store.hasInverse
                    ? Array(folder.notes)
                    : Note.all(in: context, where: ObjectPredicate("folder == %@", folder))
                return sum + notes.reduce(0) { $0 + $1.number }
            }
        }
        return 0
    }

    fileprivate func expected(_ notes: ExpectedNotes, _ store: NoteStore) -> ExpectedNotes {
        var expected = notes
        switch self {
        case .insert, .read: break
        case .move: expected.folders = notes.folders.mapValues { $0 % notes.folderCount + 1 }
        case .delete:
            let deleted = Set(notes.folders.values.filter { $0.isMultiple(of: 2) })
            expected.folderCount -= deleted.count
            if store.hasInverse {
                expected.folders = notes.folders.mapValues { deleted.contains($0) ? 0 : $0 }
            } else {
                expected.missing = deleted
            }
        }
        return expected
    }
}

extension NoteStore {
    fileprivate init(_ context: WorkerContext) {
        self.init(
            noteCount: context.text("way") == "insert" ? 0 : context.integer("rows"),
            notesPerFolder: context.integer("notesPerFolder"),
            hasInverse: context.flag("hasInverse"))
    }
}

extension WorkloadKind {
    static let inverse = WorkloadKind(
        name: "inverse", summary: "what an inverse costs, and what it keeps intact",
        subjects: [.engine], data: .own({ NoteStore($0) }),
        parameters: [
            WorkloadParameter(
                name: "hasInverse", values: .flag, defaultValue: "true",
                summary: "whether the folder of a note has a relationship back"),
            WorkloadParameter(
                name: "way", values: .cases(of: InverseWorkload.Way.self), defaultValue: "insert",
                summary: "insert notes, move each to another folder, read those of each folder, or"
                    + " delete every second folder"),
            .notes, .notesPerFolder,
        ],
        extraMetrics: [InverseWorkload.danglingReferences],
        run: InverseWorkload.run)
}
