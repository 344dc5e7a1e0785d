import Foundation
import ObjectGraph
import TestSupport
import Testing

private typealias Member = Club.Member
private typealias Team = Club.Team

@Suite struct `Binary stores (§11.3.10)` {
    let folder = TemporaryFolder()
    var file: URL { folder.url("club.binary") }

    private func open(
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: try Club.model())
        var description = PersistentStoreDescription.binary(at: file)
        change(&description)
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    @discardableResult
    private func run<Result: Sendable>(
        _ coordinator: PersistentStoreCoordinator,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait { try body(context) }
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }
    }

    @Test func `the file is made by the first save, and replaced by each (§11.3.10)`() throws {
        let coordinator = try open()
        #expect(try files == [])
        try run(coordinator) { try Club.fill($0) }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: file.path)
        try run(coordinator) { context in
            Team(context: context)[Team.name] = "Green"
            try context.save()
        }
        #expect(try files == ["club.binary"])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        #expect(try run(try open()) { try Club.summary($0) } == Club.filled)
        #expect(try run(try open()) { try Team.count(in: $0) } == 3)
    }

    @Test func `a missing folder is made (§11.3.10)`() throws {
        let coordinator = PersistentStoreCoordinator(model: try Club.model())
        let deep = folder.url.appending(path: "a/b/club.binary")
        try coordinator.addPersistentStore(.binary(at: deep))
        try run(coordinator) { try Club.fill($0) }
        #expect(FileManager.default.fileExists(atPath: deep.path))
    }

    @Test func `its metadata are read and set without a model (§11.1.8)`() throws {
        let coordinator = try open()
        try run(coordinator) { try Club.fill($0) }
        try PersistentStoreCoordinator.setMetadata(["colour": "red"], forPersistentStoreAt: file)
        let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: file)
        #expect(metadata.type == .binary && metadata.values == ["colour": "red"])
        #expect(metadata.identifier == coordinator.persistentStores[0].identifier)
        #expect(Set(metadata.versionHashes.keys) == ["Cup", "Member", "Prize", "Team"])
        #expect(try run(try open()) { try Club.summary($0) } == Club.filled)
    }

    @Test func `a save over the changes of others is refused (§11.3.10)`() throws {
        let (first, second) = (try open(), try open())
        try run(first) { try Club.fill($0) }
        let error = #expect(throws: StoreError.self) {
            try run(second) { try Club.fill($0) }
        }
        #expect(error?.reason == .fileChanged && error?.code == 134030)
        #expect(try run(try open()) { try Club.summary($0) } == Club.filled)
        #expect(try files == ["club.binary"])
    }

    @Test func `for reading only, it neither makes nor changes a file (§11.4.1)`() throws {
        let error = #expect(throws: StoreError.self) { try open { $0.isReadOnly = true } }
        #expect(error?.reason == .missingFile)
        try run(try open()) { try Club.fill($0) }
        let before = try Data(contentsOf: file)
        let reading = try open { $0.isReadOnly = true }
        let refusal = #expect(throws: StoreError.self) {
            try run(reading) { context in
                Team(context: context)[Team.name] = "Green"
                try context.save()
            }
        }
        #expect(refusal?.reason == .readOnly)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func `a place that cannot be written is an error, and nothing is lost (§11.3.10)`()
        throws
    {
        try Data("in the way".utf8).write(to: folder.url("club"))
        let coordinator = PersistentStoreCoordinator(model: try Club.model())
        try coordinator.addPersistentStore(.binary(at: folder.url("club").appending(path: "x")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        context.performAndWait {
            Team(context: context)[Team.name] = "Green"
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .cannotOpen && context.hasChanges)
        }
        let error = #expect(throws: StoreError.self) {
            try coordinator.addPersistentStore(PersistentStoreDescription(type: .binary))
        }
        #expect(error?.reason == .cannotOpen)
    }

    /// The reader makes values of its own types only, whatever the file says.
    @Test func `a damaged file is refused or read, and never stops the program (§11.4.11)`() throws
    {
        try run(try open()) { try Club.fill($0) }
        let good = try Data(contentsOf: file)
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<300 {
            var bad = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 8..<bad.count, using: &generator)
                bad[place] = UInt8.random(in: .min ... .max, using: &generator)
            }
            if Bool.random(using: &generator) {
                bad = bad.prefix(Int.random(in: 0...bad.count, using: &generator))
            }
            try bad.write(to: file)
            do {
                _ = try run(try open()) { try Club.summary($0) }
            } catch {
                let isTyped = error is StoreError || error is StoreNodeError
                #expect(isTyped, "TEST_SEED=\(generator.seed): \(error)")
            }
        }
        try Data("SQLite format 3\u{0}".utf8).write(to: file)
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(error?.reason == .otherStoreType(.sqlite) && error?.code == 134010)
    }

    @Test func `what a crash has left of a save goes when it is opened (§11.3.11)`() throws {
        let left = folder.url(".club.binary.\(UUID().uuidString)")
        let others = [".club.binary.swp", ".club2.binary.\(UUID().uuidString)"]
        func make() throws {
            for url in [left] + others.map(folder.url) { try Data("x".utf8).write(to: url) }
        }
        try make()
        _ = try open()
        #expect(try Set(files) == Set(others))
        try run(try open()) { try Club.fill($0) }
        // One that another process is writing has a lock.
        try make()
        let writer = Glibc.open(left.path, O_RDWR)
        defer { close(writer) }
        #expect(flock(writer, LOCK_EX) == 0)
        #expect(try run(try open()) { try Club.summary($0) } == Club.filled)
        #expect(try files.contains(left.lastPathComponent))
        #expect(flock(writer, LOCK_UN) == 0)
        // A reader leaves the folder as it is.
        _ = try open { $0.isReadOnly = true }
        #expect(try files.contains(left.lastPathComponent))
        _ = try open()
        #expect(try Set(files) == Set(others + ["club.binary"]))
    }

    @Test func `a store moves from SQLite to a binary file and back (§11.5.4)`() throws {
        let coordinator = PersistentStoreCoordinator(model: try Club.model())
        let sqlite = try coordinator.addPersistentStore(.sqlite(at: folder.url("club.sqlite")))
        try run(coordinator) { try Club.fill($0) }
        let binary = try coordinator.migratePersistentStore(sqlite, to: .binary(at: file))
        #expect(try run(coordinator) { try Club.summary($0) } == Club.filled)
        let back = folder.url("back.sqlite")
        try coordinator.migratePersistentStore(binary, to: .sqlite(at: back))
        #expect(try run(coordinator) { try Club.summary($0) } == Club.filled)
        #expect(try run(try open()) { try Club.summary($0) } == Club.filled)
    }

    @Test func `destroying it deletes the file (§11.5.2)`() throws {
        let coordinator = try open()
        try run(coordinator) { try Club.fill($0) }
        try coordinator.destroyPersistentStore(coordinator.persistentStores[0])
        #expect(try files == [])
    }
}
