import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Copies of attributes (§9.8)` {
    private let fixture = MigrationFixture()

    private var entities: [EntityDescription] {
        let place = AttributeDescription(
            "place", .composite,
            elements: [AttributeDescription("x", .double), AttributeDescription("y", .double)])
        let shared = [
            AttributeDescription("title", .string), AttributeDescription("data", .binaryData),
            place,
            AttributeDescription("kept", .string, isTransient: true),
        ]
        return [
            fixture.entity(
                "Old", shared + [AttributeDescription("size", .integer16)],
                [.toOne("other", "Old")]),
            fixture.entity(
                "New",
                shared + [
                    AttributeDescription("count", .string),
                    AttributeDescription("upper", .string, derivation: "uppercase:(title)"),
                ], [.toOne("other", "Old")]),
        ]
    }

    private func insertOld(_ context: ManagedObjectContext) throws -> ManagedObject {
        let old = try context.insertObject(entityName: "Old")
        try old.setValue("a", forKey: "title")
        try old.setValue(Data([1, 2]), forKey: "data")
        try old.setValue(["x": 1.5, "y": 2.5], forKey: "place")
        try old.setValue(3, forKey: "size")
        try old.setValue(old, forKey: "other")
        try old.setValue("k", forKey: "kept")
        return old
    }

    @Test func `attributes of the same name are copied to a new object (§9.8.11)`() throws {
        try fixture.open(entities) { context in
            let old = try insertOld(context)
            let new = try context.insertObject(entityName: "New")
            try new.copyAttributes(from: old)
            try context.save()
            context.reset()
        }
        try fixture.open(entities) { context in
            let new = try #require(
                try context.fetch(FetchRequest(entityName: "New"), as: ManagedObject.self).first)
            #expect(try new.value(forKey: "title") as? String == "a")
            #expect(try new.value(forKey: "upper") as? String == "A")
            #expect(try new.value(forKey: "data") as? Data == Data([1, 2]))
            #expect(try new.value(forKey: "place") as? [String: Double] == ["x": 1.5, "y": 2.5])
            #expect(try new.value(forKey: "other") == nil)
            #expect(try new.value(forKey: "count") == nil)
        }
    }

    @Test func `a mapping renames, converts and leaves out (§9.8.11)`() throws {
        try fixture.open(entities) { context in
            let old = try insertOld(context)
            let new = try context.insertObject(entityName: "New")
            try new.copyAttributes(from: old) { name, value in
                switch name {
                case "size": ("count", value.map { "\($0)" })
                case "data": nil
                default: (name, value)
                }
            }
            #expect(try new.value(forKey: "count") as? String == "3")
            #expect(try new.value(forKey: "data") == nil)
            #expect(try new.value(forKey: "title") as? String == "a")
        }
    }

    @Test func `wrong names and values are errors, and those of the mapping pass (§9.8.11)`() throws
    {
        try fixture.open(entities) { context in
            let old = try insertOld(context)
            let new = try context.insertObject(entityName: "New")
            let unknown = #expect(throws: PropertyError.self) {
                try new.copyAttributes(from: old) { name, value in
                    name == "size" ? ("length", value) : nil
                }
            }
            #expect(unknown?.reason == .unknownKey && unknown?.key == "length")
            #expect(throws: PropertyError.self) {
                try new.copyAttributes(from: old) { name, value in
                    name == "size" ? ("title", value) : nil
                }
            }
            #expect(throws: CodeFailure.self) {
                try new.copyAttributes(from: old) { _, _ in throw CodeFailure() }
            }
        }
    }

    @Test func `a stored object is changed as by its setters (§9.8.11)`() throws {
        try fixture.open(entities) { context in
            let old = try insertOld(context)
            let new = try context.insertObject(entityName: "New")
            try context.save()
            try new.copyAttributes(from: old)
            #expect(new.hasChanges)
            try context.save()
            context.refresh(new, mergeChanges: false)
            #expect(try new.value(forKey: "title") as? String == "a")
        }
    }
}
