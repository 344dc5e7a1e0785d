import Measuring
import ObjectGraph

/// Deletes the first half of the folders, and the notes in them.
enum DeleteWorkload {
    enum Way: String, CaseIterable {
        /// Each note, then each folder, in one save.
        case objects
        /// Each folder in one save; the delete rule takes the notes along.
        case owner
        /// A batch request for the notes and one for the folders, in two transactions.
        case request
        /// One batch request for the folders; the delete rule takes the notes along.
        case ownerRequest = "owner-request"
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let noteCount = context.integer("rows")
        let store = NoteStore(context)
        var expected = ExpectedNotes(store, noteCount: noteCount)
        let lastDeleted = expected.folderCount / 2
        expected.folderCount -= lastDeleted
        expected.folders = expected.folders.filter { $0.value > lastDeleted }

        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(store.makeModel())
        let notes = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let sample = try context.measure(
            in: notes, rowCount: noteCount - expected.folders.count
        ) {
            try way.delete(foldersTo: lastDeleted, in: notes)
        }.sample
        try coordinator.removePersistentStores()

        let reader = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: reader)
        try verifier.checkNotes(in: reader, are: expected)
        verifier.checkAny("deleted folders", lastDeleted)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension DeleteWorkload.Way {
    fileprivate func delete(foldersTo last: Int, in context: ManagedObjectContext) throws {
        let ofNotes = FetchRequest(
            entityName: "Note", predicate: try ObjectPredicate("folder.number <= %ld", last))
        let ofFolders = FetchRequest(
            entityName: "Folder", predicate: try ObjectPredicate("number <= %ld", last))
        switch self {
        case .objects:
            for note in try context.fetch(ofNotes, as: Note.self) { context.delete(note) }
            fallthrough
        case .owner:
            for folder in try context.fetch(ofFolders, as: Folder.self) { context.delete(folder) }
            try context.save()
        case .request:
            try context.execute(BatchDeleteRequest(fetchRequest: ofNotes))
            fallthrough
        case .ownerRequest: try context.execute(BatchDeleteRequest(fetchRequest: ofFolders))
        }
    }
}

extension NoteStore {
    fileprivate init(_ context: WorkerContext) {
        self.init(
            noteCount: context.integer("rows"), notesPerFolder: context.integer("notesPerFolder"),
            deleteRule: .cascade)
    }
}

extension WorkloadKind {
    static let delete = WorkloadKind(
        name: "delete", summary: "delete folders and their notes, object by object or at once",
        subjects: [.engine], data: .own({ NoteStore($0) }),
        parameters: [
            WorkloadParameter(
                name: "way", values: .cases(of: DeleteWorkload.Way.self), defaultValue: "owner",
                summary: "each object, the folders, or batch requests for both or for folders"),
            .notes, .notesPerFolder,
        ],
        run: DeleteWorkload.run)
}
