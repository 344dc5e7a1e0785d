import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// The space and the copy that a migration needs, and what it leaves if it cannot have them.
@Suite struct `Files of a migration in place (§9.4)` {
    private let fixture = MigrationFixture()
    private let title = AttributeDescription("title", .string)
    private let note = AttributeDescription("note", .string)

    private var before: [EntityDescription] { [fixture.entity("Page", [title, note])] }

    /// Without the note, so that the rows are copied.
    private var after: [EntityDescription] { [fixture.entity("Page", [title])] }

    private func make() throws {
        try fixture.make(
            before,
            (0..<200).map { _ in
                ("Page", ["title": .string(String(repeating: "é", count: 1000))])
            })
    }

    private func count(_ entities: [EntityDescription]) throws -> Int {
        try fixture.open(entities, { $0.migration.isAutomatic = false }) {
            try $0.count(for: FetchRequest(entityName: "Page"))
        }
    }

    // MARK: - Space

    @Test(arguments: ["WAL", "DELETE"])
    func `too little space is noticed before anything is written (§9.4.20)`(
        _ journal: String
    ) throws {
        try make()
        let files = try fixture.files()
        let error = #expect(throws: MigrationError.self) {
            try fixture.open(
                after,
                {
                    $0.pragmas["journal_mode"] = journal
                    $0.fileCalls.availableBytes = 100_000
                }
            ) { _ in }
        }
        guard case .insufficientSpace(let needed, 100_000)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        // A character counts as one byte, since more is not certain.
        #expect((190_000...200_000).contains(needed) && error?.code == 13)
        #expect(try fixture.files() == files)
        #expect(try count(before) == 200)
    }

    @Test func `a migration that could have room is tried (§9.4.20)`() throws {
        try make()
        try fixture.open(after, { $0.fileCalls.availableBytes = 200_000 }) { _ in }
        #expect(try count(after) == 200)
    }

    @Test func `one that copies nothing needs none (§9.4.20)`() throws {
        try make()
        let longer = [fixture.entity("Page", [title, note, AttributeDescription("size", .double)])]
        try fixture.open(longer, { $0.fileCalls.availableBytes = 0 }) { _ in }
        #expect(try count(longer) == 200)
    }

    // MARK: - The copy

    private var backup: URL { fixture.folder.url("before.sqlite") }

    private func title(in file: URL, _ entities: [EntityDescription]) throws -> String? {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: entities))
        var description = PersistentStoreDescription.sqlite(at: file)
        description.migration.isAutomatic = false
        let store = try coordinator.addPersistentStore(description)
        defer { try? coordinator.removePersistentStore(store) }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait { try context.content()["Page 1.title"] }
    }

    @Test func `the store is copied before the first step, and the copy restores it (§9.4.21)`()
        throws
    {
        try fixture.make(before, [("Page", ["title": "one"])])
        // Stores of the right model are not copied.
        try fixture.open(before, { [backup] in $0.migration.backup = backup }) { _ in }
        #expect(!FileManager.default.fileExists(atPath: backup.path))
        try fixture.open(after, { [backup] in $0.migration.backup = backup }) { _ in }
        #expect(try title(in: fixture.url, after) == "one")
        #expect(try title(in: backup, before) == "one")
        try PersistentStoreCoordinator.replacePersistentStore(at: fixture.url, with: backup)
        #expect(try title(in: fixture.url, before) == "one")
        // A later migration replaces the copy.
        try fixture.open(before) { context in
            try context.fetch(FetchRequest(entityName: "Page"), as: ManagedObject.self)[0]
                .setValue("two", forKey: "title")
            try context.save()
        }
        try fixture.open(after, { [backup] in $0.migration.backup = backup }) { _ in }
        #expect(try title(in: backup, before) == "two")
    }

    @Test func `values in files of their own are copied too (§9.4.21)`() throws {
        func model(_ more: [AttributeDescription] = []) -> [EntityDescription] {
            [
                fixture.entity(
                    "Page",
                    [AttributeDescription("data", .binaryData, allowsExternalStorage: true)] + more)
            ]
        }
        let data = Data(repeating: 7, count: 500)
        try fixture.open(model(), { $0.externalStorageThresholdBytes = 100 }) { context in
            try context.insertObject(entityName: "Page").setValue(data, forKey: "data")
            try context.save()
        }
        try fixture.open(model([title]), { [backup] in $0.migration.backup = backup }) { _ in }
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: model()))
        try coordinator.addPersistentStore(.sqlite(at: backup))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let copied = try context.performAndWait {
            try context.fetch(FetchRequest(entityName: "Page"), as: ManagedObject.self)[0]
                .value(forKey: "data") as? Data
        }
        #expect(copied == data)
        #expect(
            FileManager.default.fileExists(
                atPath: ExternalFiles.supportFolder(of: backup).path))
    }

    @Test(arguments: [false, true])
    func `a migration that goes on keeps the copy of its beginning (§9.4.22)`(
        _ isMapped: Bool
    ) throws {
        try fixture.make(before, [("Page", ["title": "one"])])
        let model = try ManagedObjectModel(entities: after)
        func make() throws {
            var description = PersistentStoreDescription.sqlite(at: fixture.url)
            description.migration.backup = backup
            let store = MigratedStore(
                description: description, file: fixture.url, model: model, debug: DebugOptions())
            try #require(MigrationBackup(of: store)).make()
        }
        try make()
        // The first of two steps leads to a model in between.
        let between = [fixture.entity("Page", [title, AttributeDescription("size", .double)])]
        let mapping = try MappingModel.inferred(
            from: ManagedObjectModel(entities: before), to: ManagedObjectModel(entities: between),
            replacing: [EntityMapping(from: "Page", to: "Page")])
        // A new file has another identifier.
        try fixture.open(between, { $0.migration.mappingModels = isMapped ? [mapping] : [] }) { _ in
        }
        try make()
        #expect(try title(in: backup, before) == "one")
        // After the last step, or before another first one, it is made again.
        try PersistentStoreCoordinator.replacePersistentStore(at: fixture.url, with: backup)
        try fixture.open(before) { context in
            try context.fetch(FetchRequest(entityName: "Page"), as: ManagedObject.self)[0]
                .setValue("two", forKey: "title")
            try context.save()
        }
        try make()
        #expect(try title(in: backup, before) == "two")
        #expect(
            try PersistentStoreCoordinator.metadataForPersistentStore(at: backup).values == [:])
    }

    @Test func `a copy that cannot be made ends the migration (§9.4.21)`() throws {
        try fixture.make(before, [("Page", ["title": "one"])])
        try Data("This is no database, but it is long enough.".utf8).write(to: backup)
        let files = try fixture.files()
        for (place, reason) in [
            (backup, StoreError.Reason.notADatabase),
            (fixture.folder.url.appending(path: "no/folder.sqlite"), .cannotOpen),
            (fixture.url, .unsupported("a backup in the store's own file")),
        ] {
            let error = #expect(throws: MigrationError.self) {
                try fixture.open(after, { $0.migration.backup = place }) { _ in }
            }
            #expect(
                error?.reason == .backupFailed(reason, at: place), "\(String(describing: error))")
            #expect(error?.code == 134110 && error?.url == fixture.url)
            #expect(try fixture.files() == files)
        }
        #expect(try title(in: fixture.url, before) == "one")
    }

    // MARK: - Failures

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a folder that cannot be written leaves the store (§9.4.23)`() throws {
        try make()
        let files = FileManager.default
        let before = try fixture.files()
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: fixture.folder.url.path)
        defer {
            try? files.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: fixture.folder.url.path)
        }
        let error = #expect(throws: StoreError.self) { try fixture.open(after) { _ in } }
        #expect(error?.reason == .readOnly || error?.reason == .cannotOpen)
        #expect(try fixture.files() == before)
    }
}
