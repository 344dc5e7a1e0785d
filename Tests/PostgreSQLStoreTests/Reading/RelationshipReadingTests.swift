#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Relationships in PostgreSQL (§11.8)` {
    let schema = TestSchema()
    let coordinator: PersistentStoreCoordinator

    /// Lists with ordered items, ordered tags among many, and a favourite of any kind.
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "List", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toMany("items", "Item", inverse: "list", isOrdered: true),
                    .toMany("tags", "Tag", inverse: "lists", isOrdered: true),
                    .toOne("favourite", "Item", inverse: "fans"),
                ]),
            EntityDescription(
                name: "Item", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toOne("list", "List", inverse: "items"),
                    .toMany("fans", "List", inverse: "favourite"),
                ]),
            EntityDescription(
                name: "BigItem", superentity: "Item",
                attributes: [AttributeDescription("size", .double)]),
            EntityDescription(
                name: "Tag", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("lists", "List", inverse: "tags")]),
        ])
    }

    init() throws {
        coordinator = try schema.coordinator(Self.model())
        let context = coordinator.context()
        try context.performAndWait {
            let tags = try (0..<3).map { number in
                let tag = try context.insertObject(entityName: "Tag")
                try tag.setValue("tag \(number)", forKey: "name")
                return tag
            }
            for number in 0..<20 {
                let list = try context.insertObject(entityName: "List")
                try list.setValue("list \(number)", forKey: "name")
                let items = try (0..<5).map { place in
                    let item = try context.insertObject(
                        entityName: place.isMultiple(of: 2) ? "Item" : "BigItem")
                    try item.setValue("item \(number).\(place)", forKey: "name")
                    return item
                }
                try list.setValue([3, 0, 4, 1, 2].map { items[$0] }, forKey: "items")
                try list.setValue([tags[2], tags[number % 2]], forKey: "tags")
                try list.setValue(items[number % 5], forKey: "favourite")
            }
            try context.save()
        }
    }

    private func names(_ list: ManagedObject, _ key: String) throws -> [String] {
        let members = try #require(try list.value(forKey: key) as? [ManagedObject])
        return try members.map { try #require(try $0.value(forKey: "name") as? String) }
    }

    private func lists(_ context: ManagedObjectContext, prefetching keys: [String] = []) throws
        -> [ManagedObject]
    {
        var request = FetchRequest(entityName: "List", sortKeys: [.ascending("name")])
        request.relationshipKeyPathsForPrefetching = keys
        return Array(try context.fetch(request, as: ManagedObject.self))
    }

    @Test func `ordered members come in their order (§11.8.15)`() throws {
        let context = coordinator.context()
        try context.performAndWait {
            let list = try lists(context)[0]
            #expect(
                try names(list, "items") == [3, 0, 4, 1, 2].map { "item 0.\($0)" })
            #expect(try names(list, "tags") == ["tag 2", "tag 0"])
        }
    }

    @Test func `members without a place come first (§11.8.15)`() throws {
        try schema.run("UPDATE zitem SET z_fok_list = NULL WHERE zname LIKE '%.1'")
        let context = coordinator.context()
        let found = try context.performAndWait { try names(lists(context)[0], "items") }
        #expect(found == [1, 3, 0, 4, 2].map { "item 0.\($0)" })
    }

    @Test func `a member that is gone is left out of pairs (§11.8.15)`() throws {
        try schema.run("DELETE FROM ztag WHERE zname = 'tag 2'")
        let context = coordinator.context()
        let found = try context.performAndWait { try names(lists(context)[1], "tags") }
        #expect(found == ["tag 1"])
    }

    @Test func `a fetch and its prefetches see one state, whoever writes meanwhile (§11.8.16)`()
        throws
    {
        let name = schema.name
        let coordinator = try schema.coordinator(Self.model()) { description in
            let writer = TestSchema.Writer(
                of: name, once: "DELETE FROM zitem; UPDATE zlist SET zname = 'other'")
            description.statementObserver = { sql, _ in
                if sql.contains("FROM ZLIST") { writer.run() }
            }
        }
        func read() throws -> [Int] {
            let context = coordinator.context()
            var request = FetchRequest(entityName: "List")
            request.relationshipKeyPathsForPrefetching = ["items", "favourite"]
            return try context.performAndWait { [request] in
                try context.fetch(request, as: ManagedObject.self).map {
                    try ($0.value(forKey: "items") as! any Collection<ManagedObject>).count
                }
            }
        }
        #expect(try read() == Array(repeating: 5, count: 20))
        #expect(try read() == Array(repeating: 0, count: 20))
    }

    @Test(arguments: [
        (["items"], 2), (["tags"], 2), (["favourite"], 2), (["items", "tags", "favourite"], 3),
        (["items.fans"], 3),
    ])
    func `prefetching is one round trip a relationship, for any number (§11.8.16)`(
        _ keys: [String], _ roundTrips: Int
    ) throws {
        let context = coordinator.context()
        try context.performAndWait {
            let store = coordinator.postgreSQL
            store.resetStatistics()
            let lists = try lists(context, prefetching: keys)
            #expect(store.statistics.roundTrips == roundTrips)
            #expect(lists.count == 20)
            for list in lists {
                if keys.contains("items") { #expect(try names(list, "items").count == 5) }
                if keys.contains("tags") { #expect(try names(list, "tags").count == 2) }
            }
            #expect(store.statistics.roundTrips == roundTrips)
        }
    }

    @Test func `a member of several owners is read once (§11.8.16)`() throws {
        let model = coordinator.model
        let list = model.entity(named: "List")!
        let related = try coordinator.postgreSQL.relatedRows(
            of: list.property(named: "tags")!, list, keys: Array(1...20))
        #expect(related.rows.count == 3)
        #expect(related.contents.count == 20)
        #expect(related.contents.values.allSatisfy { $0.count == 2 })
    }

    @Test func `long contents are identities only (§11.8.17)`() throws {
        try schema.run(
            """
            INSERT INTO zitem (z_pk, z_ent, z_opt, zlist)
            SELECT n, 1, 1, 1 FROM generate_series(1001, 2000) n
            """)
        let store = coordinator.postgreSQL
        let list = coordinator.model.entity(named: "List")!
        let items = list.property(named: "items")!
        #expect(try store.memberRows(of: items, list, key: 1, ReadOptions()) == nil)
        #expect(try store.destinations(of: items, list, key: 1).count == 1005)
        let rows = try store.memberRows(of: items, list, key: 2, ReadOptions())
        #expect(rows?.count == 5)
    }
}
#endif
