import ObjectGraph

/// A note in a folder, for the workloads about relationships.
final class Note: ManagedObject {
    static let number = Attribute<Int>("number")
    static let folder = ToOne<Folder>("folder")

    var number: Int { self[Self.number] }
}

final class Folder: ManagedObject {
    static let number = Attribute<Int>("number")
    static let notes = ToMany<Note>("notes")
}

/// A store of notes in folders of equal size. Both are numbered from 1.
struct NoteStore: SampleStore {
    var noteCount: Int
    var notesPerFolder: Int
    /// Whether folders have the relationship `notes`, the inverse of `folder`.
    var hasInverse = true
    /// The delete rule of `notes`.
    var deleteRule = DeleteRule.nullify

    func makeModel() throws -> ManagedObjectModel {
        let number = AttributeDescription("number", .integer64, isOptional: false)
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Note", managedObjectClass: Note.self, attributes: [number],
                relationships: [.toOne("folder", "Folder", inverse: hasInverse ? "notes" : nil)]),
            EntityDescription(
                name: "Folder", managedObjectClass: Folder.self, attributes: [number],
                relationships: hasInverse
                    ? [.toMany("notes", "Note", inverse: "folder", deleteRule: deleteRule)] : [],
                indexes: [FetchIndexDescription("byNumber", on: "number")]),
        ])
    }

    func make(in context: WorkerContext) throws -> [String: Int64] {
        let coordinator = try context.openCoordinator(makeModel())
        let notes = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try notes.performAndWait { try insert(noteCount, in: notes) }
        try coordinator.removePersistentStores()
        return [:]
    }

    /// Inserts notes and their folders, at least 1,000 notes a save.
    func insert(_ noteCount: Int, in context: ManagedObjectContext) throws {
        var unsavedCount = 0
        for start in stride(from: 0, to: noteCount, by: notesPerFolder) {
            let folder = Folder(context: context)
            folder[Folder.number] = start / notesPerFolder + 1
            for index in start..<min(start + notesPerFolder, noteCount) {
                let note = Note(context: context)
                note[Note.number] = index + 1
                note[Note.folder] = folder
            }
            unsavedCount += notesPerFolder
            guard unsavedCount >= 1_000 else { continue }
            try context.save()
            unsavedCount = 0
        }
        try context.save()
    }
}

/// The notes that a store must have.
struct ExpectedNotes {
    /// The folder of each note; 0 for none.
    var folders: [Int: Int]
    /// The folders that do not exist, but that notes refer to.
    var missing: Set<Int> = []
    var folderCount: Int

    init(_ store: NoteStore, noteCount: Int) {
        folders = Dictionary(
            uniqueKeysWithValues: (0..<noteCount).map { ($0 + 1, $0 / store.notesPerFolder + 1) })
        folderCount = (noteCount + store.notesPerFolder - 1) / store.notesPerFolder
    }
}

extension Verifier {
    mutating func checkNotes(in store: StoreReader, are expected: ExpectedNotes) throws {
        let found = try store.integers(
            """
            SELECT COUNT(*), SUM(n.ZNUMBER), SUM(n.ZNUMBER * f.ZNUMBER),
                COUNT(n.ZFOLDER) - COUNT(f.Z_PK), (SELECT COUNT(*) FROM ZFOLDER)
            FROM ZNOTE n LEFT JOIN ZFOLDER f ON f.Z_PK = n.ZFOLDER
            """)
        let kept = expected.folders.filter { !expected.missing.contains($0.value) }
        check("notes", found[0], equals: expected.folders.count)
        check("their numbers", found[1], equals: expected.folders.keys.reduce(0, +))
        check("their folders", found[2], equals: kept.reduce(0) { $0 + $1.key * $1.value })
        check(
            "references to missing folders", found[3],
            equals: expected.folders.count - kept.count)
        check("folders", found[4], equals: expected.folderCount)
    }
}

extension WorkloadParameter {
    static let notes = WorkloadParameter(
        name: "rows", values: .integer(1...10_000_000), defaultValue: "20000", summary: "notes")
    static let notesPerFolder = WorkloadParameter(
        name: "notesPerFolder", values: .integer(1...1_000_000), defaultValue: "100",
        summary: "notes in each folder")
}
