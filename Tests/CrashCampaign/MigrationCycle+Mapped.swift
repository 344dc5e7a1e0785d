import Foundation
import ObjectGraph

// Migrations through objects: an item's color becomes an object of its own, and a value again. Some
// items have covers in files.
extension MigrationCycle {
    static let mapped = MigrationCycle(
        name: "mapped", modelCount: 2, longestDelay: 150_000,
        model: { try coloredModel($0) },
        options: { number in
            var options = MigrationOptions()
            options.mappingModels = [try number == 0 ? merging(1) : splitting()]
            return options
        },
        fill: fillColors, difference: { try colorDifference($0, $1) })

    /// The first step is mapped, the others are inferred, each with a commit of its own. The way back
    /// is mapped.
    static let chain = MigrationCycle(
        name: "chain", modelCount: 4, longestDelay: 200_000, model: { try coloredModel($0) },
        options: { number in
            var options = MigrationOptions()
            if number > 0 { options.sourceModels = try (0..<number).map { try coloredModel($0) } }
            options.mappingModels = [try number == 0 ? merging(3) : splitting()]
            return options
        }, isDirect: true,
        fill: fillColors, difference: { try colorDifference($0, $1) })

    /// 0: items with colors; 1: tints; 2: items have sizes; 3: tints are shades.
    private static func coloredModel(_ number: Int) throws -> ManagedObjectModel {
        var item = EntityDescription(
            name: "Item",
            attributes: [
                AttributeDescription("title", .string),
                AttributeDescription("cover", .binaryData, allowsExternalStorage: true),
            ])
        let color = AttributeDescription("color", .string)
        guard number > 0 else {
            item.attributes.append(color)
            return try ManagedObjectModel(entities: [item])
        }
        let tint = EntityDescription(
            name: number > 2 ? "Shade" : "Tint", attributes: [color],
            relationships: [.toOne("item", "Item", inverse: "tint")],
            renamingIdentifier: number > 2 ? "Tint" : nil)
        item.relationships = [.toOne("tint", tint.name, inverse: "item", deleteRule: .cascade)]
        if number > 1 {
            item.attributes.append(
                AttributeDescription("size", .integer64, isOptional: false, defaultValue: 1))
        }
        return try ManagedObjectModel(entities: [item, tint])
    }

    private static func splitting() throws -> MappingModel {
        try MappingModel(
            from: coloredModel(0), to: coloredModel(1),
            [
                EntityMapping(
                    from: "Item", to: "Item",
                    properties: [
                        PropertyMapping("tint", .variable("source"), through: "ItemToTint")
                    ]),
                .custom(from: "Item", to: "Tint") {
                    (source: ManagedObject, tint: ManagedObject, _: MigrationManager) in
                    try tint.setValue(try source.value(forKey: "color"), forKey: "color")
                },
            ])
    }

    /// Back to the first model.
    private static func merging(_ number: Int) throws -> MappingModel {
        try MappingModel(
            from: coloredModel(number), to: coloredModel(0),
            [
                EntityMapping(
                    from: "Item", to: "Item",
                    properties: [PropertyMapping("color", .variable("source.tint.color"))])
            ])
    }

    private static func color(_ number: Int) -> String { "color \(number % 7)" }

    private static func cover(_ number: Int) -> Data {
        Data(repeating: UInt8(3 + number % 200), count: number.isMultiple(of: 40) ? 120_000 : 9)
    }

    @Sendable private static func fillColors(_ context: ManagedObjectContext) throws {
        for number in 0..<itemCount {
            let item = try context.insertObject(entityName: "Item")
            try item.setValue("\(number)", forKey: "title")
            try item.setValue(color(number), forKey: "color")
            try item.setValue(cover(number), forKey: "cover")
        }
    }

    private static func colorDifference(
        _ context: ManagedObjectContext, _ number: Int
    ) throws -> String? {
        var numbers: Set<Int> = []
        for item in try context.all("Item") {
            guard let title = try item.value(forKey: "title") as? String, let place = Int(title)
            else { return "an item has no title" }
            numbers.insert(place)
            let color = try item.value(forKeyPath: number == 0 ? "color" : "tint.color") as? String
            if color != Self.color(place) { return "item \(place) has the color \(color ?? "nil")" }
            guard try item.value(forKey: "cover") as? Data == cover(place) else {
                return "item \(place) has another cover"
            }
            if number > 1, try item.value(forKey: "size") as? Int64 != 1 {
                return "item \(place) has no size"
            }
        }
        guard numbers == Set(0..<itemCount) else { return "items are missing" }
        guard number > 0 else { return nil }
        let tintCount = try context.all(number > 2 ? "Shade" : "Tint").count
        return tintCount == itemCount ? nil : "there are \(tintCount) tints"
    }
}
