import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Encoding objects (§2.14)` {
    private typealias Item = Shop.Item

    private func filled() throws -> StoreFixture {
        let store = try StoreFixture.shop()
        try store.run { context in
            try context.decode(
                Item.self,
                #"""
                [{"code": 1, "item_title": "Pen", "maker": {"name": "a"},
                  "labels": [{"name": "y"}, {"name": "x"}], "remarks": [{"text": "good"}]},
                 {"entity": "Disc", "code": 2, "item_title": "Ink", "maker": {"name": "a"}}]
                """#)
            try context.save()
        }
        return store
    }

    private func items(_ context: ManagedObjectContext) throws -> [Item] {
        try Item.all(in: context, sortedBy: [.ascending("code")])
    }

    @Test func `beyond the depth objects are their unique values (§2.14.11)`() throws {
        try filled().run { context in
            let items = try items(context)
            // A remark has no unique values, so that remarks are left out.
            #expect(
                try json(items, [.relationshipDepth: 0]) == #"""
                    [{"code":1,"item_title":"Pen","labels":[{"name":"y"},{"name":"x"}],\#
                    "maker":{"name":"a"},"price":null},\#
                    {"code":2,"entity":"Disc","item_title":"Ink","labels":[],\#
                    "maker":{"name":"a"},"price":null,"seconds":null}]
                    """#)
            #expect(
                try json([items[1]]) == #"""
                    [{"code":2,"entity":"Disc","item_title":"Ink","labels":[],\#
                    "maker":{"founded":null,"motto":"none","name":"a"},"price":null,\#
                    "remarks":[],"seconds":null}]
                    """#)
        }
    }

    @Test func `a circle ends (§2.14.12)`() throws {
        try filled().run { context in
            let makers = try Shop.Maker.all(in: context)
            // Not the maker of an item within it, but the items of a label.
            let text = try json(makers, [.relationshipDepth: 100])
            #expect(text.components(separatedBy: #""maker""#).count == 1)
            #expect(text.contains(#""labels":[{"name":"y"},{"name":"x"}]"#))
            #expect(text.contains(#""remarks":[{"stars":3,"text":"good"}]"#))
        }
        // Each is next to the other, and has no unique value.
        let store = try StoreFixture(
            AttributeDescription("text", .string), relationships: [.toOne("next", "Thing")])
        try store.run { context in
            let (first, second) = (try context.insert("Thing"), try context.insert("Thing"))
            try first.setValue(second, forKey: "next")
            try second.setValue(first, forKey: "next")
            let settings: [CodingUserInfoKey: any Sendable] = [
                .managedEntityName: "Thing", .relationshipDepth: 50,
            ]
            #expect(try json([first], settings) == #"[{"next":{"text":null},"text":null}]"#)
        }
    }

    @Test(arguments: [-1, 101])
    func `a depth out of range is refused (§2.14.11)`(_ depth: Int) throws {
        try filled().run { context in
            let items = try items(context)
            #expect(throws: EncodingError.self) { try json(items, [.relationshipDepth: depth]) }
        }
    }

    @Test func `a deleted object and a failed read are errors (§2.14.13)`() throws {
        let store = try filled()
        try store.run { context in
            let items = try items(context)
            context.delete(items[0])
            #expect(throws: EncodingError.self) { try json([items[0]]) }
            try context.save()
            #expect(throws: EncodingError.self) { try json([items[0]]) }
        }
        let other = store.makeContext()
        other.performAndWait {
            let gone = other.object(with: store.run { try! Item.all(in: $0)[0].objectID })
            _ = try? store.run { context in
                try Item.removeAll(in: context)
                context.delete(try Item.all(in: context)[0])
                try context.save()
            }
            #expect(throws: EncodingError.self) { try json([gone]) }
        }
    }

    @Test func `a class codes attributes by hand (§2.14.14)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [EntityDescription(Swatch.self)]))
        try store.run { context in
            let swatches = try context.decode(
                Swatch.self, ##"[{"rgb": "#0000ff"}, {"rgb": null}]"##)
            #expect(swatches.map { $0[Swatch.colour] } == [255, 0])
            #expect(try json(swatches) == ##"[{"rgb":"#0000ff"},{"rgb":"#000000"}]"##)
            #expect(context.refusal(Swatch.self, ##"[{"rgb": "#xyz"}]"##)?.path == "0.rgb")
            #expect(
                context.refusal(Swatch.self, #"[{"rgb": ""}]"#)
                    == CodingRefusal("0.rgb", .missingValue))
        }
    }
}

/// Writes its colour as a text such as `#0000ff`.
private final class Swatch: ManagedObject {
    static let colour = Attribute<Int>("colour", .integer32, codingKey: "rgb")
    override class var managedProperties: [any ManagedProperty] { [colour] }
    override class var handCodedKeys: [String] { ["colour"] }

    override class func decodeValue(forKey key: String, from decoder: any Decoder) throws -> Any? {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() { return 0 }
        let text = try container.decode(String.self)
        if text.isEmpty { return nil }
        guard let number = Int(text.dropFirst(), radix: 16) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: text)
        }
        return number
    }

    override func encodeValue(forKey key: String, to encoder: any Encoder) throws {
        let digits = String(self[Self.colour], radix: 16)
        var container = encoder.singleValueContainer()
        try container.encode("#" + String(repeating: "0", count: 6 - digits.count) + digits)
    }
}
