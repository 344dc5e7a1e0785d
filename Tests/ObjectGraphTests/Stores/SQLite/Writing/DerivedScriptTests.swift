import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Random saves and batch requests, after each of which every derived value is computed again.
@Suite struct `Random derived values (§1.4)` {
    @Test func `derived values are what the other values give (§1.4.5, §1.4.6, §1.4.12)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        for number in 0..<40 {
            let fixture = try DerivedFixture(tracksHistory: number.isMultiple(of: 3))
            let seed = generator.next()
            for step in 0..<12 {
                let what = try fixture.run { context in
                    var script = DerivedScript(
                        context: context, generator: SeededGenerator(seed: seed &+ UInt64(step)))
                    return try script.run()
                }
                let wrong = try fixture.mismatches()
                #expect(
                    wrong == [],
                    "TEST_SEED=\(generator.seed), script \(number), step \(step): \(what)")
                guard wrong.isEmpty else { return }
            }
        }
    }
}

/// One step: changes and a save, or a batch request.
private struct DerivedScript {
    let context: ManagedObjectContext
    var generator: SeededGenerator
    private var done: [String] = []

    init(context: ManagedObjectContext, generator: SeededGenerator) {
        self.context = context
        self.generator = generator
    }

    mutating func run() throws -> [String] {
        if Int.random(in: 0..<5, using: &generator) == 0 {
            try batch()
            context.reset()
        } else {
            for _ in 0..<Int.random(in: 1...12, using: &generator) { try change() }
            try context.save()
            try compareWithStore()
        }
        return done
    }

    /// Refreshed objects of the saving context have the values of the store.
    private mutating func compareWithStore() throws {
        guard Bool.random(using: &generator) else { return }
        context.refreshAllObjects()
        for entity in DerivedFixture.model.rootEntities {
            let shown = try context.registeredObjects.filter { $0.entity.name == entity.name }
                .map { object in
                    try object.entity.attributes.map { try object.text($0.name) }
                        + ["\(object.objectID)"]
                }
            let stored = try context.all(entity.name).map { object in
                context.refresh(object, mergeChanges: false)
                return try object.entity.attributes.map { try object.text($0.name) }
                    + ["\(object.objectID)"]
            }
            #expect(Set(shown).isSubset(of: Set(stored)))
        }
    }

    // MARK: - Objects

    private mutating func any(_ entityName: String) throws -> ManagedObject? {
        try context.all(entityName).randomElement(using: &generator)
    }

    private mutating func change() throws {
        let kind = ["Shelf", "Book", "Tag", "Person"].randomElement(using: &generator)!
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4:
            let name = ["Shelf": "Cabinet", "Book": "Comic"][kind] ?? kind
            let object = try context.insert(Bool.random(using: &generator) ? kind : name)
            done.append("insert \(name)")
            for _ in 0..<3 { try set(object, kind) }
        case 4:
            // Relationships without inverse keep their references to a deleted object. A save
            // refuses those to an object that never had a row.
            guard let object = try any(kind), !object.isInserted else { return }
            context.delete(object)
            done.append("delete \(object.objectID)")
        default:
            guard let object = try any(kind) else { return }
            try set(object, kind)
        }
    }

    private mutating func set(_ object: ManagedObject, _ kind: String) throws {
        let keys = [
            "Shelf": ["name", "bookCount", "books"],
            "Book": ["title", "pages", "weight", "bought", "shelf", "tags"],
            "Tag": ["name", "books"],
            "Person": ["name", "age", "parent", "children", "friends", "likes", "boss"],
        ]
        let key = keys[kind]!.randomElement(using: &generator)!
        done.append("\(object.objectID).\(key)")
        let number = Int.random(in: -4...8, using: &generator)
        switch key {
        case "name", "title":
            try object.setValue(number < 0 ? nil : "Né\(number)", forKey: key)
        case "pages", "age", "bookCount":
            try object.setValue(number == 8 ? nil : number, forKey: key)
        case "weight": try object.setValue(number == 8 ? nil : Double(number) / 4, forKey: key)
        case "bought":
            let date = Date(timeIntervalSinceReferenceDate: Double(number))
            try object.setValue(number == 8 ? nil : date, forKey: key)
        case "shelf", "parent", "boss":
            let other = try any(key == "shelf" ? "Shelf" : "Person")
            try object.setValue(number < -2 ? nil : other, forKey: key)
        default:
            let entity = ["books": "Book", "tags": "Tag"][key] ?? "Person"
            let members = try context.all(entity).shuffled(using: &generator)
            try object.setValue(Set(members.prefix(max(number, 0))), forKey: key)
        }
    }

    // MARK: - Batch requests

    private mutating func batch() throws {
        let kind = ["Shelf", "Book", "Comic", "Tag", "Person"].randomElement(using: &generator)!
        let number = Int.random(in: 1...6, using: &generator)
        done.append("batch \(kind) \(number)")
        let isNumbered = kind == "Book" || kind == "Comic" || kind == "Person"
        let key = kind == "Person" ? "age" : isNumbered ? "pages" : "name"
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            let rows = (0..<number).map { row -> [String: AttributeValue] in
                [key: isNumbered ? .integer(Int64(row)) : .string("B\(row)")]
            }
            try context.execute(BatchInsertRequest(entityName: kind, objects: rows))
        case 1:
            try context.execute(
                BatchUpdateRequest(
                    entityName: kind,
                    propertiesToUpdate: [
                        key: isNumbered
                            ? .function(
                                "add:to:", [.keyPath(key), .constant(.integer(Int64(number)))])
                            : .constant(.string("U\(number)"))
                    ]))
        default:
            var request = FetchRequest(entityName: kind, sortKeys: [.ascending(key)])
            request.fetchLimit = number
            try context.execute(BatchDeleteRequest(fetchRequest: request))
        }
    }
}
