import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Coded values (§2.14)` {
    private struct Point: Codable, Hashable {
        var x: Double
        var y: Double
    }

    /// A type that is not `Codable`.
    private struct Weight: Hashable {
        var grams: UInt8
    }

    /// One attribute of each type.
    private func makeStore() throws -> StoreFixture {
        let point = ValueTransformer.codable(Point.self)
        let weight = ValueTransformer(
            "Weight", of: Weight.self, transform: { Data([$0.grams]) },
            reverse: {
                guard $0.count == 1 else { throw CancellationError() }
                return Weight(grams: $0[0])
            })
        let plain: [AttributeType] = [
            .integer16, .integer32, .integer64, .boolean, .decimal, .double, .float, .string, .date,
            .binaryData, .uuid, .uri,
        ]
        let thing = EntityDescription(
            name: "Thing",
            attributes: plain.map { AttributeDescription("\($0)", $0) } + [
                AttributeDescription("point", .transformable, transformer: point),
                AttributeDescription("weight", .transformable, transformer: weight),
                AttributeDescription("list", .transformable),
            ])
        return try StoreFixture(ManagedObjectModel(entities: [thing]))
    }

    private let settings: [CodingUserInfoKey: any Sendable] = [.managedEntityName: "Thing"]

    @Test func `a value is decoded as the type of its attribute (§2.14.2)`() throws {
        let text = #"""
            [{"binaryData":"AQI=","boolean":true,"date":12.5,"decimal":0.1,"double":0.1,\#
            "float":0.1,"integer16":-3,"integer32":1,"integer64":9007199254740993,\#
            "list":{"a":[1,true,"x",2.5,null]},"point":{"x":1,"y":2},"string":"ü",\#
            "uri":"https:\/\/a.b","uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","weight":"Bw=="}]
            """#
        try makeStore().run { context in
            let things = try context.decoder(settings).decode(
                ManagedList<ManagedObject>.self, from: Data(text.utf8)
            ).objects
            let expected: [String: AnyHashable] = [
                "integer16": -3 as Int16, "integer64": 9_007_199_254_740_993 as Int64,
                "boolean": true, "double": 0.1, "float": 0.1 as Float,
                "decimal": Decimal(string: "0.1")!, "binaryData": Data([1, 2]),
                "date": Date(timeIntervalSinceReferenceDate: 12.5),
                "point": Point(x: 1, y: 2), "weight": Weight(grams: 7),
            ]
            for (key, value) in expected {
                #expect(try things[0].value(forKey: key) as? AnyHashable == value, "\(key)")
            }
            #expect(try json(things, settings) == text)
            try context.save()
            #expect(try json(things, settings) == text)
        }
    }

    @Test func `the strategies of the decoder count (§2.14.2)`() throws {
        try makeStore().run { context in
            let decoder = context.decoder(settings)
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            let text = #"{"date":"2001-01-01T00:00:01Z","double":"inf","binary_data":"AQ=="}"#
            let thing = try decoder.decode(Managed<ManagedObject>.self, from: Data(text.utf8))
                .object
            #expect(try thing.value(forKey: "double") as? Double == .infinity)
            #expect(try thing.value(forKey: "binaryData") as? Data == Data([1]))
            #expect(
                try thing.value(forKey: "date") as? Date == Date(timeIntervalSinceReferenceDate: 1))
        }
    }

    @Test(arguments: [
        (#"{"integer16": 40000}"#, "integer16"), (#"{"boolean": 1}"#, "boolean"),
        (#"{"float": 1e300}"#, "float"), (#"{"double": 1e999}"#, "double"),
        (#"{"date": "today"}"#, "date"), (#"{"binaryData": "?"}"#, "binaryData"),
        (#"{"uuid": "1"}"#, "uuid"), (#"{"uri": ""}"#, "uri"), (#"{"string": 1}"#, "string"),
        (#"{"point": {"x": 1}}"#, "point"), (#"{"weight": "AQI="}"#, "weight"),
    ])
    func `a value of another type is refused (§2.14.7)`(_ text: String, _ key: String) throws {
        try makeStore().run { context in
            let refusal = try #require(
                context.refusal(ManagedObject.self, "[\(text)]", settings))
            #expect(refusal.path.hasPrefix("0.\(key)"))
            #expect(!context.hasChanges)
        }
    }
}
