import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// The hooks of policies, associations, and how much is in memory.
@Suite struct `Migration policies` {
    private let fixture = MappingFixture()

    /// Notes the hooks in their order.
    private final class Recorder: EntityMigrationPolicy {
        let calls = Mutex<[String]>([])

        private func note(_ hook: String, _ mapping: EntityMapping) {
            calls.withLock { $0.append("\(hook) \(mapping.name)") }
        }

        func begin(_ mapping: EntityMapping, with manager: MigrationManager) {
            note("begin", mapping)
            manager.userInfo["begun"] = (manager.userInfo["begun"] as? Int ?? 0) + 1
        }

        func createDestinationInstances(
            for source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            note("create", mapping)
            #expect(manager.currentEntityMapping.name == mapping.name)
            #expect(manager.userInfo["begun"] as? Int == 2)
            try manager.insert()
        }

        func endInstanceCreation(for mapping: EntityMapping, manager: MigrationManager) {
            note("endCreation", mapping)
        }

        func createRelationships(
            for destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            note("relate", mapping)
            try manager.relate(destination)
        }

        func endRelationshipCreation(for mapping: EntityMapping, manager: MigrationManager) {
            note("endRelating", mapping)
        }

        func performCustomValidation(for mapping: EntityMapping, manager: MigrationManager) {
            note("validate", mapping)
        }

        func end(_ mapping: EntityMapping, manager: MigrationManager) { note("end", mapping) }
    }

    @Test func `each pass goes over all mappings in their order (§9.3.7)`() throws {
        try fixture.makePeople()
        let recorder = Recorder()
        let mapping = try MappingFixture.mapping(
            EntityMapping(from: "Pet", to: "Animal", name: "pets", policy: recorder),
            EntityMapping(from: "Person", to: "Contact", name: "people", policy: recorder))
        try fixture.migrate(mapping)
        func hooks(_ hook: String, _ counts: (pets: Int, people: Int) = (1, 1)) -> [String] {
            Array(repeating: "\(hook) pets", count: counts.pets)
                + Array(repeating: "\(hook) people", count: counts.people)
        }
        let created =
            ["create pets", "create pets", "endCreation pets"]
            + Array(repeating: "create people", count: 3) + ["endCreation people"]
        let related =
            ["relate pets", "relate pets", "endRelating pets"]
            + Array(repeating: "relate people", count: 3) + ["endRelating people"]
        #expect(
            recorder.calls.withLock { $0 } == hooks("begin") + created + related
                + hooks("validate") + hooks("end"))
        #expect(
            try fixture.store.sql("SELECT COUNT(*) FROM ZANIMAL WHERE ZOWNER NOT NULL") == ["2"])
    }

    private struct Families: EntityMigrationPolicy {
        func createDestinationInstances(
            for source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            // One address for all who live there: the others are associated with it.
            let street = try source.value(forKey: "street") as? String ?? "nowhere"
            let known = try manager.destinationContext.fetch(
                FetchRequest(
                    entityName: "Address", predicate: ObjectPredicate("street == %@", street)),
                as: ManagedObject.self)
            if let address = known.first {
                try manager.associate(source, with: address, for: mapping)
            } else {
                try manager.insert()
            }
        }

        func performCustomValidation(
            for mapping: EntityMapping, manager: MigrationManager
        ) throws {
            let addresses = try manager.destinationContext.fetch(
                FetchRequest(entityName: "Address", sortKeys: [.ascending("street")]),
                as: ManagedObject.self)
            let names = try addresses.map { address in
                try manager.sourceInstances(
                    forMappingNamed: mapping.name, destination: [address]
                ).map { try $0.value(forKey: "name") as? String ?? "" }
            }
            #expect(names == [["Ada", "Cy"], ["Bob"]])
            let people = try manager.sourceContext.fetch(
                FetchRequest(entityName: "Person", sortKeys: [.ascending("name")]),
                as: ManagedObject.self)
            #expect(
                try manager.destinationInstances(source: Array(people))
                    == [addresses[0], addresses[1], addresses[0]])
            let error = #expect(throws: MigrationError.self) {
                try manager.destinationInstances(forMappingNamed: "x", source: Array(people))
            }
            #expect(error?.reason == .unknownMapping("x"))
        }
    }

    @Test func `several objects become one, by associations (§9.3.8)`() throws {
        try fixture.makePeople()
        let addresses = EntityDescription(name: "Address", attributes: [MappingFixture.street])
        let mapping = try MappingFixture.mapping(
            EntityMapping(
                from: "Person", to: "Address",
                properties: [
                    PropertyMapping(
                        "street",
                        .conditional(
                            .comparison(
                                .init(.variable("source.street"), .equal, .constant(nil))),
                            .constant("nowhere"), .variable("source.street")))
                ], policy: Families()), to: [addresses])
        try fixture.migrate(mapping)
        #expect(
            try fixture.store.sql("SELECT ZSTREET FROM ZADDRESS ORDER BY 1")
                == ["Main Street", "nowhere"])
    }

    // MARK: - Many rows

    private static let item = EntityDescription(
        name: "Item", attributes: [AttributeDescription("number", .integer64)],
        relationships: [
            .toOne("next", "Item", inverse: "previous"),
            .toOne("previous", "Item", inverse: "next"),
        ])

    private func makeItems(_ count: Int) throws {
        try fixture.store.open([Self.item]) { context in
            var previous: ManagedObject?
            for number in 0..<count {
                let item = try context.insertObject(entityName: "Item")
                try item.setValuesForKeys(["number": number, "previous": previous])
                previous = item
            }
            try context.save()
        }
        // Leaves gaps between the keys.
        try fixture.store.open([Self.item]) { context in
            let doomed = try context.fetch(
                FetchRequest(
                    entityName: "Item", predicate: ObjectPredicate("modulus:by:(number, 7) == 3")),
                as: ManagedObject.self)
            for item in doomed { context.delete(item) }
            try context.save()
        }
    }

    @Test func `objects pass in chunks, and memory does not grow with their number (§9.3.9)`()
        throws
    {
        try makeItems(10_000)
        let expected = try fixture.store.sql(
            "SELECT i.ZNUMBER, n.ZNUMBER FROM ZITEM i LEFT JOIN ZITEM n ON n.Z_PK = i.ZNEXT ORDER BY 1"
        )
        let most = Mutex(0)
        let thing = EntityDescription(
            name: "Thing", attributes: Self.item.attributes,
            relationships: [
                .toOne("next", "Thing", inverse: "previous"),
                .toOne("previous", "Thing", inverse: "next"),
            ])
        let mapping = try MappingFixture.mapping(
            .custom(from: "Item", to: "Thing") { _, _, manager in
                let count = [manager.sourceContext, manager.destinationContext]
                    .map { $0.identityMap.objects.count }.reduce(0, +)
                most.withLock { $0 = max($0, count) }
            }, from: [Self.item], to: [thing])
        try fixture.migrate(mapping)
        #expect((1..<5000).contains(most.withLock { $0 }))
        #expect(
            try fixture.store.sql(
                "SELECT i.ZNUMBER, n.ZNUMBER FROM ZTHING i LEFT JOIN ZTHING n ON n.Z_PK = i.ZNEXT ORDER BY 1"
            ) == expected)
        #expect(
            try fixture.store.sql("SELECT COUNT(*) FROM ZTHING WHERE ZPREVIOUS NOT NULL") != ["0"])
    }

    @Test func `the part that is done rises to 1 (§9.3.10)`() throws {
        try makeItems(3000)
        let parts = Mutex<[Double]>([])
        let thing = EntityDescription(
            name: "Thing",
            attributes: [AttributeDescription("number", .integer64, isOptional: false)])
        let mapping = try MappingFixture.mapping(
            EntityMapping(from: "Item", to: "Thing"), from: [Self.item], to: [thing])
        let store = MigratedStore(
            description: .sqlite(at: fixture.store.url), file: fixture.store.url,
            model: mapping.destination, debug: .process)
        var migration = MappedMigration(mapping, of: store)
        migration.report = { part in parts.withLock { $0.append(part) } }
        try migration.run()
        let found = parts.withLock { $0 }
        #expect(found.count > 3)
        #expect(found == found.sorted())
        #expect(found.last == 1)
        #expect(found.filter { $0 == 1 }.count < 4)
    }
}
