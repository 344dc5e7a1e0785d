import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Stores from before transient attributes left the version hashes.
@Suite struct `Former version hashes (§1.8)` {
    private let fixture = MigrationFixture()

    private func entities(_ transients: String...) -> [EntityDescription] {
        let attributes =
            [AttributeDescription("title", .string)]
            + transients.map { AttributeDescription($0, .string, isTransient: true) }
        return [
            fixture.entity("Page", attributes), fixture.entity("Plate", parent: "Page"),
            fixture.entity("Shelf"),
        ]
    }

    /// Makes a store and gives it the hashes that it would have had.
    private func make(_ entities: [EntityDescription]) throws {
        try fixture.make(entities, [("Plate", ["title": "one"])])
        let model = try ManagedObjectModel(entities: entities)
        let former = model.entities.map { ($0.name, Data($0.formerVersionHash)) }
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        try MetadataTable.write(
            MetadataList(versionHashes: Dictionary(uniqueKeysWithValues: former)), on: connection)
        try connection.close()
    }

    private func count(
        _ entities: [EntityDescription],
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> Int {
        try fixture.open(entities, change) { try $0.count(for: FetchRequest(entityName: "Page")) }
    }

    @Test func `they counted transient attributes, in descendants too (§1.8.12)`() throws {
        let model = try ManagedObjectModel(entities: entities("mood"))
        let plain = try ManagedObjectModel(entities: entities())
        #expect(model.entityVersionHashesByName == plain.entityVersionHashesByName)
        #expect(model.versionChecksum == plain.versionChecksum)
        #expect(
            model.entities.map { $0.formerVersionHash == $0.versionHash } == [false, false, true])
    }

    @Test(arguments: [[], ["mood"], ["mood", "other"], ["other"]])
    func `a store with them opens without a migration (§1.8.12)`(
        _ transients: [String]
    ) throws {
        try make(entities("mood"))
        let after = [
            fixture.entity(
                "Page",
                [AttributeDescription("title", .string)]
                    + transients.map { AttributeDescription($0, .string, isTransient: true) }),
            fixture.entity("Plate", parent: "Page"), fixture.entity("Shelf"),
        ]
        #expect(try count(after) { $0.isReadOnly = true } == 1)
        #expect(try count(after) { $0.migration.isAutomatic = false } == 1)
    }

    @Test func `a store with them is migrated (§1.8.12)`() throws {
        try make(entities("mood"))
        var after = entities("mood")
        after[0].attributes.append(AttributeDescription("size", .integer64))
        #expect(try count(after) == 1)
        #expect(throws: StoreError.self) { try count(entities(), { $0.isReadOnly = true }) }
    }

    @Test func `the hashes and checksums that a program has noted are known (§1.8.12)`() throws {
        let model = try ManagedObjectModel(entities: entities("mood"))
        let hashes = Dictionary(
            uniqueKeysWithValues: model.entities.map { ($0.name, $0.formerVersionHash) })
        #expect(model.isConfiguration(nil, compatibleWithVersionHashes: hashes))
        #expect(ManagedObjectModel.merging([model], forVersionHashes: hashes) != nil)
        var digest = Digest()
        for entity in model.entities {
            digest.update(entity.name)
            digest.update(entity.formerVersionHash.map(String.init).joined(separator: ","))
        }
        let checksum = Data(digest.finalize()).base64EncodedString()
        #expect(checksum != model.versionChecksum)
        #expect(
            try ModelReference(model, versionChecksum: checksum).versionChecksum
                == model.versionChecksum)
    }
}
