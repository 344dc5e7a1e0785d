import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Any one of SQLite's calls to the file can fail in a save: nothing is lost, nothing is half done,
/// and the next attempt succeeds.
@Suite(.serialized) struct `Failing saves (§5.1)` {
    @Test(
        arguments: [
            ("busy", SQLITE_BUSY), ("full", SQLITE_FULL), ("input and output", SQLITE_IOERR),
            ("corrupt", SQLITE_CORRUPT),
        ], ["WAL", "DELETE"])
    func `each call may fail once (§5.1.7, §5.1.12, §11.3.2, §14.14)`(
        _ failure: (name: String, code: Int32), _ journal: String
    ) throws {
        FailingFileSystem.register()
        let template = TemporaryFolder()
        try Trial.makeStore(in: template, journal: journal)
        var number = 0
        var failedSaves = 0
        while true {
            number += 1
            let trial = try Trial(copying: template, journal: journal)
            let (fired, failed) = try trial.run(failing: number, with: failure.code)
            failedSaves += failed ? 1 : 0
            if !fired { break }
            try #require(number < 2000, "the save never gets through")
        }
        #expect(failedSaves > 3, "\(failedSaves) of \(number) calls made the save fail")
    }

    @Test func `a fault that cannot be read stays one and keeps what is set (§5.1.12)`() throws {
        let (trial, id) = try Trial.withFault()
        let told = Recorder<ManagedObjectID>()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            context.faultHandler = { id, _ in told.values.append(id) }
            Trial.whileFailing { author.name = "Octavia" }
            #expect(author.isFault && author.isUpdated && told.values == [id])
            Trial.whileFailing { #expect(throws: StoreError.self) { try context.save() } }
            #expect(author.isFault && author.isUpdated)
            try context.save()
            #expect(author.name == "Octavia" && !context.hasChanges)
        }
        let rows = try trial.storedRows().filter { $0.hasPrefix("ZAUTHOR") }
        #expect(rows.count == 1 && rows[0].contains("Octavia"))
    }

    @Test func `another end that cannot be read is no missing value (§5.1.12)`() throws {
        let (trial, id) = try Trial.withFault()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            let book = TestSupport.Book(context: context)
            book.title = "Lavinia"
            book.author = author
            Trial.whileFailing { #expect(throws: StoreError.self) { try context.save() } }
            #expect(author.isFault && book.isInserted)
            try context.save()
            #expect(author.name == "Ursula K. Le Guin" && author.publications.count == 4)
        }
    }

    @Test func `members that cannot be read are read the next time (§5.1.12)`() throws {
        let (trial, id) = try Trial.withFault()
        trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            Trial.whileFailing {
                #expect(author.publications.isEmpty)
                // The removed members are unknown.
                author.publications = []
            }
            #expect(author.publications.count == 3 && !context.hasChanges)
        }
    }

    @Test func `what was made of a value that could not be read is not saved (§5.1.12)`() throws {
        let (trial, id) = try Trial.withFault()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            Trial.whileFailing { author.birthYear = (author.birthYear ?? 0) + 1 }
            for _ in 0..<2 { Trial.expectUnread(id) { try context.save() } }
            context.refresh(author, mergeChanges: true)
            Trial.expectUnread(id) { try context.save() }
            context.refresh(author, mergeChanges: false)
            author.birthYear = (author.birthYear ?? 0) + 1
            try context.save()
        }
        #expect(try trial.storedRows().contains { $0.hasPrefix("ZAUTHOR") && $0.contains("1930") })
    }

    @Test func `nor is what another object was given of it, until a rollback (§5.1.12)`() throws {
        let (trial, id) = try Trial.withFault()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            let book = TestSupport.Book(context: context)
            book.title = "Lavinia"
            Trial.whileFailing { book.year = (author.birthYear ?? 0) + 79 }
            Trial.expectUnread(id) { try context.save() }
            context.rollback()
            #expect(!context.hasChanges)
            TestSupport.Author(context: context).name = "Octavia"
            try context.save()
        }
        #expect(try !trial.storedRows().contains { $0.contains("Lavinia") })
    }

    @Test func `a member that is added to members that cannot be read is not lost (§5.1.12)`()
        throws
    {
        let (trial, id) = try Trial.withFault()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            let book = TestSupport.Book(context: context)
            book.title = "Lavinia"
            Trial.whileFailing { author.publications.insert(book) }
            Trial.expectUnread(id) { try context.save() }
            context.refresh(author, mergeChanges: false)
            author.publications.insert(book)
            try context.save()
            context.reset()
            #expect(context.author(id).publications.count == 4)
        }
    }

    @Test func `a child saves nothing that it made of a failed read either (§5.1.12)`() throws {
        let (trial, id) = try Trial.withFault()
        let child = ManagedObjectContext(.privateQueue, parent: trial.context)
        try child.performAndWait {
            child.faultHandler = { _, _ in }
            let author = child.author(id)
            Trial.whileFailing { author.birthYear = (author.birthYear ?? 0) + 1 }
            Trial.expectUnread(id) { try child.save() }
            child.reset()
            try child.save()
        }
        trial.context.performAndWait {
            #expect(trial.context.author(id).birthYear == 1929 && !trial.context.hasChanges)
        }
    }

    @Test func `nor is it once a merge has refreshed the object that was not read (§5.1.12)`()
        throws
    {
        let (trial, id) = try Trial.withFault()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            let book = TestSupport.Book(context: context)
            book.title = "Lavinia"
            Trial.whileFailing { book.year = (author.birthYear ?? 0) + 79 }
            context.mergeChanges(ObjectChanges(updated: [id]))
            Trial.expectUnread(id) { try context.save() }
            context.refreshAllObjects()
            book.year = (author.birthYear ?? 0) + 79
            try context.save()
        }
        #expect(try trial.storedRows().contains { $0.contains("2008") })
    }

    @Test func `a value that was set can be read and saved without the others (§5.1.12)`() throws {
        let (trial, id) = try Trial.withFault()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            Trial.whileFailing {
                author.name = "Octavia"
                #expect(author.name == "Octavia")
            }
            try context.save()
            #expect(author.name == "Octavia" && author.birthYear == 1929)
        }
    }

    @Test func `an object that has left no longer keeps others from being saved (§5.1.12)`()
        throws
    {
        let (trial, id) = try Trial.withFault()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            Trial.whileFailing { #expect(author.birthYear == nil) }
            context.detach(author)
            TestSupport.Author(context: context).name = "Octavia"
            try context.save()
        }
    }

    /// The points where the engine calls the program, once, in a save.
    enum Hook: CaseIterable {
        case prepareForDeletion
        case propertyObserver
        case willSave
        case willSaveObserver
        case didChangeObserver
    }

    @Test(arguments: Hook.allCases)
    func `what a hook made of a value that could not be read is not saved (§5.1.12)`(
        _ hook: Hook
    ) throws {
        let (trial, id) = try Trial.withFault(model: makeHookedModel())
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            let topic = try #require(try HookedTopic.findFirst(in: context))
            let (book, other) = (
                TestSupport.Book(context: context), TestSupport.Book(context: context)
            )
            for book in [book, other] {
                book.title = "Lavinia"
                try book.setValue(Set<ManagedObject>([topic]), forKey: "topics")
            }
            try context.save()
            let dating = Dating(of: book, author, in: hook)
            HookedTopic.dating = dating
            defer { HookedTopic.dating = nil }
            let observations: [Any] = [
                try book.observe("topics") { _ in dating.run(in: .propertyObserver) },
                context.observe { dating.note($0) },
            ]

            // The delete rule also deletes the topic, which cuts it from the book that stays.
            context.delete(other)
            #expect(throws: StoreError.self) { try context.save() }
            Trial.expectUnread(id) { try context.save() }
            context.refresh(author, mergeChanges: false)
            book.year = (author.birthYear ?? 0) + 79
            try context.save()
            withExtendedLifetime(observations) {}
        }
        #expect(try trial.storedRows().contains { $0.contains("2008") })
    }

    /// The model of the library, with topics that call hooks and are deleted with their books.
    private func makeHookedModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: makeLibraryModel().entities.map { entity in
                var description = entity.description
                if entity.name == "Topic" { description.managedObjectClass = HookedTopic.self }
                for index in description.relationships.indices
                where description.relationships[index].name == "topics" {
                    description.relationships[index].deleteRule = .cascade
                }
                return description
            })
    }

    @Test(arguments: [false, true])
    func `a cascade that cannot be read is made up for (§5.1.12, §1.5.9)`(
        endsEvent: Bool
    ) throws {
        let (trial, id) = try Trial.withFault()
        try trial.context.performAndWait {
            let (context, author) = (trial.context, trial.context.author(id))
            context.delete(author)
            Trial.whileFailing {
                if endsEvent {
                    context.processPendingChanges()
                } else {
                    #expect(throws: StoreError.self) { try context.save() }
                }
            }
            #expect(context.deletedObjects == [author])
            try context.save()
        }
        let rows = try trial.storedRows()
        #expect(rows.count == 1 && rows[0].hasPrefix("ZTOPIC"))
    }

    @Test(arguments: ["WAL", "DELETE"], [true, false])
    func `a crash leaves the old file or the new one (§11.5.6)`(
        _ journal: String, _ isReplaced: Bool
    ) throws {
        FailingFileSystem.register()
        let (template, source) = (TemporaryFolder(), TemporaryFolder())
        try Trial.makeStore(in: template, journal: journal)
        try Trial.makeStore(in: source, journal: journal)
        let (old, new) = (
            try Trial.identifier(of: template), isReplaced ? try Trial.identifier(of: source) : nil
        )
        var found: [String?] = []
        while true {
            let folder = TemporaryFolder()
            let url = folder.url("store.sqlite")
            try FileManager.default.copyItem(at: template.url("store.sqlite"), to: url)
            FailingFileSystem.fail(call: found.count + 1, with: SQLITE_IOERR, forever: true)
            if isReplaced {
                try? SQLiteStore.replace(
                    url, with: source.url("store.sqlite"), timeout: .zero,
                    vfs: FailingFileSystem.name)
            } else {
                try? SQLiteStore.empty(
                    url, timeout: .zero, isForced: false, vfs: FailingFileSystem.name)
            }
            let fired = FailingFileSystem.stop()
            found.append(try Trial.identifier(of: folder))
            #expect(found.last == old || found.last == new)
            if !fired { break }
            try #require(found.count < 2000, "the work never gets through")
        }
        #expect(found.first == old && found.last == new && found.count > 3)
    }
}

private typealias FailingSaves = `Failing saves (§5.1)`

/// Computes a book's year from an author that cannot be read, in the first call of one hook.
private final class Dating: @unchecked Sendable {
    // @unchecked Sendable: called on the queue of the objects' context.
    private let book: TestSupport.Book
    private let author: TestSupport.Author
    private let hook: FailingSaves.Hook
    private var isDue = true
    private var isSaving = false

    init(
        of book: TestSupport.Book, _ author: TestSupport.Author,
        in hook: FailingSaves.Hook
    ) {
        self.book = book
        self.author = author
        self.hook = hook
    }

    func run(in hook: FailingSaves.Hook) {
        guard isDue, hook == self.hook else { return }
        isDue = false
        Trial.whileFailing { book.year = (author.birthYear ?? 0) + 79 }
    }

    func note(_ notification: ContextNotification) {
        switch notification {
        case .willSave:
            run(in: .willSaveObserver)
            // The save posts this change itself.
            if hook == .didChangeObserver, isDue { book.title = "Lavinia, a novel" }
            isSaving = true
        case .objectsDidChange: if isSaving { run(in: .didChangeObserver) }
        case .didSave, .didMerge: break
        }
    }
}

private final class HookedTopic: ManagedObject {
    // nonisolated(unsafe): the suite is serialized, and only one of its tests has such topics.
    nonisolated(unsafe) static var dating: Dating?

    override func prepareForDeletion() { Self.dating?.run(in: .prepareForDeletion) }

    override func willSave() { Self.dating?.run(in: .willSave) }
}

/// One store, one context with mixed changes, one save.
private final class Trial: @unchecked Sendable {
    // @unchecked Sendable: used by the thread of the test, on which `performAndWait` runs its
    // blocks.
    let folder = TemporaryFolder()
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext
    var held: [ManagedObject] = []

    /// Makes the store that all trials start with.
    static func makeStore(in folder: TemporaryFolder, journal: String) throws {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        let store = try coordinator.addPersistentStore(description(folder, journal))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = "Ursula K. Le Guin"
            author.birthYear = 1929
            for position in 0..<3 {
                let book = TestSupport.Book(context: context)
                book.title = "Book \(position)"
                book.author = author
            }
            let topic = Topic(context: context)
            topic.name = "anarchism"
            try context.save()
        }
        try coordinator.removePersistentStore(store)
    }

    /// A trial that has not read its author yet.
    static func withFault(
        model: ManagedObjectModel? = nil
    ) throws -> (Trial, ManagedObjectID) {
        FailingFileSystem.register()
        let template = TemporaryFolder()
        try makeStore(in: template, journal: "WAL")
        let trial = try Trial(copying: template, journal: "WAL", model: model)
        let id = try trial.context.performAndWait {
            trial.context.faultHandler = { _, _ in }
            var request = FetchRequest(entityName: "Author")
            request.includesPropertyValues = false
            return try trial.context.fetchObjectIDs(request)[0]
        }
        return (trial, id)
    }

    /// Runs the body while all of SQLite's calls to the file fail.
    static func whileFailing(_ body: () throws -> Void) rethrows {
        FailingFileSystem.fail(call: 1, with: SQLITE_IOERR, forever: true)
        defer { #expect(FailingFileSystem.stop()) }
        try body()
    }

    /// Expects an error that names the object that could not be read.
    static func expectUnread(_ id: ManagedObjectID, _ body: () throws -> Void) {
        let error = #expect(throws: SaveError.self, performing: body)
        guard case .unreadObject(id, let underlying)? = error else {
            Issue.record("\(String(describing: error)) does not name \(id)")
            return
        }
        #expect(underlying is StoreError)
    }

    /// The identifier of the store in a file that must not be damaged; nil if it is empty.
    static func identifier(of folder: TemporaryFolder) throws -> String? {
        let connection = try Connection(
            SQLiteConfiguration(path: folder.path("store.sqlite"), mode: .readWrite))
        let check = try connection.statement("PRAGMA integrity_check")
        _ = try check.step()
        #expect(check.value(at: 0).string == "ok")
        guard let select = try? connection.statement("SELECT Z_UUID FROM Z_METADATA") else {
            return nil
        }
        return try select.step() ? select.value(at: 0).string : nil
    }

    private static func description(
        _ folder: TemporaryFolder, _ journal: String
    ) -> PersistentStoreDescription {
        var description = PersistentStoreDescription.sqlite(at: folder.url("store.sqlite"))
        description.vfs = FailingFileSystem.name
        description.timeout = .zero
        description.pragmas = ["journal_mode": journal]
        return description
    }

    init(
        copying template: TemporaryFolder, journal: String, model: ManagedObjectModel? = nil
    ) throws {
        try FileManager.default.copyItem(
            at: template.url("store.sqlite"), to: folder.url("store.sqlite"))
        coordinator = PersistentStoreCoordinator(model: try model ?? makeLibraryModel())
        try coordinator.addPersistentStore(Self.description(folder, journal))
        context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    func run(failing number: Int, with code: Int32) throws -> (fired: Bool, failed: Bool) {
        try context.performAndWait {
            let author = try #require(try TestSupport.Author.findFirst(in: context))
            let topic = try #require(try Topic.findFirst(in: context))
            let books = try context.fetch(
                FetchRequest(entityName: "Book", sortKeys: [.ascending("title")]),
                as: TestSupport.Book.self)
            held = Array(books) + [author, topic]
            books[0].title = String(repeating: "long ", count: 1000)
            books[1].topics = [topic]
            context.delete(books[2])
            let magazine = Magazine(context: context)
            magazine.title = "Locus"
            magazine.author = author
            held.append(magazine)
            context.processPendingChanges()

            let (before, stored) = (picture, try storedRows())
            FailingFileSystem.fail(call: number, with: code)
            var failure: (any Error)?
            do { try context.save() } catch { failure = error }
            let fired = FailingFileSystem.stop()
            if let failure {
                #expect(failure is StoreError, "\(failure)")
                #expect(picture == before)
                #expect(try storedRows() == stored)
                try context.save()
            }
            #expect(!context.hasChanges)
            #expect(magazine.objectID.isTemporaryID == false)
            let rows = try storedRows()
            #expect(
                rows.contains { $0.contains("Locus") } && !rows.contains { $0.contains("Book 2") })
            return (fired, failure != nil)
        }
    }

    /// The visible state of the context.
    private var picture: [String] {
        held.map { object in
            let values = object.binding.entity.properties.map { property in
                switch try? object.value(forKey: property.name) {
                case let members as Set<ManagedObject>:
                    members.map { "\($0.objectID)" }.sorted().joined(separator: " ")
                case let destination as ManagedObject: "\(destination.objectID)"
                case let value: "\(value ?? "nil")"
                }
            }
            return
                "\(object.objectID) \(object.isInserted) \(object.isUpdated) \(object.isDeleted) \(values)"
        }
            + [context.insertedObjects, context.updatedObjects, context.deletedObjects].map {
                $0.map { "\($0.objectID)" }.sorted().joined(separator: " ")
            }
    }

    /// The content of the file as another process sees it, after a check of its integrity.
    func storedRows() throws -> [String] {
        let connection = try Connection(
            SQLiteConfiguration(path: folder.path("store.sqlite"), mode: .readWrite))
        let check = try connection.statement("PRAGMA integrity_check")
        _ = try check.step()
        #expect(check.value(at: 0).string == "ok")
        check.reset()
        var rows: [String] = []
        for table in ["ZAUTHOR", "ZPUBLICATION", "ZTOPIC", "Z_2TOPICS", "Z_4TOPICS", "Z_5TOPICS"] {
            guard let select = try? connection.statement("SELECT * FROM \(table)") else { continue }
            while try select.step() {
                rows.append(
                    table + " "
                        + (0..<select.columnCount).map { select.value(at: $0).string }
                        .joined(separator: "|"))
            }
        }
        return rows
    }
}
