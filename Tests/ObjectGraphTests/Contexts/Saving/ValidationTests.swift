import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Validation (§2.7)` {
    @Test
    func `the validator of a key comes first, and may replace the value (§2.7.1, §2.7.4, §5.1.4)`()
        throws
    {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = context.makeNote("untidy")
                _ = journal.take()
                try context.save()
                #expect(note.text == "tidy")
                #expect(
                    journal.take() == [
                        "willSave", "validateForInsert", "willSave", "validateForInsert", "didSave",
                    ])
                context.reset()
                #expect(try context.notes().map(\.text) == ["tidy"])
            }
        }
    }

    @Test func `the model is asked in its order: nil, range, rules (§2.7.1)`() throws {
        let rule = ValidationRule(try ObjectPredicate("SELF > 0"), .code(1620))
        let store = try StoreFixture(
            AttributeDescription("a", .integer16, isOptional: false, validationRules: [rule]))
        try store.run { context in
            let thing = try context.insert("Thing")
            func codes(_ value: AttributeValue) throws -> [Int] {
                thing.setAttribute(value, at: 0)
                return try context.validationErrors().map(\.code)
            }
            #expect(try codes(.null) == [1570])
            #expect(try codes(.integer(-40_000)) == [1620])
            #expect(try codes(.integer(40_000)) == [1610])
            #expect(try codes(.integer(-1)) == [1620])
            #expect(try codes(.integer(1)) == [])
        }
    }

    private struct TooLong: Error, Equatable { var limit: Int }

    private final class Picky: ManagedObject {
        override func validateForInsert() throws {
            try super.validateForInsert()
            throw TooLong(limit: 3)
        }
    }

    @Test func `an error of a class's own is kept, and every error tells a sentence`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing", managedObjectClass: Picky.self,
                    attributes: [AttributeDescription("a", .string)])
            ]))
        try store.run { context in
            _ = try context.insert("Thing")
            let error = try #require(try context.validationErrors().first)
            #expect(error.underlyingError as? TooLong == TooLong(limit: 3))
            #expect(error.code == 1550)
            #expect(error.localizedDescription == error.description)
            #expect(ValidationErrors([error, error]).code == 1560)
            #expect((SaveError.endlessWillSave as any Error).localizedDescription.contains("1,000"))
        }
    }

    /// Overrides the validator, but lists no key for it.
    private final class Silent: ManagedObject {
        static let questions = Atomic(0)
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            Self.questions.add(1, ordering: .relaxed)
            try super.validateValue(&value, forKey: key)
        }
    }

    @Test func `where nothing is demanded, no property is looked at and no row read (§2.7.1)`()
        throws
    {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Whole", managedObjectClass: Silent.self,
                    attributes: [
                        AttributeDescription("number", .integer64),
                        AttributeDescription("text", .string),
                    ],
                    relationships: [.toMany("parts", "Part", inverse: "whole")]),
                EntityDescription(
                    name: "Part", managedObjectClass: Silent.self,
                    relationships: [.toOne("whole", "Whole", inverse: "parts")]),
            ]))
        try store.run { context in
            let wholes = try (0..<20).map { try context.insert("Whole", ["number": $0]) }
            let parts = try wholes.map { try context.insert("Part", ["whole": $0]) }
            for object in wholes + parts {
                let binding = object.binding
                #expect(binding.validated.isEmpty)
                #expect(binding.entity.validated.isEmpty && binding.entity.counted.isEmpty)
            }
            try context.save()
            context.reset()
            for (position, whole) in try context.all("Whole").enumerated() {
                try whole.setValue(position + 100, forKey: "number")
            }
            // Twenty rows, and the transaction around them.
            #expect(try store.statements { try context.save() } == 20 + 2)
            #expect(Silent.questions.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `a single value can be asked about (§2.7.1)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let note = context.makeNote("a")
            var value: Any? = "untidy"
            try note.validateValue(&value, forKey: "text")
            #expect(value as? String == "tidy")
            #expect(note.text == "a")
            value = nil
            let error = #expect(throws: ValidationError.self) {
                try note.validateValue(&value, forKey: "text")
            }
            #expect(error?.code == 1570)
        }
    }

    @Test func `several errors come as one list, those of overrides among them (§2.7.3, §2.7.5)`()
        throws
    {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let (first, second) = (context.makeNote("a"), context.makeNote("b"))
            try context.save()
            first.count = -1
            try first.setValue(nil, forKey: "text")
            second.text = "refused"
            let errors = try context.validationErrors()
            #expect(errors.map(\.objectID) == [first, first, second].map(\.objectID))
            #expect(errors.map(\.key) == ["text", "count", "text"])
            #expect(errors.map(\.code) == [1570, 1550, 1550])
            #expect(context.updatedObjects == [first, second])
        }
    }

    @Test func `an error carries object, key, value and predicate (§2.7.6)`() throws {
        let rule = ValidationRule(try ObjectPredicate("SELF > 0"), .message("More, please."))
        let store = try StoreFixture(
            AttributeDescription("a", .integer16, validationRules: [rule]))
        try store.run { context in
            let thing = try context.insert("Thing", ["a": -5])
            let error = try #require(try context.validationErrors().first)
            #expect(error.objectID == thing.objectID)
            #expect(error.key == "a")
            #expect(error.value == -5)
            #expect(error.predicateFormat == "SELF > 0")
            #expect(error.description.contains("More, please."))
        }
    }

    @Test func `any error of a hook keeps the object from being saved (§2.7.3)`() throws {
        struct Objection: Error {}
        final class Stubborn: ManagedObject {
            override func validateForInsert() throws { throw Objection() }
        }
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(name: "A", managedObjectClass: Stubborn.self)
            ]))
        try store.run { context throws in
            _ = Stubborn(context: context)
            #expect(try context.validationErrors().map(\.code) == [1550])
        }
    }

    @Test func `a save to a parent validates, and leaves it alone (§2.7.7)`() throws {
        let store = try StoreFixture.notebook()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try child.performAndWait { () throws in
            _ = Note(context: child)
            #expect(try child.validationErrors().map(\.code) == [1570])
            #expect(child.hasChanges)
        }
        store.run { #expect(!$0.hasChanges) }
    }

    @Test func `deleted objects are validated for deletion only (§2.7.8)`() throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { journal in
            try store.run { context in
                let note = context.makeNote("a")
                try context.save()
                note.count = -1
                try note.setValue(nil, forKey: "text")
                context.delete(note)
                _ = journal.take()
                try context.save()
                #expect(journal.take().filter { $0.hasPrefix("validate") } == ["validateForDelete"])
            }
        }
    }

    @Test func `errors stand in the order of what happens and of identifiers (§2.7.8)`() throws {
        let store = try StoreFixture.notebook()
        try store.run { context in
            let old = ["a", "b", "c"].map { context.makeNote($0) }
            try context.save()
            for note in old.reversed() { note.text = "refused" }
            let new = (0..<3).map { _ in Note(context: context) }
            #expect(
                try context.validationErrors().map(\.objectID) == (new + old).map(\.objectID))
        }
    }
}
