import ObjectGraph
import TestSupport
import Testing

@Suite struct `A many-to-many relationship that is its own inverse (§8.4)` {
    private let friends = ToMany<ManagedObject>("friends")

    private func counts(_ coordinator: PersistentStoreCoordinator) throws -> [Int] {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait {
            try context.fetch(
                FetchRequest(entityName: "Person", sortKeys: [.ascending("name")]),
                as: ManagedObject.self
            ).map { $0[friends].count }
        }
    }

    @Test(arguments: [PersistentStoreDescription.StoreType.inMemory, .sqlite])
    func `is read from both ends, whichever was changed`(
        type: PersistentStoreDescription.StoreType
    ) throws {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Person", attributes: [AttributeDescription("name", .string)],
                    relationships: [.toMany("friends", "Person", inverse: "friends")])
            ]))
        let folder = TemporaryFolder()
        try coordinator.addPersistentStore(
            type == .inMemory ? .inMemory() : .sqlite(at: folder.url("people.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let ada = try context.insertObject(entityName: "Person")
            let ben = try context.insertObject(entityName: "Person")
            ada.add(ben, to: friends)
            try context.save()
        }
        #expect(try counts(coordinator) == [1, 1])
        try context.performAndWait {
            let people = try context.fetch(
                FetchRequest(entityName: "Person"), as: ManagedObject.self)
            people[1].remove(people[0], from: friends)
            try context.save()
        }
        #expect(try counts(coordinator) == [0, 0])
    }
}
