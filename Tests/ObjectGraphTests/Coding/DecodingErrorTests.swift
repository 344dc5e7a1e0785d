import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Data that cannot be decoded (§2.14)` {
    private typealias Item = Shop.Item

    /// A store with an item, unchanged, and a maker that is not saved.
    private func filled() throws -> StoreFixture {
        let store = try StoreFixture.shop()
        try store.run { context in
            try context.decode(
                Item.self,
                #"""
                [{"code": 1, "item_title": "Pen", "labels": [{"name": "x"}],
                  "remarks": [{"text": "good"}]}]
                """#)
            try context.save()
            try context.decode(Shop.Maker.self, #"[{"name": "a"}]"#)
        }
        return store
    }

    /// All objects with their values, and which are new or changed.
    private func contents(of context: ManagedObjectContext) throws -> String {
        context.processPendingChanges()
        let everything = try ["Maker", "Item", "Label", "Remark"].flatMap { try context.all($0) }
        let counts = [
            context.insertedObjects.count, context.updatedObjects.count,
            context.deletedObjects.count,
        ]
        return try json(everything, [.relationshipDepth: 0]) + "\(counts)"
    }

    private static let refused: [(String, CodingRefusal)] = [
        (#"[{"code": "one"}]"#, CodingRefusal("0.code", nil)),
        (#"[{"code": 1.5}]"#, CodingRefusal("0.code", nil)),
        (
            #"[{"code": 3000000000}]"#,
            CodingRefusal(
                "0.code", .unacceptableValue("3000000000", expected: "integer32"))
        ),
        (#"[{"code": 99999999999999999999}]"#, CodingRefusal("0.code", nil)),
        (#"[{"code": 2, "price": true}]"#, CodingRefusal("0.price", nil)),
        (#"[{"code": 2, "item_title": null}]"#, CodingRefusal("0.item_title", .missingValue)),
        (#"[{"code": 1, "price": 4}, {"code": 2}]"#, CodingRefusal("1.item_title", .missingValue)),
        (#"[{"code": 1, "price": 4}, 17]"#, CodingRefusal("1", nil)),
        (#"[{"code": 1, "maker": {"name": "b"}}, null]"#, CodingRefusal("1", nil)),
        (#"[{"code": 1, "maker": []}]"#, CodingRefusal("0.maker", nil)),
        (#"[{"code": 1, "labels": {"name": "z"}}]"#, CodingRefusal("0.labels", nil)),
        (
            #"[{"code": 1, "labels": [], "remarks": [{"text": "a"}, {"stars": 2}]}]"#,
            CodingRefusal("0.remarks.1.text", .missingValue)
        ),
        (
            #"[{"code": 1, "entity": "Label"}]"#,
            CodingRefusal("0.entity", .unsuitableEntity(expected: "Item"))
        ),
        (#"[{"code": 1, "entity": "Lable"}]"#, CodingRefusal("0.entity", .unknownEntity)),
        (#"{"code": 1}"#, CodingRefusal("", nil)),
    ]

    @Test(arguments: refused)
    func `a refusal has the path and leaves the context alone (§2.14.7)`(
        _ text: String, _ expected: CodingRefusal
    ) throws {
        let store = try filled()
        try store.run { context in
            let before = try contents(of: context)
            #expect(context.refusal(Item.self, text) == expected)
            #expect(try contents(of: context) == before)
            try context.save()
        }
    }

    @Test func `an error says what is wrong and where (§2.14.7)`() throws {
        try filled().run { context in
            do {
                try context.decode(Item.self, #"[{"code": 3000000000}]"#)
                Issue.record("decoded")
            } catch DecodingError.typeMismatch(_, let failure) {
                let error = try #require(failure.underlyingError as? ObjectCodingError)
                #expect(error.entity == "Item" && error.codingPath == ["0", "code"])
                // The description of a DecodingError has both texts.
                #expect(!failure.debugDescription.contains("3000000000"))
                #expect(
                    error.description
                        == "3000000000 cannot be a value of type integer32; correct it. (Item at 0.code)"
                )
            }
        }
    }

    @Test(arguments: [
        #"[{"name": "a", "founded": "soon"}]"#, #"[{"name": "a", "founded": 5}]"#,
        #"[{"name": "a", "founded": {}}]"#,
    ])
    func `a date that cannot be read has its path (§2.14.7)`(_ text: String) throws {
        try StoreFixture.shop().run { context in
            for strategy in [.iso8601, .formatted(DateFormatter())]
                as [JSONDecoder.DateDecodingStrategy]
            {
                let decoder = context.decoder()
                decoder.dateDecodingStrategy = strategy
                let error = #expect(throws: DecodingError.self) {
                    try decoder.decode(ManagedList<Shop.Maker>.self, from: Data(text.utf8))
                }
                #expect(error.map { CodingRefusal($0).path } == "0.founded")
            }
        }
    }

    @Test func `no message comes twice (§2.14.7)`() throws {
        try filled().run { context in
            do {
                try context.decode(Item.self, #"[{"code": 3000000000}]"#)
                Issue.record("decoded")
            } catch {
                let parts = "\(error)".split(separator: "3000000000 cannot be a value")
                #expect(parts.count == 2)
            }
        }
    }

    @Test func `a refused object leaves nothing to undo and no notification (§2.14.7)`() throws {
        let store = try filled()
        store.run { context in
            context.undoManager = UndoManager()
            let changes = Recorder<ContextNotification>()
            let observation = context.observe { changes.values.append($0) }
            let text =
                #"[{"code": 5, "item_title": "Cap", "labels": [{"name": "x"}]}, {"code": 6}]"#
            #expect(context.refusal(Item.self, text)?.reason == .missingValue)
            context.processPendingChanges()
            #expect(changes.values.isEmpty)
            #expect(context.undoManager?.canUndo == false)
            observation.cancel()
        }
    }

    @Test func `every part of the data is refused (§2.14.7)`() throws {
        let whole = #"""
            [{"code": 1, "item_title": "Pen ü", "price": 2.5, "maker": {"name": "b"},
              "labels": [{"name": "y"}, {"name": "x"}], "remarks": []},
             {"entity": "Disc", "code": 2, "item_title": "Blue", "seconds": 9}]
            """#
        let store = try filled()
        try store.run { context in
            let before = try contents(of: context)
            for length in 0..<whole.utf8.count {
                let part = Data(whole.utf8.prefix(length))
                #expect(throws: DecodingError.self) {
                    try context.decoder().decode(ManagedList<Shop.Item>.self, from: part)
                }
            }
            #expect(try contents(of: context) == before)
            try context.decode(Item.self, whole)
        }
    }

    @Test func `changed data are decoded or refused as a whole (§2.14.7)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let whole = Array(
            #"""
            [{"code":1,"item_title":"Pen","price":2.5,"maker":{"name":"b"},
            "labels":[{"name":"y"},{"name":"x"}],"remarks":[{"text":"t","stars":1}]},
            {"entity":"Disc","code":2,"item_title":"Blue","seconds":9}]
            """#.utf8)
        let letters = Array(#"[]{}",:0123456789nul-e.abcdefx\"#.utf8)
        let start = generator.seed
        let store = try filled()
        for _ in 0..<200 {
            var changed = whole
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                changed[Int.random(in: changed.indices, using: &generator)] =
                    letters.randomElement(using: &generator)!
            }
            let data = Data(changed)
            try store.run { context in
                let before = try contents(of: context)
                do {
                    _ = try context.decoder().decode(ManagedList<Shop.Item>.self, from: data)
                    context.rollback()
                    try context.decode(Shop.Maker.self, #"[{"name": "a"}]"#)
                } catch is DecodingError {}
                #expect(try contents(of: context) == before, "TEST_SEED=\(start)")
            }
        }
    }

    @Test func `a mandatory value may come from elsewhere (§2.14.8)`() throws {
        let store = try filled()
        try store.run { context in
            // From the default, and from the other end.
            try context.decode(Item.self, #"[{"code": 1, "remarks": [{"text": "new"}]}]"#)
            #expect(
                context.refusal(Shop.Remark.self, #"[{"text": "alone"}]"#)
                    == CodingRefusal("0.item", .missingValue))
            #expect(
                context.refusal(Shop.Remark.self, #"[{"text": "alone", "item": null}]"#)
                    == CodingRefusal("0.item", .missingValue))
        }
        try StoreFixture.named().run { context in
            // From `awakeFromInsert`.
            let named = try context.decode(Named.self, "[{}]")
            #expect(named[0][Named.name] == "unnamed")
        }
    }

    @Test func `unknown keys are ignored or refused (§2.14.9)`() throws {
        try filled().run { context in
            let text = #"[{"code": 1, "colour": "red", "maker": {"name": "b", "age": 1}}]"#
            #expect(context.refusal(Item.self, text) == nil)
            #expect(
                context.refusal(Item.self, text, [.refusesUnknownKeys: true])
                    == CodingRefusal("0.colour", .unknownKey))
            // The key of a property that is left out is unknown too.
            #expect(
                context.refusal(
                    Item.self, #"[{"code": 1, "secret": "x"}]"#, [.refusesUnknownKeys: true])
                    == CodingRefusal("0.secret", .unknownKey))
        }
    }

    @Test func `two properties cannot have one key (§2.14.9)`() throws {
        var (first, second) = (
            AttributeDescription("a", .string), AttributeDescription("b", .string)
        )
        first.codingKey = "b"
        try StoreFixture(first, second).run { context in
            #expect(
                context.refusal(ManagedObject.self, "[{}]", [.managedEntityName: "Thing"])
                    == CodingRefusal("0.b", .ambiguousKey))
            #expect(throws: EncodingError.self) {
                try json([context.insertObject(entityName: "Thing")])
            }
        }
        second.codingKey = "entity"
        try StoreFixture(second).run { context in
            #expect(
                context.refusal(ManagedObject.self, "[{}]", [.managedEntityName: "Thing"])
                    == CodingRefusal("0.entity", .ambiguousKey))
        }
    }

    @Test func `unique values of two objects are refused (§2.14.9)`() throws {
        let store = try StoreFixture(
            AttributeDescription("a", .string), AttributeDescription("b", .string),
            uniquenessConstraints: [["a"], ["b"]])
        store.run { context in
            #expect(
                context.refusal(
                    ManagedObject.self,
                    #"[{"a": "1"}, {"b": "1"}, {"a": "1", "b": "1"}]"#,
                    [.managedEntityName: "Thing"]) == CodingRefusal("2", .severalObjects))
            #expect(!context.hasChanges)
        }
    }

    @Test func `objects within objects have a limit (§2.14.10)`() throws {
        @Sendable func nested(_ count: Int) -> String {
            (0..<count).reduce(#"{"text": "end"}"#) { inner, _ in
                #"{"text": "a", "next": \#(inner)}"#
            }
        }
        let store = try StoreFixture(
            AttributeDescription("text", .string), relationships: [.toOne("next", "Thing")])
        store.run { context in
            let settings = [CodingUserInfoKey.managedEntityName: "Thing"]
            #expect(context.refusal(ManagedObject.self, "[\(nested(100))]", settings) == nil)
            #expect(
                context.refusal(ManagedObject.self, "[\(nested(101))]", settings)?.reason
                    == .tooDeep(limit: 100))
            #expect(context.refusal(ManagedObject.self, "[\(nested(100_000))]", settings) != nil)
            #expect(context.insertedObjects.count == 101)
        }
    }

    @Test(arguments: [false, true])
    func `the owner that a destination leaves is read before anything changes (§2.14.7)`(
        isNew: Bool
    ) throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Car", attributes: [AttributeDescription("plate", .string)],
                    relationships: [
                        .toOne("driver", "Driver", inverse: "car"), .toOne("garage", "Garage"),
                    ],
                    uniquenessConstraints: [["plate"]]),
                EntityDescription(
                    name: "Driver", attributes: [AttributeDescription("name", .string)],
                    relationships: [.toOne("car", "Car", inverse: "driver")],
                    uniquenessConstraints: [["name"]]),
                EntityDescription(name: "Garage"),
            ]))
        try store.run { context in
            try context.insert("Car", ["plate": "A"])
                .setValue(context.insert("Driver", ["name": "Kim"]), forKey: "driver")
            try context.insert("Car", ["plate": "B"])
            try context.save()
        }
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite")))
        try connection.execute("UPDATE ZCAR SET ZGARAGE = -1 WHERE ZPLATE = 'A'")
        try connection.close()
        let coordinator = PersistentStoreCoordinator(model: store.coordinator.model)
        try coordinator.addPersistentStore(.sqlite(at: store.folder.url("store.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        context.performAndWait {
            let text = #"[{"plate": "\#(isNew ? "C" : "B")", "driver": {"name": "Kim"}}]"#
            #expect(throws: StoreError.self) {
                try context.decoder([.managedEntityName: "Car"]).decode(
                    ManagedList<ManagedObject>.self, from: Data(text.utf8))
            }
            #expect(!context.hasChanges)
        }
    }

    @Test func `a decoder without a context is refused (§2.14.7)`() throws {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ManagedList<Shop.Item>.self, from: Data("[]".utf8))
        }
    }
}

/// Gets its mandatory value when it is inserted.
private final class Named: ManagedObject {
    static let name = Attribute<String>("name")
    override class var managedProperties: [any ManagedProperty] { [name] }
    override func awakeFromInsert() { self[Self.name] = "unnamed" }
}

extension StoreFixture {
    fileprivate static func named() throws -> StoreFixture {
        try StoreFixture(ManagedObjectModel(entities: [EntityDescription(Named.self)]))
    }
}
