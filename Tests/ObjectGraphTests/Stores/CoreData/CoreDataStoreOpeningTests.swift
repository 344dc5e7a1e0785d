import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Opening stores of Core Data (§8.7)")
struct CoreDataStoreOpeningTests {
    @Test func `without a model of the program, the store's own is used (§8.7.1)`() async throws {
        let store = try CoreDataStore()
        let container = try PersistentContainer(storeAt: store.url)
        try container.loadPersistentStores()
        let content = try await container.performBackgroundTask { try $0.content() }
        #expect(try content == store.content())
        #expect(container.name == "App")
    }

    @Test func `another model is refused, with the entities that differ (§8.7.5)`() throws {
        let store = try CoreDataStore()
        let files = try store.files()
        let error = #expect(throws: StoreError.self) {
            _ = try store.context(otherModel()) { $0.migration.isAutomatic = false }
        }
        #expect(
            error?.reason
                == .incompatibleModel(entities: ["Keyword", "Movie", "Photo", "Tag", "asset"]))
        #expect(error?.code == 134100 && error?.url == store.url)
        #expect(try store.files() == files)
    }

    @Test func `a store without a model opens only if versions are ignored (§8.7.5)`() throws {
        let store = try CoreDataStore()
        try store.execute("DROP TABLE Z_MODELCACHE")
        let files = try store.files()
        let error = #expect(throws: StoreError.self) { _ = try store.context() }
        #expect(error?.reason == .unknownModel && error?.code == 134100)
        #expect(try store.files() == files)
        let context = try store.context { $0.ignoresModelVersions = true }
        let content = try context.performAndWait { try context.content() }
        #expect(try content == store.content())
    }

    @Test func `a damaged model is an error that names the file (§8.7.5)`() throws {
        let store = try CoreDataStore()
        try store.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102030405'")
        let files = try store.files()
        let error = #expect(throws: ModelFileError.self) { _ = try store.context() }
        #expect(error?.file == store.url)
        #expect(try store.files() == files)
    }

    @Test func `the hashes of a save are compared at the next opening (§8.7.5)`() throws {
        let store = try CoreDataStore()
        try store.save()
        // Nothing but the hashes is left to compare.
        try store.execute("DELETE FROM Z_MODELCACHE")
        _ = try store.context()
        let error = #expect(throws: StoreError.self) {
            _ = try store.context(otherModel()) { $0.migration.isAutomatic = false }
        }
        #expect(
            error?.reason
                == .incompatibleModel(entities: ["Keyword", "Movie", "Photo", "Tag", "asset"]))
    }

    @Test func `hashes that were noted beside others of Core Data count for nothing (§8.7.5)`()
        throws
    {
        let store = try CoreDataStore()
        try store.save()
        // Core Data migrates the store and keeps what it does not know.
        var list = try store.metadata()
        list["NSStoreModelVersionHashes"] = ["Album": Data(repeating: 7, count: 32)]
        let connection = try store.connection(.readWrite)
        let update = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        update.bind(
            blob: try PropertyListSerialization.data(
                fromPropertyList: list, format: .binary, options: 0), at: 1)
        try update.run()
        try store.execute("DELETE FROM Z_MODELCACHE")
        let error = #expect(throws: StoreError.self) { _ = try store.context() }
        #expect(error?.reason == .unknownModel)
    }

    @Test(arguments: [
        (
            "ALTER TABLE ZALBUM DROP COLUMN ZTITLE",
            StoreError.Reason.missingColumn(
                "ZTITLE", table: "ZALBUM", entity: "Album", property: "title")
        ),
        (
            "ALTER TABLE {persons} DROP COLUMN {favouriteEntity}",
            .missingColumn(
                "Z3_FAVOURITE", table: "ZPERSON", entity: "Person", property: "favourite")
        ),
        (
            "ALTER TABLE ZASSET DROP COLUMN {place}",
            .missingColumn("Z_FOK_ALBUM", table: "ZASSET", entity: "asset", property: "album")
        ),
        (
            // Either could be the note of a movie.
            "ALTER TABLE ZASSET RENAME COLUMN ZNOTE TO ZNOTE7; ALTER TABLE ZASSET ADD COLUMN ZNOTE8",
            .missingColumn("ZNOTE", table: "ZASSET", entity: "Movie", property: "note")
        ),
        ("DROP TABLE ZALBUM", .missingTable("ZALBUM", entity: "Album", property: nil)),
        (
            "DROP TABLE {keywords}",
            .missingTable("Z_3KEYWORDS", entity: "asset", property: "keywords")
        ),
        (
            "ALTER TABLE {lists} DROP COLUMN {lists.place}",
            .missingTable("Z_1LISTS", entity: "Album", property: "lists")
        ),
        ("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Keyword'", .missingEntity("Keyword")),
    ])
    func `what the model needs and the file lacks is named (§8.7.2)`(
        change: String, reason: StoreError.Reason
    ) throws {
        let store = try CoreDataStore()
        try store.execute(change)
        let files = try store.files()
        let error = #expect(throws: StoreError.self) { _ = try store.context() }
        #expect(error?.reason == reason && error?.code == 134020 && error?.url == store.url)
        #expect(try store.files() == files)
    }

    @Test
    func `a column is not guessed where the file has entities that the model lacks (§11.4.7)`()
        throws
    {
        let store = try CoreDataStore()
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "asset"),
            EntityDescription(
                name: "Photo", superentity: "asset",
                attributes: [AttributeDescription("note", .string)]),
        ])
        // The first column is that of movies.
        let error = #expect(throws: StoreError.self) {
            _ = try store.context(model) { $0.ignoresModelVersions = true }
        }
        guard case .missingColumn(_, "ZASSET", "Photo", "note")? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [CoreDataStore.Oddity.none, .log], [false, true])
    func `a refused store keeps its files, also those of the WAL (§8.7.10)`(
        oddity: CoreDataStore.Oddity, isReadOnly: Bool
    ) throws {
        let store = try CoreDataStore(oddity)
        let files = try store.files()
        #expect(files.count == (oddity == .log ? 2 : 1))
        #expect(throws: StoreError.self) {
            _ = try store.context(otherModel()) {
                $0.isReadOnly = isReadOnly
                $0.migration.isAutomatic = false
            }
        }
        #expect(try store.files() == files)
    }

    @Test func `metadata and model are read without a trace beside the file (§8.7.10)`() throws {
        let store = try CoreDataStore(.log)
        let files = try store.files()
        let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: store.url)
        #expect(metadata.values["text"] == .string("Ω"))
        let model = try PersistentStoreCoordinator.model(ofStoreAt: store.url)
        #expect(model.entitiesByName.count == 7)
        #expect(try store.files() == files)
    }

    @Test func `a store that another program has locked is a timeout (§8.7.10)`() throws {
        let store = try CoreDataStore()
        let other = try store.connection(.readWrite)
        try other.execute("BEGIN EXCLUSIVE")
        let error = #expect(throws: StoreError.self) {
            _ = try store.context { $0.timeout = .milliseconds(20) }
        }
        #expect(error?.reason == .timeout && error?.code == 134090)
    }

    private func otherModel() throws -> ManagedObjectModel {
        let descriptions = try CoreDataStore.model(isRenamed: false).entitiesByName.values
        return try ManagedObjectModel(
            entities: descriptions.filter { $0.name != "Keyword" }.map { description in
                var description = description
                description.ancestors = []
                description.relationships.removeAll { $0.destination == "Keyword" }
                return description
            } + [EntityDescription(name: "Tag")])
    }
}

extension CoreDataStore {
    fileprivate func save() throws {
        let context = try context()
        try context.performAndWait {
            try context.insert("Person", ["name": "Zoe"])
            try context.save()
        }
        try context.coordinator.removePersistentStore(context.coordinator.persistentStores[0])
    }
}
