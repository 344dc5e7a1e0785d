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

    @Test func `the program changes data once in each store`() throws {
        try run { context in
            Book(context: context).title = "the dispossessed"
            try context.save()
        }
        let coordinator = PersistentStoreCoordinator(model: try makeModel())

        var description = PersistentStoreDescription.sqlite(at: file)
        description.migration.migrations = [
            Migration(.appVersion("1.1")) { context in
                for book in try Book.all(in: context) { book.title = book.title.capitalized }
            }
        ]
        try coordinator.addPersistentStore(description)

        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let titles = try context.performAndWait { try Book.all(in: context).map(\.title) }
        #expect(titles == ["The Dispossessed"])
    }

    @Test func `stages lead from version to version`() throws {
        let title = AttributeDescription("title", .string)
        let words = AttributeDescription("words", .integer64)
        let mandatory = AttributeDescription(
            "words", .integer64, isOptional: false, defaultValue: 0)
        let models = try [[title], [title, words], [title, mandatory]].map {
            try ManagedObjectModel(entities: [EntityDescription(name: "Page", attributes: $0)])
        }
        let (first, second, third) = (models[0], models[1], models[2])
        let (one, two) = (first.versionChecksum, second.versionChecksum)
        let before = PersistentStoreCoordinator(model: first)
        let store = try before.addPersistentStore(.sqlite(at: file))
        let old = ManagedObjectContext(.privateQueue, coordinator: before)
        try old.performAndWait {
            try old.insertObject(entityName: "Page").setValue("The Left Hand", forKey: "title")
            try old.save()
        }
        try before.removePersistentStore(store)
        var description = PersistentStoreDescription.sqlite(at: file)
        let progress = MigrationProgress()

        description.migration.progress = progress
        description.migration.stages = StagedMigrationManager([
            CustomMigrationStage(
                from: try ModelReference(first, versionChecksum: one),
                to: try ModelReference(second, versionChecksum: two),
                didMigrate: { context in
                    let request = FetchRequest(entityName: "Page")
                    for page in try context.fetch(request, as: ManagedObject.self) {
                        let title = try page.value(forKey: "title") as? String ?? ""
                        try page.setValue(title.split(separator: " ").count, forKey: "words")
                    }
                }),
            LightweightMigrationStage([third.versionChecksum]),
        ])

        let coordinator = PersistentStoreCoordinator(model: third)
        try coordinator.addPersistentStore(description)
        #expect(progress.fractionCompleted == 1)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let pages = try context.fetch(
                FetchRequest(entityName: "Page"), as: ManagedObject.self)
            #expect(try pages.map { try $0.value(forKey: "words") as? Int64 } == [3])
        }
    }
}
