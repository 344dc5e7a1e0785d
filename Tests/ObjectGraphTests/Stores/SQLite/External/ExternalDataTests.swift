import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `External binary data (§8.6)` {
    private typealias Fixture = ExternalFixture

    // MARK: - Where values are

    @Test func `a value above the threshold goes to a file, others stay behind a mark (§8.6.1)`()
        throws
    {
        let fixture = try Fixture([Fixture.large, Fixture.small, Data()])
        let forms = try fixture.sql(
            "SELECT hex(substr(ZDATA, 1, 1)), length(ZDATA), hex(substr(ZDATA, -1)) FROM ZPHOTO ORDER BY ZNAME"
        )
        #expect(forms == [["02", "38", "00"], ["01", "101", "05"], ["01", "1", "01"]])
        #expect(try fixture.files() == fixture.references())
        #expect(fixture.files().allSatisfy { UUID(uuidString: $0)?.uuidString == $0 })
        #expect(try Data(contentsOf: fixture.file(fixture.files()[0])) == Fixture.large)
        #expect(try fixture.stored() == [Fixture.large, Fixture.small, Data()])
    }

    @Test func `the default threshold is 100 KiB (§8.6.1)`() throws {
        #expect(
            PersistentStoreDescription.sqliteInMemory().externalStorageThresholdBytes == 102_400)
    }

    @Test func `a value of an attribute in a constraint stays in its row (§8.6.1)`() throws {
        let photo = EntityDescription(
            name: "Photo",
            attributes: [
                AttributeDescription("name", .string),
                AttributeDescription("size", .integer64),
                AttributeDescription("data", .binaryData, allowsExternalStorage: true),
            ], uniquenessConstraints: [["data"]])
        let fixture = try Fixture(
            [Fixture.other], model: ManagedObjectModel(entities: [photo]))
        #expect(fixture.files().isEmpty)
        #expect(throws: SaveError.self) { try fixture.add([Fixture.other]) }
    }

    @Test func `in memory all values stay in their rows (§8.6.1)`() throws {
        for description in [PersistentStoreDescription.inMemory(), .sqliteInMemory()] {
            let coordinator = PersistentStoreCoordinator(model: try Fixture.model())
            var description = description
            description.externalStorageThresholdBytes = 100
            try coordinator.addPersistentStore(description)
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.performAndWait {
                try context.insert("Photo", ["data": Fixture.other])
                try context.save()
                context.reset()
                #expect(try context.all("Photo")[0].value(forKey: "data") as? Data == Fixture.other)
            }
        }
    }

    // MARK: - When files come and go

    @Test func `a commit that drops a reference removes the file (§8.6.2)`() throws {
        let fixture = try Fixture([Fixture.large, Fixture.large, Fixture.large])
        let first = fixture.files()
        try fixture.change("0", to: Fixture.other)
        #expect(fixture.files().count == 3 && fixture.files() != first)
        try fixture.change("1", to: Fixture.small)
        #expect(fixture.files().count == 2)
        try fixture.context.performAndWait {
            fixture.context.delete(try fixture.photo("2", in: fixture.context))
            try fixture.context.save()
        }
        #expect(try fixture.files().count == 1 && fixture.files() == fixture.references())
        try fixture.change("0", to: nil)
        #expect(fixture.files().isEmpty)
        #expect(try fixture.stored() == [nil, Fixture.small])
    }

    @Test func `a change of another attribute keeps the file (§8.6.2)`() throws {
        let fixture = try Fixture([Fixture.large])
        let files = fixture.files()
        try fixture.context.performAndWait {
            try fixture.photo("0", in: fixture.context).setValue("new", forKey: "name")
            try fixture.context.save()
        }
        #expect(fixture.files() == files)
        #expect(try fixture.stored() == [Fixture.large])
    }

    @Test func `a save that fails removes what it wrote (§8.6.2)`() throws {
        let fixture = try Fixture([Fixture.large], model: Fixture.model(isUnique: true))
        let files = fixture.files()
        try fixture.context.performAndWait {
            try fixture.photo("0", in: fixture.context).setValue(Fixture.other, forKey: "data")
            try fixture.context.insert("Photo", ["name": "0", "data": Fixture.other])
            #expect(throws: SaveError.self) { try fixture.context.save() }
        }
        #expect(fixture.files() == files)
        #expect(try fixture.data(in: fixture.makeContext()) == [Fixture.large])
    }

    @Test func `a statement that SQLite takes back leaves no file (§8.6.2)`() throws {
        let fixture = try Fixture([Fixture.large], model: Fixture.model(isUnique: true))
        let context = fixture.context
        // One statement inserts both photos, and fails for the second, whose name is only free
        // after the update.
        try context.performAndWait {
            try context.insert("Photo", ["name": "a", "data": Fixture.large])
            try context.insert("Photo", ["name": "0", "data": Fixture.other])
            try fixture.photo("0", in: context).setValue("z", forKey: "name")
            try context.save()
        }
        #expect(try fixture.files().count == 3 && fixture.files() == fixture.references())
        try fixture.close()
        #expect(!fixture.isInUse)
    }

    @Test func `cascades and batch requests take files along (§8.6.2)`() throws {
        let fixture = try Fixture()
        let context = fixture.context
        try context.performAndWait {
            let album = try context.insert("Album")
            for _ in 0..<3 {
                try context.insert("Photo", ["data": Fixture.large, "album": album])
            }
            try context.save()
            #expect(fixture.files().count == 3)
            context.delete(album)
            try context.save()
            #expect(fixture.files().isEmpty)

            try context.execute(
                BatchInsertRequest(
                    entityName: "Photo",
                    objects: (0..<70).map {
                        [
                            "name": .string("\($0)"),
                            "data": .data($0 == 0 ? Fixture.small : Fixture.large),
                        ]
                    }))
            #expect(try fixture.files().count == 69 && fixture.files() == fixture.references())
            let update = try BatchUpdateRequest(
                entityName: "Photo", predicate: ObjectPredicate("name IN {'0', '1'}"),
                propertiesToUpdate: ["data": .constant(.data(Fixture.other))])
            try context.execute(update)
            #expect(try fixture.files().count == 70 && fixture.files() == fixture.references())
            try context.execute(
                BatchDeleteRequest(
                    fetchRequest: FetchRequest(
                        entityName: "Photo", predicate: ObjectPredicate("name != '1'"))))
            #expect(try fixture.files().count == 1 && fixture.files() == fixture.references())
        }
        #expect(try fixture.stored() == [Fixture.other])
    }

    @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
    func `an upsert leaves no file of a row that it skips or replaces (§8.6.2)`(
        _ policy: MergePolicy
    ) throws {
        let fixture = try Fixture([Fixture.large], model: Fixture.model(isUnique: true))
        let context = fixture.makeContext(policy)
        try context.performAndWait {
            _ = try context.execute(
                BatchInsertRequest(
                    entityName: "Photo",
                    objects: ["0", "1", "0"].map {
                        ["name": .string($0), "data": .data(Fixture.other)]
                    }))
        }
        #expect(try fixture.files().count == 2 && fixture.files() == fixture.references())
    }

    // MARK: - Reading

    @Test func `a fetch reads no file, and an access maps it (§8.6.3)`() throws {
        let fixture = try Fixture([Data(repeating: 3, count: 50_000)])
        let file = fixture.file(fixture.files()[0]).path
        @Sendable func isMapped() throws -> Bool {
            // The system gives a part with each read.
            let maps = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps"))
            var text = Data()
            while let part = try maps.read(upToCount: 1 << 16), !part.isEmpty { text += part }
            return String(decoding: text, as: UTF8.self).contains(file)
        }
        try fixture.context.performAndWait {
            let photo = try fixture.photo("0", in: fixture.context)
            #expect(try photo.value(forKey: "name") as? String == "0")
            #expect(try !isMapped())
            let data = try photo.value(forKey: "data") as? Data
            #expect(try isMapped())
            // The mapping survives the removal of the file.
            try fixture.change("0", to: nil, in: fixture.makeContext())
            #expect(fixture.files().isEmpty)
            #expect(data == Data(repeating: 3, count: 50_000))
        }
    }

    @Test func `a missing file is an error of the access (§8.6.3)`() throws {
        let fixture = try Fixture([Fixture.large, Fixture.small])
        let file = fixture.file(fixture.files()[0])
        try FileManager.default.removeItem(at: file)
        try fixture.context.performAndWait {
            let failures = Failures()
            fixture.context.faultHandler = { _, error in failures.add(error) }
            let photo = try fixture.photo("0", in: fixture.context)
            #expect(try photo.value(forKey: "name") as? String == "0")
            #expect(failures.reasons.isEmpty)
            #expect(try photo.value(forKey: "data") == nil)
            #expect(
                failures.reasons == [
                    .missingExternalData(entity: "Photo", attribute: "data", file: file.path)
                ])
            // Nothing computed from the nil is saved, until the object is read again.
            try photo.setValue("new", forKey: "name")
            #expect(throws: SaveError.self) { try fixture.context.save() }
            fixture.context.rollback()
            try photo.setValue(Fixture.other, forKey: "data")
            try fixture.context.save()
        }
        #expect(try fixture.stored() == [Fixture.other, Fixture.small])
    }

    @Test(arguments: [
        "../../App.sqlite\u{0}", "/etc/passwd\u{0}", "../_EXTERNAL_DATA/0000000000000000000\u{0}",
        "00000000-0000-0000-0000-00000000000/\u{0}", "",
    ])
    func `only a UUID names a file (§8.6.3)`(_ name: String) throws {
        let fixture = try Fixture([Fixture.large])
        let hex = name.utf8.map { String(format: "%02x", $0) }.joined()
        _ = try fixture.sql("UPDATE ZPHOTO SET ZDATA = x'02\(hex)'")
        try fixture.context.performAndWait {
            let failures = Failures()
            fixture.context.faultHandler = { _, error in failures.add(error) }
            let photo = try fixture.photo("0", in: fixture.context)
            #expect(try photo.value(forKey: "data") == nil)
            guard case .damagedValue? = failures.reasons.first else {
                Issue.record("\(failures.reasons)")
                return
            }
            fixture.context.delete(photo)
            fixture.context.rollback()
        }
    }

    @Test func `SQL reads a file only to compare its content (§8.6.4)`() throws {
        let fixture = try Fixture([Fixture.large, Fixture.small])
        try fixture.context.performAndWait {
            try fixture.context.insert("Photo", ["name": "2"])
            try fixture.context.save()
        }
        let isLarge = ObjectPredicate.comparison(
            .init(.keyPath("data"), .equal, .constant(.data(Fixture.large))))
        func names(_ predicate: ObjectPredicate) throws -> [String] {
            try fixture.context.performAndWait {
                try fixture.context.fetch(
                    FetchRequest(
                        entityName: "Photo", predicate: predicate, sortKeys: [.ascending("name")]),
                    as: ManagedObject.self
                ).map { try $0.value(forKey: "name") as? String ?? "" }
            }
        }
        #expect(try names(isLarge) == ["0"])
        try FileManager.default.removeItem(at: fixture.file(fixture.files()[0]))
        #expect(try names(ObjectPredicate("data = nil")) == ["2"])
        #expect(try names(ObjectPredicate("data != nil")) == ["0", "1"])
        #expect(throws: StoreError.self) { try names(isLarge) }
    }
}

/// The errors that a context reports.
final class Failures: @unchecked Sendable {
    // @unchecked Sendable: used on the thread of the test, on which `performAndWait` runs.
    private(set) var reasons: [StoreError.Reason] = []

    func add(_ error: any Error) {
        if let error = error as? StoreError { reasons.append(error.reason) }
    }
}
