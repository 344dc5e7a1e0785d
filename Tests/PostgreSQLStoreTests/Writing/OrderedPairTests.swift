#if PostgreSQL
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

/// The server gives the members of a list their places.
@Suite(.onServer) struct `Ordered pairs in PostgreSQL` {
    let fixture: WritingFixture

    init() throws {
        fixture = try WritingFixture(
            EntityDescription(
                name: "List",
                relationships: [.toMany("items", "Item", inverse: "lists", isOrdered: true)]),
            EntityDescription(
                name: "Item", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("lists", "List", inverse: "items")]))
    }

    /// Saves the lists one after the other as the members of one object, and reads each back with
    /// another coordinator.
    private func save(_ lists: [String]) throws {
        let context = try fixture.context()
        try context.performAndWait {
            let list = try context.insert("List")
            var items: [Character: ManagedObject] = [:]
            for members in lists {
                for name in members where items[name] == nil {
                    items[name] = try context.insert("Item", ["name": String(name)])
                }
                try list.setValue(members.map { items[$0]! }, forKey: "items")
                try context.save()
                #expect(try read() == members)
            }
        }
    }

    private func read() throws -> String {
        try fixture.run { context in
            let list = try context.all("List")[0]
            let items = try #require(try list.value(forKey: "items") as? [ManagedObject])
            return try items.map { try #require(try $0.value(forKey: "name") as? String) }.joined()
        }
    }

    private func places() throws -> [String] {
        let table = try #require(
            try fixture.schema.texts(
                """
                SELECT table_name || ' ' || column_name FROM information_schema.columns \
                WHERE table_schema = '\(fixture.schema.name)' AND column_name LIKE 'z\\_fok%'
                """
            ).first)
        let words = table.split(separator: " ")
        return try fixture.schema.texts("SELECT \(words[1]) FROM \(words[0]) ORDER BY \(words[1])")
    }

    @Test func `a list is read back in its order`() throws {
        try save(["abc", "abcd", "xabcd", "xabd", "dbax", "d", "", "ab", "ba"])
    }

    @Test func `adding at the end and removing leave the other places (§11.8.40)`() throws {
        try save(["abc"])
        #expect(try places() == ["2048", "3072", "4096"])
        try fixture.run { context in
            let list = try context.all("List")[0]
            var items = try #require(try list.value(forKey: "items") as? [ManagedObject])
            items.remove(at: 1)
            items.append(try context.insert("Item", ["name": "d"]))
            try list.setValue(items, forKey: "items")
            try context.save()
        }
        #expect(try places() == ["2048", "4096", "5120"])
    }

    @Test func `random lists are read back in their order`() throws {
        var numbers = SeededGenerator.fromEnvironment()
        let lists = (0..<40).map { _ in
            String(
                "abcdefgh".shuffled(using: &numbers).prefix(Int.random(in: 0...8, using: &numbers)))
        }
        try save(lists)
    }
}
#endif
