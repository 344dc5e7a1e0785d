import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Files of external data (§8.6)` {
    private typealias Fixture = ExternalFixture
    private static let orphan = "00000000-1111-2222-3333-444444444444"

    private func makeOrphan(_ fixture: Fixture) throws -> URL {
        let url = fixture.file(Self.orphan)
        try Fixture.large.write(to: url)
        return url
    }

    /// As a process leaves it that was killed.
    private func makeTrace(_ fixture: Fixture) throws {
        try Data("+".utf8).write(to: fixture.support.appending(path: ".in-use"))
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    // MARK: - After a crash

    @Test func `opening removes the orphans of a process that was killed (§8.6.5)`() throws {
        let fixture = try Fixture([Fixture.large])
        #expect(fixture.isInUse)
        try fixture.close()
        #expect(!fixture.isInUse)
        let orphan = try makeOrphan(fixture)
        let stranger = fixture.file("notes.txt")
        try Fixture.small.write(to: stranger)

        try fixture.close(fixture.open())
        #expect(exists(orphan))
        try makeTrace(fixture)
        try fixture.close(fixture.open { $0.isReadOnly = true })
        #expect(exists(orphan) && fixture.isInUse)
        try fixture.close(fixture.open())
        #expect(!exists(orphan) && exists(stranger) && !fixture.isInUse)
        #expect(try fixture.stored() == [Fixture.large])
    }

    @Test func `no file is removed while another process may be about to commit it (§8.6.5)`()
        throws
    {
        let fixture = try Fixture([Fixture.large])
        let orphan = try makeOrphan(fixture)
        // The first coordinator has written files and is still open.
        try fixture.close(fixture.open())
        #expect(exists(orphan) && fixture.isInUse)

        // One process was killed while another one had the store open, which then closes it.
        let trace = try FileHandle(
            forWritingTo: fixture.support.appending(path: ".in-use"))
        try trace.seekToEnd()
        try trace.write(contentsOf: Data("+".utf8))
        try trace.close()
        try fixture.close()
        #expect(fixture.isInUse)
        try fixture.close(fixture.open())
        #expect(!exists(orphan) && !fixture.isInUse)
    }

    @Test func `a store with the same folder keeps its files (§8.6.5)`() throws {
        let fixture = try Fixture([Fixture.large])
        try fixture.close()
        let other = try fixture.open("App.other")
        let context = fixture.makeContext(.error, other)
        try context.performAndWait {
            try context.insert("Photo", ["data": Fixture.other])
            try context.save()
        }
        try fixture.close(other)
        #expect(fixture.files().count == 2)
        try makeTrace(fixture)
        #expect(try fixture.stored() == [Fixture.large])
        #expect(try fixture.stored("App.other") == [Fixture.other])
        try PersistentStoreCoordinator.destroyPersistentStore(at: fixture.folder.url("App.other"))
        #expect(try fixture.stored() == [Fixture.large])
        #expect(fixture.files().count == 1)
    }

    // MARK: - Other states

    @Test func `files stay while a generation is pinned (§8.6.6)`() throws {
        let fixture = try Fixture([Fixture.large])
        let view = fixture.makeContext()
        try view.performAndWait {
            try view.setQueryGeneration(from: .current)
            let photo = try fixture.photo("0", in: view)
            try fixture.change("0", to: Fixture.other)
            #expect(fixture.files().count == 2)
            #expect(try photo.value(forKey: "data") as? Data == Fixture.large)
            try view.setQueryGeneration(from: nil)
            view.reset()
        }
        try fixture.change("0", to: Fixture.small)
        #expect(fixture.files().isEmpty)
    }

    @Test func `closing the store removes files that a generation has kept (§8.6.6)`() throws {
        let fixture = try Fixture([Fixture.large])
        let view = fixture.makeContext()
        try view.performAndWait {
            try view.setQueryGeneration(from: .current)
            _ = try fixture.photo("0", in: view)
        }
        try fixture.change("0", to: nil)
        #expect(fixture.files().count == 1)
        try fixture.close()
        #expect(fixture.files().isEmpty && !fixture.isInUse)
    }

    @Test func `files stay for a reader of another process, until the next opening (§8.6.6)`()
        throws
    {
        // Another coordinator has what another process has: connections and locks of its own.
        let fixture = try Fixture([Fixture.large])
        let other = try fixture.open()
        let view = fixture.makeContext(.error, other)
        try view.performAndWait {
            try view.setQueryGeneration(from: .current)
            let photo = try fixture.photo("0", in: view)
            try fixture.change("0", to: Fixture.other)
            try fixture.close()
            #expect(fixture.files().count == 2 && fixture.isInUse)
            // Nor does the sweep take it away.
            try fixture.close(fixture.open())
            #expect(try photo.value(forKey: "data") as? Data == Fixture.large)
            try view.setQueryGeneration(from: nil)
            view.reset()
        }
        #expect(try fixture.stored() == [Fixture.other])
        #expect(try fixture.files() == fixture.references())
        #expect(!fixture.isInUse)
    }

    @Test func `a change of the store is found in an object that was saved here (§8.6.7)`() throws {
        let fixture = try Fixture()
        let late = fixture.makeContext(.mergeByPropertyStoreTrump)
        try late.performAndWait {
            // The object has the data, and the row of the other context the file.
            let photo = try late.insert("Photo", ["name": "0", "data": Fixture.large])
            try late.save()
            try fixture.context.performAndWait {
                try fixture.photo("0", in: fixture.context).setValue("new", forKey: "name")
                try fixture.context.save()
            }
            try photo.setValue(Fixture.other, forKey: "data")
            try late.save()
            #expect(try photo.value(forKey: "name") as? String == "new")
        }
        #expect(try fixture.stored() == [Fixture.other])
    }

    @Test func `conflicts compare files, not their data (§8.6.7)`() throws {
        let fixture = try Fixture([Fixture.large, Fixture.large])
        for policy in [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump] {
            let late = fixture.makeContext(policy)
            try late.performAndWait {
                let photo = try fixture.photo("0", in: late)
                #expect(try photo.value(forKey: "data") is Data)
                try fixture.change(
                    "0", to: Data(repeating: 1, count: 300), in: fixture.makeContext())
                try photo.setValue(Fixture.other, forKey: "data")
                try late.save()
            }
            let isOurs = policy === MergePolicy.mergeByPropertyObjectTrump
            #expect(
                try fixture.stored()[0]
                    == (isOurs ? Fixture.other : Data(repeating: 1, count: 300)))
            #expect(try fixture.files() == fixture.references())
        }
        // Overwriting needs no file that both sides have.
        let late = fixture.makeContext(.overwrite)
        try late.performAndWait {
            let photo = try fixture.photo("1", in: late)
            try fixture.context.performAndWait {
                fixture.context.reset()
                try fixture.photo("1", in: fixture.context).setValue("1 too", forKey: "name")
                try fixture.context.save()
            }
            try photo.setValue("mine", forKey: "name")
            try late.save()
        }
        #expect(try fixture.files() == fixture.references())
    }

    @Test func `undo brings a deleted object back with its data (§8.6.7)`() throws {
        let fixture = try Fixture([Fixture.large])
        let context = fixture.context
        try context.performAndWait {
            context.undoManager = UndoManager()
            let photo = try fixture.photo("0", in: context)
            context.delete(photo)
            try context.save()
            #expect(fixture.files().isEmpty)
            context.undo()
            try context.save()
        }
        #expect(try fixture.stored() == [Fixture.large])
    }

    @Test func `an undo manager reads no file for a change of another value (§8.6.3)`() throws {
        let fixture = try Fixture([Fixture.large])
        let context = fixture.context
        try FileManager.default.removeItem(at: fixture.file(fixture.files()[0]))
        try context.performAndWait {
            let failures = Failures()
            context.faultHandler = { _, error in failures.add(error) }
            context.undoManager = UndoManager()
            let photo = try fixture.photo("0", in: context)
            try photo.setValue("new", forKey: "name")
            try context.save()
            context.undo()
            try context.save()
            #expect(failures.reasons.isEmpty)
            #expect(try photo.value(forKey: "name") as? String == "0")
        }
    }

    @Test func `undo restores data whose file is gone (§8.6.7)`() throws {
        let fixture = try Fixture([Fixture.large])
        let context = fixture.context
        try context.performAndWait {
            context.undoManager = UndoManager()
            try fixture.photo("0", in: context).setValue(nil, forKey: "data")
            try context.save()
            #expect(fixture.files().isEmpty)
            context.undo()
            try context.save()
        }
        #expect(try fixture.stored() == [Fixture.large])
    }

    @Test func `a child saves data to its parent (§8.6.7)`() throws {
        let fixture = try Fixture([Fixture.large])
        let child = ManagedObjectContext(.privateQueue, parent: fixture.context)
        try child.performAndWait {
            let photo = try fixture.photo("0", in: child)
            #expect(try photo.value(forKey: "data") as? Data == Fixture.large)
            try photo.setValue("a", forKey: "name")
            try child.insert("Photo", ["name": "b", "data": Fixture.other])
            try child.save()
        }
        #expect(fixture.files().count == 1)
        try fixture.context.performAndWait { try fixture.context.save() }
        #expect(try fixture.stored() == [Fixture.large, Fixture.other])
        #expect(try fixture.files() == fixture.references())
    }

    // MARK: - Models and older stores

    @Test func `a store without marks stays without them (§8.6.8)`() throws {
        let fixture = try Fixture([Fixture.other], model: Fixture.model(isExternal: false))
        try fixture.close()
        let coordinator = try fixture.open()
        let context = fixture.makeContext(.error, coordinator)
        #expect(try fixture.data(in: context) == [Fixture.other])
        try fixture.change("0", to: Fixture.large, in: context)
        #expect(try fixture.sql("SELECT length(ZDATA) FROM ZPHOTO") == [["101"]])
        #expect(fixture.files().isEmpty)
    }

    @Test func `the store knows its marks, whatever the model says (§8.6.8)`() throws {
        let fixture = try Fixture([Fixture.large, Fixture.small])
        try fixture.close()
        let coordinator = try fixture.open(model: Fixture.model(isExternal: false))
        let context = fixture.makeContext(.error, coordinator)
        #expect(try fixture.data(in: context) == [Fixture.large, Fixture.small])
        try fixture.change("0", to: Fixture.other, in: context)
        #expect(fixture.files().isEmpty)
        try fixture.close(coordinator)
        #expect(try fixture.stored() == [Fixture.other, Fixture.small])
    }

    @Test func `a tombstone has no data, whatever the model says (§8.6.8)`() throws {
        let fixture = try Fixture([Fixture.large, Fixture.small]) { $0.tracksHistory = true }
        try fixture.close()
        let model = try ManagedObjectModel(
            entities: Fixture.model(isExternal: false).entities.map { entity in
                var description = entity.description
                for index in description.attributes.indices {
                    description.attributes[index].preservesValueInHistoryOnDeletion = true
                }
                return description
            })
        let coordinator = try fixture.open(model: model) { $0.tracksHistory = true }
        let context = fixture.makeContext(.error, coordinator)
        let tombstones = try context.performAndWait {
            for photo in try context.all("Photo") { context.delete(photo) }
            try context.save()
            return try context.fetchHistory(PersistentHistoryRequest()).last!.changes!
                .compactMap(\.tombstone)
        }
        #expect(tombstones.count == 2)
        #expect(tombstones.allSatisfy { $0["size"] != nil && $0["data"] == nil })
        #expect(fixture.files().isEmpty)
    }

    @Test func `damaged metadata are an error, before a sweep takes files for orphans (§8.6.8)`() {
        for name in ["ZPHOTO", "ZPHOTO.ZDATA.X", "ZPHOTO.ZDATA; DROP TABLE ZPHOTO", ""] {
            #expect(throws: StoreError.self) { try ExternalColumns([name]) }
        }
    }

    // MARK: - Whole stores

    @Test func `a copy that a crash cut short is copied again (§8.6.9)`() throws {
        let fixture = try Fixture([Fixture.large])
        try fixture.close()
        let copy = TemporaryFolder()
        let support = copy.url(".Backup_SUPPORT")
        let part = support.appending(path: "_EXTERNAL_DATA/\(fixture.files()[0])")
        try FileManager.default.createDirectory(
            at: part.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Fixture.large.prefix(7).write(to: part)
        try PersistentStoreCoordinator.replacePersistentStore(
            at: copy.url("Backup.sqlite"), with: fixture.url)
        #expect(try Data(contentsOf: part) == Fixture.large)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: support.path) == ["_EXTERNAL_DATA"])
    }

    @Test func `a copy that cannot be written leaves the destination as it was (§8.6.9)`() throws {
        let fixture = try Fixture([Fixture.large])
        try fixture.close()
        let other = try Fixture([Fixture.other])
        try other.close()
        let before = other.files()
        // A folder is where the file should be.
        let obstacle = other.file(fixture.files()[0])
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator.replacePersistentStore(at: other.url, with: fixture.url)
        }
        guard case .unwritableExternalData? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        try FileManager.default.removeItem(at: obstacle)
        #expect(other.files() == before && !other.isInUse)
        #expect(try other.stored() == [Fixture.other])
    }

    @Test func `replacing and destroying take files along (§8.6.9)`() throws {
        let fixture = try Fixture([Fixture.large, Fixture.small])
        try fixture.close()
        let copy = TemporaryFolder()
        let backup = copy.url("Backup.sqlite")
        let files = copy.url(".Backup_SUPPORT")
        let same = fixture.folder.url("App.backup")
        for destination in [backup, same] {
            try PersistentStoreCoordinator.replacePersistentStore(
                at: destination, with: fixture.url)
        }
        #expect(fixture.files(in: files) == fixture.files())
        #expect(fixture.files(in: fixture.folder.url(".App.backup_SUPPORT")) == fixture.files())

        let coordinator = try fixture.open()
        try fixture.change("0", to: Fixture.other, in: fixture.makeContext(.error, coordinator))
        try fixture.close(coordinator)
        #expect(try fixture.stored("App.backup") == [Fixture.large, Fixture.small])
        try PersistentStoreCoordinator.replacePersistentStore(at: fixture.url, with: backup)
        #expect(try fixture.stored() == [Fixture.large, Fixture.small])
        #expect(try fixture.files() == fixture.references())
        #expect(!fixture.isInUse)

        try PersistentStoreCoordinator.destroyPersistentStore(at: backup)
        #expect(!exists(files))
        #expect(try fixture.stored() == [Fixture.large, Fixture.small])
    }

    @Test(arguments: [true, false])
    func `migrating takes the data along (§8.6.9)`(isToFile: Bool) throws {
        let fixture = try Fixture([Fixture.large, Fixture.small])
        let other = TemporaryFolder()
        let url = other.url("New.sqlite")
        try fixture.coordinator.migratePersistentStore(
            fixture.store, to: isToFile ? Fixture.description(url) : .inMemory())
        #expect(try fixture.data(in: fixture.makeContext()) == [Fixture.large, Fixture.small])
        #expect(fixture.files(in: other.url(".New_SUPPORT")).count == (isToFile ? 1 : 0))
        #expect(fixture.files().count == 1)
    }
}
