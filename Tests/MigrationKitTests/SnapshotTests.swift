import Foundation
import MigrationKit
import ObjectGraph
import TestSupport
import Testing

@Suite struct `Snapshots of versions` {
    private let place = TemporaryFolder()
    private var folder: SnapshotFolder { SnapshotFolder(place.url.appending(path: "Snapshots")) }

    private func model(_ attributes: AttributeDescription...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [EntityDescription(name: "Page", attributes: attributes)])
    }

    /// Values of a snapshot that has pages.
    private func pages<Value: Sendable>(
        _ version: String, _ body: @Sendable ([ManagedObject]) throws -> Value
    ) throws -> Value {
        let file = folder.snapshot(of: version)
        let coordinator = PersistentStoreCoordinator(
            model: try PersistentStoreCoordinator.model(ofStoreAt: file))
        var description = PersistentStoreDescription.sqlite(at: file)
        description.isReadOnly = true
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait {
            try body(
                Array(try context.fetch(FetchRequest(entityName: "Page"), as: ManagedObject.self)))
        }
    }

    @Test func `there are objects of every entity, with all values but in the last one (§9.10.1)`()
        throws
    {
        try folder.export("1", of: try Catalogue.newest.model())
        let file = folder.snapshot(of: "1")
        let coordinator = PersistentStoreCoordinator(model: try Catalogue.newest.model())
        try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            for entity in coordinator.model.entitiesByName.values where !entity.isAbstract {
                var request = FetchRequest(entityName: entity.name)
                request.includesSubentities = false
                let objects = Array(try context.fetch(request, as: ManagedObject.self))
                #expect(objects.count == 5, "\(entity.name)")
                for object in objects.dropLast() {
                    for name in entity.attributesByName.keys {
                        #expect(try object.value(forKey: name) != nil, "\(entity.name).\(name)")
                    }
                }
                for (name, attribute) in entity.attributesByName
                where attribute.isOptional && attribute.derivation == nil {
                    #expect(try objects.last?.value(forKey: name) == nil, "\(entity.name).\(name)")
                }
                for name in entity.relationshipsByName.keys {
                    #expect(
                        try objects.contains { object in
                            let value = try object.value(forKey: name)
                            return (value as? any Collection).map { !$0.isEmpty } ?? (value != nil)
                        }, "\(entity.name).\(name)")
                }
            }
        }
    }

    @Test func `a snapshot of the same model stays as it is (§9.10.2)`() throws {
        let first = try model(AttributeDescription("title", .string))
        #expect(try folder.export("1", of: first))
        let bytes = try Data(contentsOf: folder.snapshot(of: "1"))
        #expect(try !folder.export("1", of: first))
        #expect(try Data(contentsOf: folder.snapshot(of: "1")) == bytes)

        let second = try model(AttributeDescription("size", .integer64))
        #expect(try folder.export("1", of: second))
        #expect(
            try PersistentStoreCoordinator.model(ofStoreAt: folder.snapshot(of: "1"))
                .versionChecksum == second.versionChecksum)
    }

    @Test func `the data follow from the model and the seed (§9.10.1)`() throws {
        let model = try model(
            AttributeDescription("title", .string), AttributeDescription("size", .integer64))
        try folder.export("1", of: model)
        try folder.export("2", of: model)
        try folder.export("3", of: model, seed: 2)
        let texts = try ["1", "2", "3"].map { version in
            try pages(version) { try $0.map { "\(try $0.value(forKey: "title") ?? "")" } }
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0] != texts[2])
    }

    @Test func `versions are in the order of their numbers`() throws {
        let model = try model(AttributeDescription("title", .string))
        for version in ["1.10", "1.9", "2.0-beta"] { try folder.export(version, of: model) }
        #expect(try folder.versions() == ["1.9", "1.10", "2.0-beta"])
        #expect(throws: MigrationKitError.unsuitableVersion("../1")) {
            try folder.export("../1", of: model)
        }
    }

    @Test func `values that break rules are replaced (§9.10.3)`() throws {
        let model = try model(
            AttributeDescription(
                "title", .string,
                validationRules: [ValidationRule("length <= 2", .message("too long"))]),
            AttributeDescription(
                "size", .integer64,
                validationRules: [ValidationRule("SELF BETWEEN {1, 10}", .message("too large"))]))
        try folder.export("1", of: model)
        let titles = try pages("1") {
            try $0.compactMap { try $0.value(forKey: "title") as? String }
        }
        #expect(Set(titles).count == 4)

        let code = try self.model(
            AttributeDescription(
                "title", .string,
                validationRules: [ValidationRule("SELF MATCHES 'x[0-9]'", .message("no code"))]))
        #expect(throws: (any Error).self) { try folder.export("2", of: code) }
        #expect(try folder.versions() == ["1"])
        try folder.export("2", of: code) { object, number in
            try object.setValue("x\(number)", forKey: "title")
        }
        #expect(try folder.versions() == ["1", "2"])
    }

    @Test func `a mandatory value that the kit does not know is asked for (§9.10.3)`() throws {
        let transformer = ValueTransformer.codable([Int].self)
        let model = try model(
            AttributeDescription(
                "list", .transformable, isOptional: false, transformer: transformer))
        #expect(throws: MigrationKitError.noSampleValue(entity: "Page", attribute: "list")) {
            try folder.export("1", of: model)
        }
    }
}
