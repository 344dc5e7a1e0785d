import Foundation
import ObjectGraph
import TestSupport
import Testing

/// A value that a store cannot return unchanged fails its row, unless the handler replaces it.
@Suite struct `Values of a batch insert's row (§6.2)` {
    final class Reading: ManagedObject {
        static let value = Attribute<Double>("value")
        static let other = Attribute<Double?>("other")
        static let date = Attribute<Date?>("date")
    }

    private typealias Fill = @Sendable (inout BatchInsertRow) throws -> Void

    private static let never = Date(timeIntervalSinceReferenceDate: .nan)

    /// The values that a handler sets, and the columns of its row; or nil, and the failing
    /// attribute.
    private static let cases: [(fill: Fill, columns: [String?]?, attribute: String)] = [
        (
            { row in
                row.set(.nan, for: Reading.value)
                row.set(0, for: Reading.value)
            }, ["0.0", nil, nil], ""
        ),
        (
            { row in
                row.set(1, for: Reading.value)
                row.set(.nan, for: Reading.other)
                row.set(nil, for: Reading.other)
                row.set(never, for: Reading.date)
                row.set(nil, for: Reading.date)
            }, ["1.0", nil, nil], ""
        ),
        (
            { row in
                row.set(.nan, for: Reading.value)
                row.set(never, for: Reading.date)
                try row.set(.integer(2), forKey: "value")
                row.set(Date(timeIntervalSinceReferenceDate: 3.5), for: Reading.date)
            }, ["2.0", nil, "3.5"], ""
        ),
        (
            { row in
                try? row.set(.double(.nan), forKey: "value")
                try row.set(.double(4), forKey: "value")
            }, ["4.0", nil, nil], ""
        ),
        (
            { row in
                row.set(.nan, for: Reading.value)
                row.set(.nan, for: Reading.other)
                row.set(0, for: Reading.other)
            }, nil, "value"
        ),
        (
            { row in
                row.set(.nan, for: Reading.value)
                row.set(.nan, for: Reading.other)
                row.set(0, for: Reading.value)
            }, nil, "other"
        ),
        (
            { row in
                row.set(0, for: Reading.value)
                row.set(.nan, for: Reading.value)
            }, nil, "value"
        ),
        (
            { row in
                row.set(0, for: Reading.value)
                row.set(never, for: Reading.date)
            }, nil, "date"
        ),
        ({ row in try row.set(.double(.nan), forKey: "value") }, nil, "value"),
    ]

    @Test(arguments: cases.indices) func `the last value of an attribute counts`(
        _ index: Int
    ) throws {
        let (fill, columns, attribute) = Self.cases[index]
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Reading", managedObjectClass: Reading.self,
                    attributes: [
                        AttributeDescription("value", .double, isOptional: false),
                        AttributeDescription("other", .double),
                        AttributeDescription("date", .date),
                    ])
            ]))
        try store.run { context in
            let calls = Recorder<Int>()
            let request = BatchInsertRequest(entityName: "Reading") { row in
                guard calls.values.count < 2 else { return true }
                calls.values.append(calls.values.count)
                try fill(&row)
                return false
            }
            guard let columns else {
                // Not with `#expect(throws:)`, which describes the error: Foundation traps on a
                // date that is NaN.
                var text = ""
                do {
                    _ = try context.execute(request)
                } catch let error as StoreError { text = error.description }
                #expect(text.contains("not acceptable for 'Reading.\(attribute)'"), "\(text)")
                return
            }
            let count = try context.execute(request).count
            #expect(count == 2)
            let rows = try store.sql("SELECT ZVALUE, ZOTHER, ZDATE FROM ZREADING")
            #expect(rows == [columns, columns])
        }
    }
}
