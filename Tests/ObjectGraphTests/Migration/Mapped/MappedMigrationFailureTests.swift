import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// What ends a migration, and what is left then: the old store, and nothing beside it.
@Suite struct `Mapped migrations that fail` {
    private let fixture = MappingFixture()

    private struct Refusal: Error, Equatable {}

    /// Expects that the store and the files beside it are as before.
    private func expectFailure(
        _ mapping: MappingModel, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> MigrationError? {
        let names = try fixture.store.files().keys.sorted()
        let rows = try fixture.store.sql("SELECT * FROM ZPERSON")
        let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
            try fixture.migrate(mapping, change) { _ in }
        }
        #expect(error?.url == fixture.store.url, sourceLocation: sourceLocation)
        #expect(try fixture.store.files().keys.sorted() == names, sourceLocation: sourceLocation)
        #expect(
            try fixture.store.sql("SELECT * FROM ZPERSON") == rows, sourceLocation: sourceLocation)
        #expect(
            try fixture.store.open(MappingFixture.people, { $0.migration.isAutomatic = false }) {
                try $0.count(for: FetchRequest(entityName: "Pet"))
            } == 2, sourceLocation: sourceLocation)
        return error
    }

    /// Throws in one hook.
    private struct Thrower: EntityMigrationPolicy {
        let hook: String

        private func check(_ name: String) throws { if name == hook { throw Refusal() } }

        func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
            try check("begin")
        }

        func createDestinationInstances(
            for source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            try manager.insert()
            try check("create")
        }

        func endInstanceCreation(for mapping: EntityMapping, manager: MigrationManager) throws {
            try check("endCreation")
        }

        func createRelationships(
            for destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            try check("relate")
        }

        func endRelationshipCreation(for mapping: EntityMapping, manager: MigrationManager) throws {
            try check("endRelating")
        }

        func performCustomValidation(for mapping: EntityMapping, manager: MigrationManager) throws {
            try check("validate")
        }

        func end(_ mapping: EntityMapping, manager: MigrationManager) throws { try check("end") }
    }

    @Test(arguments: [
        "begin", "create", "endCreation", "relate", "endRelating", "validate", "end",
    ])
    func `what a hook throws ends the migration (§9.4.3)`(_ hook: String) throws {
        try fixture.makePeople()
        let error = try expectFailure(
            MappingFixture.mapping(
                EntityMapping(from: "Pet", to: "Animal"),
                EntityMapping(from: "Person", to: "Contact", policy: Thrower(hook: hook))))
        guard case .mappingFailed("PersonToContact", let object, let underlying)? = error?.reason
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(underlying.error as? Refusal == Refusal())
        #expect((object?.entityName == "Person") == ["create", "relate"].contains(hook))
        #expect(error?.code == 134170)
    }

    @Test func `a hook can cancel (§9.4.3)`() throws {
        try fixture.makePeople()
        let error = try expectFailure(
            MappingFixture.mapping(
                .custom(from: "Person", to: "Contact") { _, _, manager in
                    manager.cancel(Refusal())
                }))
        #expect(error?.reason == .cancelled(UnderlyingError(Refusal())))
        #expect(error?.code == 134120)
    }

    @Test func `invalid objects end the migration, in the third pass (§9.4.4)`() throws {
        try fixture.makePeople()
        var contacts = MappingFixture.contacts
        contacts[0].attributes[1] = AttributeDescription("age", .integer16, isOptional: false)
        contacts[0].relationships[0] = .toOne(
            "address", "Address", inverse: "contacts", isOptional: false)
        let error = try expectFailure(
            MappingFixture.mapping(
                .custom(from: "Person", to: "Contact") { person, contact, manager in
                    // The second pass might still relate Bob.
                    guard let street = try person.value(forKey: "street") else { return }
                    let address = try manager.insert("Address")
                    try address.setValue(street, forKey: "street")
                    try contact.setValue(address, forKey: "address")
                }, to: contacts))
        guard case .mappingFailed("PersonToContact", let object, let underlying)? = error?.reason
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(object?.entityName == "Contact")
        let validation = underlying.error as? ValidationError
        #expect(validation?.reason == .missingMandatoryProperty && validation?.key == "address")
    }

    @Test func `relationships may be completed in the second pass (§9.4.4)`() throws {
        try fixture.makePeople()
        var contacts = MappingFixture.contacts
        contacts[2].relationships[0] = .toOne(
            "owner", "Contact", inverse: "pets", isOptional: false)
        contacts[0].relationships[1] = .toMany(
            "pets", "Animal", inverse: "owner", minCount: 2, isOrdered: true)
        try fixture.migrate(
            MappingFixture.mapping(
                EntityMapping(from: "Pet", to: "Animal"),
                EntityMapping(from: "Person", to: "Contact"), to: contacts))
        #expect(
            try fixture.store.sql("SELECT COUNT(*) FROM ZANIMAL WHERE ZOWNER NOT NULL") == ["2"])
    }

    @Test func `too few objects of a relationship are an error (§9.4.4)`() throws {
        try fixture.makePeople()
        var contacts = MappingFixture.contacts
        contacts[0].relationships[1] = .toMany(
            "pets", "Animal", inverse: "owner", minCount: 3, isOrdered: true)
        let error = try expectFailure(
            MappingFixture.mapping(
                EntityMapping(from: "Pet", to: "Animal"),
                EntityMapping(from: "Person", to: "Contact"), to: contacts))
        guard case .mappingFailed("PersonToContact", _, let underlying)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            (underlying.error as? ValidationError)?.reason == .tooFewObjects(minCount: 3, count: 2))
    }

    @Test func `a value that its attribute cannot hold is an error (§9.4.4)`() throws {
        try fixture.makePeople()
        let error = try expectFailure(
            MappingFixture.mapping(
                .custom(from: "Person", to: "Contact") { _, contact, _ in
                    try contact.setValue(100_000, forKey: "age")
                }))
        #expect(error?.code == 134170)
    }

    @Test func `equal values of a constraint are an error (§9.4.4)`() throws {
        try fixture.makePeople()
        let addresses = EntityDescription(
            name: "Address", attributes: [MappingFixture.street],
            uniquenessConstraints: [["street"]])
        let error = try expectFailure(
            MappingFixture.mapping(EntityMapping(from: "Person", to: "Address"), to: [addresses]))
        #expect(error?.reason == .constraintViolated(entity: "Address", constraint: ["street"]))
        #expect(error?.code == 134111)
    }

    @Test func `a store that is open elsewhere is refused (§9.4.5)`() throws {
        try fixture.makePeople()
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: MappingFixture.people))
        let store = try coordinator.addPersistentStore(.sqlite(at: fixture.store.url))
        let mapping = try MappingFixture.mapping(EntityMapping(from: "Person", to: "Contact"))
        let error = #expect(throws: MigrationError.self) {
            try fixture.migrate(mapping, { $0.timeout = .milliseconds(20) }) { _ in }
        }
        #expect(error?.reason == .storeInUse)
        try coordinator.removePersistentStore(store)
        try fixture.migrate(mapping)
    }

    @Test func `nobody can write to the store meanwhile (§9.4.5)`() throws {
        try fixture.makePeople()
        let url = fixture.store.url
        let codes = Mutex<[Int]>([])
        let mapping = try MappingFixture.mapping(
            .custom(from: "Person", to: "Contact") { _, _, _ in
                let coordinator = PersistentStoreCoordinator(
                    model: try ManagedObjectModel(entities: MappingFixture.people))
                var description = PersistentStoreDescription.sqlite(at: url)
                description.timeout = .milliseconds(1)
                try coordinator.addPersistentStore(description)
                let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
                try context.performAndWait {
                    _ = try context.insertObject(entityName: "Person")
                    do { try context.save() } catch let error as StoreError {
                        codes.withLock { $0.append(error.code) }
                    }
                }
                try coordinator.removePersistentStore(coordinator.persistentStores[0])
            })
        try fixture.migrate(mapping)
        #expect(codes.withLock { $0 } == [134090, 134090, 134090])
        #expect(try fixture.store.sql("SELECT COUNT(*) FROM ZCONTACT") == ["3"])
    }

    // MARK: - What a killed process leaves

    @Test func `the next opening removes what a killed migration has left (§9.4.7)`() throws {
        try fixture.makePeople()
        let folder = fixture.store.folder.url(".store.sqlite.migration")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("part".utf8).write(to: folder.appending(path: "store.sqlite"))
        try withExtendedLifetime(FolderLock.removingFiles(in: folder.path)) {
            // A migration that is running keeps its folder.
            try fixture.store.open(MappingFixture.people) { _ in }
            #expect(FileManager.default.fileExists(atPath: folder.path))
            let mapping = try MappingFixture.mapping(EntityMapping(from: "Person", to: "Contact"))
            let error = #expect(throws: MigrationError.self) { try fixture.migrate(mapping) }
            #expect(error?.reason == .storeInUse)
        }
        try fixture.store.open(MappingFixture.people) { _ in }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
