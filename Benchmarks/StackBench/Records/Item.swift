import Foundation
import ObjectGraph

/// The entity of the engine workload.
final class Item: ManagedObject, ItemValues {
    static let number = Attribute<Int64>("number")
    static let quantity = Attribute<Int32>("quantity")
    static let delayMinutes = Attribute<Int32?>("delayMinutes")
    static let price = Attribute<Double>("price")
    static let createdAt = Attribute<Date>("createdAt")
    static let name = Attribute<String>("name")
    static let maker = Attribute<String>("maker")
    static let city = Attribute<String>("city")
    static let address = Attribute<String>("address")
    static let note = Attribute<String?>("note")
    /// Of models with pictures only.
    static let picture = Attribute<Data>("picture")

    override class var managedProperties: [any ManagedProperty] {
        [number, quantity, delayMinutes, price, createdAt, name, maker, city, address, note]
    }

    var number: Int64 { self[Self.number] }
    var quantity: Int32 {
        get { self[Self.quantity] }
        set { self[Self.quantity] = newValue }
    }
    var delayMinutes: Int32? { self[Self.delayMinutes] }
    var price: Double { self[Self.price] }
    var createdAt: Date { self[Self.createdAt] }
    var name: String { self[Self.name] }
    var maker: String { self[Self.maker] }
    var city: String { self[Self.city] }
    var address: String { self[Self.address] }
    var note: String? { self[Self.note] }

    static func makeModel(_ features: ItemFeatures = []) throws -> ManagedObjectModel {
        var item = EntityDescription(Item.self)
        if features.contains(.uniqueNumber) { item.uniquenessConstraints = [["number"]] }
        if features.contains(.indexedNumber) {
            item.indexes.append(FetchIndexDescription("byNumber", on: "number"))
        }
        if features.contains(.searchableNote) {
            item.indexes.append(.fullText("words", on: "note"))
        }
        if features.contains(.pictures) {
            item.attributes.append(
                AttributeDescription("picture", .binaryData, allowsExternalStorage: true))
        }
        guard features.contains(.racks) else { return try ManagedObjectModel(entities: [item]) }
        item.relationships = [.toOne("rack", "Rack", inverse: "items")]
        var rack = EntityDescription(Rack.self)
        if features.contains(.countedRacks) {
            rack.attributes.append(
                AttributeDescription("itemCount", .integer64, derivation: "items.@count"))
        }
        return try ManagedObjectModel(entities: [item, rack])
    }

    func take(_ row: ItemRow) {
        self[Self.number] = row.number
        self[Self.quantity] = row.quantity
        self[Self.delayMinutes] = row.delayMinutes
        self[Self.price] = row.price
        self[Self.createdAt] = row.createdAt
        self[Self.name] = row.name
        self[Self.maker] = row.maker
        self[Self.city] = row.city
        self[Self.address] = row.address
        self[Self.note] = row.note
    }

    /// Sets all attributes of a row of a batch insert.
    static func set(_ item: ItemRow, in row: inout BatchInsertRow) {
        row.set(item.number, for: number)
        row.set(item.quantity, for: quantity)
        row.set(item.delayMinutes, for: delayMinutes)
        row.set(item.price, for: price)
        row.set(item.createdAt, for: createdAt)
        row.set(item.name, for: name)
        row.set(item.maker, for: maker)
        row.set(item.city, for: city)
        row.set(item.address, for: address)
        row.set(item.note, for: note)
    }
}

/// The owner of items: of ten in the stores of the walks and of inserts on racks, of a whole feed in
/// that of the feed.
final class Rack: ManagedObject {
    static let name = Attribute<String>("name")
    static let items = ToMany<Item>("items", deleteRule: .cascade)

    static let itemCount = 10
    static let feedName = "Feed"

    override class var managedProperties: [any ManagedProperty] { [name, items] }

    var items: Set<Item> { self[Self.items] }
}
