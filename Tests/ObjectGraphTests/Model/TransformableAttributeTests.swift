import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Transformable attributes (§1.3)` {
    private let red = Colour(red: 1)

    @Test(arguments: [true, false])
    func `is stored as data and read back (§1.3.10, §1.3.25)`(inMemory: Bool) throws {
        let store = try StoreFixture.notebook(inMemory: inMemory)
        try store.run { context in
            context.makeNote("a").colour = red
            try context.save()
            context.reset()
            #expect(try context.notes()[0].colour == red)
        }
        guard !inMemory else { return }
        #expect(
            try store.sql("SELECT CAST(ZCOLOUR AS TEXT), typeof(ZCOLOUR) FROM ZNOTE")
                == [["{\"blue\":0,\"green\":0,\"red\":1}", "blob"]])
    }

    @Test func `a transformer of one's own says how (§1.3.25)`() throws {
        let backwards = ValueTransformer(
            "Backwards", of: String.self,
            transform: { Data($0.utf8.reversed()) },
            reverse: { String(decoding: $0.reversed(), as: UTF8.self) })
        let store = try StoreFixture(
            AttributeDescription("a", .transformable, transformer: backwards))
        try store.run { context in
            try context.insert("Thing", ["a": "abc"])
            try context.save()
            context.reset()
            #expect(try context.all("Thing")[0].value(forKey: "a") as? String == "abc")
        }
        #expect(try store.sql("SELECT CAST(ZA AS TEXT) FROM ZTHING") == [["cba"]])
    }

    @Test func `a transformable attribute has a default value (§1.3.16, §1.3.25)`() throws {
        let names = ValueTransformer.codable([String].self)
        let store = try StoreFixture(
            AttributeDescription(
                "a", .transformable, defaultValue: names.attributeValue(of: ["x", "y"]),
                transformer: names),
            AttributeDescription("b", .string))
        try store.run { context in
            #expect(try context.insert("Thing").value(forKey: "a") as? [String] == ["x", "y"])
            try context.save()
            try context.execute(BatchInsertRequest(entityName: "Thing", objects: [["b": "z"]]))
            context.reset()
            for thing in try context.all("Thing") {
                #expect(try thing.value(forKey: "a") as? [String] == ["x", "y"])
            }
            #expect(try context.all("Thing").count == 2)
        }
        #expect(names.attributeValue(of: 5) == nil)
        let numbers = ValueTransformer.codable([Int].self)
        #expect(throws: ModelError.self) {
            _ = try StoreFixture(
                AttributeDescription(
                    "a", .transformable, defaultValue: names.attributeValue(of: ["x"]),
                    transformer: numbers))
        }
    }

    @Test func `attributes of other types have no transformer (§1.3.25)`() {
        #expect(throws: ModelError("Thing", "a", .needlessTransformer)) {
            _ = try StoreFixture(
                AttributeDescription("a", .string, transformer: .codable(String.self)))
        }
    }

    @Test func `data that are no value are reported and read as nil (§1.3.25)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.makeNote("a").colour = red
            try context.save()
            context.reset()
        }
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite"), mode: .readWrite))
        try connection.execute("UPDATE ZNOTE SET ZCOLOUR = x'00'")
        try connection.close()
        try store.run { context in
            let reports = Journal()
            context.faultHandler = { _, _ in reports.report() }
            let colour = try context.notes()[0].colour
            #expect(colour == nil)
            #expect(reports.take() == ["report"])
        }
    }

    @Test func `a value that makes no data is refused by the save (§1.3.25)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.makeNote("a").colour = Colour(red: .nan)
            let errors = try context.validationErrors()
            #expect(errors.map(\.key) == ["colour"])
            #expect(errors[0].code == 1550)
        }
    }

    @Test func `values are compared by their own equality (§1.3.26)`() throws {
        struct Word: Codable, Hashable {
            var text: String
            static func == (first: Word, second: Word) -> Bool {
                first.text.lowercased() == second.text.lowercased()
            }
            func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
        }
        let store = try StoreFixture(
            AttributeDescription("a", .transformable, transformer: .codable(Word.self)))
        try store.run { context in
            let thing = try context.insert("Thing", ["a": Word(text: "One")])
            try context.save()
            try thing.setValue(Word(text: "ONE"), forKey: "a")
            #expect(!thing.hasPersistentChangedValues)
            try thing.setValue(Word(text: "two"), forKey: "a")
            #expect(thing.hasPersistentChangedValues)
        }
    }

    @Test func `changing a value in place goes unnoticed (§1.3.19)`() throws {
        let store = try StoreFixture(
            AttributeDescription("a", .transformable, transformer: .codable(Box.self)))
        try store.run { context in
            let thing = try context.insert("Thing", ["a": Box()])
            try context.save()
            (try thing.value(forKey: "a") as? Box)?.text.withLock { $0 = "changed" }
            #expect(!thing.hasChanges)
            try context.save()
            context.reset()
            let box = try #require(try context.all("Thing")[0].value(forKey: "a") as? Box)
            #expect(box.text.withLock { $0 } == "")
        }
    }

    @Test func `a value of another type is refused (§1.3.14)`() throws {
        let store = try StoreFixture.notebook()
        store.run { context in
            let note = context.makeNote("a")
            #expect(throws: PropertyError.self) { try note.setValue("red", forKey: "colour") }
            #expect(note.colour == nil)
        }
    }

    @Test func `it can be fetched by nil only (§1.3.27)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            context.makeNote("plain")
            context.makeNote("red").colour = red
            try context.save()
            func texts(_ format: String) throws -> [String] {
                let request = FetchRequest(
                    entityName: "Note", predicate: try ObjectPredicate(format))
                return try context.fetch(request, as: Note.self).map(\.text)
            }
            #expect(try texts("colour == nil") == ["plain"])
            #expect(try texts("colour != nil") == ["red"])
            #expect(throws: FetchError.self) { _ = try texts("colour == 'red'") }
            let sorted = FetchRequest(entityName: "Note", sortKeys: [.ascending("colour")])
            #expect(throws: FetchError.self) { _ = try context.fetch(sorted, as: Note.self) }
        }
    }
}

/// A value with an identity.
final class Box: Codable, Hashable, Sendable {
    let text = Mutex("")

    init() {}
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self.text.withLock { $0 = text }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text.withLock { $0 })
    }

    static func == (first: Box, second: Box) -> Bool { first === second }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
