import ObjectGraph

/// Models that a store goes through again and again, and what it must hold in each of them.
struct MigrationCycle {
    let name: String
    let modelCount: Int

    /// The longest time until a kill, in microseconds.
    let longestDelay: Int
    let model: @Sendable (Int) throws -> ManagedObjectModel

    /// How a store of the model before comes to a model.
    var options: @Sendable (Int) throws -> MigrationOptions = { _ in MigrationOptions() }

    /// Whether the store goes to the last model without stopping at others.
    var isDirect = false

    /// Makes the objects of the first model.
    let fill: @Sendable (ManagedObjectContext) throws -> Void

    /// What is wrong with the objects of a model; nil if nothing is.
    let difference: @Sendable (ManagedObjectContext, Int) throws -> String?

    static let all: [MigrationCycle] = [.inPlace, .mapped, .chain, .staged, .code]

    static func named(_ name: String) -> MigrationCycle? { all.first { $0.name == name } }

    /// The model after another one; a store of one of the last models goes to the first.
    func number(after number: Int) -> Int {
        number + 1 == modelCount ? 0 : isDirect ? modelCount - 1 : number + 1
    }
}

extension MigrationCycle {
    static let itemCount = 400

    /// Each model can be inferred from the one before, and the first from the last: names, the form of
    /// a relationship, attributes, constraints and a parent change.
    static let inPlace = MigrationCycle(
        name: "in-place", modelCount: 3, longestDelay: 40_000, model: inferredModel,
        fill: { context in
            let owners = try (0..<3).map { _ in try context.insertObject(entityName: "Owner") }
            for number in 0..<itemCount {
                let item = try context.insertObject(entityName: "Item")
                try item.setValue("\(number)", forKey: "title")
                try item.setValue(owners[number % 3], forKey: "owner")
            }
        },
        difference: { context, _ in
            var titles: [[String]] = []
            for owner in try context.all("Owner") {
                let items = try owner.value(forKey: "items") as? Set<ManagedObject> ?? []
                titles.append(
                    try items.compactMap { try $0.value(forKey: "title") as? String }.sorted())
            }
            let expected = (0..<3).map { owner in
                (0..<itemCount).filter { $0 % 3 == owner }.map(String.init).sorted()
            }
            return Set(titles) == Set(expected) ? nil : "items or their owners are missing"
        })

    @Sendable private static func inferredModel(_ number: Int) throws -> ManagedObjectModel {
        let title = AttributeDescription("title", .string)
        let size = AttributeDescription("size", .integer64, isOptional: false, defaultValue: 1)
        let isRenamed = number == 1
        let item = EntityDescription(
            name: isRenamed ? "Thing" : "Item", superentity: number == 2 ? "Base" : nil,
            attributes: isRenamed ? [title, size] : [title],
            relationships: [
                RelationshipDescription(
                    name: isRenamed ? "owners" : "owner", destination: "Owner", inverse: "items",
                    maxCount: isRenamed ? 0 : 1, renamingIdentifier: isRenamed ? "owner" : "owners")
            ],
            uniquenessConstraints: number == 2 ? [["title"]] : [],
            renamingIdentifier: isRenamed ? "Item" : "Thing")
        let owner = EntityDescription(
            name: "Owner",
            relationships: [.toMany("items", item.name, inverse: item.relationships[0].name)])
        let base = EntityDescription(name: "Base", isAbstract: true)
        return try ManagedObjectModel(entities: [item, owner] + (number == 2 ? [base] : []))
    }
}

extension ManagedObjectContext {
    func all(_ entity: String) throws -> [ManagedObject] {
        Array(try fetch(FetchRequest(entityName: entity), as: ManagedObject.self))
    }
}
