import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Transformable attributes without a transformer (§1.3)` {
    private static let tags = Transformable<[String]>("tags")

    private func store() throws -> StoreFixture {
        try StoreFixture(
            AttributeDescription("tags", .transformable), AttributeDescription("name", .string))
    }

    /// The errors that the context's fault handler gets while the body runs.
    private func reports(
        _ context: ManagedObjectContext, _ body: () throws -> Void
    ) rethrows -> [String] {
        let reports = Reports()
        context.faultHandler = { _, error in reports.texts.withLock { $0.append("\(error)") } }
        try body()
        return reports.texts.withLock { $0 }
    }

    private final class Reports: Sendable {
        let texts = Mutex<[String]>([])
    }

    /// Puts other bytes into all cells of an attribute.
    private func replaceTags(in store: StoreFixture, with data: Data) throws {
        let hex = data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite"), mode: .readWrite))
        try connection.execute("UPDATE ZTHING SET ZTAGS = x'\(hex)'")
        try connection.close()
    }

    @Test(arguments: [true, false])
    func `hold property lists as keyed archives (§1.3.25)`(inMemory: Bool) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Thing", attributes: [AttributeDescription("tags", .transformable)])
        ])
        let store = try StoreFixture(model, inMemory: inMemory)
        try store.run { context in
            let thing = try context.insert("Thing")
            thing[Self.tags] = ["a", "b"]
            #expect(thing[Self.tags] == ["a", "b"])
            try context.save()
            context.reset()
            let read = try context.all("Thing")[0]
            #expect(read[Self.tags] == ["a", "b"])
            #expect(read[Transformable<PropertyList>("tags")] == ["a", "b"])
            #expect(try read.value(forKey: "tags") as? [String] == ["a", "b"])
            #expect(read.committedValues()["tags"] as? [String] == ["a", "b"])
            read[Self.tags] = nil
            try context.save()
            context.reset()
            #expect(try context.all("Thing")[0][Self.tags] == nil)
        }
        guard !inMemory else { return }
        try store.run { context in
            try context.all("Thing")[0].setValue(["c"], forKey: "tags")
            try context.save()
        }
        #expect(
            try store.sql("SELECT CAST(substr(ZTAGS, 1, 8) AS TEXT), typeof(ZTAGS) FROM ZTHING")
                == [["bplist00", "blob"]])
    }

    @Test func `take what property lists are made of by name (§1.3.14, §1.3.25)`() throws {
        try store().run { context in
            let thing = try context.insert("Thing")
            let values: [Any] = [
                "a", 5, 0.5, true, Date(timeIntervalSinceReferenceDate: 1), [1, "a"] as [Any],
                ["a": ["b": 1]], Set([1, 2]), NSNumber(value: 5), PropertyList.string("a"),
            ]
            for value in values {
                try thing.setValue(value, forKey: "tags")
                try context.save()
                context.refreshAllObjects()
                #expect(thing[Transformable<PropertyList>("tags")] == PropertyList(value))
                let found = try #require(try thing.value(forKey: "tags"))
                #expect(PropertyList(found) == PropertyList(value))
            }
            for value in [Decimal(1), Colour(), [1: "a"], [Colour()]] as [Any] {
                #expect(throws: PropertyError.self) { try thing.setValue(value, forKey: "tags") }
            }
            try thing.setValue(nil, forKey: "tags")
            let found = try thing.value(forKey: "tags")
            #expect(found == nil)
        }
    }

    @Test func `report a value of another type than the accessor's (§1.3.14)`() throws {
        try store().run { context in
            let thing = try context.insert("Thing", ["tags": ["a": 1]])
            let texts = reports(context) { #expect(thing[Self.tags] == nil) }
            #expect(texts.count == 1)
            #expect(texts[0].contains("Thing.tags") && texts[0].contains("Array<String>"))
            #expect(thing[Transformable<[String: Int]>("tags")] == ["a": 1])
            thing[Transformable<PropertyList>("tags")] = .null
            let ofNull = reports(context) { #expect(thing[Self.tags] == nil) }
            #expect(ofNull.isEmpty)
            #expect(thing[Transformable<PropertyList>("tags")] == PropertyList.null)
        }
        let notebook = try StoreFixture.notebook()
        notebook.run { context in
            let note = context.makeNote("a")
            note.colour = Colour(red: 1)
            let other = Transformable<String>("colour")
            let texts = reports(context) { #expect(note[other] == nil) }
            #expect(texts.count == 1)
        }
    }

    @Test func `stop the program when they are set to another type (§1.3.14)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try StoreFixture(AttributeDescription("tags", .transformable))
            try store.run { context in
                try context.insert("Thing")[Transformable<[Colour]>("tags")] = [Colour()]
            }
        }
        #expect(result.message.contains("does not take values of type"), "\(result.message)")
    }

    @Test func `are changed by another value and not by an equal one (§1.3.26)`() throws {
        try store().run { context in
            let thing = try context.insert("Thing", ["tags": ["b": 1, "a": 2]])
            try context.save()
            try thing.setValue(["a": 2, "b": 1], forKey: "tags")
            #expect(!thing.hasPersistentChangedValues)
            try thing.setValue(["a": 2, "b": true] as [String: Any], forKey: "tags")
            #expect(thing.hasPersistentChangedValues)
        }
    }

    @Test func `have a default value (§1.3.16, §1.3.25)`() throws {
        let value = ValueTransformer.propertyList.attributeValue(of: ["x"])
        let other = ValueTransformer.codable([String].self).attributeValue(of: ["y"])
        let store = try StoreFixture(
            AttributeDescription("tags", .transformable, defaultValue: value),
            // The attribute's own transformer makes the data, whichever transformer made the value.
            AttributeDescription("others", .transformable, defaultValue: other),
            AttributeDescription("name", .string))
        try store.run { context in
            try context.insert("Thing")
            try context.save()
            try context.execute(BatchInsertRequest(entityName: "Thing", objects: [["name": "b"]]))
            context.reset()
            let things = try context.all("Thing")
            #expect(things.count == 2)
            for thing in things {
                #expect(thing[Self.tags] == ["x"])
                #expect(thing[Transformable<[String]>("others")] == ["y"])
            }
        }
        let wrong = ValueTransformer.codable(Colour.self).attributeValue(of: Colour())
        #expect(throws: ModelError.self) {
            _ = try StoreFixture(
                AttributeDescription("tags", .transformable, defaultValue: wrong))
        }
    }

    @Test func `are written by batch requests (§1.3.25)`() throws {
        let transformer = ValueTransformer.propertyList
        let value = try #require(transformer.attributeValue(of: ["a"]))
        let another = try #require(transformer.attributeValue(of: [["b": 1]]))
        let store = try store()
        try store.run { context in
            try context.execute(
                BatchInsertRequest(entityName: "Thing", objects: [["tags": value], [:]]))
            let inserted = try context.all("Thing")
            #expect(inserted.map { $0[Self.tags] } == [["a"], nil])
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Thing", propertiesToUpdate: ["tags": .constant(another)]))
            context.reset()
            for thing in try context.all("Thing") {
                #expect(thing[Transformable<[[String: Int]]>("tags")] == [["b": 1]])
            }
        }
    }

    @Test(arguments: [true, false])
    func `are copied as their stored data (§1.3.42)`(isReadable: Bool) throws {
        let store = try store()
        try store.run { context in
            try context.insert("Thing", ["tags": ["a"]])
            try context.save()
            context.reset()
        }
        // A class of an app that no transformer here knows.
        if !isReadable { try replaceTags(in: store, with: Data("an app's own".utf8)) }
        try store.run { context in
            let request = FetchRequest(entityName: "Thing")
            let copied = try #require(context.fetchDictionaries(request)[0]["tags"])
            let byKey = try context.insert("Thing", ["name": "key"])
            try byKey.setValue(copied, forKey: "tags")
            #expect(byKey[Self.tags] == (isReadable ? ["a"] : nil))
            try context.save()
            try context.execute(
                BatchInsertRequest(
                    entityName: "Thing", objects: [["name": .string("batch"), "tags": copied]]))
            try context.insert("Thing", ["name": "update"])
            try context.save()
            var update = BatchUpdateRequest(
                entityName: "Thing", propertiesToUpdate: ["tags": .constant(copied)])
            update.predicate = try ObjectPredicate("name == 'update'")
            try context.execute(update)
        }
        #expect(
            try store.sql("SELECT COUNT(DISTINCT ZTAGS), COUNT(ZTAGS) FROM ZTHING") == [["1", "4"]])
    }

    /// A value that cannot be archived.
    private static let tooDeep: PropertyList = (0..<300).reduce([]) { inner, _ in [inner] }

    @Test func `that cannot be archived are refused (§1.3.25)`() throws {
        let store = try store()
        let value = try #require(ValueTransformer.propertyList.attributeValue(of: Self.tooDeep))
        try store.run { context in
            let thing = try context.insert("Thing")
            thing[Transformable<PropertyList>("tags")] = Self.tooDeep
            let errors = try context.validationErrors()
            #expect(errors.map(\.key) == ["tags"])
            #expect(errors.map(\.code) == [1550])
            #expect("\(errors)".contains("levels"))
            context.rollback()
            #expect(throws: StoreError.self) {
                try context.execute(
                    BatchInsertRequest(entityName: "Thing", objects: [["tags": value]]))
            }
            #expect(throws: FetchError.self) {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Thing", propertiesToUpdate: ["tags": .constant(value)]))
            }
        }
        #expect(throws: ModelError.self) {
            _ = try StoreFixture(
                AttributeDescription("tags", .transformable, defaultValue: value))
        }
    }

    @Test(arguments: ["", "bplist00", "[\"a\"]"])
    func `whose data are damaged are reported and read as nil (§1.3.25)`(_ text: String) throws {
        let store = try store()
        try store.run { context in
            try context.insert("Thing", ["tags": ["a"]])
            try context.save()
            context.reset()
        }
        try replaceTags(in: store, with: Data(text.utf8))
        try store.run { context in
            let thing = try context.all("Thing")[0]
            let texts = reports(context) { #expect(thing[Self.tags] == nil) }
            #expect(texts.count == 1 && texts[0].contains("keyed archive"), "\(texts)")
            thing[Self.tags] = ["b"]
            try context.save()
            context.reset()
            #expect(try context.all("Thing")[0][Self.tags] == ["b"])
        }
    }

    @Test func `can be fetched by nil only (§1.3.27)`() throws {
        let store = try store()
        try store.run { context in
            try context.insert("Thing", ["name": "plain"])
            try context.insert("Thing", ["name": "tagged", "tags": ["a"]])
            try context.save()
            func names(_ format: String) throws -> [String?] {
                let request = FetchRequest(
                    entityName: "Thing", predicate: try ObjectPredicate(format))
                return try context.fetch(request, as: ManagedObject.self).map {
                    $0[Attribute<String?>("name")]
                }
            }
            #expect(try names("tags == nil") == ["plain"])
            #expect(try names("tags != nil") == ["tagged"])
            #expect(throws: FetchError.self) { _ = try names("tags == 'a'") }
        }
    }
}
