import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// One store, one context with mixed changes, one save.
final class Trial: @unchecked Sendable {
    // @unchecked Sendable: used by the thread of the test, on which `performAndWait` runs its
    // blocks.
    let folder = TemporaryFolder()
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext
    let tracksHistory: Bool
    var held: [ManagedObject] = []

    /// Makes the store that all trials start with.
    static func makeStore(
        in folder: TemporaryFolder, journal: String, tracksHistory: Bool = false
    ) throws {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        let store = try coordinator.addPersistentStore(
            description(folder, journal, tracksHistory))
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
        _ folder: TemporaryFolder, _ journal: String, _ tracksHistory: Bool
    ) -> PersistentStoreDescription {
        var description = PersistentStoreDescription.sqlite(at: folder.url("store.sqlite"))
        description.tracksHistory = tracksHistory
        description.vfs = FailingFileSystem.name
        description.timeout = .zero
        description.pragmas = ["journal_mode": journal]
        return description
    }

    init(
        copying template: TemporaryFolder, journal: String, model: ManagedObjectModel? = nil,
        tracksHistory: Bool = false
    ) throws {
        try FileManager.default.copyItem(
            at: template.url("store.sqlite"), to: folder.url("store.sqlite"))
        coordinator = PersistentStoreCoordinator(model: try model ?? makeLibraryModel())
        try coordinator.addPersistentStore(Self.description(folder, journal, tracksHistory))
        self.tracksHistory = tracksHistory
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
            if tracksHistory { try checkHistory() }
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

    /// The history has the first save and this one, whatever failed in between.
    private func checkHistory() throws {
        let history = try context.fetchHistory()
        #expect(history.map(\.transactionNumber) == [1, 2])
        let changes = try #require(history.last?.changes)
        #expect(
            changes.map(\.text).sorted() == [
                "delete Book", "insert Magazine", "update Author publications",
                "update Book title", "update Book topics", "update Topic publications",
            ])
        #expect(changes.map(\.changeID) == Array(6...11))
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
        for table in [
            "ZAUTHOR", "ZPUBLICATION", "ZTOPIC", "Z_2TOPICS", "Z_4TOPICS", "Z_5TOPICS",
            "ATRANSACTION", "ATRANSACTIONSTRING", "ACHANGE",
        ] {
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
