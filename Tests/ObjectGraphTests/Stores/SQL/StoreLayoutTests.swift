import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Layout of a file (§8)")
struct StoreLayoutTests {
    private let folder = TemporaryFolder()

    @Test func `a model may number the entities otherwise than the file (§11.4.7)`() throws {
        let url = folder.url("library.sqlite")
        try PersistentStoreCoordinator(model: makeLibraryModel()).addPersistentStore(
            .sqlite(at: url))
        // Topic is the last of six entities in the file.
        let other = try ManagedObjectModel(entities: [
            EntityDescription(name: "Topic", attributes: [AttributeDescription("name", .string)])
        ])
        var description = PersistentStoreDescription.sqlite(at: url)
        description.ignoresModelVersions = true
        for name in ["Space", "Time"] {
            let coordinator = PersistentStoreCoordinator(model: other)
            try coordinator.addPersistentStore(description)
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.performAndWait {
                try context.insert("Topic", ["name": name])
                try context.save()
            }
        }
        let connection = try Connection(SQLiteConfiguration(path: url.path, mode: .readOnly))
        let rows = try connection.statement(
            "SELECT group_concat(Z_PK || ' ' || Z_ENT || ' ' || ZNAME, ', ') FROM ZTOPIC")
        #expect(try rows.step())
        #expect(rows.value(at: 0).string == "1 6 Space, 17 6 Time")
    }
}
