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

    // MARK: - Dictionaries and handlers

    @Test func `rows come from a handler until it returns true (§6.2.1, §6.2.2)`() throws {
        let store = try makeStore()
        let calls = Recorder<Int>()
        let request = BatchInsertRequest(entityName: "Thing") { row in
            calls.values.append(0)
            if calls.values.count == 2 { row.set("b", for: Thing.name) }
            if calls.values.count == 3 { row.set(3, for: Thing.number) }
            return calls.values.count == 4
        }
        #expect(try store.run { try $0.execute(request).count } == 3)
        // Each call has an empty row, and the row of the last call is not inserted.
        let rows = try store.sql("SELECT ZNAME, ZNUMBER FROM ZTHING ORDER BY Z_PK")
        #expect(rows == [[nil, "7"], ["b", "7"], [nil, "3"]])
        let empty = BatchInsertRequest(entityName: "Thing", objects: [])
        #expect(try store.run { try $0.execute(empty).count } == 0)
    }

    @Test(
        arguments: [
            (["colour": "red"], StoreError.Reason.unknownAttribute("colour", entity: "Thing")),
            (["owner": 1], .unknownAttribute("owner", entity: "Thing")),
            (
                ["number": "red"],
                .unacceptableValue("red", attribute: "number", entity: "Thing")
            ),
            (
                ["number": .null],
                .missingMandatoryValue(attribute: "number", entity: "Thing")
            ),
            (
                ["name": .objectID(ManagedObjectID.example)],
                .unacceptableValue(
                    .objectID(.example), attribute: "name", entity: "Thing")
            ),
        ] as [([String: AttributeValue], StoreError.Reason)])
    func `a wrong row throws, and nothing is inserted (§6.2.3, §6.2.5)`(
        _ row: [String: AttributeValue], _ reason: StoreError.Reason
    ) throws {
        let store = try makeStore()
        let request = BatchInsertRequest(entityName: "Thing", objects: [["number": 1], row])
        let error = #expect(throws: StoreError.self) { try store.run { try $0.execute(request) } }
        #expect(error?.reason == reason)
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["0"]])
    }

    @Test func `neither rules nor validators are asked (§6.2.4)`() throws {
        let store = try StoreFixture(notebookModel)
        let rows = [["text": AttributeValue.string("refused")]]
        let request = BatchInsertRequest(entityName: "Note", objects: rows)
        #expect(try store.run { try $0.execute(request).count } == 1)
    }

    @Test func `an entity may have 250 attributes, with an upsert too (§6.2.20)`() throws {
        let names = (0..<250).map { "value\($0)" }
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing", attributes: names.map { AttributeDescription($0, .integer64) },
                    uniquenessConstraints: [["value0"]])
            ]))
        let rows = (0..<200).map { row in
            Dictionary(
                uniqueKeysWithValues: names.map {
                    ($0, AttributeValue.integer($0 == "value0" ? Int64(row % 150) : Int64(row)))
                })
        }
        let counts = try store.run { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let request = BatchInsertRequest(entityName: "Thing", objects: rows)
            return try context.execute(request, resultType: .objectIDs)
        }
        #expect(counts.changes.inserted.count == 150 && counts.count == 200)
        let sums = try store.sql("SELECT count(*), sum(ZVALUE249), max(ZVALUE150) FROM ZTHING")
        let expected = (50..<200).reduce(0, +)
        #expect(sums == [["150", "\(expected)", "199"]])
    }

    // MARK: - JSON

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

    @Test(arguments: [100, 100_000])
    func `a deep element is an error or decoded, and never ends the process (§6.2.14)`(
        _ depth: Int
    ) throws {
        let store = try makeStore()
        let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let json = "[{\"number\": 1, \"other\": \(nest)}]"
        guard depth > 1000 else {
            #expect(try insert(json, in: store) == 1)
            return
        }
        let error = #expect(throws: JSONArrayError.self) { try insert(json, in: store) }
        #expect(error?.reason == .undecodable && error?.elementNumber == 1)
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["0"]])
    }

    @Test func `the file may be missing (§6.2.14)`() throws {
        let store = try makeStore()
        let request = BatchInsertRequest(
            entityName: "Thing", jsonArray: store.folder.url("none.json"), of: Element.self
        ) { _, _ in }
        let error = #expect(throws: JSONArrayError.self) {
            try store.run { try $0.execute(request) }
        }
        #expect(error?.reason == .unreadable && error?.code == 256)
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

extension ManagedObjectID {
    fileprivate static let example: ManagedObjectID = {
        let context = try! StoreFixture(notebookModel).context
        return context.performAndWait { Note(context: context).objectID }
    }()
}
