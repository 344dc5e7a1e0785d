import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// New objects write their values to a draft of their row, except with an undo manager. Both behave
/// the same.
@Suite struct `Drafts of new objects` {
    private static let attributes = [
        AttributeDescription("small", .integer16, defaultValue: 3),
        AttributeDescription("large", .integer64),
        AttributeDescription("flag", .boolean),
        AttributeDescription("real", .double),
        AttributeDescription("moment", .date),
        AttributeDescription("text", .string, isOptional: false, defaultValue: "empty"),
        AttributeDescription("title", .string),
        AttributeDescription("amount", .decimal),
        AttributeDescription("identity", .uuid),
        AttributeDescription("bytes", .binaryData),
        AttributeDescription("passing", .integer64, isTransient: true),
    ]

    private static func fixture() throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing", managedObjectClass: Thing.self, attributes: attributes,
                    relationships: [.toOne("other", "Thing")])
            ]))
    }

    final class Thing: ManagedObject {
        static let small = Attribute<Int?>("small")
        static let large = Attribute<Int64?>("large")
        static let flag = Attribute<Bool?>("flag")
        static let real = Attribute<Double?>("real")
        static let moment = Attribute<Date?>("moment")
        static let text = Attribute<String?>("text")
        static let title = Attribute<String?>("title")
        static let amount = Attribute<Decimal?>("amount")
        static let identity = Attribute<UUID?>("identity")
        static let bytes = Attribute<Data?>("bytes")
        static let passing = Attribute<Int64?>("passing")
        static let other = ToOne<Thing>("other")
    }

    /// One step of a random script.
    private struct Step: Sendable, CustomStringConvertible {
        let choice: Int
        let number: Int64
        let isNil: Bool

        init(_ random: inout SeededGenerator) {
            choice = Int.random(in: 0..<19, using: &random)
            number = [0, 1, -7, 40_000, .max, .min, 3].randomElement(using: &random)!
            isNil = Int.random(in: 0..<6, using: &random) == 0
        }

        var description: String { "\(choice)/\(number)/\(isNil)" }

        private var text: String {
            // Some are larger than a slab, others larger than the rest of one.
            let length = number == 40_000 ? 34_000 : number == -7 ? 900 : Int(number & 31)
            return String(repeating: "ä€𝄞x", count: length / 4) + "\(number)"
        }

        func run(on thing: Thing, _ others: [Thing], in context: ManagedObjectContext) throws {
            switch choice {
            case 0: thing[Thing.small] = isNil ? nil : Int(truncatingIfNeeded: number)
            case 1: thing[Thing.large] = isNil ? nil : number
            case 2: thing[Thing.flag] = isNil ? nil : number > 0
            case 3: thing[Thing.real] = isNil ? nil : Double(number) / 3
            case 4:
                thing[Thing.moment] =
                    isNil ? nil : Date(timeIntervalSinceReferenceDate: Double(number) / 7)
            case 5, 6: thing[Thing.text] = isNil ? nil : text
            case 7: thing[Thing.title] = isNil ? nil : text
            case 8: thing[Thing.amount] = isNil ? nil : Decimal(number % 1000) / 8
            case 9:
                thing[Thing.identity] =
                    isNil
                    ? nil : UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number & 7)")
            case 10: thing[Thing.bytes] = isNil ? nil : Data(text.utf8)
            case 11: thing[Thing.passing] = isNil ? nil : number
            case 12: thing[Thing.other] = isNil ? nil : others[Int(number & 1)]
            case 13: try thing.setValue(isNil ? nil : text, forKey: "title")
            case 14: thing.setPrimitiveValue(isNil ? nil : number, of: Thing.large)
            case 15: context.processPendingChanges()
            case 16: context.refresh(thing, mergeChanges: !isNil)
            case 17: _ = thing.changedValues()
            default: _ = try context.count(for: FetchRequest(entityName: "Thing"))
            }
        }
    }

    /// The visible state of an object before it is saved.
    private static func view(_ thing: Thing) -> [String] {
        let keys = attributes.map(\.name)
        func list(_ values: [String: Any?]) -> String {
            values.filter { keys.contains($0.key) }.map { "\($0.key)=\($0.value as Any)" }.sorted()
                .joined(separator: ", ")
        }
        var seen = keys.map { "\($0)=\((try? thing.value(forKey: $0)) as Any)" }
        seen.append(
            "\(thing[Thing.small] as Any) \(thing[Thing.real] as Any) \(thing[Thing.title] as Any)")
        seen.append("changed: " + list(thing.changedValues()))
        seen.append("event: " + list(thing.changedValuesForCurrentEvent()))
        seen.append("committed: " + list(thing.committedValues()))
        seen.append("\(thing.hasPersistentChangedValues) \(thing[Thing.other] != nil)")
        return seen
    }

    private struct Result: Equatable, Sendable {
        var views: [[String]] = []
        var failure = ""
    }

    private func result(
        of steps: [Step], _ fixture: StoreFixture, isDrafted: Bool
    ) throws -> Result {
        let context = fixture.makeContext()
        return try context.performAndWait {
            var result = Result()
            if !isDrafted { context.undoManager = UndoManager() }
            let things = (0..<2).map { _ in Thing(context: context) }
            #expect(things[0].state.flags.contains(.draft) == isDrafted)
            // Reading all values before the steps would end the drafts.
            for (position, step) in steps.enumerated() {
                try step.run(on: things[position & 1], things, in: context)
            }
            if steps.last?.isNil ?? false { result.views += things.map(Self.view) }
            do {
                try context.save()
            } catch SaveError.validation(let errors) {
                result.failure = errors.map { "\($0.key ?? "") \($0.reason)" }.sorted()
                    .joined(separator: "; ")
                result.views += things.map(Self.view)
                for thing in things {
                    thing[Thing.small] = 1
                    thing[Thing.text] = "mended"
                }
                try context.save()
            }
            result.views += things.map(Self.view)
            for thing in things { context.refresh(thing, mergeChanges: false) }
            result.views += things.map(Self.view)
            return result
        }
    }

    @Test func `a draft shows and saves what separate values would`() throws {
        var random = SeededGenerator.fromEnvironment()
        let fixture = try Self.fixture()
        for number in 0..<300 {
            let steps = (0..<Int.random(in: 0..<24, using: &random)).map { _ in Step(&random) }
            let drafted = try result(of: steps, fixture, isDrafted: true)
            let separate = try result(of: steps, fixture, isDrafted: false)
            guard drafted == separate else {
                let differing = zip(drafted.views.joined(), separate.views.joined())
                    .filter { $0 != $1 }.map { "\($0.prefix(300))\n  and \($1.prefix(300))" }
                Issue.record(
                    "TEST_SEED=\(random.seed), script \(number): \(steps)\n\(differing.joined(separator: "\n"))\n\(drafted.failure)\n\(separate.failure)"
                )
                return
            }
        }
        // The file has everything: another context reads the row.
        #expect(try fixture.sql("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func `setters write no separate values`() throws {
        let fixture = try Self.fixture()
        fixture.run { context in
            let thing = Thing(context: context)
            thing[Thing.large] = 5
            thing[Thing.title] = "a title"
            thing[Thing.real] = nil
            #expect(thing.state.flags.contains(.draft))
            #expect(thing.changesBesideDraft == nil)
            #expect(thing[Thing.text] == "empty")
        }
    }

    @Test func `an integer out of range is found by validation`() throws {
        let fixture = try Self.fixture()
        try fixture.run { context in
            let thing = Thing(context: context)
            thing[Thing.small] = 70_000
            #expect(throws: SaveError.self) { try context.save() }
            thing[Thing.small] = 7
            try context.save()
        }
        #expect(try fixture.sql("SELECT ZSMALL FROM ZTHING") == [["7"]])
    }

    @Test func `a child context sees the values of its parent's new object`() throws {
        let fixture = try Self.fixture()
        let id = fixture.run { context in
            let thing = Thing(context: context)
            thing[Thing.title] = "a title"
            return thing.objectID
        }
        let child = ManagedObjectContext(.privateQueue, parent: fixture.context)
        child.performAndWait {
            #expect((child.object(with: id) as? Thing)?[Thing.title] == "a title")
        }
    }

    @Test func `a rolled back object has no values`() throws {
        let fixture = try Self.fixture()
        fixture.run { context in
            let thing = Thing(context: context)
            thing[Thing.title] = "a title"
            context.rollback()
            #expect(thing[Thing.title] == nil)
            #expect(!thing.state.flags.contains(.draft))
        }
    }
}
