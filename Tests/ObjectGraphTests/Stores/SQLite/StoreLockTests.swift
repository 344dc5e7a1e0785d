import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// If this process lost its locks, another process could delete the WAL of an open store, with
/// saved changes.
@Suite struct `Locks of an open store (§11.4)` {
    private typealias Use = @Sendable (ContextFixture) throws -> Void

    private static func description(
        _ fixture: ContextFixture, isReadOnly: Bool
    ) -> PersistentStoreDescription {
        var description = PersistentStoreDescription.sqlite(at: fixture.url)
        description.isReadOnly = isReadOnly
        return description
    }

    private static func open(_ fixture: ContextFixture, isReadOnly: Bool) throws {
        let other = PersistentStoreCoordinator(model: try makeLibraryModel())
        let store = try other.addPersistentStore(description(fixture, isReadOnly: isReadOnly))
        try other.removePersistentStore(store)
    }

    private static let uses: [(name: String, use: Use)] = [
        (
            "reading its metadata",
            { _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: $0.url) }
        ),
        (
            "writing its metadata",
            {
                try PersistentStoreCoordinator.setMetadata(
                    ["a": .integer(1)], forPersistentStoreAt: $0.url)
            }
        ),
        ("opening and closing it once more", { try open($0, isReadOnly: false) }),
        ("opening and closing it for reading", { try open($0, isReadOnly: true) }),
        (
            "making a backup of it",
            {
                try PersistentStoreCoordinator.replacePersistentStore(
                    at: $0.folder.url("backup.sqlite"), with: $0.url)
            }
        ),
        (
            "restoring a backup of it",
            {
                let backup = $0.folder.url("backup.sqlite")
                try PersistentStoreCoordinator.replacePersistentStore(at: backup, with: $0.url)
                try PersistentStoreCoordinator.replacePersistentStore(at: $0.url, with: backup)
            }
        ),
        (
            "reading it as a file",
            {
                let file = try DatabaseFile(path: $0.url.path)
                #expect(try file.isWAL())
                try file.copy(to: $0.folder.url("copy.sqlite"))
            }
        ),
        (
            "opening it as a binary store",
            { fixture in
                let other = PersistentStoreCoordinator(model: try makeLibraryModel())
                let error = #expect(throws: StoreError.self) {
                    try other.addPersistentStore(.binary(at: fixture.url))
                }
                #expect(error?.reason == .otherStoreType(.sqlite) && error?.code == 134010)
            }
        ),
        (
            "destroying a store that would have the same folder for large values",
            { fixture in
                let name = fixture.url.deletingPathExtension().lastPathComponent
                let beside = fixture.folder.url(name + ".other")
                try PersistentStoreCoordinator.replacePersistentStore(at: beside, with: fixture.url)
                try PersistentStoreCoordinator.destroyPersistentStore(at: beside)
            }
        ),
    ]

    @Test(arguments: uses.indices) func `nothing in this process drops them`(_ index: Int) throws {
        let (name, use) = Self.uses[index]
        let fixture = try ContextFixture()
        let locks = try FileLocks(fixture.url)
        try fixture.saveAuthor("Lem")
        #expect(locks.areHeld)
        try use(fixture)
        #expect(locks.areHeld, "\(name)")
        if name == "restoring a backup of it" {
            // It is another content now (§11.5.7).
            let error = #expect(throws: StoreError.self) { try fixture.saveAuthor("Borges") }
            #expect(error?.reason == .fileChanged)
            return try fixture.coordinator.removePersistentStore(fixture.store)
        }
        try fixture.saveAuthor("Borges")
        #expect(try fixture.storedAuthors() == ["Borges", "Lem"])
        try fixture.coordinator.removePersistentStore(fixture.store)
    }
}
