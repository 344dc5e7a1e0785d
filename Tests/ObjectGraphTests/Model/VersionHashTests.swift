import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Version hashes (§1.8)` {
    private static let base = EntityDescription(
        name: "A",
        attributes: [AttributeDescription("a", .string), AttributeDescription("b", .date)],
        relationships: [
            .toMany("many", "B", inverse: "one"), .toMany("links", "B", inverse: "links"),
        ])

    private static func model(
        _ change: (inout EntityDescription) -> Void = { _ in },
        _ changeOther: (inout EntityDescription) -> Void = { _ in }
    ) throws -> ManagedObjectModel {
        var entity = base
        change(&entity)
        var other = EntityDescription(
            name: "B",
            relationships: [
                .toOne("one", "A", inverse: "many"), .toMany("links", "A", inverse: "links"),
            ])
        changeOther(&other)
        return try ManagedObjectModel(entities: [other, entity])
    }

    private static func hash(_ change: (inout EntityDescription) -> Void = { _ in }) throws
        -> [UInt8]
    {
        try #require(try model(change).entityVersionHashesByName["A"])
    }

    typealias Change = @Sendable (inout EntityDescription) -> Void

    static let changesThatCount: [Change] = [
        { $0.attributes[0].isOptional = false }, { $0.attributes[0].isTransient = true },
        { $0.attributes[0].versionHashModifier = "2" }, { $0.attributes[0].name = "c" },
        { $0.attributes[0].type = .integer16 }, { $0.relationships[0].minCount = 1 },
        { $0.relationships[0].maxCount = 9 }, { $0.relationships[0].isOrdered = true },
        { $0.relationships[0].isOptional = false },
        { $0.relationships[1].versionHashModifier = "2" }, { $0.isAbstract = true },
        { $0.versionHashModifier = "2" }, { $0.uniquenessConstraints = [["a"]] },
        { $0.attributes.append(AttributeDescription("new", .string)) },
    ]

    @Test(arguments: changesThatCount.indices)
    func `what counts (§1.8.2, §1.8.3, §1.8.4, §1.8.5, §1.8.11)`(_ index: Int) throws {
        #expect(try Self.hash(Self.changesThatCount[index]) != Self.hash())
    }

    static let changesThatDoNotCount: [Change] = [
        { $0.managedObjectClass = Notebook.self }, { $0.attributes[0].defaultValue = "x" },
        { $0.relationships[0].deleteRule = .cascade },
        { $0.indexes = [FetchIndexDescription("i", on: "a")] },
        { $0.indexes = [.fullText("i", on: "a")] },
        {
            $0.attributes.append(
                AttributeDescription("new", .string, isTransient: true, versionHashModifier: "2"))
        },
        { $0.userInfo = ["a": "b"] },
        { $0.renamingIdentifier = "Old" }, { $0.attributes[0].renamingIdentifier = "old" },
        { $0.attributes[0].userInfo = ["a": "b"] },
        {
            $0.attributes[0].validationRules = [
                ValidationRule(.value(true), .message("always"))
            ]
        },
    ]

    @Test(arguments: changesThatDoNotCount.indices)
    func `what does not count (§1.8.6, §14.28)`(_ index: Int) throws {
        #expect(try Self.hash(Self.changesThatDoNotCount[index]) == Self.hash())
    }

    @Test func `only the modifier changes (§1.8.11, §14.28)`() throws {
        let store = try StoreFixture(Self.model())
        let other = PersistentStoreCoordinator(
            model: try Self.model { $0.attributes[0].versionHashModifier = "new format" })
        let error = try #require(throws: StoreError.self) {
            var description = PersistentStoreDescription.sqlite(
                at: store.folder.url("store.sqlite"))
            description.migration.isAutomatic = false
            try other.addPersistentStore(description)
        }
        #expect(error.reason == .incompatibleModel(entities: ["A"]))
    }

    @Test func `a hash has 32 bytes (§1.8.1)`() throws {
        #expect(
            try Self.model().entityVersionHashesByName.mapValues(\.count) == ["A": 32, "B": 32])
    }

    @Test func `a destination that changes leaves the hash (§1.8.7)`() throws {
        let changed = try Self.model({ _ in }) {
            $0.attributes = [AttributeDescription("new", .string)]
        }
        #expect(try changed.entityVersionHashesByName["A"] == Self.hash())
        #expect(
            try changed.entityVersionHashesByName["B"]
                != Self.model().entityVersionHashesByName["B"])
    }

    @Test func `an ancestor that changes does not leave it (§1.8.5)`() throws {
        func hash(_ attributes: AttributeDescription...) throws -> [UInt8]? {
            try ManagedObjectModel(entities: [
                EntityDescription(name: "A", attributes: attributes),
                EntityDescription(name: "B", superentity: "A"),
            ]).entityVersionHashesByName["B"]
        }
        #expect(try hash() != hash(AttributeDescription("a", .string)))
    }

    @Test func `the checksum sums the hashes up (§1.8.8)`() throws {
        let checksum = try Self.model().versionChecksum
        #expect(Data(base64Encoded: checksum)?.count == 32)
        #expect(try Self.model().versionChecksum == checksum)
        #expect(try Self.model { $0.isAbstract = true }.versionChecksum != checksum)
    }

    @Test func `the order of declaration does not count, and no process has its own (§1.8.9)`()
        throws
    {
        #expect(try Self.hash { $0.attributes.reverse() } == Self.hash())
        #expect(
            try Self.hash().prefix(8).map { $0 } == [53, 81, 52, 214, 211, 150, 44, 53],
            "the hash of this model, as it was on another day")
    }

    @Test func `a renaming identifier is none unless given (§1.8.10)`() {
        #expect(AttributeDescription("a", .string).renamingIdentifier == nil)
        #expect(
            AttributeDescription("a", .string, renamingIdentifier: "old").renamingIdentifier
                == "old")
    }
}
