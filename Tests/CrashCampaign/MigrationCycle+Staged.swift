import Foundation
import ObjectGraph

// Migrations with code on the store itself.
extension MigrationCycle {
    /// A stage adds sizes and its code fills them; the next one makes them mandatory. The way back
    /// is inferred. Killed at any point, a store of the second model has all sizes or none, and one
    /// of the third has all.
    static let staged = MigrationCycle(
        name: "staged", modelCount: 3, longestDelay: 150_000, model: { try sizedModel($0) },
        options: { number in
            var options = MigrationOptions()
            guard number > 0 else { return options }
            let models = try (0..<3).map { try sizedModel($0) }
            options.sourceModels = models
            options.stages = StagedMigrationManager([
                CustomMigrationStage(
                    from: try ModelReference(models[0], versionChecksum: models[0].versionChecksum),
                    to: try ModelReference(models[1], versionChecksum: models[1].versionChecksum),
                    didMigrate: { context in
                        for item in try context.all("Item") {
                            let title = try item.value(forKey: "title") as? String ?? ""
                            try item.setValue(title.count, forKey: "size")
                        }
                    }),
                LightweightMigrationStage([models[1].versionChecksum, models[2].versionChecksum]),
            ])
            return options
        }, isDirect: true,
        fill: { context in
            for number in 0..<itemCount {
                try context.insertObject(entityName: "Item").setValue("\(number)", forKey: "title")
            }
        },
        difference: { context, number in
            var sizes: [Int64?] = []
            for item in try context.all("Item") where number > 0 {
                let title = try item.value(forKey: "title") as? String ?? ""
                let size = try item.value(forKey: "size") as? Int64
                if let size, size != title.count { return "an item has the size \(size)" }
                sizes.append(size)
            }
            let count = try context.all("Item").count
            guard count == itemCount else { return "there are \(count) items" }
            guard number > 0 else { return nil }
            let missing = sizes.count { $0 == nil }
            let isWhole = missing == 0 || number == 1 && missing == itemCount
            return isWhole ? nil : "\(missing) sizes are missing"
        })

    private static func sizedModel(_ number: Int) throws -> ManagedObjectModel {
        var item = EntityDescription(
            name: "Item", attributes: [AttributeDescription("title", .string)])
        switch number {
        case 0: break
        case 1: item.attributes.append(AttributeDescription("size", .integer64))
        default:
            item.attributes.append(
                AttributeDescription("size", .integer64, isOptional: false, defaultValue: -1))
        }
        return try ManagedObjectModel(entities: [item])
    }

    /// The first opening would run 3,000 migrations. Each adds 1 to all items, in the transaction that
    /// notes it, and finds the number of the one before.
    static let code = MigrationCycle(
        name: "code", modelCount: 1, longestDelay: 100_000,
        model: { _ in
            try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Item",
                    attributes: [
                        AttributeDescription("size", .integer64, isOptional: false, defaultValue: 0)
                    ])
            ])
        },
        options: { _ in
            var options = MigrationOptions()
            options.migrations = (1...3_000).map { number in
                Migration(.legacy(number)) { context in
                    for item in try context.all("Item") {
                        let size = try item.value(forKey: "size") as? Int64 ?? 0
                        guard size + 1 == number else {
                            throw CrashFailure("migration \(number) finds the size \(size)")
                        }
                        try item.setValue(size + 1, forKey: "size")
                    }
                }
            }
            return options
        },
        fill: { context in
            for _ in 0..<itemCount { _ = try context.insertObject(entityName: "Item") }
        },
        difference: { context, _ in
            let items = try context.all("Item")
            let sizes = Set(try items.map { try $0.value(forKey: "size") as? Int64 })
            return items.count == itemCount && sizes.count == 1
                ? nil : "\(items.count) items have \(sizes.count) sizes"
        })
}
