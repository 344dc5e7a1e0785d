import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Sources of a batch insert (§6.2)` {
    final class Thing: ManagedObject {
        static let number = Attribute<Int>("number")
        static let name = Attribute<String?>("name")
        override class var managedProperties: [any ManagedProperty] { [number, name] }
    }

    private struct Element: Decodable, Sendable {
        let number: Int
        let name: String?
    }

    private func makeStore() throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing", managedObjectClass: Thing.self,
                    attributes: [
                        AttributeDescription(
                            "number", .integer64, isOptional: false, defaultValue: 7),
                        AttributeDescription("name", .string),
                    ], uniquenessConstraints: [["name"]])
            ]))
    }

    private func insert(_ json: String, in store: StoreFixture) throws -> Int {
        let file = store.folder.url("things.json")
        try Data(json.utf8).write(to: file)
        return try store.run { context in
            let request = BatchInsertRequest(
                entityName: "Thing", jsonArray: file, of: Element.self
            ) { element, row in
                row.set(element.number, for: Thing.number)
                row.set(element.name, for: Thing.name)
            }
            return try context.execute(request).count
        }
    }

    @Test(arguments: [
        ("[]", []), ("\u{FEFF} [ ] \n", []), ("[{\"number\":1}]", ["1 "]),
        (
            " [ {\"number\": 1, \"name\": \"a]},\\\"{[\"} ,\n{\"x\": [[], {}], \"number\":2}]\n",
            ["1 a]},\"{[", "2 "]
        ),
    ])
    func `a JSON array is read element by element (§6.2.14)`(
        _ json: String, _ expected: [String]
    ) throws {
        let store = try makeStore()
        #expect(try insert(json, in: store) == expected.count)
        let rows = try store.sql("SELECT ZNUMBER, ZNAME FROM ZTHING ORDER BY Z_PK")
        #expect(rows.map { "\($0[0] ?? "") \($0[1] ?? "")" } == expected)
    }

    @Test func `an array of many pieces of the file is read whole (§6.2.14)`() throws {
        let store = try makeStore()
        let elements = (0..<20_000).map { number in
            "{\"number\": \(number), \"name\": \"\(number)\(String(repeating: "é", count: number % 40))\"}"
        }
        #expect(try insert("[\(elements.joined(separator: " ,"))]", in: store) == 20_000)
        let sums = try store.sql("SELECT count(*), sum(ZNUMBER), count(DISTINCT ZNAME) FROM ZTHING")
        #expect(sums == [["20000", "199990000", "20000"]])
    }

    @Test(arguments: [
        ("", JSONArrayError.Reason.notAnArray, 0, 0), ("{}", .notAnArray, 0, 0),
        (" [", .cutOff, 2, 1), ("[{\"number\": 1}", .cutOff, 14, 1), ("[{\"a\": 1", .cutOff, 1, 1),
        ("[\"a", .cutOff, 1, 1), ("[{\"number\": 1},]", .malformed, 15, 2),
        ("[,]", .malformed, 1, 1),
        ("[{\"number\": 1} {}]", .malformed, 15, 1), ("[] x", .malformed, 3, 0),
        ("[{\"number\": 1}, 5]", .undecodable, 16, 2),
        ("[{\"number\": 1}, {\"number\": }]", .undecodable, 16, 2),
        ("[{\"number\": \"1\"}]", .undecodable, 1, 1),
    ])
    func `other JSON is an error with its place, and nothing is inserted (§6.2.14)`(
        _ json: String, _ reason: JSONArrayError.Reason, _ byteOffset: Int, _ elementNumber: Int
    ) throws {
        let store = try makeStore()
        let error = #expect(throws: JSONArrayError.self) { try insert(json, in: store) }
        #expect(error?.reason == reason)
        #expect(error?.byteOffset == byteOffset && error?.elementNumber == elementNumber)
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["0"]])
    }

    @Test func `a text that is never closed does not fill the memory (§6.2.14)`() throws {
        let store = try makeStore()
        let text =
            "[\"" + String(repeating: "a", count: JSONArrayReader.maximumElementByteCount + 1)
        let error = #expect(throws: JSONArrayError.self) { try insert(text, in: store) }
        #expect(error?.reason == .tooLarge && error?.code == 263)
    }

    @Test func `an object handler fills objects of no context (§6.2.15)`() throws {
        let store = try makeStore()
        let calls = Recorder<Int>()
        try store.run { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.insert("Thing", ["name": "1", "number": 1])
            try context.save()
            let request = BatchInsertRequest(Thing.self) { thing in
                calls.values.append(thing[Thing.number])
                guard calls.values.count < 4 else { return true }
                thing[Thing.name] = "\(calls.values.count)"
                if calls.values.count == 2 { thing[Thing.number] = 2 }
                return false
            }
            let result = try context.execute(request, resultType: .objectIDs)
            #expect(result.changes.inserted.count == 2 && result.changes.updated.count == 1)
            #expect(context.insertedObjects.isEmpty)
        }
        #expect(calls.values == [7, 7, 7, 7])
        let rows = try store.sql("SELECT ZNAME, ZNUMBER FROM ZTHING ORDER BY ZNAME")
        #expect(rows == [["1", "7"], ["2", "2"], ["3", "7"]])
    }
}
