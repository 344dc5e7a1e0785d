import Foundation
import ObjectGraph

/// The model for tests of coding: unique values, a subentity, circles, and an entity without
/// unique values.
///
///     Maker ──< Item >──< Label (ordered)       Item ──< Remark (ordered, cascade)
///                └ Disc
enum Shop {
    final class Maker: ManagedObject {
        static let name = Attribute<String>("name")
        static let founded = Attribute<Date?>("founded")
        static let motto = Attribute<String?>("motto", default: "none")
        static let items = ToMany<Item>("items", inverse: Item.maker)
        override class var entityName: String { "Maker" }
        override class var managedProperties: [any ManagedProperty] {
            [name, founded, motto, items]
        }
    }

    class Item: ManagedObject {
        static let code = Attribute<Int>("code", .integer32)
        static let title = Attribute<String>("title", codingKey: "item_title")
        static let price = Attribute<Decimal?>("price")
        static let secret = Attribute<String?>("secret", codingKey: "")
        static let shown = Attribute<String?>("shown", isTransient: true)
        static let maker = ToOne<Maker>("maker")
        static let labels = OrderedToMany<Label>("labels", inverse: Label.items)
        static let remarks = OrderedToMany<Remark>(
            "remarks", inverse: Remark.item, deleteRule: .cascade)
        override class var entityName: String { "Item" }
        override class var managedProperties: [any ManagedProperty] {
            [code, title, price, secret, shown, maker, labels, remarks]
        }
    }

    final class Disc: Item {
        static let seconds = Attribute<Int?>("seconds", .integer16)
        override class var entityName: String { "Disc" }
        override class var managedProperties: [any ManagedProperty] { [seconds] }
    }

    final class Label: ManagedObject {
        static let name = Attribute<String>("name")
        static let items = OrderedToMany<Item>("items")
        override class var entityName: String { "Label" }
        override class var managedProperties: [any ManagedProperty] { [name, items] }
    }

    final class Remark: ManagedObject {
        static let text = Attribute<String>("text")
        static let stars = Attribute<Int>("stars", .integer16, default: 3)
        static let item = ToOne<Item>("item", isOptional: false)
        override class var entityName: String { "Remark" }
        override class var managedProperties: [any ManagedProperty] { [text, stars, item] }
    }

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(Maker.self, uniquenessConstraints: [["name"]]),
            EntityDescription(Item.self, uniquenessConstraints: [["code"]]),
            EntityDescription(Disc.self),
            EntityDescription(Label.self, uniquenessConstraints: [["name"]]),
            EntityDescription(Remark.self),
        ])
    }
}

extension StoreFixture {
    static func shop() throws -> StoreFixture { try StoreFixture(Shop.makeModel()) }
}

extension ManagedObjectContext {
    func decoder(_ settings: [CodingUserInfoKey: any Sendable] = [:]) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.userInfo = settings
        decoder.userInfo[.managedObjectContext] = self
        return decoder
    }

    /// Decodes a list of objects.
    @discardableResult
    func decode<Object: ManagedObject>(_ type: Object.Type, _ json: String) throws -> [Object] {
        try decoder().decode(ManagedList<Object>.self, from: Data(json.utf8)).objects
    }

    /// The error of data that cannot be decoded, and its path.
    func refusal<Object: ManagedObject>(
        _ type: Object.Type, _ json: String, _ settings: [CodingUserInfoKey: any Sendable] = [:]
    ) -> CodingRefusal? {
        do {
            _ = try decoder(settings).decode(ManagedList<Object>.self, from: Data(json.utf8))
            return nil
        } catch let error as DecodingError {
            return CodingRefusal(error)
        } catch {
            return nil
        }
    }
}

struct CodingRefusal: Equatable {
    var path: String
    var reason: ObjectCodingError.Reason?

    init(_ path: String, _ reason: ObjectCodingError.Reason?) {
        self.path = path
        self.reason = reason
    }

    init(_ error: DecodingError) {
        let context =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context
            @unknown default: fatalError("\(error)")
            }
        path = context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
            .joined(separator: ".")
        reason = (context.underlyingError as? ObjectCodingError)?.reason
    }
}

/// The JSON of objects, with sorted keys.
func json<Object: ManagedObject>(
    _ objects: [Object], _ settings: [CodingUserInfoKey: any Sendable] = [:]
) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.userInfo = settings
    return String(decoding: try encoder.encode(ManagedList(objects)), as: UTF8.self)
}
