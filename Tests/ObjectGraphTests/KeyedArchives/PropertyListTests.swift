import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Property lists (§1.3)` {
    private static let date = Date(timeIntervalSinceReferenceDate: 1.5)
    private static let url = URL(string: "https://example.org/a")!
    private static let uuid = UUID()

    /// Swift values and the property lists that they make.
    private static let pairs: [(any Sendable, PropertyList)] = [
        (true, .boolean(true)), (1, .integer(1)), (Int8(-1), .integer(-1)),
        (UInt16(1), .integer(1)),
        (Int64.min, .integer(.min)), (UInt64(Int64.max), .integer(.max)),
        (UInt64.max, .unsigned(.max)), (1.0, .real(1)), (Float(0.5), .real(0.5)), ("a", "a"),
        (date, .date(date)), (Data([1]), .data(Data([1]))), (url, .url(url)), (uuid, .uuid(uuid)),
        (PropertyList.array([1]), [1]), (String?.none, nil), (String?.some("a"), "a"),
        (["a", "b"], ["a", "b"]), (["a", nil], ["a", nil]), ([[1], []], [[1], []]),
        (["a": [true]], ["a": [true]]), (Set([1, 2]), .set([1, 2])),
        ([1, "a", true] as [any Sendable], [1, "a", true]),
        (["a": 1, "b": [2.5]] as [String: any Sendable], ["a": 1, "b": [2.5]]),
    ]

    @Test(arguments: pairs)
    func `are made of Swift values`(_ value: any Sendable, _ expected: PropertyList) {
        #expect(PropertyList(value) == expected)
    }

    @Test func `are made of numbers as Foundation has them`() throws {
        #expect(PropertyList(NSNull()) == PropertyList.null)
        #expect(PropertyList(NSNumber(value: true)) == .boolean(true))
        #expect(PropertyList(NSNumber(value: false)) == .boolean(false))
        #expect(PropertyList(NSNumber(value: 1)) == .integer(1))
        #expect(PropertyList(NSNumber(value: Int8(1))) == .integer(1))
        #expect(PropertyList(NSNumber(value: 1.0)) == .real(1))
        #expect(PropertyList(NSNumber(value: UInt64.max)) == .unsigned(.max))
        let json = Data(#"{"a": [1, 2.5, true, null, "x", {"b": []}]}"#.utf8)
        let object = try JSONSerialization.jsonObject(with: json)
        #expect(PropertyList(object) == ["a": [1, 2.5, true, nil, "x", ["b": []]]])
    }

    @Test func `are not made of other types`() {
        struct Other: Hashable, Sendable {}
        let others: [Any] = [
            Other(), [Other()], ["a": Other()], [1: "a"], Set([Other()]), Decimal(1), Int128(1),
            NSDecimalNumber(value: 1), AnyHashable(Other()), [1, Other()] as [Any], Character("a"),
        ]
        for other in others { #expect(PropertyList(other) == nil, "\(other)") }
        #expect(PropertyList(AnyHashable([AnyHashable(1), AnyHashable("a")])) == [1, "a"])
    }

    @Test func `are not made of collections in too many levels`() {
        func nested(_ levels: Int) -> Any {
            (1..<levels).reduce([] as [Any]) { inner, _ in [inner] }
        }
        #expect(PropertyList(nested(PropertyList.maximumDepth)) != nil)
        #expect(PropertyList(nested(PropertyList.maximumDepth + 1)) == nil)
        #expect(PropertyList(nested(1000)) == nil)
    }

    private func read<Value>(_ list: PropertyList, as type: Value.Type) -> Value? {
        TransformableValue(list, data: .success(Data())).converted(to: type)
    }

    @Test func `are read as the Swift type that is asked for`() {
        #expect(read(["a", "b"], as: [String].self) == ["a", "b"])
        #expect(read(["a", nil], as: [String?].self) == ["a", nil])
        #expect(read([[1], []], as: [[Int16]].self) == [[1], []])
        #expect(read(.set([1, 2]), as: Set<UInt8>.self) == [1, 2])
        #expect(read(["a": [true]], as: [String: [Bool]].self) == ["a": [true]])
        #expect(read(["a": nil], as: [String: Int?].self) == ["a": nil])
        #expect(read([1, "a"], as: PropertyList.self) == [1, "a"])
        #expect(read([1, "a"], as: [PropertyList].self) == [1, "a"])
        #expect(read([1, 2.5], as: [Double].self) == [1, 2.5])
        #expect(read([0.1], as: [Float].self) == [0.1])
        #expect(read([1.0, true], as: [Int].self) == [1, 1])
        #expect(read([1, 0, false], as: [Bool].self) == [true, false, false])
        #expect(read(.unsigned(.max), as: UInt64.self) == .max)
    }

    @Test func `are nil as a type that they are not of`() {
        #expect(read(["a", 1], as: [String].self) == nil)
        #expect(read(["a", nil], as: [String].self) == nil)
        #expect(read([300], as: [UInt8].self) == nil)
        #expect(read([1.5], as: [Int].self) == nil)
        #expect(read(.unsigned(.max), as: Int.self) == nil)
        #expect(read([2], as: [Bool].self) == nil)
        #expect(read([1], as: Set<Int>.self) == nil)
        #expect(read(["a": 1], as: [Int].self) == nil)
        #expect(read("a", as: URL.self) == nil)
    }

    @Test func `are given as Swift's own types to whom no type is known`() {
        let list: PropertyList = [
            "integers": [1, 2], "names": ["a": "b"], "mixed": [1, "a", nil], "set": .set(["a"]),
        ]
        let value = TransformableValue(list, data: .success(Data())).swiftValue as? [String: Any]
        #expect(value?["integers"] as? [Int] == [1, 2])
        #expect(value?["names"] as? [String: String] == ["a": "b"])
        #expect(value?["set"] as? Set<String> == ["a"])
        #expect((value?["mixed"] as? [Any])?.count == 3)
        #expect(value.flatMap { PropertyList($0) } == list)
    }
}
