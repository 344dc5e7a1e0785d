import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Values of all types, and large ones in files, through a mapping.
@Suite struct `Values of mapped migrations` {
    /// Photos with data in files become pictures.
    private static func pictures() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Picture",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("data", .binaryData, allowsExternalStorage: true),
                ])
        ])
    }

    private func open(
        _ fixture: ExternalFixture, _ mappings: [EntityMapping], calls: FileCalls = FileCalls()
    ) throws {
        let model = try Self.pictures()
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = ExternalFixture.description(fixture.url)
        description.fileCalls = calls
        description.migration.mappingModels = [
            try MappingModel(from: ExternalFixture.model(), to: model, mappings)
        ]
        let store = try coordinator.addPersistentStore(description)
        try coordinator.removePersistentStore(store)
    }

    private func data(_ fixture: ExternalFixture) throws -> [Data] {
        let coordinator = PersistentStoreCoordinator(model: try Self.pictures())
        let store = try coordinator.addPersistentStore(ExternalFixture.description(fixture.url))
        defer { try? coordinator.removePersistentStore(store) }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait {
            let request = FetchRequest(entityName: "Picture", sortKeys: [.ascending("name")])
            return try context.fetch(request, as: ManagedObject.self).compactMap {
                try $0.value(forKey: "data") as? Data
            }
        }
    }

    private static let photos = [
        ExternalFixture.large, ExternalFixture.small, ExternalFixture.other,
    ]

    @Test func `values in files move along, and no other file is left (§9.4.8)`() throws {
        let fixture = try ExternalFixture(Self.photos)
        try fixture.coordinator.removePersistentStore(fixture.store)
        let before = fixture.files()
        #expect(before.count == 2)
        try open(fixture, [EntityMapping(from: "Photo", to: "Picture")])
        #expect(try data(fixture) == Self.photos)
        #expect(fixture.files().count == 2)
        #expect(Set(fixture.files()).isDisjoint(with: before))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.support.path)
                == ["_EXTERNAL_DATA"])
    }

    @Test func `a migration that fails keeps the files, and only them (§9.4.8)`() throws {
        let fixture = try ExternalFixture(Self.photos)
        try fixture.coordinator.removePersistentStore(fixture.store)
        let before = fixture.files().sorted()
        #expect(throws: MigrationError.self) {
            try open(
                fixture,
                [
                    EntityMapping(from: "Photo", to: "Picture"),
                    .custom(from: "Photo", to: "Picture", name: "late") { _, _ in
                        throw CancellationError()
                    },
                ])
        }
        #expect(fixture.files().sorted() == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path).sorted()
                == [".App_SUPPORT", "App.sqlite"])
    }

    @Test(arguments: [ENOSPC, EIO])
    func `any call for a file may fail: the store is the old one or the new one (§9.4.8)`(
        _ code: Int32
    ) throws {
        var number = 0
        var failedCount = 0
        while true {
            number += 1
            let fixture = try ExternalFixture(Self.photos)
            try fixture.coordinator.removePersistentStore(fixture.store)
            let faults = FileFaults()
            faults.fail(number, with: code)
            let mappings = [EntityMapping(from: "Photo", to: "Picture")]
            do {
                try open(fixture, mappings, calls: faults.calls)
            } catch {
                failedCount += 1
                #expect(error is StoreError || error is MigrationError, "call \(number): \(error)")
            }
            let fired = faults.stop()
            try open(fixture, mappings)
            #expect(try data(fixture) == Self.photos, "call \(number)")
            #expect(fixture.files().count == 2, "call \(number)")
            if !fired { break }
            try #require(number < 200, "the migration never gets through")
        }
        #expect(failedCount > 3, "\(failedCount) of \(number) calls made the migration fail")
    }

    @Test func `a value that cannot be read ends the migration (§9.4.8)`() throws {
        let fixture = try ExternalFixture(Self.photos)
        try fixture.coordinator.removePersistentStore(fixture.store)
        try FileManager.default.removeItem(
            at: fixture.support.appending(path: "_EXTERNAL_DATA/\(fixture.files()[0])"))
        #expect(throws: (any Error).self) {
            try open(fixture, [EntityMapping(from: "Photo", to: "Picture")])
        }
        #expect(fixture.files().count == 1)
    }

    @Test func `values of all types are copied, elements of composites by their names (§9.3.3)`()
        throws
    {
        let store = MigrationFixture()
        func entity(_ name: String, _ count: AttributeDescription...) -> EntityDescription {
            EntityDescription(
                name: name,
                attributes: count + [
                    AttributeDescription("int", .integer64), AttributeDescription("real", .double),
                    AttributeDescription("price", .decimal), AttributeDescription("flag", .boolean),
                    AttributeDescription("date", .date), AttributeDescription("blob", .binaryData),
                    AttributeDescription("id", .uuid), AttributeDescription("link", .uri),
                    AttributeDescription("list", .transformable),
                    AttributeDescription(
                        "place", .composite,
                        elements: [
                            AttributeDescription("x", .double),
                            AttributeDescription(
                                name == "Old" ? "y" : "height", .double,
                                renamingIdentifier: name == "Old" ? nil : "y"),
                        ]),
                ])
        }
        let id = UUID()
        try store.open([entity("Old")]) { context in
            try context.insertObject(entityName: "Old").setValuesForKeys([
                "int": 5, "real": 1.5, "price": Decimal(7), "flag": true,
                "date": Date(timeIntervalSinceReferenceDate: 3), "blob": Data([1, 2]), "id": id,
                "link": URL(string: "https://example.org")!, "list": ["a": 1],
                "place": ["x": 1.0, "y": 2.0],
            ])
            try context.save()
        }
        let values =
            "SELECT ZINT, ZREAL, ZPRICE, ZFLAG, ZDATE, hex(ZBLOB), hex(ZID), ZLINK, hex(ZLIST)"
        let before = try store.sql("\(values), ZPLACE_X, ZPLACE_Y FROM ZOLD")
        let new = [entity("New", AttributeDescription("count", .integer64))]
        let mapping = try MappingModel(
            from: ManagedObjectModel(entities: [entity("Old")]),
            to: ManagedObjectModel(entities: new), [EntityMapping(from: "Old", to: "New")])
        try store.open(new, { $0.migration.mappingModels = [mapping] }) { _ in }
        #expect(try store.sql("\(values), ZPLACE_X, ZPLACE_HEIGHT FROM ZNEW") == before)
    }
}
