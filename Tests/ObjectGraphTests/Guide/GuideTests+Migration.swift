import Foundation
import ObjectGraph
import TestSupport
import Testing

// Stores of other models.
extension `Guide` {
    @Test func `a mapping shows what becomes of a store`() throws {
        let stored = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Author",
                attributes: [
                    AttributeDescription("name", .string, isOptional: false),
                    AttributeDescription("shoeSize", .double),
                ])
        ])
        let coordinator = PersistentStoreCoordinator(model: stored)
        let store = try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            try context.insertObject(entityName: "Author").setValue("Lem", forKey: "name")
            try context.save()
        }
        try coordinator.removePersistentStore(store)

        let mapping = try MappingModel.inferred(from: stored, to: try makeModel())
        let lost = mapping.entityMappings.flatMap(\.removedProperties)
        #expect(lost == ["shoeSize"])

        try run { context in
            let names = try Author.all(in: context).map(\.name)
            #expect(names == ["Lem"])
        }
    }
}
