import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Composite attributes in JSON (§2.14)` {
    @Test func `a composite is an object within the object (§1.3.41)`() throws {
        try Atlas.store().run { context in
            let text = #"""
                [{"location":{"label":null,"latitude":1.5,"longitude":2,\#
                "street":{"name":"Main","number":3}},"name":"a"},\#
                {"location":null,"name":"b"}]
                """#
            let places = try context.decode(Atlas.Place.self, text)
            #expect(
                places.map { $0[Atlas.Place.location] } == [
                    Atlas.Location(1.5, 2, street: Atlas.Street("Main", 3)), nil,
                ])
            #expect(try json(places, [.relationshipDepth: 0]) == text)
            try context.save()
            #expect(try json(places, [.relationshipDepth: 0]) == text)
        }
    }

    @Test(arguments: [
        (#"{"name": "a", "location": 3}"#, "0.location"),
        (#"{"name": "a", "location": {"latitude": "x"}}"#, "0.location.latitude"),
        (#"{"name": "a", "location": {"street": {"number": 70000}}}"#, "0.location.street.number"),
        (#"{"name": "a", "location": {"height": 1}}"#, "0.location.height"),
    ])
    func `a wrong element is an error with its path (§1.3.41)`(
        _ text: String, _ path: String
    ) throws {
        try Atlas.store().run { context in
            let refusal = try #require(
                context.refusal(Atlas.Place.self, "[\(text)]", [.refusesUnknownKeys: true]))
            #expect(refusal.path == path)
            #expect(!context.hasChanges)
        }
    }

    @Test func `elements have keys of their own (§1.3.41)`() throws {
        var element = AttributeDescription("x", .double)
        element.codingKey = "left"
        let store = try StoreFixture(
            AttributeDescription(
                "c", .composite, elements: [element, AttributeDescription("y", .double)]))
        let settings: [CodingUserInfoKey: any Sendable] = [.managedEntityName: "Thing"]
        try store.run { context in
            let text = #"[{"c":{"left":1,"y":null}}]"#
            let things = try context.decoder(settings).decode(
                ManagedList<ManagedObject>.self, from: Data(text.utf8)
            ).objects
            #expect(try things[0].value(forKeyPath: "c.x") as? Double == 1)
            #expect(try json(things, settings) == text)
        }
    }
}
