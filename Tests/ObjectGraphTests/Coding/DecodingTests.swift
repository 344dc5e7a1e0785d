import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Decoding objects (§2.14)` {
    private typealias Maker = Shop.Maker
    private typealias Item = Shop.Item

    @Test func `the keys of an object follow from the model (§2.14.1)`() throws {
        try StoreFixture.shop().run { context in
            let data = Data(
                """
                {"code": 7, "item_title": "Pen", "price": 1.25, "secret": "x", "shown": "y"}
                """.utf8)
            let item = try context.decoder().decode(Managed<Item>.self, from: data).object
            #expect(item[Item.code] == 7 && item[Item.title] == "Pen")
            #expect(item[Item.price] == Decimal(string: "1.25"))
            #expect(item[Item.secret] == nil && item[Item.shown] == nil)
            try context.save()
        }
    }

    @Test func `a list may be a part of other values (§2.14.1)`() throws {
        struct Page: Codable {
            var number: Int
            var items: ManagedList<Shop.Item>
        }
        try StoreFixture.shop().run { context in
            let text = #"{"items":[{"code":7,"item_title":"Pen"}],"number":3}"#
            let decoder = context.decoder()
            decoder.keyDecodingStrategy = .useDefaultKeys
            let page = try decoder.decode(Page.self, from: Data(text.utf8))
            #expect(page.number == 3 && page.items.objects.map { $0[Item.code] } == [7])
        }
    }

    @Test func `objects are found by their unique values, or made (§2.14.3)`() throws {
        let store = try StoreFixture.shop()
        try store.run { context in
            try context.decode(
                Item.self,
                #"[{"code": 1, "item_title": "Pen"}, {"code": 2, "item_title": "Ink"}]"#)
            try context.save()
            // Neither saved nor processed.
            try context.decode(Item.self, #"[{"code": 3, "item_title": "Pad"}]"#)

            let items = try context.decode(
                Item.self,
                #"""
                [{"code": 2, "item_title": "Blue ink"}, {"code": 3, "price": 2},
                 {"code": 4, "item_title": "Cap"}, {"code": 4, "price": 1}]
                """#)

            #expect(items[2] === items[3])
            #expect(items.map { $0[Item.title] } == ["Blue ink", "Pad", "Cap", "Cap"])
            #expect(items.map { $0[Item.price] } == [nil, 2, 1, 1])
            try context.save()
            #expect(try Item.count(in: context) == 4)
        }
    }

    @Test func `a list costs one fetch for each constraint (§2.14.3)`() throws {
        let store = try StoreFixture.shop()
        let many = (0..<1000).map {
            #"{"code": \#($0), "item_title": "a", "maker": {"name": "m\#($0)"}}"#
        }.joined(separator: ",")
        try store.run { context in
            let statements = try store.statements { try context.decode(Item.self, "[\(many)]") }
            #expect(statements == 2)
            try context.save()
        }
        let other = store.makeContext()
        try other.performAndWait {
            let statements = try store.statements { try other.decode(Item.self, "[\(many)]") }
            #expect(statements == 2)
            #expect(!other.hasChanges)
        }
    }

    @Test func `texts are unique byte by byte (§2.14.3)`() throws {
        try StoreFixture.shop().run { context in
            let makers = try context.decode(
                Maker.self, "[{\"name\": \"\u{e9}\"}, {\"name\": \"e\u{301}\"}]")
            #expect(makers[0] !== makers[1])
            try context.save()
        }
    }

    @Test func `a constraint may have several attributes (§2.14.3)`() throws {
        let store = try StoreFixture(
            AttributeDescription("row", .integer16), AttributeDescription("seat", .string),
            AttributeDescription("guest", .string), uniquenessConstraints: [["row", "seat"]])
        try store.run { context in
            let decoder = context.decoder([.managedEntityName: "Thing"])
            func decode(_ text: String) throws -> [ManagedObject] {
                try decoder.decode(ManagedList<ManagedObject>.self, from: Data(text.utf8)).objects
            }
            let first = try decode(#"[{"row":1,"seat":"a"},{"row":2,"seat":"b"},{"row":1}]"#)
            try context.save()
            let second = try decode(
                #"[{"row":2,"seat":"a"},{"row":1,"seat":"a","guest":"Ida"},{"row":1}]"#)
            #expect(second[1] === first[0])
            #expect(try first[0].value(forKey: "guest") as? String == "Ida")
            #expect(second[2] !== first[2] && second[0] !== first[1])
        }
    }

    @Test func `an absent key changes nothing, and null removes the value (§2.14.4)`() throws {
        try StoreFixture.shop().run { context in
            let made = try context.decode(
                Maker.self, #"[{"name": "a"}, {"name": "b", "motto": null}]"#)
            #expect(made.map { $0[Maker.motto] } == ["none", nil])
            made[0][Maker.founded] = Date(timeIntervalSinceReferenceDate: 0)
            try context.save()

            try context.decode(Maker.self, #"[{"name": "a", "founded": 0}, {"name": "b"}]"#)
            #expect(!context.hasChanges)
            try context.decode(Maker.self, #"[{"name": "a", "motto": null}]"#)
            #expect(made[0][Maker.motto] == nil)
            #expect(made[0][Maker.founded] == Date(timeIntervalSinceReferenceDate: 0))
        }
    }

    @Test func `relationships have objects, and replace the members (§2.14.5)`() throws {
        try StoreFixture.shop().run { context in
            let makers = try context.decode(
                Maker.self,
                #"""
                [{"name": "a", "items": [
                    {"code": 1, "item_title": "Pen", "labels": [{"name": "x"}, {"name": "y"}],
                     "remarks": [{"text": "good"}, {"text": "bad", "stars": 1}]},
                    {"code": 2, "item_title": "Ink", "labels": [{"name": "y"}]}]}]
                """#)
            try context.save()
            let pen = try #require(makers[0][Maker.items].first { $0[Item.code] == 1 })
            #expect(pen[Item.labels].map { $0[Shop.Label.name] } == ["x", "y"])
            #expect(pen[Item.remarks].map { $0[Shop.Remark.stars] } == [3, 1])
            #expect(pen[Item.labels][1][Shop.Label.items].count == 2)
            #expect(pen[Item.maker] === makers[0])

            try context.decode(
                Item.self,
                #"[{"code": 1, "labels": [{"name": "y"}, {"name": "x"}], "maker": null}]"#)
            #expect(pen[Item.labels].map { $0[Shop.Label.name] } == ["y", "x"])
            #expect(makers[0][Maker.items].count == 1 && pen[Item.remarks].count == 2)
            try context.decode(Maker.self, #"[{"name": "a", "items": null}]"#)
            #expect(makers[0][Maker.items].isEmpty)
        }
    }

    @Test func `the data may name a subentity (§2.14.6)`() throws {
        try StoreFixture.shop().run { context in
            let items = try context.decode(
                Item.self,
                #"""
                [{"code": 1, "item_title": "Pen"},
                 {"entity": "Disc", "code": 2, "item_title": "Blue", "seconds": 90}]
                """#)
            #expect(items[0].entity.name == "Item" && items[1] is Shop.Disc)
            #expect(try context.decode(Item.self, #"[{"code": 2, "price": 1}]"#)[0] === items[1])
            #expect(
                context.refusal(Shop.Disc.self, #"[{"code": 1}]"#)
                    == CodingRefusal("0", .unsuitableEntity(expected: "Disc")))
            #expect(
                context.refusal(Shop.Disc.self, #"[{"entity": "Item", "code": 1}]"#)
                    == CodingRefusal("0.entity", .unsuitableEntity(expected: "Disc")))
        }
    }

    @Test func `objects without a class are decoded by the name of their entity (§2.14.6)`() throws
    {
        try StoreFixture(AttributeDescription("text", .string)).run { context in
            let text = #"[{"text": "a"}]"#
            #expect(
                context.refusal(ManagedObject.self, "[{}]", [.managedEntityName: "Thing"]) == nil)
            #expect(
                context.refusal(ManagedObject.self, text, [.managedEntityName: "Other"])
                    == CodingRefusal("", .unknownEntity))
            let thing = try context.decode(ManagedObject.self, #"[{"entity":"Thing","text":"a"}]"#)
            #expect(try thing[0].value(forKey: "text") as? String == "a")
            #expect(try json(thing) == #"[{"entity":"Thing","text":"a"}]"#)
            #expect(try json(thing, [.managedEntityName: "Thing"]) == #"[{"text":"a"}]"#)
        }
    }

    @Test func `a child context decodes like any other (§2.14.3)`() throws {
        let store = try StoreFixture.shop()
        try store.run { context in
            _ = try context.decode(Item.self, #"[{"code": 1, "item_title": "Pen"}]"#)
        }
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try child.performAndWait {
            let item = try child.decode(Item.self, #"[{"code": 1, "price": 3}]"#)[0]
            #expect(item[Item.title] == "Pen")
            try child.save()
        }
        try store.run { context in
            let prices = try Item.all(in: context).map { $0[Item.price] }
            #expect(prices == [3])
        }
    }
}
