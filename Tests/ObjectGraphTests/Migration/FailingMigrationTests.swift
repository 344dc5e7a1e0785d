import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

// In the suite of saves, since only one test at a time can use the failing file system.
extension `Failing saves (§5.1)` {
    @Test(
        arguments: [("full", SQLITE_FULL), ("input and output", SQLITE_IOERR)], ["WAL", "DELETE"])
    func `a migration whose calls fail leaves the old store or the new one (§9.1.8)`(
        _ failure: (name: String, code: Int32), _ journal: String
    ) throws {
        FailingFileSystem.register()
        let (old, new) = try (Self.model(isNew: false), Self.model(isNew: true))
        let template = TemporaryFolder()
        try Self.open(template, old, journal) { context in
            let shelf = try context.insertObject(entityName: "Shelf")
            for number in 0..<40 {
                let book = try context.insertObject(entityName: "Book")
                try book.setValue("\(number)", forKey: "title")
                try book.setValue(shelf, forKey: "shelf")
            }
            try context.save()
        }
        let before = try Self.content(template, old, journal)
        let after = try Self.content(Self.copy(of: template), new, journal)
        #expect(before["Book 3.shelf"] == "Shelf 1")
        #expect(after["Volume 3.shelves"] == "1 ")
        var number = 0
        var failedCount = 0
        while true {
            number += 1
            let folder = try Self.copy(of: template)
            FailingFileSystem.fail(call: number, with: failure.code)
            let result = Result { try Self.open(folder, new, journal) { _ in } }
            let fired = FailingFileSystem.stop()
            if case .failure(let error) = result {
                failedCount += 1
                #expect(error is StoreError || error is MigrationError, "call \(number): \(error)")
            }
            // The store is of one model or the other.
            let isOld = (try? Self.content(folder, old, journal, migrates: false)) == before
            if !isOld { #expect(try Self.content(folder, new, journal, migrates: false) == after) }
            #expect(try Self.content(folder, new, journal) == after, "call \(number)")
            if !fired { break }
            try #require(number < 2000, "the migration never gets through")
        }
        #expect(failedCount > 3, "\(failedCount) of \(number) calls made the migration fail")
    }

    private static func model(isNew: Bool) throws -> ManagedObjectModel {
        let title = AttributeDescription("title", .string)
        let size = AttributeDescription("size", .integer64, isOptional: false, defaultValue: 1)
        let inverse = isNew ? "shelves" : "shelf"
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Shelf",
                relationships: [
                    .toMany("books", isNew ? "Volume" : "Book", inverse: inverse, isOrdered: isNew)
                ]),
            EntityDescription(
                name: isNew ? "Volume" : "Book",
                attributes: isNew ? [title] : [title, size],
                relationships: [
                    RelationshipDescription(
                        name: inverse, destination: "Shelf", inverse: "books",
                        maxCount: isNew ? 0 : 1, renamingIdentifier: "shelf")
                ],
                uniquenessConstraints: isNew ? [["title"]] : [],
                renamingIdentifier: isNew ? "Book" : nil),
        ])
    }

    private static func copy(of template: TemporaryFolder) throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        try FileManager.default.copyItem(
            at: template.url("store.sqlite"), to: folder.url("store.sqlite"))
        return folder
    }

    private static func content(
        _ folder: TemporaryFolder, _ model: ManagedObjectModel, _ journal: String,
        migrates: Bool = true
    ) throws -> [String: String] {
        try open(folder, model, journal, migrates: migrates) { try $0.content() }
    }

    private static func open<Content: Sendable>(
        _ folder: TemporaryFolder, _ model: ManagedObjectModel, _ journal: String,
        migrates: Bool = true, _ body: @Sendable (ManagedObjectContext) throws -> Content
    ) throws -> Content {
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = PersistentStoreDescription.sqlite(at: folder.url("store.sqlite"))
        description.vfs = FailingFileSystem.name
        description.timeout = .zero
        description.pragmas = ["journal_mode": journal]
        description.migration.isAutomatic = migrates
        let store = try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let content = try context.performAndWait { try body(context) }
        try coordinator.removePersistentStore(store)
        return content
    }
}
