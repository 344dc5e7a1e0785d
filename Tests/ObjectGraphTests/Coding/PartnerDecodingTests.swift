import Foundation
import Testing

@testable import ObjectGraph

/// Objects without unique values at the other end of one-to-one relationships, read again.
@Suite struct `Partners in JSON (§2.14.17)` {
    private class Owner: ManagedObject {
        static let code = Attribute<Int>("code")
        static let details = ToOne<Details>("details", inverse: Details.owner)
        static let group = ToOne<Details>("group")
        override class var entityName: String { "Owner" }
        override class var managedProperties: [any ManagedProperty] { [code, details, group] }
    }

    private class Details: ManagedObject {
        static let key = Attribute<String?>("key")
        static let text = Attribute<String?>("text")
        static let stars = Attribute<Int>("stars", default: 3)
        static let owner = ToOne<Owner>("owner")
        override class var entityName: String { "Details" }
        override class var managedProperties: [any ManagedProperty] { [key, text, stars, owner] }
    }

    private final class Special: Details {
        override class var entityName: String { "Special" }
    }

    private func store() throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(Owner.self, uniquenessConstraints: [["code"]]),
                EntityDescription(Details.self, uniquenessConstraints: [["key"]]),
                EntityDescription(Special.self),
            ]))
    }

    /// `text stars`, of all details in order.
    private func details(_ context: ManagedObjectContext) throws -> [String] {
        try Details.all(in: context, sortedBy: [.ascending("text")]).map {
            "\($0[Details.text] ?? "nil") \($0[Details.stars])\($0[Details.owner] == nil ? " alone" : "")"
        }
    }

    private static let first = #"[{"code": 1, "details": {"text": "a", "stars": 5}}]"#

    static let second: [(json: String, expected: [String])] = [
        (first, ["a 5"]),
        (#"[{"code": 1, "details": {"text": "b", "stars": 4}}]"#, ["b 4"]),
        // A key that is absent leaves the value.
        (#"[{"code": 1, "details": {"text": "b"}}]"#, ["b 5"]),
        (#"[{"code": 1, "details": {"text": null}}]"#, ["nil 5"]),
        (#"[{"code": 1}]"#, ["a 5"]),
        (#"[{"code": 1, "details": null}]"#, ["a 5 alone"]),
        // Another object, by its unique values or its entity.
        (#"[{"code": 1, "details": {"key": "k", "text": "b"}}]"#, ["a 5 alone", "b 3"]),
        (#"[{"code": 1, "details": {"entity": "Special", "text": "b"}}]"#, ["a 5 alone", "b 3"]),
        (#"[{"code": 2, "details": {"text": "b"}}]"#, ["a 5", "b 3"]),
        // Not one-to-one: others may have the same destination.
        (#"[{"code": 1, "group": {"text": "b"}}]"#, ["a 5", "b 3 alone"]),
    ]

    @Test(arguments: second, [false, true])
    func `a partner without unique values is the one that the object has (§2.14.17)`(
        _ second: (json: String, expected: [String]), _ saves: Bool
    ) throws {
        let store = try store()
        try store.run { context in
            try context.decode(Owner.self, Self.first)
            if saves {
                try context.save()
                context.reset()
            }
            try context.decode(Owner.self, second.json)
            #expect(try details(context) == second.expected)
            try context.save()
            #expect(try details(context) == second.expected)
        }
    }

    @Test func `partners cost a statement for all of them (§2.14.17)`() throws {
        let store = try store()
        let many = (0..<100).map { #"{"code": \#($0), "details": {"text": "\#($0)"}}"# }
            .joined(separator: ",")
        try store.run { context in
            try context.decode(Owner.self, "[\(many)]")
            try context.save()
        }
        let other = store.makeContext()
        try other.performAndWait {
            let statements = try store.statements { try other.decode(Owner.self, "[\(many)]") }
            #expect(statements == 2 && !other.hasChanges)
        }
    }

    @Test func `a partner at the other end is found too (§2.14.17)`() throws {
        try store().run { context in
            let json = #"[{"text": "a", "key": "k", "owner": {"code": 1}}]"#
            try context.decode(Details.self, json)
            try context.save()
            try context.decode(Details.self, json)
            #expect(try Owner.count(in: context) == 1 && Details.count(in: context) == 1)
        }
    }
}
