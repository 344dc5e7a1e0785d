#if PostgreSQL
import Foundation
import ObjectGraph
import PostgreSQLStore
import TestSupport
import Testing

extension Guide {
    @Test(.enabled(if: ServerSchema.server != nil))
    func `a store is in a schema of a PostgreSQL database`() throws {
        let schema = try #require(ServerSchema())
        let database = schema.url

        let description = PersistentStoreDescription.postgreSQL(database, schema: "library")
        let coordinator = PersistentStoreCoordinator(model: try makeModel())
        try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)

        #expect(name(of: try saveAuthor(in: context), in: context) == "Ursula K. Le Guin")
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
        try PersistentStoreCoordinator.destroyPersistentStore(description)
    }
}
#endif
