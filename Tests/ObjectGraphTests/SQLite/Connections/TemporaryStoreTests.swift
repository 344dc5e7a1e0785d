import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Where SQLite keeps what takes a failed statement back, and what it sorts.
@Suite struct `Temporary stores` {
    private let folder = TemporaryFolder()
    private let recorder = StatementRecorder()

    private func makeContext(
        _ description: (URL) -> PersistentStoreDescription = { .sqlite(at: $0) }
    ) throws -> ManagedObjectContext {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Item", attributes: [AttributeDescription("rank", .integer64)])
        ])
        let coordinator = PersistentStoreCoordinator(model: model, debug: recorder.debug)
        try coordinator.addPersistentStore(description(folder.url("store.sqlite")))
        return ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// The settings among the statements of the body.
    private func settings(_ body: () throws -> Void) rethrows -> [String] {
        try recorder.statements(body).filter { $0.contains("temp_store") }
    }

    private func insert(_ count: Int, _ context: ManagedObjectContext) throws {
        for rank in 0..<count { try context.insert("Item", ["rank": rank]) }
        try context.save()
    }

    @Test func `a statement of many rows has them in memory, a batch request in files`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let small = try settings { try insert(1, context) }
            let large = try settings { for _ in 0..<2 { try insert(100, context) } }
            let update = try settings {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Item", propertiesToUpdate: ["rank": .constant(1)]))
                try insert(1, context)
            }
            let batch = try settings {
                try context.execute(
                    BatchInsertRequest(entityName: "Item", objects: [["rank": 2]]))
            }
            let deletion = try settings {
                try context.execute(
                    BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Item")))
            }
            let (memory, files) = ("PRAGMA temp_store = 2", "PRAGMA temp_store = 0")
            #expect(
                [small, large, update, batch, deletion] == [
                    [], [memory], [files], [memory], [files],
                ])
        }
    }

    @Test func `the choice of a program stays`() throws {
        let context = try makeContext {
            var description = PersistentStoreDescription.sqlite(at: $0)
            description.pragmas["temp_store"] = "1"
            return description
        }
        try context.performAndWait {
            let settings = try settings { try insert(100, context) }
            #expect(settings.isEmpty)
        }
    }
}
