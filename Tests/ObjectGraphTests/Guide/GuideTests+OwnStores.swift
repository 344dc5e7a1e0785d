import Foundation
import ObjectGraph
import TestSupport
import Testing

extension `Guide` {
    @Test func `a store of one's own is registered and opened`() throws {
        registerStores()
        let json = temporary.url("library.json")

        let coordinator = PersistentStoreCoordinator(model: try makeModel())
        try coordinator.addPersistentStore(PersistentStoreDescription(type: "JSON", url: json))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)

        let id = try saveAuthor(in: context)
        let other = PersistentStoreCoordinator(model: try makeModel())
        try other.addPersistentStore(PersistentStoreDescription(type: "JSON", url: json))
        let reader = ManagedObjectContext(.privateQueue, coordinator: other)
        #expect(name(of: id, in: reader) == "Ursula K. Le Guin")
        try reader.performAndWait {
            let author = try #require(try Author.all(in: reader).first)
            #expect(author.books.map(\.title) == ["The Dispossessed", "Lavinia"])
        }
    }
}
