import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Writing to stores of Core Data (§8.7)")
struct CoreDataStoreWritingTests {
    @Test func `what no model knows stays as it is (§8.7.4)`() throws {
        let store = try CoreDataStore(.foreignParts)
        let queries = [
            "SELECT Z_PK, ZCOLOUR, hex(\"odd name\") FROM ZALBUM", "SELECT * FROM ZNOTES",
            "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE", "SELECT Z_UUID FROM Z_METADATA",
            "SELECT * FROM titles ORDER BY 1", "SELECT sql FROM sqlite_schema",
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY",
        ]
        let before = try queries.map(store.dump)
        let context = try store.context()
        try context.performAndWait {
            let album = try #require(try context.all("Album", by: "title").last)
            try album.setValue(1, forKey: "rating")
            try context.insert("Person", ["name": "Zoe"])
            try context.save()
        }
        #expect(try queries.map(store.dump) == before)
        // The app's own trigger has run.
        #expect(try store.dump("SELECT id, value FROM plain").last == ["2", "Zoo"])
    }

    @Test
    func `the metadata survive a save, and get our hashes beside Core Data's (§8.7.4, §8.7.5)`()
        throws
    {
        let store = try CoreDataStore()
        let before = try store.metadata()
        let context = try store.context()
        try context.performAndWait {
            try context.insert("Person", ["name": "Zoe"])
            try context.save()
        }
        var after = try store.metadata()
        let note = after.removeValue(forKey: "ObjectGraphVersionHashes")
        #expect(note != nil)
        #expect(after as NSDictionary == before as NSDictionary)
        let coordinator = context.coordinator
        let metadata = try coordinator.metadata(for: coordinator.persistentStores[0])
        #expect(metadata.values["text"] == .string("Ω"))
        #expect(metadata.values["ObjectGraphVersionHashes"] == nil)
    }

    @Test func `a save that has nothing to save writes no hashes (§8.7.5)`() throws {
        let store = try CoreDataStore()
        let before = try store.dump("SELECT hex(Z_PLIST) FROM Z_METADATA")
        let context = try store.context()
        try context.performAndWait { try context.save() }
        #expect(try store.dump("SELECT hex(Z_PLIST) FROM Z_METADATA") == before)
    }

    @Test func `a row that a trigger changed is read again when its object is refreshed (§8.7.6)`()
        throws
    {
        let store = try CoreDataStore(.derivedTriggers)
        let context = try store.context()
        try context.performAndWait {
            let bob = try #require(try context.all("Person", by: "name").dropFirst().first)
            #expect(try bob.value(forKey: "assetCount") as? Int64 == 0)
            let photo = try context.insert("Photo", ["owner": bob])
            try context.save()
            #expect(try bob.value(forKey: "assetCount") as? Int64 == 0)
            context.refresh(bob, mergeChanges: true)
            #expect(try bob.value(forKey: "assetCount") as? Int64 == 1)
            context.delete(photo)
            try context.save()
            context.refresh(bob, mergeChanges: true)
            #expect(try bob.value(forKey: "assetCount") as? Int64 == 0)
        }
    }

    @Test(arguments: [CoreDataStore.Oddity.rTree, .bareRTree])
    func `an R*Tree has what the rows have, with triggers of the file and without (§8.7.7)`(
        oddity: CoreDataStore.Oddity
    ) throws {
        let store = try CoreDataStore(oddity)
        let context = try store.context()
        try context.performAndWait {
            let photo = try #require(try context.all("Photo", by: "note").last)
            try photo.setValue(0.25, forKey: "longitude")
            try photo.setValue(-1.5, forKey: "latitude")
            try context.insert("Photo", ["latitude": 4.5, "longitude": 5.5])
            try context.insert("Movie", ["length": 1.0])
            try context.save()
        }
        let tree =
            "SELECT Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX FROM Z_RT_Photo_location ORDER BY 1"
        let rows =
            "SELECT Z_PK, ZLATITUDE, ZLATITUDE, ZLONGITUDE, ZLONGITUDE FROM ZASSET WHERE ZLATITUDE NOT NULL ORDER BY 1"
        #expect(try store.dump(tree) == store.dump(rows))
        #expect(try store.dump(rows).count == 3)
        try context.performAndWait {
            for photo in try context.all("Photo") { context.delete(photo) }
            try context.save()
        }
        #expect(try store.dump("SELECT * FROM Z_RT_Photo_location").isEmpty)
        #expect(try store.dump("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func `a store whose R*Tree cannot be kept up to date is only read (§8.7.7)`() throws {
        let store = try CoreDataStore(.bareRTree)
        try store.execute(
            "DROP TABLE Z_RT_Photo_location; CREATE VIRTUAL TABLE Z_RT_Photo_place USING RTREE (Z_PK, ZX_MIN, ZX_MAX)"
        )
        let context = try store.context()
        try context.performAndWait {
            try context.insert("Person")
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .unmaintainedIndex("Z_RT_Photo_place"))
            #expect(error?.code == 134030)
        }
    }

    @Test func `a store with a history is only read, unless told otherwise (§8.7.8)`() throws {
        let store = try CoreDataStore(.history)
        let before = try store.files()
        let reading = try store.context()
        try reading.performAndWait {
            try #require(try reading.all("Album").first).setValue("new", forKey: "title")
            let error = #expect(throws: StoreError.self) { try reading.save() }
            #expect(error?.reason == .hasHistory && error?.code == 134030)
            #expect("\(error!)".contains("writesWithoutHistory"))
            #expect(reading.hasChanges)
        }
        try reading.coordinator.removePersistentStore(reading.coordinator.persistentStores[0])
        #expect(try store.files() == before)

        let tables = ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"].map { "SELECT * FROM \($0)" }
        let history = try tables.map(store.dump)
        let writing = try store.context { $0.writesWithoutHistory = true }
        try writing.performAndWait {
            try #require(try writing.all("Album", by: "title").last)
                .setValue("new", forKey: "title")
            try writing.save()
        }
        #expect(try store.dump("SELECT ZTITLE FROM ZALBUM WHERE Z_PK = 2") == [["new"]])
        #expect(try tables.map(store.dump) == history)
    }

    @Test func `a missing file of a value is an error that names it (§8.7.9)`() throws {
        let store = try CoreDataStore(.externalFiles)
        let context = try store.context()
        try context.performAndWait {
            let failures = Failures()
            context.faultHandler = { _, error in failures.add(error) }
            let values = try context.all("Photo", by: "note").map {
                try $0.value(forKey: "thumbnail") as? Data
            }
            #expect(values[1] == nil)
            #expect(
                failures.reasons == [
                    .missingExternalData(
                        entity: "Photo", attribute: "thumbnail", file: store.externalFile.path)
                ])
        }
    }

    @Test func `a value without its mark is damaged (§8.7.9)`() throws {
        let store = try CoreDataStore()
        try store.execute("UPDATE ZASSET SET ZTHUMBNAIL = x'0708' WHERE Z_PK = 9")
        let context = try store.context()
        try context.performAndWait {
            let failures = Failures()
            context.faultHandler = { _, error in failures.add(error) }
            for photo in try context.all("Photo") { _ = try photo.value(forKey: "thumbnail") }
            guard case .damagedValue? = failures.reasons.first else {
                Issue.record("\(failures.reasons)")
                return
            }
        }
    }

    @Test func `a copy takes files along (§8.7.9, §8.6.9)`() throws {
        let store = try CoreDataStore(.externalFiles)
        try store.makeExternalFile(Data([7, 8]))
        let copy = TemporaryFolder()
        try PersistentStoreCoordinator.replacePersistentStore(
            at: copy.url("Copy.sqlite"), with: store.url)
        let name = store.externalFile.lastPathComponent
        #expect(
            try Data(contentsOf: copy.url(".Copy_SUPPORT/_EXTERNAL_DATA/\(name)")) == Data([7, 8]))
    }

    @Test func `a value is written behind its mark or into a file (§8.7.9)`() throws {
        let store = try CoreDataStore(.externalFiles)
        try store.makeExternalFile(Data([7, 8]))
        let context = try store.context()
        try context.performAndWait {
            let photos = try context.all("Photo", by: "note")
            #expect(try photos[1].value(forKey: "thumbnail") as? Data == Data([7, 8]))
            let same = FetchRequest(
                entityName: "Photo",
                predicate: .comparison(
                    .init(.keyPath("thumbnail"), .equal, .constant(.data(Data([7, 8]))))))
            #expect(try Array(context.fetch(same, as: ManagedObject.self)) == [photos[1]])
            try photos[1].setValue(Data([5]), forKey: "thumbnail")
            try photos[0].setValue(nil, forKey: "thumbnail")
            try context.insert("Photo", ["thumbnail": Data()])
            try context.save()
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Photo", predicate: try ObjectPredicate("note = 'of a photo'"),
                    propertiesToUpdate: ["thumbnail": .constant(.data(Data([6])))]))
        }
        #expect(
            try store.dump("SELECT Z_PK, hex(ZTHUMBNAIL) FROM ZASSET WHERE ZTHUMBNAIL NOT NULL")
                == [["3", "0106"], ["9", "0105"], ["10", "01"]])
        #expect(!FileManager.default.fileExists(atPath: store.externalFile.path))
        let large = Data(repeating: 1, count: 200_000)
        try context.performAndWait {
            try context.insert("Photo", ["note": "large", "thumbnail": large])
            try context.save()
        }
        let folder = store.externalFile.deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count == 1)
        #expect(try Data(contentsOf: folder.appending(path: files[0])) == large)
    }
}
