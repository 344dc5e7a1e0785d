import Foundation
import ObjectGraph
import Synchronization

/// The versions of the model of items, and what the migrations of the workload do.
enum MigratedItems {
    enum Way: String, CaseIterable {
        /// An optional attribute more.
        case add
        /// An attribute less, so that every row is copied.
        case rewrite
        /// The same, and every row passes code that changes a text.
        case mapped
        /// Four versions further, in one step.
        case direct
        /// The same, from each version to the next.
        case progressive

        /// The versions that the store gets, one after the other.
        var versions: [Version] {
            switch self {
            case .add: [.withRemark]
            case .rewrite, .mapped: [.withoutMaker]
            case .direct: [.last]
            case .progressive: [.withRemark, .withTown, .withWeight, .last]
            }
        }
    }

    /// Each one has the changes of those before, but for `withoutMaker`.
    enum Version: Int {
        case first, withRemark, withTown, withWeight, last
        case withoutMaker
    }

    /// The town was the city, the weight has a default value, and the last version has no maker.
    static func model(_ version: Version, hasPictures: Bool) throws -> ManagedObjectModel {
        var item = EntityDescription(Item.self)
        if hasPictures { item.attributes.append(AttributeDescription("picture", .binaryData)) }
        guard version != .first else { return try ManagedObjectModel(entities: [item]) }
        item.managedObjectClass = nil
        item.managedObjectClassName = nil
        if version == .withoutMaker || version == .last {
            item.attributes.removeAll { $0.name == "maker" }
        }
        guard version != .withoutMaker else { return try ManagedObjectModel(entities: [item]) }
        item.attributes.append(AttributeDescription("remark", .string))
        if version.rawValue >= Version.withTown.rawValue {
            let city = item.attributes.firstIndex { $0.name == "city" }!
            item.attributes[city].name = "town"
            item.attributes[city].renamingIdentifier = "city"
        }
        if version.rawValue >= Version.withWeight.rawValue {
            item.attributes.append(
                AttributeDescription("weight", .double, isOptional: false, defaultValue: 1.5))
        }
        return try ManagedObjectModel(entities: [item])
    }

    /// From the first version to the one without a maker. All else has the same names and is copied
    /// without code; the closure writes cities in upper case.
    static func mapping(hasPictures: Bool) throws -> MappingModel {
        try MappingModel(
            from: model(.first, hasPictures: hasPictures),
            to: model(.withoutMaker, hasPictures: hasPictures),
            [
                .custom(from: "Item", to: "Item") {
                    (source: ManagedObject, item: ManagedObject, _: MigrationManager) in
                    item[Item.city] = source[Item.city].uppercased()
                }
            ])
    }
}

/// A store of items of the first version, whose strings repeat.
struct MigratedStore: SampleStore {
    var rowCount: Int

    /// The size of a value in each row; 0 for none.
    var pictureBytes: Int

    func make(in context: WorkerContext) throws -> [String: Int64] {
        let items = ItemRow.repeated(count: rowCount)
        let model = try MigratedItems.model(.first, hasPictures: pictureBytes > 0)
        let coordinator = try context.openCoordinator(model)
        let picture = Data(repeating: 7, count: pictureBytes)
        let position = Atomic(0)
        let request = BatchInsertRequest(entityName: "Item") { row in
            let index = position.add(1, ordering: .relaxed).oldValue
            guard index < items.count else { return true }
            Item.set(items[index], in: &row)
            if !picture.isEmpty { row.set(picture, for: Item.picture) }
            return false
        }
        let objects = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        _ = try objects.performAndWait { try objects.execute(request) }
        try coordinator.removePersistentStores()
        return ItemSum.facts(of: items)
    }
}
