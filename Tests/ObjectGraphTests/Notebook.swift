import Foundation
import Synchronization
import Testing

@testable import ObjectGraph

/// The model for tests of object life cycles: ordered notes, with a transient and a transformable
/// attribute, and tags.
///
///     Notebook ──< Note (ordered, cascade) >──< Tag
let notebookModel: ManagedObjectModel = {
    do {
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Notebook", managedObjectClass: Notebook.self,
                attributes: [AttributeDescription("title", .string)],
                relationships: [
                    .toMany(
                        "notes", "Note", inverse: "notebook", deleteRule: .cascade, isOrdered: true)
                ]),
            EntityDescription(
                name: "Note", managedObjectClass: Note.self,
                attributes: [
                    AttributeDescription("text", .string, isOptional: false),
                    AttributeDescription("count", .integer32, defaultValue: 1),
                    AttributeDescription(
                        "mood", .string, defaultValue: "calm", isTransient: true),
                    AttributeDescription(
                        "colour", .transformable, transformer: .codable(Colour.self)),
                ],
                relationships: [
                    .toOne("notebook", "Notebook", inverse: "notes"),
                    .toMany("tags", "Tag", inverse: "notes"),
                ]),
            EntityDescription(
                name: "Tag", managedObjectClass: Tag.self,
                attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("notes", "Note", inverse: "tags", isOrdered: true)]),
        ])
    } catch {
        preconditionFailure("\(error)")
    }
}()

struct Colour: Codable, Hashable, Sendable {
    var red = 0.0
    var green = 0.0
    var blue = 0.0
}

class Notebook: ManagedObject {
    static let title = Attribute<String?>("title")
    static let notes = OrderedToMany<Note>("notes")

    var title: String? {
        get { self[Self.title] }
        set { self[Self.title] = newValue }
    }
    var notes: [Note] {
        get { self[Self.notes] }
        set { self[Self.notes] = newValue }
    }
}

/// A class that overrides every hook and records it in the journal.
final class Note: ManagedObject {
    static let text = Attribute<String>("text")
    static let count = Attribute<Int>("count")
    static let mood = Attribute<String?>("mood")
    static let colour = Transformable<Colour>("colour")
    static let notebook = ToOne<Notebook>("notebook")
    static let tags = ToMany<Tag>("tags")

    var text: String {
        get { self[Self.text] }
        set { self[Self.text] = newValue }
    }
    var count: Int {
        get { self[Self.count] }
        set { self[Self.count] = newValue }
    }
    var mood: String? {
        get { self[Self.mood] }
        set { self[Self.mood] = newValue }
    }
    var colour: Colour? {
        get { self[Self.colour] }
        set { self[Self.colour] = newValue }
    }
    var notebook: Notebook? {
        get { self[Self.notebook] }
        set { self[Self.notebook] = newValue }
    }
    var tags: Set<Tag> {
        get { self[Self.tags] }
        set { self[Self.tags] = newValue }
    }

    /// A property that is not in the model.
    var remark = ""

    override func awakeFromInsert() { Journal.note("awakeFromInsert", self) }
    override func awakeFromFetch() { Journal.note("awakeFromFetch", self) }
    override func awake(fromSnapshotEvents events: SnapshotEvents) {
        Journal.note("awake \(events.rawValue)", self)
    }
    override func prepareForDeletion() { Journal.note("prepareForDeletion", self) }
    override func willSave() { Journal.note("willSave", self) }
    override func didSave() { Journal.note("didSave", self) }
    override func willTurnIntoFault() { Journal.note("willTurnIntoFault", self) }
    override func didTurnIntoFault() { Journal.note("didTurnIntoFault", self) }
    override class var validatedKeys: [String] { ["text"] }
    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        try super.validateValue(&value, forKey: key)
        if value as? String == "untidy" { value = "tidy" }
        if value as? String == "refused" {
            throw ValidationError(self, key: key, .custom("Not this text."))
        }
    }
    override func validateForInsert() throws {
        Journal.note("validateForInsert", self)
        try super.validateForInsert()
    }
    override func validateForUpdate() throws {
        Journal.note("validateForUpdate", self)
        try ValidationErrors.collecting(on: self) {
            try super.validateForUpdate()
        } and: {
            if count < 0 {
                throw ValidationError(self, key: "count", .custom("Less than nothing."))
            }
        }
    }
    override func validateForDelete() throws {
        Journal.note("validateForDelete", self)
        try super.validateForDelete()
    }
}

final class Tag: ManagedObject {
    static let name = Attribute<String?>("name")
    static let notes = OrderedToMany<Note>("notes")

    var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var notes: [Note] {
        get { self[Self.notes] }
        set { self[Self.notes] = newValue }
    }
}

/// The hooks that ran, in order, and actions for hooks.
final class Journal: Sendable {
    /// The journal of the current test.
    @TaskLocal static var current: Journal?

    private let state = Mutex<(hooks: [String], reactions: [String: @Sendable (Note) -> Void])>(
        ([], [:]))

    /// Runs the body with a journal.
    static func keeping<Result>(
        _ body: (Journal) throws -> Result
    ) rethrows -> Result {
        let journal = Journal()
        return try $current.withValue(journal) { try body(journal) }
    }

    /// Adds an action to a hook.
    func on(_ hook: String, _ reaction: @escaping @Sendable (Note) -> Void) {
        state.withLock { $0.reactions[hook] = reaction }
    }

    /// The hooks that ran since the last call.
    func take() -> [String] {
        state.withLock { state in
            defer { state.hooks = [] }
            return state.hooks
        }
    }

    /// Records an event from elsewhere.
    func report() { state.withLock { $0.hooks.append("report") } }

    static func note(_ hook: String, _ note: Note) {
        guard let journal = current else { return }
        let reaction = journal.state.withLock { state in
            state.hooks.append(hook)
            return state.reactions[hook]
        }
        reaction?(note)
    }
}

extension StoreFixture {
    static func notebook(inMemory: Bool = false) throws -> StoreFixture {
        try StoreFixture(notebookModel, inMemory: inMemory)
    }

    /// Adds saved notes to a saved notebook in another context, one by one, and saves.
    func addElsewhere(_ notes: [Note], to notebook: Notebook) throws {
        let (id, noteIDs) = (notebook.objectID, notes.map(\.objectID))
        let other = makeContext()
        try other.performAndWait {
            let notebook = try #require(other.object(with: id) as? Notebook)
            for noteID in noteIDs {
                try #require(other.object(with: noteID) as? Note).notebook = notebook
            }
            try other.save()
        }
    }
}

/// A store of notebooks whose context can undo.
func undoable() throws -> StoreFixture {
    let store = try StoreFixture.notebook()
    store.run { $0.undoManager = UndoManager() }
    return store
}

extension ManagedObjectContext {
    @discardableResult
    func makeNote(_ text: String, in notebook: Notebook? = nil) -> Note {
        let note = Note(context: self)
        note.text = text
        note.notebook = notebook
        return note
    }

    func notes() throws -> [Note] {
        Array(
            try fetch(
                FetchRequest(entityName: "Note", sortKeys: [.ascending("text")]), as: Note.self))
    }

    /// Makes a notebook whose deletion is saved and undone, with a note to which another program has
    /// given its key.
    ///
    /// Needs an undo manager. The notebook is inserted afterwards.
    func bringBackNotebook(
        givenNoteIn store: StoreFixture
    ) throws -> (notebook: Notebook, noteID: ManagedObjectID) {
        mergePolicy = .overwrite
        let notebook = Notebook(context: self)
        try save()
        let other = store.makeContext()
        let noteID = try other.performAndWait {
            let note = other.makeNote("a")
            try other.save()
            return note.objectID
        }
        let key = notebook.objectID.reference
        delete(notebook)
        try save()
        // As another program may leave it.
        let path = store.folder.path("store.sqlite")
        try Connection(SQLiteConfiguration(path: path))
            .execute("UPDATE ZNOTE SET ZNOTEBOOK = \(key), Z_OPT = Z_OPT + 1")
        undo()
        return (notebook, noteID)
    }
}
