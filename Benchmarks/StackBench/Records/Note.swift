import Measuring
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

    var number: Int { self[Self.number] }
    var notes: Set<Note> { self[Self.notes] }
}

/// A store of notes in folders. Both are numbered from 1.
struct NoteStore: SampleStore {
    /// What the store keeps of the number of notes in a folder.
    enum KeptCount {
        case none
        /// The derived attribute `noteCount`.
        case derived
        /// The same with an index.
        case indexed
    }

    var noteCount: Int
    var notesPerFolder: Int
    /// Whether folders have from none to twice as many notes.
    var isUneven = false
    /// Whether folders have the relationship `notes`, the inverse of `folder`.
    var hasInverse = true
    /// The delete rule of `notes`.
    var deleteRule = DeleteRule.nullify
    var keptCount = KeptCount.none

    func makeModel() throws -> ManagedObjectModel {
        let number = AttributeDescription("number", .integer64, isOptional: false)
        var folder = EntityDescription(
            name: "Folder", managedObjectClass: Folder.self, attributes: [number],
            relationships: hasInverse
                ? [.toMany("notes", "Note", inverse: "folder", deleteRule: deleteRule)] : [],
            indexes: [FetchIndexDescription("byNumber", on: "number")])
        if keptCount != .none {
            folder.attributes.append(
                AttributeDescription("noteCount", .integer64, derivation: "notes.@count"))
        }
        if keptCount == .indexed {
            folder.indexes.append(FetchIndexDescription("byNoteCount", on: "noteCount"))
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Note", managedObjectClass: Note.self, attributes: [number],
                relationships: [.toOne("folder", "Folder", inverse: hasInverse ? "notes" : nil)]),
            folder,
        ])
    }

    /// The sizes of the folders that have so many notes together. Every call returns the same ones.
    func folderSizes(of noteCount: Int) -> [Int] {
        var random = SeededGenerator(seed: 1)
        var sizes: [Int] = []
        var rest = noteCount
        while rest > 0 {
            let size =
                isUneven ? Int.random(in: 0...2 * notesPerFolder, using: &random) : notesPerFolder
            sizes.append(min(size, rest))
            rest -= size
        }
        return sizes
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
        var (number, unsavedCount) = (0, 0)
        for (index, size) in folderSizes(of: noteCount).enumerated() {
            let folder = Folder(context: context)
            folder[Folder.number] = index + 1
            for _ in 0..<size {
                number += 1
                let note = Note(context: context)
                note[Note.number] = number
                note[Note.folder] = folder
            }
            unsavedCount += size
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
        let sizes = store.folderSizes(of: noteCount)
        folders = [:]
        for (index, size) in sizes.enumerated() {
            for _ in 0..<size { folders[folders.count + 1] = index + 1 }
        }
        folderCount = sizes.count
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
