import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// What mappings make of rows. The values are read by plain SQL.
@Suite struct `Mapped migrations` {
    private let fixture = MappingFixture()

    @Test func `a closure splits an entity in two (§9.3.5)`() throws {
        try fixture.makePeople()
        let mapping = try MappingFixture.mapping(
            .custom(from: "Person", to: "Contact") { person, contact, manager in
                guard let street = try person.value(forKey: "street") else { return }
                let address = try manager.insert("Address")
                try address.setValue(street, forKey: "street")
                try contact.setValue(address, forKey: "address")
            },
            EntityMapping(from: "Pet", to: "Animal"))
        try fixture.migrate(mapping)
        #expect(
            try fixture.store.sql(
                "SELECT c.ZNAME, c.ZAGE, a.ZSTREET FROM ZCONTACT c LEFT JOIN ZADDRESS a ON a.Z_PK = c.ZADDRESS ORDER BY 1"
            ) == ["Ada 36 Main Street", "Bob 17 NULL", "Cy 50 Main Street"])
        #expect(try fixture.store.sql("SELECT COUNT(*) FROM ZADDRESS") == ["2"])
        #expect(try fixture.store.sql("PRAGMA integrity_check") == ["ok"])
        #expect(
            try fixture.store.sql("SELECT name FROM sqlite_schema WHERE name GLOB 'Z*PERSON*'")
                .isEmpty)
    }

    @Test func `relationships lead to what was made of the objects (§9.3.6)`() throws {
        try fixture.makePeople()
        let mapping = try MappingFixture.mapping(
            EntityMapping(from: "Pet", to: "Animal"), EntityMapping(from: "Person", to: "Contact"))
        try fixture.migrate(mapping)
        #expect(
            try fixture.migrate(mapping) { context in
                let ada = try context.fetch(
                    FetchRequest(entityName: "Contact", predicate: ObjectPredicate("name == 'Ada'"))
                )[0]
                let pets = try ada.value(forKeyPath: "pets.name") as? [String]
                let friends = try ada.value(forKeyPath: "friends.name") as? [String]
                return [pets ?? [], (friends ?? []).sorted()]
            } == [["Jerry", "Tom"], ["Bob", "Cy"]])
        #expect(
            try fixture.store.sql(
                "SELECT a.ZNAME, c.ZNAME FROM ZANIMAL a JOIN ZCONTACT c ON c.Z_PK = a.ZOWNER ORDER BY 1"
            ) == ["Jerry Ada", "Tom Ada"])
    }

    @Test func `two entities become one, with the relationships of both (§9.3.6)`() throws {
        try fixture.makePeople()
        let being = EntityDescription(
            name: "Being", attributes: [MappingFixture.name],
            relationships: [
                .toOne("owner", "Being", inverse: "pets"),
                .toMany("pets", "Being", inverse: "owner"),
            ])
        let mapping = try MappingFixture.mapping(
            EntityMapping(from: "Person", to: "Being"), EntityMapping(from: "Pet", to: "Being"),
            to: [being])
        try fixture.migrate(mapping)
        #expect(
            try fixture.store.sql(
                "SELECT b.ZNAME, o.ZNAME FROM ZBEING b LEFT JOIN ZBEING o ON o.Z_PK = b.ZOWNER ORDER BY 1"
            ) == ["Ada NULL", "Bob NULL", "Cy NULL", "Jerry Ada", "Tom Ada"])
    }

    @Test func `a relationship can name the mapping of its objects (§9.3.6)`() throws {
        try fixture.makePeople()
        let mapping = try MappingFixture.mapping(
            EntityMapping(
                from: "Person", to: "Address", name: "homes",
                properties: [PropertyMapping(name: "street", source: "street")]),
            EntityMapping(
                from: "Person", to: "Address", name: "decoys",
                properties: [PropertyMapping("street", .constant("nowhere"))]),
            EntityMapping(
                from: "Person", to: "Contact",
                properties: [PropertyMapping("address", .variable("source"), through: "homes")]))
        try fixture.migrate(mapping)
        #expect(
            try fixture.store.sql(
                "SELECT c.ZNAME, a.ZSTREET FROM ZCONTACT c JOIN ZADDRESS a ON a.Z_PK = c.ZADDRESS ORDER BY 1"
            ) == ["Ada Main Street", "Bob NULL", "Cy Main Street"])
    }

    @Test func `a closure makes no object or several, for objects of a predicate (§9.3.5)`() throws
    {
        try fixture.makePeople()
        let mapping = try MappingFixture.mapping(
            .custom(
                from: "Person", to: "Contact", where: ObjectPredicate("age > 20 OR street == nil")
            ) { person, manager in
                let age = try person.value(forKey: "age") as? Int16 ?? 0
                for number in 0..<(age > 40 ? 0 : age > 20 ? 2 : 1) {
                    try manager.insert().setValue(number, forKey: "age")
                }
            })
        try fixture.migrate(mapping)
        #expect(
            try fixture.store.sql("SELECT ZNAME, ZAGE FROM ZCONTACT ORDER BY 1, 2")
                == ["Ada 0", "Ada 1", "Bob 0"])
    }

    @Test func `a predicate may follow relationships (§9.3.5)`() throws {
        try fixture.makePeople()
        let mapping = try MappingFixture.mapping(
            EntityMapping(
                from: "Pet", to: "Animal",
                where: ObjectPredicate("owner.age > 20 AND name != 'Tom'")))
        try fixture.migrate(mapping)
        #expect(try fixture.store.sql("SELECT ZNAME FROM ZANIMAL") == ["Jerry"])
    }

    @Test func `a mapping applies to exactly its entity (§9.3.11)`() throws {
        let store = MigrationFixture()
        let old = [
            store.entity("Item", [MappingFixture.name]),
            store.entity("Book", parent: "Item", [MappingFixture.street]),
        ]
        try store.make(old, [("Item", ["name": "a"]), ("Book", ["name": "b", "street": "c"])])
        let new = [store.entity("Thing", [MappingFixture.name, MappingFixture.street])]
        let mapping = try MappingFixture.mapping(
            EntityMapping(from: "Item", to: "Thing"),
            EntityMapping(
                from: "Book", to: "Thing",
                properties: [PropertyMapping("name", .constant("book"))]), from: old, to: new)
        try store.open(new, { $0.migration.mappingModels = [mapping] }) { _ in }
        #expect(
            try store.sql("SELECT ZNAME, ZSTREET FROM ZTHING ORDER BY 1") == ["a NULL", "book c"])
    }

    @Test func `a store of Core Data becomes one of this engine (§9.4.2)`() throws {
        let store = try CoreDataStore()
        let model = try store.model()
        var entities = model.entities.map(\.description)
        for index in entities.indices where entities[index].name == "Keyword" {
            entities[index].attributes.append(AttributeDescription("copy", .string))
        }
        let mapping = try MappingModel.inferred(
            from: model, to: ManagedObjectModel(entities: entities),
            replacing: [
                EntityMapping(
                    from: "Keyword", to: "Keyword",
                    properties: [PropertyMapping(name: "copy", source: "word")])
            ])
        let words = try store.content().filter { $0.key.hasSuffix(".word") }.map(\.value).sorted()
        let coordinator = PersistentStoreCoordinator(model: mapping.destination)
        var description = PersistentStoreDescription.sqlite(at: store.url)
        description.migration.mappingModels = [mapping]
        let opened = try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let copies = try context.performAndWait {
            try context.content().filter { $0.key.hasSuffix(".copy") }.map(\.value).sorted()
        }
        #expect(!words.isEmpty && copies == words)
        try coordinator.removePersistentStore(opened)
    }

    @Test func `expressions compute values, and others are defaults (§9.3.3)`() throws {
        try fixture.makePeople()
        let contact = EntityDescription(
            name: "Contact",
            attributes: [
                MappingFixture.name, AttributeDescription("age", .double),
                AttributeDescription("kind", .string, isOptional: false, defaultValue: "none"),
                AttributeDescription("street", .string, isOptional: false, defaultValue: "?"),
            ])
        let mapping = try MappingFixture.mapping(
            EntityMapping(
                from: "Person", to: "Contact",
                properties: [
                    PropertyMapping("name", .function("lowercase:", [.variable("source.name")])),
                    PropertyMapping(
                        "age",
                        .function("multiply:by:", [.variable("source.age"), .constant(1.5)])),
                ]), to: [contact])
        try fixture.migrate(mapping)
        #expect(
            try fixture.store.sql("SELECT ZNAME, ZAGE, ZKIND, ZSTREET FROM ZCONTACT ORDER BY 1")
                == ["ada 54.0 none Main Street", "bob 25.5 none ?", "cy 75.0 none Main Street"])
    }

    @Test func `what no mapping names is dropped (§9.3.11)`() throws {
        try fixture.makePeople()
        var people = MappingFixture.people
        people[0].attributes.append(AttributeDescription("nick", .string))
        try fixture.migrate(
            MappingFixture.mapping(
                EntityMapping(
                    from: "Person", to: "Person",
                    properties: [PropertyMapping(name: "nick", source: "name")]), to: people))
        #expect(
            try fixture.store.sql("SELECT ZNICK FROM ZPERSON ORDER BY 1") == ["Ada", "Bob", "Cy"])
        #expect(try fixture.store.sql("SELECT COUNT(*) FROM ZPET") == ["0"])
    }

    @Test func `inferred mappings beside one made by hand keep all rows (§9.3.4)`() throws {
        try fixture.makePeople()
        var people = MappingFixture.people
        people[0].attributes[1] = AttributeDescription("age", .string)
        let mapping = try MappingModel.inferred(
            from: ManagedObjectModel(entities: MappingFixture.people),
            to: ManagedObjectModel(entities: people),
            replacing: [
                .custom(from: "Person", to: "Person") { old, new, _ in
                    try new.setValue("\(old.value(forKey: "age") as? Int16 ?? 0)", forKey: "age")
                }
            ])
        try fixture.migrate(mapping)
        #expect(
            try fixture.store.sql(
                "SELECT p.ZNAME, p.ZAGE, o.ZNAME FROM ZPERSON p LEFT JOIN ZPET o ON o.ZOWNER = p.Z_PK ORDER BY 1, 3"
            ) == ["Ada 36 Jerry", "Ada 36 Tom", "Bob 17 NULL", "Cy 50 NULL"])
        #expect(
            try fixture.store.sql(
                "SELECT COUNT(*) FROM Z_\(joinNumber())FRIENDS") == ["2"])
    }

    private func joinNumber() throws -> String {
        let name = try fixture.store.sql(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z_*FRIEND*'")[0]
        return name.filter(\.isNumber)
    }

    @Test func `classes of both models type the closure (§9.3.5)`() throws {
        let store = MigrationFixture()
        let (old, new) = ([EntityDescription(Slip.self)], [EntityDescription(Reminder.self)])
        try store.make(old, [("Slip", ["text": "milk"]), ("Slip", ["text": "eggs"])])
        let mapping = try MappingModel(
            from: ManagedObjectModel(entities: old), to: ManagedObjectModel(entities: new),
            [
                .custom(from: Slip.self, to: Reminder.self) { note, memo, _ in
                    memo[Reminder.length] = note[Slip.text]?.count ?? 0
                },
                .custom(from: Slip.self, to: Reminder.self, name: "copies") {
                    (note: Slip, manager: MigrationManager) in
                    let memo = try manager.insert(Reminder.self)
                    memo[Reminder.text] = (note[Slip.text] ?? "") + "!"
                    memo[Reminder.length] = 0
                },
            ])
        try store.open(new, { $0.migration.mappingModels = [mapping] }) { _ in }
        #expect(
            try store.sql("SELECT ZTEXT, ZLENGTH FROM ZREMINDER ORDER BY 1")
                == ["eggs 4", "eggs! 0", "milk 4", "milk! 0"])
    }

    // MARK: - What stays and what does not

    @Test func `metadata stay, the identifier and the history do not (§9.4.2)`() throws {
        try fixture.makePeople { $0.tracksHistory = true }
        try PersistentStoreCoordinator.setMetadata(
            ["owner": "Lem"], forPersistentStoreAt: fixture.store.url)
        let before = try PersistentStoreCoordinator.metadataForPersistentStore(
            at: fixture.store.url)
        let mapping = try MappingFixture.mapping(EntityMapping(from: "Person", to: "Contact"))
        try fixture.migrate(mapping)
        let after = try PersistentStoreCoordinator.metadataForPersistentStore(at: fixture.store.url)
        #expect(after.values == ["owner": "Lem"])
        #expect(after.identifier != before.identifier)
        #expect(after.versionHashes == mapping.destination.entityVersionHashesByName)
        #expect(
            try fixture.store.sql("SELECT name FROM sqlite_schema WHERE name = 'ACHANGE'").isEmpty)
        #expect(
            try fixture.migrate(mapping, { $0.tracksHistory = true }) {
                try $0.count(for: FetchRequest(entityName: "Contact"))
            } == 3)
    }

    @Test func `a token of before has expired (§9.4.2)`() throws {
        try fixture.makePeople { $0.tracksHistory = true }
        let tokens = try fixture.store.open(MappingFixture.people, { $0.tracksHistory = true }) {
            context in
            [try context.coordinator.currentPersistentHistoryToken()]
                + (try context.fetchHistory().map(\.token))
        }
        let mapping = try MappingFixture.mapping(EntityMapping(from: "Person", to: "Contact"))
        try fixture.migrate(mapping, { $0.tracksHistory = true }) { context in
            try context.insertObject(entityName: "Contact").setValue("Lem", forKey: "name")
            try context.save()
            for token in tokens {
                var request = PersistentHistoryRequest(after: .token(token))
                let error = #expect(throws: StoreError.self) { try context.fetchHistory(request) }
                #expect(error?.code == 134301)
                request = PersistentHistoryRequest()
                request.transactionPredicate = try ObjectPredicate("token > %@", token)
                let other = #expect(throws: StoreError.self) { try context.fetchHistory(request) }
                #expect(other?.code == 134301)
            }
            #expect(try context.fetchHistory().map(\.transactionNumber) == [1])
        }
    }

    @Test func `the settings of the store's file stay (§9.4.1)`() throws {
        func change(_ description: inout PersistentStoreDescription) {
            description.pragmas = ["journal_mode": "DELETE", "page_size": "8192"]
        }
        let template = try Connection(
            SQLiteConfiguration(path: fixture.store.url.path, mode: .readWriteCreate))
        try template.execute("PRAGMA page_size = 8192; CREATE TABLE t (a); DROP TABLE t")
        try template.close()
        try fixture.makePeople(change)
        #expect(try fixture.store.sql("PRAGMA page_size") == ["8192"])
        try fixture.migrate(
            MappingFixture.mapping(EntityMapping(from: "Person", to: "Contact")), change
        ) { _ in }
        #expect(try fixture.store.sql("PRAGMA journal_mode") == ["delete"])
        #expect(try fixture.store.sql("PRAGMA page_size") == ["8192"])
        #expect(try fixture.store.files().keys.sorted() == ["store.sqlite"])
    }

    @Test func `a mapping that could be inferred runs all the same (§9.3.1)`() throws {
        try fixture.makePeople()
        var people = MappingFixture.people
        people[0].attributes.append(AttributeDescription("nick", .string))
        let mapping = try MappingModel.inferred(
            from: ManagedObjectModel(entities: MappingFixture.people),
            to: ManagedObjectModel(entities: people),
            replacing: [
                EntityMapping(
                    from: "Person", to: "Person",
                    properties: [PropertyMapping(name: "nick", source: "name")])
            ])
        try fixture.migrate(mapping)
        #expect(
            try fixture.store.sql("SELECT ZNICK FROM ZPERSON ORDER BY 1") == ["Ada", "Bob", "Cy"])
    }

    @Test func `a mapping of other models is not used (§9.3.1)`() throws {
        try fixture.makePeople()
        let other = try MappingFixture.mapping(EntityMapping(from: "Person", to: "Contact"))
        var people = MappingFixture.people
        people[0].attributes.append(AttributeDescription("nick", .string))
        try fixture.store.open(people, { $0.migration.mappingModels = [other] }) { _ in }
        #expect(try fixture.store.sql("SELECT COUNT(*) FROM ZPET") == ["2"])
        let error = #expect(throws: MigrationError.self) {
            try fixture.store.open(
                MappingFixture.contacts, { $0.migration.mappingModels = [other] }
            ) { _ in }
        }
        #expect(error?.code == 134190)
    }

    // MARK: - Explicit

    @Test func `a store is migrated into another file (§9.4.6)`() throws {
        try fixture.makePeople()
        let mapping = try MappingFixture.mapping(EntityMapping(from: "Person", to: "Contact"))
        let made = fixture.store.folder.url("new.sqlite")
        let before = try fixture.store.files()
        try MigrationManager.migrateStore(
            .sqlite(at: fixture.store.url), with: mapping, to: made)
        let files = try fixture.store.files()
        #expect(files["store.sqlite"] == before["store.sqlite"])
        #expect(files.keys.sorted() == ["new.sqlite", "store.sqlite"])
        let coordinator = PersistentStoreCoordinator(model: mapping.destination)
        try coordinator.addPersistentStore(.sqlite(at: made))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        #expect(
            try context.performAndWait {
                try context.count(for: FetchRequest(entityName: "Contact"))
            } == 3)
        let error = #expect(throws: MigrationError.self) {
            try MigrationManager.migrateStore(
                .sqlite(at: fixture.store.url), with: mapping, to: made)
        }
        #expect(error?.reason == .destinationExists)
    }

    @Test func `an explicit mapping must fit the store (§9.4.6)`() throws {
        try fixture.makePeople()
        let mapping = try MappingFixture.mapping(EntityMapping(from: "Person", to: "Contact"))
        try MigrationManager.migrateStore(.sqlite(at: fixture.store.url), with: mapping)
        #expect(try fixture.store.sql("SELECT COUNT(*) FROM ZCONTACT") == ["3"])
        let error = #expect(throws: MigrationError.self) {
            try MigrationManager.migrateStore(.sqlite(at: fixture.store.url), with: mapping)
        }
        #expect(error?.reason == .unfittingMapping(entities: ["Address", "Animal", "Contact"]))
        #expect(error?.code == 134130)
    }
}

private final class Slip: ManagedObject {
    static let text = Attribute<String?>("text")
    override class var managedProperties: [any ManagedProperty] { [text] }
}

private final class Reminder: ManagedObject {
    static let text = Attribute<String?>("text")
    static let length = Attribute<Int>("length")
    override class var managedProperties: [any ManagedProperty] { [text, length] }
}
