import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Encodable values as the source of a batch insert (§6.2)` {
    private enum Size: String, Codable { case small, large }

    private struct Thing: Encodable, Sendable {
        var number = 1
        var name: String? = "a"
        var size: Size? = .small
        var date: Date? = Date(timeIntervalSinceReferenceDate: 1.5)
        var identifier: UUID?
        var address: URL?
        var price: Decimal?
        var share: Float?
        var isLate: Bool?
        var bytes: Data?
        var colour: Colour?
    }

    private func makeStore() throws -> StoreFixture {
        try StoreFixture(
            AttributeDescription("number", .integer16, isOptional: false),
            AttributeDescription("name", .string, defaultValue: "default"),
            AttributeDescription("size", .string), AttributeDescription("date", .date),
            AttributeDescription("identifier", .uuid), AttributeDescription("address", .uri),
            AttributeDescription("price", .decimal), AttributeDescription("share", .float),
            AttributeDescription("isLate", .boolean), AttributeDescription("bytes", .binaryData),
            AttributeDescription("colour", .transformable, transformer: .codable(Colour.self)),
            AttributeDescription("list", .transformable), uniquenessConstraints: [["number"]])
    }

    private func insert<Values: Sequence & Sendable>(
        _ values: Values, in store: StoreFixture
    ) throws -> Int where Values.Element: Encodable {
        try store.run { context in
            let request = BatchInsertRequest(entityName: "Thing", encoding: values)
            return try context.execute(request).count
        }
    }

    @Test func `a key is the name of an attribute, and takes every type of value (§6.2.16)`() throws
    {
        let store = try makeStore()
        let identifier = UUID()
        let thing = Thing(
            number: 7, name: "é", size: .large, identifier: identifier,
            address: URL(string: "https://example.org/a")!, price: Decimal(string: "0.1")!,
            share: 0.5, isLate: true, bytes: Data([1, 2]), colour: Colour(red: 1))
        #expect(try insert([thing], in: store) == 1)
        try store.run { context in
            let row = try context.all("Thing")[0]
            #expect(try row.value(forKey: "number") as? Int16 == 7)
            #expect(try row.value(forKey: "name") as? String == "é")
            #expect(try row.value(forKey: "size") as? String == "large")
            #expect(try row.value(forKey: "date") as? Date == thing.date)
            #expect(try row.value(forKey: "identifier") as? UUID == identifier)
            #expect(try row.value(forKey: "address") as? URL == thing.address)
            #expect(try row.value(forKey: "price") as? Decimal == thing.price)
            #expect(try row.value(forKey: "share") as? Float == 0.5)
            #expect(try row.value(forKey: "isLate") as? Bool == true)
            #expect(try row.value(forKey: "bytes") as? Data == thing.bytes)
            #expect(try row.value(forKey: "colour") as? Colour == Colour(red: 1))
        }
    }

    @Test func `dictionaries are values with keys, and superclasses may share the row (§6.2.16)`()
        throws
    {
        class Base: Encodable, @unchecked Sendable {
            // @unchecked Sendable: immutable.
            let number = 1
        }
        final class Derived: Base, @unchecked Sendable {
            let name = "derived"
            private enum Key: CodingKey { case name }
            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(name, forKey: .name)
            }
        }
        let store = try makeStore()
        #expect(try insert([["number": 3]], in: store) == 1)
        #expect(try insert([Derived()], in: store) == 1)
        let rows = try store.sql("SELECT ZNUMBER, ZNAME FROM ZTHING ORDER BY Z_PK")
        #expect(rows == [["3", "default"], ["1", "derived"]])
    }

    @Test func `nil sets null, and what is left out takes its default (§6.2.17)`() throws {
        struct Short: Encodable, Sendable { let number: Int }
        let store = try makeStore()
        #expect(try insert([Thing(number: 1, name: nil)], in: store) == 1)
        #expect(try insert([Short(number: 2)], in: store) == 1)
        store.run { $0.mergePolicy = .mergeByPropertyObjectTrump }
        // An upsert leaves alone what a value leaves out.
        #expect(try insert([Thing(number: 2, name: nil, date: nil)], in: store) == 1)
        #expect(try insert([Short(number: 1)], in: store) == 1)
        let rows = try store.sql("SELECT ZNUMBER, ZNAME, ZDATE FROM ZTHING ORDER BY Z_PK")
        #expect(rows == [["1", nil, "1.5"], ["2", nil, nil]])
    }

    /// A value of a shape that no row has.
    private struct Odd: Encodable, Sendable {
        let write: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    private enum Key: String, CodingKey { case number, name, list, colour, unknown, owner }

    private struct OwnError: Error {}

    private static let oddities:
        [(
            name: String, path: [String],
            isExpected: @Sendable (RowEncodingError.Reason) -> Bool,
            write: @Sendable (any Encoder) throws -> Void
        )] = [
            (
                "a number", [], { if case .noKeys = $0 { true } else { false } },
                {
                    var container = $0.singleValueContainer()
                    try container.encode(5)
                }
            ),
            (
                "a list", [], { if case .noKeys = $0 { true } else { false } },
                {
                    var container = $0.unkeyedContainer()
                    try container.encode(5)
                }
            ),
            (
                "an empty list in a key", ["name"],
                { if case .nested = $0 { true } else { false } },
                {
                    var container = $0.container(keyedBy: Key.self)
                    try container.encode([Int](), forKey: .name)
                }
            ),
            (
                "an object in a key", ["name"], { if case .nested = $0 { true } else { false } },
                {
                    var container = $0.container(keyedBy: Key.self)
                    try container.encode(["a": 1], forKey: .name)
                }
            ),
            (
                "a nested container whose failure is swallowed", ["name"],
                { if case .nested = $0 { true } else { false } },
                {
                    var container = $0.container(keyedBy: Key.self)
                    var nested = container.nestedContainer(keyedBy: Key.self, forKey: .name)
                    try? nested.encode(1, forKey: .number)
                }
            ),
            (
                "an unknown key", ["unknown"],
                { if case .unknownAttribute = $0 { true } else { false } },
                {
                    var container = $0.container(keyedBy: Key.self)
                    try container.encode(1, forKey: .unknown)
                }
            ),
            (
                "a value of another type", ["number"],
                { if case .unacceptableValue("x") = $0 { true } else { false } },
                {
                    var container = $0.container(keyedBy: Key.self)
                    try container.encode("x", forKey: .number)
                }
            ),
            (
                "a number out of range", ["number"],
                { if case .unacceptableValue(70_000) = $0 { true } else { false } },
                {
                    var container = $0.container(keyedBy: Key.self)
                    try container.encode(70_000, forKey: .number)
                }
            ),
            (
                "a number of more than 64 bits", ["number"],
                { if case .unacceptableValue(.decimal) = $0 { true } else { false } },
                {
                    var container = $0.container(keyedBy: Key.self)
                    try container.encode(UInt64.max, forKey: .number)
                }
            ),
            (
                "an object for a transformer of another type", ["colour"],
                { if case .nested = $0 { true } else { false } },
                {
                    var container = $0.container(keyedBy: Key.self)
                    try container.encode(["a": 1], forKey: .colour)
                }
            ),
            (
                "an error of the value", [],
                { if case .failed(let error) = $0 { error is OwnError } else { false } },
                { _ in throw OwnError() }
            ),
        ]

    @Test(arguments: oddities.indices)
    func `another shape is an error with path and number, and nothing is inserted (§6.2.18)`(
        _ index: Int
    ) throws {
        let oddity = Self.oddities[index]
        let store = try makeStore()
        let good = Odd { encoder in
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .number)
        }
        let error = #expect(throws: RowEncodingError.self, "\(oddity.name)") {
            try insert([good, Odd(write: oddity.write)], in: store)
        }
        #expect(error?.elementNumber == 2 && error?.entity == "Thing", "\(oddity.name)")
        #expect(error?.codingPath == oddity.path, "\(oddity.name)")
        #expect(error.map { oddity.isExpected($0.reason) } == true, "\(oddity.name): \(error!)")
        #expect(error?.code == 134060)
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["0"]])
    }

    @Test func `a mandatory attribute that is left out is missing (§6.2.3)`() throws {
        let store = try makeStore()
        let error = #expect(throws: StoreError.self) {
            try insert([["name": "a"]], in: store)
        }
        #expect(error?.reason == .missingMandatoryValue(attribute: "number", entity: "Thing"))
    }

    @Test func `a transformable attribute takes what its transformer takes (§6.2.16)`() throws {
        struct Lists: Encodable, Sendable {
            let number: Int
            let list: [String: Int]
        }
        let store = try makeStore()
        #expect(try insert([Lists(number: 1, list: ["a": 2])], in: store) == 1)
        #expect(try insert([["number": 2, "list": 5]], in: store) == 1)
        try store.run { context in
            let rows = try context.all("Thing", by: "number")
            let list = Transformable<[String: Int]>("list")
            #expect(rows[0][list] == ["a": 2])
            #expect(rows[1][Transformable<Int>("list")] == 5)
        }
    }

    @Test func `one value is made at a time, and a request runs again (§6.2.19)`() throws {
        let store = try makeStore()
        final class Value: Encodable, Sendable {
            let number: Int
            let onEnd: @Sendable () -> Void
            init(_ number: Int, onEnd: @escaping @Sendable () -> Void) {
                self.number = number
                self.onEnd = onEnd
            }
            deinit { onEnd() }
            enum CodingKeys: CodingKey { case number }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(number, forKey: .number)
            }
        }
        struct Source: Sequence, Sendable {
            let make: @Sendable (Int) -> Value
            func makeIterator() -> AnyIterator<Value> {
                var next = 0
                return AnyIterator {
                    next += 1
                    return next <= 10_000 ? make(next) : nil
                }
            }
        }
        let counts = Counts()
        let source = Source { number in
            counts.add(1)
            return Value(number) { counts.add(-1) }
        }
        #expect(try insert(source, in: store) == 10_000)
        #expect(counts.most <= 2)
        store.run { $0.mergePolicy = .mergeByPropertyStoreTrump }
        #expect(try insert(source, in: store) == 0)
        #expect(
            try store.sql("SELECT count(*), sum(ZNUMBER) FROM ZTHING") == [["10000", "50005000"]])
    }

    /// How many values live, and how many did at most.
    private final class Counts: Sendable {
        private let state = Mutex((now: 0, most: 0))
        func add(_ number: Int) {
            state.withLock {
                $0.now += number
                $0.most = max($0.most, $0.now)
            }
        }
        var most: Int { state.withLock(\.most) }
    }
}
