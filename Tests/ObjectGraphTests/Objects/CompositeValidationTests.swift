import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Validation of composite attributes (§1.3)` {
    /// A store with things that have the composite `c`.
    private func store(
        isOptional: Bool = true, _ elements: AttributeDescription...
    ) throws -> StoreFixture {
        try StoreFixture(
            AttributeDescription("c", .composite, isOptional: isOptional, elements: elements))
    }

    private func errors(
        _ store: StoreFixture, _ value: [String: AttributeValue]?
    ) throws -> [String] {
        try store.run { context in
            defer { context.reset() }
            let thing = try context.insert("Thing")
            try thing.setValue(value, forKey: "c")
            return try context.validationErrors().map { "\($0.key ?? ""): \($0.reason)" }
        }
    }

    private let missing = "\(ValidationError.Reason.missingMandatoryProperty)"

    @Test func `a mandatory element is missing only beside others (§1.3.37)`() throws {
        let store = try store(
            AttributeDescription("x", .double, isOptional: false), AttributeDescription("y", .date),
            AttributeDescription(
                "inner", .composite,
                elements: [
                    AttributeDescription("a", .string, isOptional: false),
                    AttributeDescription("b", .string),
                ]))
        #expect(try errors(store, nil) == [])
        #expect(try errors(store, ["x": 1]) == [])
        #expect(try errors(store, ["y": .date(Date())]) == ["c.x: \(missing)"])
        #expect(try errors(store, ["inner": .composite(["a": "a"])]) == ["c.x: \(missing)"])
        #expect(
            try errors(store, ["x": 1, "inner": .composite(["b": "b"])])
                == ["c.inner.a: \(missing)"])
    }

    @Test func `a mandatory composite must have a value (§1.3.37)`() throws {
        let one = try store(isOptional: false, AttributeDescription("x", .double))
        #expect(try errors(one, nil) == ["c: \(missing)"])
        #expect(try errors(one, ["x": 1]) == [])
        let two = try store(
            isOptional: false, AttributeDescription("x", .double, isOptional: false),
            AttributeDescription("y", .double))
        #expect(try errors(two, nil) == ["c.x: \(missing)"])
        #expect(try errors(two, ["y": 1]) == ["c.x: \(missing)"])
        #expect(try errors(two, ["x": 1]) == [])
        let nested = try store(
            isOptional: false,
            AttributeDescription(
                "inner", .composite, isOptional: false,
                elements: [AttributeDescription("a", .string)]),
            AttributeDescription("b", .string))
        #expect(try errors(nested, nil) == ["c: \(missing)"])
        #expect(try errors(nested, ["b": "b"]) == ["c.inner: \(missing)"])
    }

    @Test func `elements have rules, ranges and defaults (§1.3.37)`() throws {
        let store = try store(
            AttributeDescription(
                "x", .double, defaultValue: 0.5,
                validationRules: [ValidationRule("SELF < 10", .code(1620))]),
            AttributeDescription("text", .string, defaultValue: "t"))
        #expect(try errors(store, ["x": 9]) == [])
        #expect(try errors(store, ["x": 10]).count == 1)
        #expect(try errors(store, ["x": .double(.nan)]).count == 1)
        try store.run { context in
            let thing = try context.insert("Thing")
            #expect(
                try thing.value(forKey: "c") as? [String: AnyHashable] == ["x": 0.5, "text": "t"])
            #expect(!thing.changedValues().keys.contains("c"))
            var value: Any? = ["x": 11.0] as [String: Any]
            let error = #expect(throws: ValidationError.self) {
                try thing.validateValue(&value, forKey: "c")
            }
            #expect(error?.key == "c.x")
        }
    }

    @Test func `a batch insert checks the same (§1.3.37, §1.3.40)`() throws {
        let store = try store(
            isOptional: false, AttributeDescription("x", .double, defaultValue: 0.5),
            AttributeDescription(
                "inner", .composite,
                elements: [
                    AttributeDescription("a", .string, isOptional: false),
                    AttributeDescription("b", .string),
                ]))
        func insert(_ row: [String: AttributeValue]) throws {
            try store.run {
                try $0.execute(BatchInsertRequest(entityName: "Thing", objects: [row]))
            }
        }
        try insert([:])
        for row: [String: AttributeValue] in [["c": .null], ["c.inner.b": "b"]] {
            #expect(throws: StoreError.self) { try insert(row) }
        }
        #expect(throws: StoreError.self) { try insert(["c": .composite(["z": 1])]) }
        #expect(throws: StoreError.self) { try insert(["c.z": 1]) }
        try insert(["c": .composite(["inner": .composite(["a": "a"])]), "c.x": 2])
        #expect(
            try store.sql("SELECT ZC_X, ZC_INNER_A FROM ZTHING ORDER BY Z_PK")
                == [["0.5", nil], ["2.0", "a"]])
    }
}
