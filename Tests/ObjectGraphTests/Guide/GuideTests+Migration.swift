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

    @Test func `code maps what cannot be inferred`() throws {
        let stored = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Writer",
                attributes: [
                    AttributeDescription("firstName", .string),
                    AttributeDescription("familyName", .string),
                ])
        ])
        let coordinator = PersistentStoreCoordinator(model: stored)
        let store = try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            try context.insertObject(entityName: "Writer")
                .setValuesForKeys(["firstName": "Stanisław", "familyName": "Lem"])
            try context.save()
        }
        try coordinator.removePersistentStore(store)
        let model = try makeModel()

        let mapping = try MappingModel.inferred(
            from: stored, to: model,
            replacing: [
                .custom(from: "Writer", to: "Author") { writer, author, _ in
                    let name = try writer.value(forKey: "firstName") as? String ?? ""
                    let family = try writer.value(forKey: "familyName") as? String ?? ""
                    try author.setValue("\(name) \(family)", forKey: "name")
                }
            ])
        var description = PersistentStoreDescription.sqlite(at: file)
        description.migration.mappingModels = [mapping]

        let opened = PersistentStoreCoordinator(model: model)
        try opened.addPersistentStore(description)
        let reader = ManagedObjectContext(.privateQueue, coordinator: opened)
        try reader.performAndWait {
            let names = try Author.all(in: reader).map(\.name)
            #expect(names == ["Stanisław Lem"])
        }
        try opened.removePersistentStore(opened.persistentStores[0])
    }
}
