import Foundation
import TestSupport

@testable import ObjectGraph

/// A store with derived attributes of every form, over every kind of relationship.
///
///     Shelf ──< Book >──< Tag        Cabinet is a Shelf, Comic a Book
///     Person ──< Person (children)   Person >──< Person (friends, its own inverse)
///     Person ──> Person (boss, without inverse)   Person >──< Person (likes, likedBy)
struct DerivedFixture: Sendable {
    let store: StoreFixture
    var context: ManagedObjectContext { store.context }

    init(tracksHistory: Bool = false) throws {
        store = try StoreFixture(Self.model, tracksHistory: tracksHistory)
    }

    static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Shelf",
            attributes: [
                AttributeDescription("name", .string),
                AttributeDescription("bookCount", .integer64, derivation: "books.@count"),
                AttributeDescription("pages", .integer64, derivation: "sum:(books.pages)"),
                AttributeDescription("weight", .double, derivation: "books.weight.@sum"),
                AttributeDescription("fewest", .integer64, derivation: "books.@min.pages"),
                AttributeDescription("latest", .date, derivation: "max:(books.bought)"),
                AttributeDescription("changedAt", .date, derivation: "now()"),
            ],
            relationships: [.toMany("books", "Book", inverse: "shelf")],
            indexes: [FetchIndexDescription("byCount", on: "bookCount")]),
        EntityDescription(
            name: "Cabinet", superentity: "Shelf",
            attributes: [
                AttributeDescription("cabinetCount", .integer16, derivation: "count:(books)"),
                AttributeDescription("folded", .string, derivation: "canonical:(name)"),
            ]),
        EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription("title", .string), AttributeDescription("pages", .integer64),
                AttributeDescription("weight", .double), AttributeDescription("bought", .date),
                AttributeDescription("copy", .string, derivation: "title"),
                AttributeDescription("shelfName", .string, derivation: "shelf.name"),
                AttributeDescription("loud", .string, derivation: "uppercase:(shelf.name)"),
                AttributeDescription("neighbours", .integer64, derivation: "shelf.bookCount"),
            ],
            relationships: [
                .toOne("shelf", "Shelf", inverse: "books"),
                .toMany("tags", "Tag", inverse: "books"),
            ]),
        EntityDescription(
            name: "Comic", superentity: "Book",
            attributes: [
                AttributeDescription("quiet", .string, derivation: "lowercase:(shelf.name)")
            ]),
        EntityDescription(
            name: "Tag",
            attributes: [
                AttributeDescription("name", .string),
                AttributeDescription("bookCount", .integer32, derivation: "books.@count"),
                AttributeDescription("pages", .integer64, derivation: "books.@sum.pages"),
                AttributeDescription("heaviest", .double, derivation: "books.@max.weight"),
                AttributeDescription("neighbours", .integer64, derivation: "books.neighbours.@sum"),
            ],
            relationships: [.toMany("books", "Book", inverse: "tags")]),
        EntityDescription(
            name: "Person",
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("age", .integer32),
                AttributeDescription("childCount", .integer64, derivation: "children.@count"),
                AttributeDescription("childAges", .double, derivation: "children.@sum.age"),
                AttributeDescription("youngest", .integer32, derivation: "children.@min.age"),
                AttributeDescription("parentName", .string, derivation: "parent.name"),
                AttributeDescription("grandparent", .string, derivation: "parent.parentName"),
                AttributeDescription("friendCount", .integer64, derivation: "friends.@count"),
                AttributeDescription("likedAges", .integer64, derivation: "likes.@sum.age"),
                AttributeDescription("likedCount", .integer64, derivation: "count:(likes)"),
                AttributeDescription("bossName", .string, derivation: "boss.name"),
            ],
            relationships: [
                .toMany("children", "Person", inverse: "parent"),
                .toOne("parent", "Person", inverse: "children"),
                .toMany("friends", "Person", inverse: "friends"),
                .toMany("likes", "Person", inverse: "likedBy"),
                .toMany("likedBy", "Person", inverse: "likes"),
                .toOne("boss", "Person", deleteRule: .noAction),
            ]),
    ])

    /// Runs the body on the queue of the context.
    @discardableResult
    func run<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        try store.run(body)
    }

    /// The derived values in the store that differ from what the other values give, in words.
    func mismatches() throws -> [String] {
        let context = store.makeContext()
        return try context.performAndWait {
            var found: [String] = []
            for entity in Self.model.rootEntities {
                for object in try context.all(entity.name) {
                    for (name, expected) in Self.expectations(of: object) {
                        let value = try object.text(name)
                        guard value != expected else { continue }
                        found.append("\(object.objectID) \(name): \(value), not \(expected)")
                    }
                }
            }
            return found
        }
    }

    /// The derived attributes but the times, computed in Swift.
    private static func expectations(of object: ManagedObject) -> [String: String] {
        do {
            switch object.entity.name {
            case "Shelf", "Cabinet":
                let books = try object.members("books")
                var values = [
                    "bookCount": "\(books.count)",
                    "pages": try "\(books.reduce(0) { $0 + (try $1.number("pages") ?? 0) })",
                    "weight": try "\(books.reduce(0.0) { $0 + (try $1.real("weight") ?? 0) })",
                    "fewest": try text(books.compactMap { try $0.number("pages") }.min()),
                    "latest": try text(books.compactMap { try $0.time("bought") }.max()),
                ]
                if object.entity.name == "Cabinet" {
                    values["cabinetCount"] = "\(books.count)"
                    values["folded"] = try object.text("name").lowercased()
                        .replacing("é", with: "e")
                }
                return values
            case "Book", "Comic":
                let shelf = try object.value(forKey: "shelf") as? ManagedObject
                let name = try shelf?.text("name") ?? "nil"
                var values = [
                    "copy": try object.text("title"), "shelfName": name,
                    "loud": name == "nil" ? name : name.uppercased(),
                    "neighbours": try text(shelf?.members("books").count),
                ]
                if object.entity.name == "Comic" { values["quiet"] = name.lowercased() }
                return values
            case "Tag":
                let books = try object.members("books")
                return [
                    "bookCount": "\(books.count)",
                    "pages": try "\(books.reduce(0) { $0 + (try $1.number("pages") ?? 0) })",
                    "heaviest": try text(books.compactMap { try $0.real("weight") }.max()),
                    "neighbours": try
                        "\(books.reduce(0) { $0 + (try $1.number("neighbours") ?? 0) })",
                ]
            default:
                let children = try object.members("children")
                let parent = try object.value(forKey: "parent") as? ManagedObject
                let ages = try children.compactMap { try $0.number("age") }
                let liked = try object.members("likes").compactMap { try $0.number("age") }
                return [
                    "childCount": "\(children.count)", "childAges": "\(Double(ages.reduce(0, +)))",
                    "youngest": text(ages.min()), "parentName": try parent?.text("name") ?? "nil",
                    "grandparent": try (parent?.value(forKey: "parent") as? ManagedObject)?
                        .text("name") ?? "nil",
                    "friendCount": "\(try object.members("friends").count)",
                    "likedAges": "\(liked.reduce(0, +))",
                    "likedCount": "\(try object.members("likes").count)",
                    "bossName": try (object.value(forKey: "boss") as? ManagedObject)?
                        .text("name") ?? "nil",
                ]
            }
        } catch { return ["name": "\(error)"] }
    }

    private static func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nil" }
}

extension ManagedObject {
    fileprivate func members(_ key: String) throws -> Set<ManagedObject> {
        try value(forKey: key) as? Set<ManagedObject> ?? []
    }

    /// The value of a property as text, "nil" without one.
    func text(_ key: String) throws -> String {
        let value = try value(forKey: key)
        if let date = value as? Date { return "\(date.timeIntervalSinceReferenceDate)" }
        return value.map { "\($0)" } ?? "nil"
    }

    fileprivate func number(_ key: String) throws -> Int? {
        let value = try value(forKey: key)
        return value as? Int ?? (value as? Int64).map { Int($0) }
            ?? (value as? Int32).map { Int($0) }
    }

    fileprivate func real(_ key: String) throws -> Double? { try value(forKey: key) as? Double }

    fileprivate func time(_ key: String) throws -> Double? {
        (try value(forKey: key) as? Date)?.timeIntervalSinceReferenceDate
    }
}
